//! Finds links in a submission that lead out of it: to a private file, or to another author's
//! program.

use std::fs;
use std::path::{Path, PathBuf};

use super::no_player::NoPlayer;

/// The maximum number of files and folders in a submission, as in an archive.
const ENTRIES: usize = super::LIMITS.entries;

/// Fails if the submission at `top`, a file or a folder, is a link, or contains one that leads out
/// of it.
pub(crate) fn refuse_links(top: &Path) -> Result<(), NoPlayer> {
    if fs::symlink_metadata(top).is_ok_and(|found| found.is_symlink()) {
        return Err(NoPlayer::Link(format_link_path(top, top)));
    }
    let Ok(inside) = top.canonicalize() else { return Ok(()) };
    let (mut folders, mut entries) = (vec![top.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            if entries > ENTRIES {
                return Err(NoPlayer::TooMany(ENTRIES));
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_symlink() && !link_stays_inside(&entry.path(), &inside) => {
                    return Err(NoPlayer::Link(format_link_path(&entry.path(), top)));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Whether a link leads to something inside this folder. A link to nothing leads nowhere.
fn link_stays_inside(link: &Path, inside: &Path) -> bool {
    link.canonicalize().is_ok_and(|target| target.starts_with(inside))
}

fn format_link_path(path: &Path, top: &Path) -> String {
    let below = path.strip_prefix(top).ok().filter(|below| *below != Path::new(""));
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    below.map_or(name, Path::to_owned).display().to_string()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_may_only_lead_to_what_was_submitted() {
        let dir = tempfile::tempdir().expect("a folder");
        let (own, other) = (dir.path().join("ann"), dir.path().join("bob"));
        for folder in [&own, &other] {
            fs::create_dir_all(folder.join("deep")).expect("a folder");
            fs::write(folder.join("player.py"), "").expect("written");
        }
        symlink("../player.py", own.join("deep/alias.py")).expect("a link");
        refuse_links(&own).expect("it stays inside");
        let refused = |link: &Path| {
            let why = refuse_links(&own).expect_err("refused").to_string();
            fs::remove_file(link).expect("removed");
            why
        };
        for target in ["../../bob/player.py", "/etc/passwd", "../../bob", "missing", "/dev/zero"] {
            let link = own.join("deep/link");
            symlink(target, &link).expect("a link");
            assert!(refused(&link).contains("`deep/link`"), "{target}");
        }
        // By way of another link.
        symlink("..", own.join("up")).expect("a link");
        symlink("up/bob/player.py", own.join("main.py")).expect("a link");
        refuse_links(&own).expect_err("refused");
        symlink(&other, dir.path().join("eve")).expect("a link");
        let why = refuse_links(&dir.path().join("eve")).expect_err("refused").to_string();
        assert!(why.contains("`eve`"), "{why}");
    }
}
