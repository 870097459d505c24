//! The main file that an author names in `package.json`.

use std::path::{Component, Path};

use referee_record::plain_files::read_plain_text;

use crate::start_command::StartCommand;

/// The longest `package.json` that is read, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// The main file if none is named, as for Node.
const USUAL: &str = "index.js";

/// The program named by the `package.json` in `dir`, if it exists.
pub(super) fn find_package_json_main(dir: &Path) -> Option<StartCommand> {
    let text = read_plain_text(&dir.join("package.json"), LONGEST).ok()?;
    let package: serde_json::Value = serde_json::from_str(&text).ok()?;
    let named = package.get("main").and_then(serde_json::Value::as_str);
    let main = named.unwrap_or(USUAL).trim_start_matches("./");
    let is_below = Path::new(main).components().all(|part| matches!(part, Component::Normal(_)));
    let is_program = !main.starts_with('-') && dir.join(main).is_file();
    (is_below && is_program).then(|| StartCommand::new(dir, &["node", main]))
}
