//! Turns the copy of a submission into a player: unpacks it, builds it, and finds what to run.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use super::author_folder::AuthorFolder;
use super::author_report::AuthorReport;
use super::hand_in::read_hand_in;
use referee_config::{ConfiguredBuilds, player_from_start};
use referee_entrants::build::{BuildError, Builder};
use referee_entrants::build_rules::{BuildRecords, BuildRules};
use referee_entrants::detection::EXPECTED;
use referee_entrants::start_command::StartCommand;
use referee_entrants::submissions::{NoPlayer, detect_built_player, import_one_submission};
use referee_protocol::escape::{escape_line, escape_lines};
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::tree_walk::FoundTree;
use referee_record::wording::pluralize;
use referee_sandbox::{ResolveError, Shortage, resource_limits};
use tokio::runtime::Builder as Runtime;
use tokio::sync::watch;

/// The only entry of the folder that is taken in.
const ENTRY: &str = "player";
/// The most lines of a build at its beginning that an author is told, and at its end.
const TOLD: usize = 100;

/// How submissions that are source code are built, if they are.
#[derive(Debug)]
pub struct SubmissionBuilds {
    rules: BuildRules,
    builder: Builder,
}

impl SubmissionBuilds {
    /// Builds as `configured`, at the level of the players unless that is left open.
    ///
    /// # Errors
    /// Nothing can be contained as asked.
    pub fn new(
        configured: ConfiguredBuilds,
        players: &ContainmentRequest,
    ) -> Result<Self, ResolveError> {
        let rules = BuildRules { records: BuildRecords::Dropped, ..configured.rules };
        let level = players.level.or(configured.level);
        let builder = Builder::new(rules.clone(), level, players.without.clone())?;
        Ok(Self { rules, builder })
    }
}

/// A submission that was taken in, in a folder that is not its last one.
#[derive(Debug)]
pub(crate) struct PreparedSubmission {
    /// What its author handed in.
    pub(crate) handed_in: FoundTree,
    /// All its files, unpacked and built.
    pub(crate) tree: PathBuf,
    /// How many bytes they have.
    pub(crate) bytes: u64,
    /// How it is started, seen from `tree`, if it was built.
    pub(crate) built: Option<StartCommand>,
    /// Its player, as it would run there.
    pub(crate) spec: PlayerSpec,
}

/// The reason why a submission was not taken in, as a sentence for its author.
#[derive(Debug)]
pub(crate) enum SubmissionError {
    /// It changed while it was copied, so it is read again.
    Changed,
    /// Something that is not its fault, so it is tried again.
    Later(String),
    /// It is not one that can play.
    Refused(String),
    /// Its check found this, and its report already says so.
    NotReady(String),
}

impl SubmissionError {
    /// The reason that an error is.
    pub(crate) fn from_error(error: impl Error + 'static) -> Self {
        match Shortage::from_error("take it in", &error) {
            Some(_) => Self::Later(error.to_string()),
            None => rejected_submission(error),
        }
    }
}

/// The reason as a refusal.
fn rejected_submission(why: impl Display) -> SubmissionError {
    SubmissionError::Refused(why.to_string())
}

/// Copies the submission in the folder `from`, of at most this many bytes, into the new folder
/// `work`, builds it until that is to stop, and finds its player, which is called `name`. The report
/// tells its author what happens.
pub(crate) fn prepare_submission(
    (from, expected): (&AuthorFolder, &FoundTree),
    (work, name): (&Path, &str),
    largest: u64,
    builds: Option<(&SubmissionBuilds, &watch::Receiver<bool>)>,
    report: &mut AuthorReport,
) -> Result<PreparedSubmission, SubmissionError> {
    let (inbox, unpacked) = (work.join("in"), work.join("out"));
    fs::create_dir_all(&inbox).map_err(SubmissionError::from_error)?;
    let handed_in = read_hand_in(from, Some(&inbox.join(ENTRY)), largest)
        .map_err(SubmissionError::from_error)?;
    if handed_in != *expected {
        return Err(SubmissionError::Changed);
    }
    let Some(submission) =
        import_one_submission(&inbox, &unpacked).map_err(SubmissionError::from_error)?
    else {
        return Err(rejected_submission(format_args!("no player found in it; {EXPECTED}")));
    };
    for remark in &submission.remarks {
        report.add(&escape_lines(remark));
    }
    let built = builds
        .zip(submission.top.as_deref())
        .and_then(|(builds, top)| build_submission(builds, top, work, report).transpose())
        .transpose();
    let (tree, start, built) = match (built, submission.player) {
        (Ok(Some((tree, built))), _) => (
            tree.clone(),
            StartCommand { dir: tree.join(&built.dir), ..built.clone() },
            Some(built),
        ),
        (Ok(None), Err(why)) => return Err(submission_without_player(why)),
        (Err(why), Err(_))
        | (Err(why @ (SubmissionError::Changed | SubmissionError::Later(_))), Ok(_)) => {
            return Err(why);
        }
        (built, Ok(start)) => {
            if let Err(SubmissionError::Refused(why)) = built {
                report.add(&format!("{why}; it plays unbuilt, as handed in"));
            }
            let tops = [inbox.join(ENTRY), unpacked];
            let top = tops.into_iter().find(|top| start.dir.starts_with(top));
            (top.unwrap_or_else(|| start.dir.clone()), start, None)
        }
    };
    let bytes = submission_size(&tree);
    if bytes > largest && !tree.ends_with(BUILT) {
        return Err(rejected_submission(format!(
            "unpacked, it is larger than {}",
            resource_limits::format_bytes(largest)
        )));
    }
    let spec = player_from_start(name, &start)
        .map_err(|failure| rejected_submission(failure.to_string()))?;
    Ok(PreparedSubmission { handed_in, tree, bytes, built, spec })
}

/// The reason why a submission without a player was not taken in, with what its author can do.
fn submission_without_player(why: NoPlayer) -> SubmissionError {
    let advice = match why {
        NoPlayer::Several(_) => "name the right one `player`, or hand it in alone",
        NoPlayer::OnlyText | NoPlayer::NoProgram(_) | NoPlayer::Unrecognised(_) => EXPECTED,
        why => return SubmissionError::from_error(why),
    };
    rejected_submission(format_args!("{why}; {advice}"))
}

/// The folder for what was built.
const BUILT: &str = "built";

/// Builds the submission in the folder `top`, if it needs that, and moves the result to `work`.
/// Returns its folder, and how its player is started, seen from there. It ends when `stop` becomes
/// true: who stops a run does not wait for minutes.
fn build_submission(
    (builds, stop): (&SubmissionBuilds, &watch::Receiver<bool>),
    top: &Path,
    work: &Path,
    report: &mut AuthorReport,
) -> Result<Option<(PathBuf, StartCommand)>, SubmissionError> {
    let Some(plan) = builds.rules.plan(top) else { return Ok(None) };
    report.add(&format!("build: {}", escape_line(&plan.command)));
    let (mut lines, mut end) = (0, VecDeque::new());
    let mut stop = stop.clone();
    let runtime = Runtime::new_current_thread().enable_all().build();
    let built =
        runtime.map_err(|error| SubmissionError::Later(error.to_string()))?.block_on(async {
            let mut say = |line: &str| {
                lines += 1;
                if lines <= TOLD {
                    report.add(&format!("  {line}"));
                    report.send_progress();
                    return;
                }
                end.push_back(format!("  {line}"));
                if end.len() > TOLD {
                    end.pop_front();
                }
            };
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => None,
                built = builds.builder.build(&plan, &mut say) => Some(built),
            }
        });
    let Some(built) = built else {
        return Err(SubmissionError::Later("the run has stopped".to_owned()));
    };
    let hidden = lines.saturating_sub(TOLD + end.len());
    if hidden > 0 {
        report.add(&format!("  … {} …", pluralize(hidden, "line")));
    }
    for line in &end {
        report.add(line);
    }
    let built = built.map_err(SubmissionError::from_error)?;
    let start = detect_built_player(&plan, &built.dir).map_err(SubmissionError::from_error)?;
    let to = work.join(BUILT);
    fs::rename(&built.dir, &to)
        .map_err(|error| SubmissionError::from_error(BuildError::Unpacked(error)))?;
    Ok(Some((to, start.moved(&built.dir, Path::new("")))))
}

/// The bytes of all files in a folder. Links are not followed.
pub(crate) fn submission_size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let of_entry = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => submission_size(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.map(of_entry).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_entrants::submissions::{ArchiveError, NoPlayer};
    use referee_record::tree_walk::UnfitTree;
    use std::io;

    #[test]
    fn what_the_machine_lacks_is_no_refusal() {
        let full = || io::Error::from(nix::errno::Errno::ENOSPC);
        let waits = [
            SubmissionError::from_error(full()),
            SubmissionError::from_error(UnfitTree::Failed { path: PathBuf::new(), source: full() }),
            SubmissionError::from_error(NoPlayer::Refused(ArchiveError::Folder(full()))),
            SubmissionError::from_error(BuildError::Cache(PathBuf::from("built"), full())),
            SubmissionError::from_error(BuildError::Unpacked(full())),
        ];
        assert!(waits.iter().all(|why| matches!(why, SubmissionError::Later(_))), "{waits:?}");
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let refused = [
            SubmissionError::from_error(denied),
            SubmissionError::from_error(BuildError::TooLarge(1)),
        ];
        assert!(
            refused.iter().all(|why| matches!(why, SubmissionError::Refused(_))),
            "{refused:?}"
        );
    }
}
