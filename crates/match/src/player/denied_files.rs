//! Files and devices that the sandbox denies a player, and that may explain why it failed.

use std::path::{Path, PathBuf};

use super::{PlayerLaunch, PlayerSandbox};

/// Files and devices that the sandbox denies a player, though an honest player may need them.
#[derive(Debug, Default)]
pub(super) struct DeniedFiles {
    dir: PathBuf,
    /// Files of other players, as real paths.
    hidden: Vec<PathBuf>,
    shared_memory: bool,
}

impl DeniedFiles {
    /// The files and devices that `sandbox` denies this player.
    pub(super) fn for_player(launch: &PlayerLaunch, sandbox: &PlayerSandbox) -> Self {
        let policy = sandbox.policy();
        if !policy.contains_processes() {
            return Self::default();
        }
        let dir = std::fs::canonicalize(&launch.command.dir).unwrap_or_default();
        // The bridge itself reports which module it cannot import.
        let mut hidden = if launch.bridged { Vec::new() } else { launch.command.hidden.clone() };
        let listed = &launch.command.readable;
        hidden.retain(|path| {
            path.starts_with(&dir) || listed.iter().any(|own| path.starts_with(own))
        });
        Self { dir, hidden, shared_memory: !policy.has_shared_memory() }
    }

    /// If a failed player's stderr shows that it needed one of them, says which and what to do.
    pub(super) fn hint(&self, stderr: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(stderr);
        let mut denials = text.lines().filter(|line| is_denial_line(line)).peekable();
        denials.peek()?;
        if self.shared_memory && ["SemLock", "/dev/shm"].iter().any(|name| text.contains(name)) {
            return Some(
                "it needs /dev/shm, which players have only with `mounts` or at `strict`: see \
                 `referee probe`"
                    .to_owned(),
            );
        }
        let hidden =
            denials.find_map(|line| self.hidden.iter().find(|path| line_names_file(line, path)))?;
        let name = hidden.strip_prefix(&self.dir).unwrap_or(hidden).display();
        Some(format!(
            "the referee hides {name} from it, because it belongs to another player: if this one \
             needs it too, list it in `files = [\"{name}\"]`"
        ))
    }
}

fn is_denial_line(line: &str) -> bool {
    ["ermission denied", "EACCES"].iter().any(|word| line.contains(word))
}

/// Whether the line names the file, by its path or as a quoted name.
fn line_names_file(line: &str, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    line.contains(&*path.to_string_lossy())
        || ['\'', '"'].iter().any(|quote| line.contains(&format!("{quote}{name}{quote}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(stderr: &str) -> Option<String> {
        let barred = DeniedFiles {
            dir: PathBuf::from("/home/x"),
            hidden: ["/home/x/other.py", "/home/x/pkg"].map(PathBuf::from).to_vec(),
            shared_memory: true,
        };
        barred.hint(stderr.as_bytes())
    }

    #[test]
    fn errors_name_a_hidden_module_and_how_to_allow_it() {
        let python = "Traceback …\nPermissionError: [Errno 13] Permission denied: \
                      '/home/x/other.py'\n";
        let said = "the referee hides other.py from it, because it belongs to another player: if \
                    this one needs it too, list it in `files = [\"other.py\"]`";
        assert_eq!(hint(python).as_deref(), Some(said));
        assert_eq!(hint("open 'other.py': EACCES").as_deref(), Some(said));
        let below = "PermissionError: [Errno 13] Permission denied: '/home/x/pkg/__init__.py'";
        assert!(hint(below).is_some_and(|hint| hint.contains("files = [\"pkg\"]")));
    }

    #[test]
    fn errors_name_missing_shared_memory() {
        let python = "  sl = self._semlock = _multiprocessing.SemLock(\n\
                      PermissionError: [Errno 13] Permission denied\n";
        assert!(hint(python).is_some_and(|hint| hint.starts_with("it needs /dev/shm")));
    }

    #[test]
    fn other_failures_are_the_players_own() {
        assert_eq!(hint("KeyError: 'other.py'"), None);
        assert_eq!(hint("PermissionError: [Errno 13] Permission denied: '/etc/shadow'"), None);
        assert_eq!(hint(""), None);
    }
}
