//! The program itself, for measurements of whole commands.

use std::error::Error;
use std::path::Path;
use std::process::Command;

/// Calls the referee in `dir`.
pub(crate) fn referee(dir: &Path, args: &[&str]) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    let output = command.args(args).current_dir(dir).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}
