//! The path of the socket at which a run shows the games in play.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// The name of the socket in a results folder.
pub const LIVE_SOCKET: &str = "live.sock";
/// The most bytes of a socket's path that every system accepts.
const LONGEST: usize = 100;

/// A path of the socket in a results folder, for as long as this lives. It is short even if the
/// folder's is long, because systems limit the paths of sockets.
#[derive(Debug)]
pub struct LiveSocketPath {
    path: PathBuf,
    /// The folder, which the path names by its number.
    _folder: Option<File>,
}

impl LiveSocketPath {
    /// The path of the socket in `dir`.
    ///
    /// # Errors
    ///
    /// If the folder cannot be opened.
    pub fn in_folder(dir: &Path) -> io::Result<Self> {
        let path = dir.join(LIVE_SOCKET);
        if path.as_os_str().len() <= LONGEST || !cfg!(target_os = "linux") {
            return Ok(Self { path, _folder: None });
        }
        let folder = File::open(dir)?;
        let path = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string());
        Ok(Self { path: path.join(LIVE_SOCKET), _folder: Some(folder) })
    }
}

impl AsRef<Path> for LiveSocketPath {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_socket_in_a_folder_with_any_path_is_opened_and_found() {
        let root = tempfile::tempdir().expect("a folder");
        for name in ["short".to_owned(), "long".repeat(60)] {
            let dir = root.path().join(name);
            fs::create_dir(&dir).expect("made");
            let path = || LiveSocketPath::in_folder(&dir).expect("a path");
            let listener = UnixListener::bind(path()).expect("a socket");
            assert!(dir.join(LIVE_SOCKET).exists());
            UnixStream::connect(path()).expect("connected");
            listener.accept().expect("accepted");
        }
    }
}
