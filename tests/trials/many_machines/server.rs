//! Real servers and workers, as processes that end with the test.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::support::{Arena, Config, wait_until};
use nix::unistd::Pid;
use tempfile::TempDir;

/// The `nats-server` programs of this machine, with their versions.
pub(crate) fn servers() -> Vec<(PathBuf, (u32, u32))> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let found = std::env::split_paths(&path).map(|folder| folder.join("nats-server"));
    let all = named.into_iter().chain(found).filter(|program| program.is_file());
    all.filter_map(|program| Some((program.clone(), version(&program)?))).collect()
}

/// The version of a server, from a line like `nats-server: v2.15.1`.
fn version(program: &PathBuf) -> Option<(u32, u32)> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.rsplit_once('v')?.1.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A server in a folder of its own.
pub(crate) struct TestServer {
    pub(crate) program: PathBuf,
    dir: TempDir,
    port: u16,
    child: Child,
}

impl TestServer {
    /// Starts a server, with these lines added to its configuration.
    pub(crate) fn start(program: PathBuf, config: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("a port").port();
        drop(free);
        let store = dir.path().join("store");
        let config = format!(
            "listen: \"127.0.0.1:{port}\"\n\
             jetstream {{ store_dir: \"{}\" }}\n{config}",
            store.display()
        );
        fs::write(dir.path().join("server.conf"), config).expect("written");
        let child = Self::spawn(&program, &dir);
        let server = Self { program, dir, port, child };
        server.wait();
        server
    }

    fn spawn(program: &PathBuf, dir: &TempDir) -> Child {
        Command::new(program)
            .arg("-c")
            .arg(dir.path().join("server.conf"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server")
    }

    fn wait(&self) {
        wait_until(|| std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Where it keeps its streams.
    pub(crate) fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("a pid"))
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ended");
    }

    /// Restarts it without what it has stored.
    pub(crate) fn lose_store(&mut self) {
        self.kill();
        fs::remove_dir_all(self.store()).expect("a store");
        self.child = Self::spawn(&self.program, &self.dir);
        self.wait();
    }

    pub(crate) fn restart(&mut self) {
        self.kill();
        self.child = Self::spawn(&self.program, &self.dir);
        self.wait();
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A tournament of two built-in players and `ant`, whose `play.sh` has a folder to itself.
pub(crate) fn arena_with_script(play: &str) -> Arena {
    let config = Config::empty()
        .player("ant", "dir = \"ant\"\ncommand = [\"sh\", \"play.sh\"]")
        .bot("bee", "random")
        .bot("cat", "random")
        .change(|config| config.pairs = 1);
    let arena = Arena::with(&config);
    fs::create_dir(arena.path().join("ant")).expect("a folder");
    arena.write("ant/play.sh", play);
    arena
}

/// A worker, which is killed at the end.
pub(crate) struct WorkerProcess(pub(crate) Child);

impl WorkerProcess {
    pub(crate) fn start(arena: &Arena, url: &str, name: &str) -> Self {
        let mut command = arena.command(&["worker", url, "--jobs", "2", "--name", name]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Self(child.expect("a worker"))
    }

    pub(crate) fn kill(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ended");
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
