//! Options that list names and files.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::OptionWords;
use super::error::FileError;
use crate::safe_text::Text;

/// The possible values of an option that lists names known to the game, or files.
///
/// As text, such a value is a word, or names and files separated by commas, or a JSON array of
/// these, in which a file can include its text: `["once",{"file":"mine.toml","text":"…"}]`. A value
/// that includes the texts does not depend on the files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListKind {
    /// Words for the whole value.
    pub words: OptionWords,
    /// Names that can stand in a list.
    pub items: OptionWords,
    /// A description of the files, in two or three words.
    pub files: Text,
    /// Accepts every file unless the game sets it.
    #[serde(skip, default = "unchecked")]
    pub(crate) check: FileCheck,
}

/// Checks a file, given its name and text, and returns a remark for the user, if there is one.
pub(crate) type FileCheck = fn(&str, &str) -> Result<Option<String>, FileError>;

fn unchecked() -> FileCheck {
    |_, _| Ok(None)
}

/// The maximum number of items in a list.
const LONGEST_LIST: usize = 100;

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Item {
    /// A name that the game knows.
    Name(String),
    /// A file.
    File {
        /// Its name, as it was given.
        file: String,
        /// Its text, if it has been read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
}

impl ListKind {
    /// Parses `text` as a list of items.
    pub(super) fn parse_items(&self, text: &str) -> Option<Vec<Item>> {
        let known = |word: &str| self.items.contains(word);
        let items = if text.starts_with('[') {
            let items: Vec<Item> = serde_json::from_str(text).ok()?;
            let fits = |item: &Item| match item {
                Item::Name(name) => known(name),
                Item::File { file, .. } => !file.is_empty(),
            };
            items.iter().all(fits).then_some(items)?
        } else {
            let item = |word: &str| match word {
                "" => None,
                word if known(word) => Some(Item::Name(word.to_owned())),
                word => Some(Item::File { file: word.to_owned(), text: None }),
            };
            text.split(',').map(item).collect::<Option<_>>()?
        };
        (1..=LONGEST_LIST).contains(&items.len()).then_some(items)
    }

    pub(super) fn expected(&self) -> String {
        format!(
            "expected {}, or a comma-separated list of {} and file names",
            self.words.quoted().join(", "),
            self.items.quoted().join(", ")
        )
    }
}

/// The value that lists these items: text if all are names.
pub(super) fn items_to_list_value(items: &[Item]) -> Value {
    let name = |item: &Item| match item {
        Item::Name(name) => Some(name.clone()),
        Item::File { .. } => None,
    };
    let names: Option<Vec<_>> = items.iter().map(name).collect();
    names.map_or_else(|| json!(items), |names| names.join(",").into())
}

/// The text of an option value that lists these files.
pub fn list_of_files(files: &[String]) -> String {
    let item = |file: &String| Item::File { file: file.clone(), text: None };
    json!(files.iter().map(item).collect::<Vec<_>>()).to_string()
}
