//! A rules program as a plain child process, for programs that are contained themselves.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::program_pipes::{ProgramEnd, ProgramLauncher, ProgramPipes, RulesProcess};

/// Starts a rules program as a plain child process, whose stderr is that of this process.
#[derive(Debug, Clone)]
pub struct ChildLauncher {
    /// The program.
    pub program: PathBuf,
    /// Arguments.
    pub args: Vec<String>,
    /// Working folder.
    pub dir: PathBuf,
}

impl ProgramLauncher for ChildLauncher {
    fn start(&self) -> Result<(Box<dyn RulesProcess>, ProgramPipes), Box<dyn std::error::Error>> {
        let mut child = Command::new(&self.program)
            .args(&self.args)
            .current_dir(&self.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("its pipes are missing".into());
        };
        let pipes = ProgramPipes::new(OwnedFd::from(stdin), OwnedFd::from(stdout))?;
        Ok((Box::new(ChildProgram(child)), pipes))
    }
}

/// A running child process.
#[derive(Debug)]
struct ChildProgram(Child);

impl RulesProcess for ChildProgram {
    /// It is killed at once, and writes to the stderr of this process.
    fn end(&mut self) -> ProgramEnd {
        let _ = self.0.kill();
        let ended = self.0.wait();
        let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        ProgramEnd { how, stderr: Vec::new() }
    }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        // It may have ended already.
        self.end();
    }
}
