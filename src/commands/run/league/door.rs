//! The door of a league: takes in what authors hand in, checks it, and lets it enter.
//!
//! It works beside the games, one submission at a time. Whatever is in an author's folder is the
//! version that the author wants to play; the log says which one plays. So nothing is lost when the
//! program is killed: the next run compares the two.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot, watch};

use super::door_watch::{AGAIN, Bell, DoorTask, DoorWatch};
use super::intake::{self, LeagueBuilds, NotTaken, Taken};
use super::letter::{Fate, Letter};
use super::{now, player_in, without_sight};
use crate::commands::check::{ExamTerms, exam, guarded};
use crate::commands::run::PlannedRun;
use crate::commands::run::hooks::{HookBell, HookEvent};
use crate::commands::runtime::new_runtime;
use crate::commands::settings::Settings;
use crate::error::Failure;
use crate::league::author_folder::AuthorFolder;
use crate::league::control::Control;
use crate::league::hand_in;
use crate::league::invitations::author_problem;
use crate::league::{keep_start, version_digest, version_dir};
use crate::printer::{Colour, Printer};
use referee_check::{
    Candidate, CheckReport, Exam, Readiness, ReportText, StepNews, drills, examine,
};
use referee_config::ConfiguredBuilds;
use referee_entrants::build::Builder;
use referee_entrants::build_rules::{BuildRecords, BuildRules};
use referee_protocol::places::Places;
use referee_ratings::MOST_PLAYERS;
use referee_record::disk::{self, FolderAccess};
use referee_record::model::entry::{Entry, Leaving, LeavingReason, MOST_VERSIONS};
use referee_record::model::league::LeagueSettings;
use referee_record::model::player::PlayerSpec;
use referee_record::model::record::{Header, PlayerInfo};
use referee_record::model::roster::RosterChange;
use referee_record::model::stage::Stage;
use referee_record::model::tournament::Tournament;
use referee_record::seeds::fresh_identity;
use referee_record::tree::FoundTree;
use referee_sandbox::limits;
use referee_tournament::run::instruction::{Instruction, PlayerChange};
use referee_tournament::run::resume::header;

/// The folder of submissions that are being checked, beside those that entered.
const WORK: &str = ".being-checked";
/// How long the check of a submission may take.
const WITHIN: Duration = Duration::from_secs(300);

/// What the door works with.
pub(super) struct DoorPlan {
    /// What every submission is tested for.
    pub(super) exam: Exam,
    /// How submissions are built, if they are.
    pub(super) builds: Option<LeagueBuilds>,
    /// What players that came must not see.
    pub(super) hidden: Vec<PathBuf>,
    /// What the organiser wanted when the run began.
    pub(super) control: Control,
    /// Tells the organiser's program what happens.
    pub(super) bell: HookBell,
}

/// The door, at work in a thread.
#[derive(Debug)]
pub(super) struct Door {
    bell: Bell,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Door {
    /// Opens the door of the league in the results folder of `run`, whose log has this header now.
    pub(super) fn open(
        run: &PlannedRun<'_>,
        league: &LeagueSettings,
        plan: DoorPlan,
        header: &Header,
        tell: mpsc::UnboundedSender<Instruction>,
    ) -> Result<Self, Failure> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: io::Error| Failure::cannot_write(&path, &error)
        };
        let work = league.entrants.join(WORK);
        for folder in [&league.hand_in, &league.entrants] {
            fs::create_dir_all(folder).map_err(failed(folder))?;
        }
        // Other accounts of the machine must not read what was handed in, as far as players can do
        // without.
        let needs_passage = run.containment.policy().needs_passage();
        let access = if needs_passage { FolderAccess::Passage } else { FolderAccess::Owner };
        disk::restrict(&league.entrants, access).map_err(failed(&league.entrants))?;
        remove_tree(&work).map_err(failed(&work))?;
        let watch = DoorWatch::begin(&league.hand_in, run.folder.dir());
        let door_bell = watch.bell();
        let (stop, stopped) = watch::channel(false);
        let mut doorkeeper = Doorkeeper {
            league: league.clone(),
            dir: run.folder.dir().to_owned(),
            template: run.tournament.clone(),
            // Elsewhere, a check disturbs no game.
            jobs: run.limits.workers.is_none().then_some(run.limits.jobs),
            plan,
            places: places(run, league),
            authors: BTreeMap::new(),
            taken: header.players.iter().map(|player| player.name.clone()).collect(),
            watch,
            tell,
            stop: stopped,
        };
        header.players.iter().for_each(|player| doorkeeper.note(player));
        let thread = thread::Builder::new()
            .name("door".to_owned())
            .spawn(move || doorkeeper.work())
            .map_err(|error| Failure::system(format!("cannot start a thread: {error}")))?;
        Ok(Self { bell: door_bell, stop, thread })
    }

    /// What every submission to the league of `run` is tested for.
    pub(super) fn exam(
        run: &PlannedRun<'_>,
        settings: &Settings,
        printer: Printer,
    ) -> Result<Exam, Failure> {
        let terms = ExamTerms { within: WITHIN, ..ExamTerms::default() };
        let exam = exam(&terms, settings, Arc::clone(run.containment), printer)?;
        Ok(Exam { drills: drills(&exam.rules)?, ..exam })
    }

    /// How submissions to the league are built, if they are.
    pub(super) fn builds(settings: &Settings) -> Result<Option<LeagueBuilds>, Failure> {
        let Some(ConfiguredBuilds { rules, level, .. }) = settings.builds.clone() else {
            return Ok(None);
        };
        let rules = BuildRules { records: BuildRecords::Dropped, ..rules };
        let request = &settings.base.containment;
        let level = request.level.or(level);
        let builder = Builder::new(rules.clone(), level, request.without.clone())?;
        Ok(Some(LeagueBuilds { rules, builder }))
    }

    /// Closes the door, and breaks off a check.
    pub(super) fn close(self) {
        self.stop.send_replace(true);
        self.bell.close();
        // A panic was reported already.
        let _ = self.thread.join();
    }
}

/// Removes a folder and all in it. A missing one is not an error.
fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What the door knows about an author.
#[derive(Debug, Clone, Default)]
struct Author {
    /// The number of the last version.
    version: u32,
    /// The digest of what was handed in for it.
    source: String,
    /// Whether it plays, or would if it had not made too many faults.
    is_there: bool,
    /// When a submission was last checked.
    checked: Option<Instant>,
}

/// Works at the door.
struct Doorkeeper {
    league: LeagueSettings,
    /// The results folder.
    dir: PathBuf,
    template: Tournament,
    plan: DoorPlan,
    /// How many games are played at once on this machine.
    jobs: Option<usize>,
    /// What authors do not learn.
    places: Places,
    authors: BTreeMap<String, Author>,
    /// The names of all players so far.
    taken: Vec<String>,
    watch: DoorWatch,
    tell: mpsc::UnboundedSender<Instruction>,
    stop: watch::Receiver<bool>,
}

/// The folders of a league, and those around them, as given and without links.
fn places(run: &PlannedRun<'_>, league: &LeagueSettings) -> Places {
    let folders = [league.hand_in.as_path(), &league.entrants, run.folder.dir()];
    let around = folders.into_iter().flat_map(|folder| [Some(folder), folder.parent()]).flatten();
    let both = around.flat_map(|path| [std::path::absolute(path).ok(), path.canonicalize().ok()]);
    Places::new(both.flatten().map(|path| path.display().to_string()))
}

/// The league is not played any more.
struct NobodyThere;

impl Doorkeeper {
    fn note(&mut self, player: &PlayerInfo) {
        let Some(entry) = &player.entry else { return };
        let known = self.authors.entry(entry.author.clone()).or_default();
        if entry.version > known.version {
            known.version = entry.version;
            known.source.clone_from(&entry.source);
            known.is_there = player.left.is_none();
        }
    }

    fn work(mut self) {
        // Otherwise nobody listens any more.
        let _ = self.serve();
    }

    fn serve(&mut self) -> Result<(), NobodyThere> {
        self.control()?;
        loop {
            match self.watch.next() {
                DoorTask::Close => return Ok(()),
                DoorTask::Control => self.control()?,
                DoorTask::Author(author) => self.look_at(&author)?,
            }
        }
    }

    fn say(&self, instruction: Instruction) -> Result<(), NobodyThere> {
        self.tell.send(instruction).map_err(|_| NobodyThere)
    }

    /// Leaves one place to a check while it lasts, but never stops all games.
    fn make_place(&self, is_checking: bool) -> Result<(), NobodyThere> {
        let Some(jobs) = self.jobs else { return Ok(()) };
        self.say(Instruction::PlayAtOnce((jobs - usize::from(is_checking)).max(1)))
    }

    fn warn(&self, warning: &str) -> Result<(), NobodyThere> {
        self.say(Instruction::Warning(referee_protocol::escape::terminal(warning)))
    }

    /// Asks for a change, and waits for the answer.
    fn change(
        &self,
        change: RosterChange,
        program: Option<PlayerSpec>,
    ) -> Result<Result<(), String>, NobodyThere> {
        let (done, answer) = oneshot::channel();
        self.say(Instruction::Change(Box::new(PlayerChange { change, program, done })))?;
        // A run that ends drops the instructions that it has not followed.
        answer.blocking_recv().map_err(|_| NobodyThere)
    }

    /// Follows what the organiser wants.
    fn control(&mut self) -> Result<(), NobodyThere> {
        let control = match Control::read(&self.dir) {
            Ok(control) => control,
            Err(error) => return self.warn(&error.to_string()),
        };
        let admitted: Vec<String> =
            self.plan.control.removed.difference(&control.removed).cloned().collect();
        for author in &control.removed {
            self.leave(author, LeavingReason::Removed)?;
        }
        for author in admitted {
            self.watch.later(author, Instant::now());
        }
        let before = std::mem::replace(&mut self.plan.control, control);
        self.plan
            .control
            .instructions_after(&before)
            .into_iter()
            .try_for_each(|next| self.say(next))
    }

    /// Lets the present version of an author go, if there is one.
    fn leave(&mut self, author: &str, why: LeavingReason) -> Result<(), NobodyThere> {
        let Some(known) = self.authors.get_mut(author).filter(|known| known.is_there) else {
            return Ok(());
        };
        known.is_there = false;
        let player = Entry::name(author, known.version);
        let leaving = Leaving { at: now(), why };
        match self.change(RosterChange::Left { player, leaving }, None)? {
            Ok(()) => Ok(()),
            Err(why) => self.warn(&format!("{author} cannot leave: {why}")),
        }
    }

    /// Reads an author's folder, and takes in what is there if it is new.
    fn look_at(&mut self, author: &str) -> Result<(), NobodyThere> {
        let folder = self.league.hand_in.join(author);
        if self.plan.control.closed {
            return Ok(());
        }
        let Ok(folder) = AuthorFolder::open(&folder).map(Arc::new) else { return Ok(()) };
        let found = match hand_in::read(&folder, None, self.league.largest) {
            Ok(found) if found.files == 0 => return Ok(()),
            Ok(found) => found,
            Err(error) => {
                // What cannot be read has no digest. Its report says so once.
                let letter = Letter::new(&folder, "unreadable", &self.places);
                let why = match NotTaken::of(error) {
                    NotTaken::Refused(why) => why,
                    NotTaken::Later(why) => return self.put_off(author, letter, &why),
                    NotTaken::Changed => return Ok(()),
                };
                if letter.was_refused_for(&referee_protocol::escape::lines(&why)) {
                    return Ok(());
                }
                return self.refuse(author, letter, &why);
            }
        };
        let mut letter = Letter::new(&folder, &found.digest, &self.places);
        let known = self.authors.get(author).cloned().unwrap_or_default();
        if known.is_there && known.source == found.digest {
            let name = Entry::name(author, known.version);
            if letter.was_entered(&name) {
                return Ok(());
            }
            letter.add("It plays.");
            return self.send(&letter, &Fate::Entered(name));
        }
        if letter.was_refused() {
            return Ok(());
        }
        if let Some(why) = self.stranger(author) {
            return self.refuse(author, letter, &why);
        }
        if let Some(at) = known.checked.map(|checked| checked + self.league.every)
            && at > Instant::now()
        {
            self.watch.later(author.to_owned(), at);
            letter.add(
                "It waits: submissions of an author are checked one after another, with a pause.",
            );
            return self.send(&letter, &Fate::BeingChecked);
        }
        self.make_place(true)?;
        let taken = self.take(author, &folder, &found, &mut letter);
        self.authors.entry(author.to_owned()).or_default().checked = Some(Instant::now());
        let work = self.league.entrants.join(WORK);
        if let Err(error) = remove_tree(&work) {
            self.warn(&format!("cannot remove {}: {error}", work.display()))?;
        }
        self.make_place(false)?;
        match taken? {
            Ok(name) => self.send(&letter, &Fate::Entered(name)),
            Err(NotTaken::Changed) => {
                self.watch.later(author.to_owned(), Instant::now());
                Ok(())
            }
            Err(NotTaken::Later(why)) => self.put_off(author, letter, &why),
            Err(NotTaken::Refused(why)) => self.refuse(author, letter, &why),
        }
    }

    /// Tries a submission again after a while: what kept it out is not its fault.
    fn put_off(&mut self, author: &str, mut letter: Letter, why: &str) -> Result<(), NobodyThere> {
        let why = referee_protocol::escape::lines(why);
        self.warn(&format!("a submission of {author} waits: {why}"))?;
        self.watch.later(author.to_owned(), Instant::now() + AGAIN);
        letter.add(&format!("It waits, through no fault of its own, and is tried again: {why}"));
        self.send(&letter, &Fate::BeingChecked)
    }

    /// Why the author of this name cannot take part, if so.
    fn stranger(&self, author: &str) -> Option<String> {
        if self.plan.control.removed.contains(author) {
            return Some("the organiser has removed its author".to_owned());
        }
        if let Some(problem) = author_problem(author) {
            return Some(format!("its author cannot be called so: {problem}"));
        }
        let is_like =
            |other: &&String| *other != author && other.to_lowercase() == author.to_lowercase();
        let known = self.authors.keys().find(is_like);
        known.map(|other| format!("its author's name is too much like that of `{other}`"))
    }

    fn send(&self, letter: &Letter, fate: &Fate) -> Result<(), NobodyThere> {
        match letter.send(fate) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot write a report: {error}")),
        }
    }

    fn refuse(&self, author: &str, mut letter: Letter, why: &str) -> Result<(), NobodyThere> {
        letter.add(&referee_protocol::escape::lines(why));
        let (author, reason) = (author.to_owned(), why.to_owned());
        let told = format!("a submission of {author} is refused: {why}");
        self.say(Instruction::Notice(referee_protocol::escape::terminal(&told)))?;
        self.plan.bell.tell(&HookEvent::Refused { author, reason });
        self.send(&letter, &Fate::Refused)
    }

    /// Takes in a submission, checks it, and lets it enter. Returns its name.
    fn take(
        &mut self,
        author: &str,
        folder: &Arc<AuthorFolder>,
        found: &FoundTree,
        letter: &mut Letter,
    ) -> Result<Result<String, NotTaken>, NobodyThere> {
        self.send(letter, &Fate::BeingChecked)?;
        let version = self.authors.get(author).map_or(1, |known| known.version + 1);
        if self.taken.len() >= MOST_PLAYERS || version > MOST_VERSIONS {
            let why = format!("the league is full: it has had {MOST_PLAYERS} players");
            return Ok(Err(NotTaken::Refused(why)));
        }
        let name = Entry::name(author, version);
        if self.taken.contains(&name) {
            let why = format!("another player is called `{name}`");
            return Ok(Err(NotTaken::Refused(why)));
        }
        let work = self.league.entrants.join(WORK);
        let (submission, place) = ((&**folder, found), (work.as_path(), name.as_str()));
        let (largest, builds) = (self.league.largest, self.plan.builds.as_ref());
        let taken = match intake::take(submission, place, largest, builds, letter) {
            Ok(taken) => taken,
            Err(why) => return Ok(Err(why)),
        };
        let disk = self.league.disk;
        if taken.bytes > disk {
            let why = format!("as it plays, it is larger than {}", limits::bytes(disk));
            return Ok(Err(NotTaken::Refused(why)));
        }
        match self.check(&taken.spec, &work, letter)? {
            Readiness::Ready => {}
            Readiness::NotReady => {
                return Ok(Err(NotTaken::Refused("It is not ready to play.".to_owned())));
            }
            Readiness::Unfinished if *self.stop.borrow() => return Err(NobodyThere),
            Readiness::Unfinished => {
                return Ok(Err(NotTaken::Later("its check did not finish".to_owned())));
            }
        }
        let entry = Entry {
            author: author.to_owned(),
            version,
            at: now(),
            source: taken.handed_in.digest.clone(),
            kept: String::new(),
        };
        match self.settle(&entry, &taken) {
            Ok((spec, kept)) => self.enter(Entry { kept, ..entry }, spec, taken, letter),
            Err(why) => Ok(Err(why)),
        }
    }

    /// Checks a player, step by step.
    fn check(
        &self,
        spec: &PlayerSpec,
        work: &Path,
        letter: &mut Letter,
    ) -> Result<Readiness, NobodyThere> {
        let mut exam = self.plan.exam.clone();
        let candidate = match self.candidate(spec, work, &mut exam) {
            Ok(candidate) => candidate,
            Err(failure) => {
                self.warn(&format!("{}: {}", spec.name, failure.message))?;
                return Ok(Readiness::Unfinished);
            }
        };
        let mut report = exam.untried(&candidate);
        let mut text = ReportText::new(&report, Colour::Plain, None);
        letter.add(&ReportText::heading(&report));
        let written = std::cell::RefCell::new((letter, &mut text));
        let tell = |news: StepNews| {
            if let StepNews::Ended(step) = news {
                let (letter, text) = &mut *written.borrow_mut();
                letter.add(&text.step(&step));
                // The next step writes it again.
                let _ = letter.send(&Fate::BeingChecked);
            }
        };
        let checked = guarded(&mut report, |report: &mut CheckReport| {
            let examined = examine(&exam, &candidate, report, self.stop.clone(), tell);
            Ok(new_runtime()?.block_on(examined)?)
        });
        let (letter, text) = written.into_inner();
        letter.add(&text.rest(&report));
        if let Err(failure) = checked {
            self.warn(&format!("{}: {}", spec.name, failure.message))?;
        }
        Ok(report.outcome())
    }

    fn candidate(
        &self,
        spec: &PlayerSpec,
        work: &Path,
        exam: &mut Exam,
    ) -> Result<Candidate, Failure> {
        let identity = fresh_identity()?;
        // Nobody can prepare for the games of a check.
        let hash = blake3::hash(identity.as_bytes());
        exam.seed = hash.as_bytes()[..4].iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        let mut players = vec![spec.clone(), exam.partner.clone()];
        players.extend(exam.bots.iter().cloned());
        let tournament = Tournament {
            name: "check".to_owned(),
            stages: vec![Stage::round_robin(1)],
            seed: Some(exam.seed),
            openings: None,
            quarantine: 0,
            anchors: Vec::new(),
            players,
            ..self.template.clone()
        };
        Ok(Candidate {
            header: header(&tournament, exam.containment.record(), identity),
            words: "PLAYER".to_owned(),
            remarks: referee_config::remarks(spec),
            spec: spec.clone(),
            records: work.join("records"),
        })
    }

    /// Moves a submission to its last place, and finds its player there. Also returns a hash of all
    /// that is there.
    fn settle(&self, entry: &Entry, taken: &Taken) -> Result<(PlayerSpec, String), NotTaken> {
        let to = version_dir(&self.league, entry);
        let of_author = to.parent().unwrap_or(&to);
        let failed = |error: io::Error| match NotTaken::of(error) {
            NotTaken::Refused(why) => NotTaken::Refused(format!("it cannot be kept: {why}")),
            other => other,
        };
        fs::create_dir_all(of_author).map_err(failed)?;
        // What a run that was killed left there never played.
        remove_tree(&to).map_err(failed)?;
        self.make_room(of_author, entry.version, taken.bytes).map_err(failed)?;
        fs::rename(&taken.tree, &to).map_err(failed)?;
        keep_start(&to, taken.built.as_ref()).map_err(failed)?;
        let name = Entry::name(&entry.author, entry.version);
        let kept = version_digest(&to).map_err(NotTaken::of)?;
        let spec = player_in(&to, &name);
        Ok((spec.map_err(|failure| NotTaken::Refused(failure.to_string()))?, kept))
    }

    /// Removes the files of an author's oldest versions until as many bytes as this fit.
    fn make_room(&self, of_author: &Path, next: u32, bytes: u64) -> io::Result<()> {
        let mut kept = Vec::new();
        for version in (1..next).rev() {
            let dir = of_author.join(version.to_string());
            if !dir.exists() {
                continue;
            }
            let size = intake::size(&dir);
            kept.push((dir, size));
        }
        let mut left = self.league.disk.saturating_sub(bytes);
        for (at, (dir, size)) in kept.into_iter().enumerate() {
            match left.checked_sub(size) {
                Some(rest) => left = rest,
                // The newest of them plays until this one has entered.
                None if at == 0 => left = 0,
                None => {
                    left = 0;
                    remove_tree(&dir)?;
                    keep_start(&dir, None)?;
                }
            }
        }
        Ok(())
    }

    /// Lets a version enter in place of the one before.
    fn enter(
        &mut self,
        entry: Entry,
        spec: PlayerSpec,
        taken: Taken,
        letter: &mut Letter,
    ) -> Result<Result<String, NotTaken>, NobodyThere> {
        let (author, name) = (entry.author.clone(), spec.name.clone());
        let player = PlayerInfo {
            name: name.clone(),
            command: spec.command.clone(),
            hash: spec.hash.clone(),
            tc: spec.tc,
            takes_openings: spec.takes_openings(),
            restart: spec.restart,
            entry: Some(entry.clone()),
            left: None,
        };
        self.leave(&author, LeavingReason::Replaced)?;
        let change =
            RosterChange::Entered { player: Box::new(player), files: taken.handed_in.hashes };
        let program = without_sight(spec, &self.plan.hidden);
        if let Err(why) = self.change(change, Some(program))? {
            return Ok(Err(NotTaken::Refused(why)));
        }
        let event = HookEvent::Entered { player: name.clone(), author: author.clone() };
        self.plan.bell.tell(&event);
        letter.add(&format!("It plays as `{name}`."));
        self.taken.push(name.clone());
        let known = self.authors.entry(author).or_default();
        (known.version, known.source, known.is_there) = (entry.version, entry.source, true);
        Ok(Ok(name))
    }
}
