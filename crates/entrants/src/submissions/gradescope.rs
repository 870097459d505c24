//! The file in which Gradescope says whose each submission is.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use referee_record::plain_files::open_plain_nofollow;

use super::platform_label::PlatformLabel;

/// The most bytes of the file to read. It lists all earlier submissions, too.
const LARGEST: u64 = 64 * 1024 * 1024;
/// The beginning of the name of a submission's folder, before its number.
const FOLDER: &str = "submission_";

/// Who handed in what, by the names of folders.
#[derive(Debug, Default)]
pub(super) struct GradescopeMetadata(BTreeMap<String, Submitters>);

/// The people of a submission.
#[derive(Debug, Default)]
struct Submitters {
    names: Vec<String>,
    /// Their addresses, or their numbers.
    ids: Vec<String>,
}

impl GradescopeMetadata {
    /// Reads the file at `path`. Without it, folders are labelled by their numbers.
    pub(super) fn read(path: &Path) -> Self {
        let mut bytes = Vec::new();
        // Entries before an error count.
        let _ = open_plain_nofollow(path).map(|file| file.take(LARGEST).read_to_end(&mut bytes));
        Self::from_text(&String::from_utf8_lossy(&bytes))
    }

    /// Reads the few lines of YAML that say who handed in what: a folder's name at the beginning of
    /// a line, `:submitters:` two blanks further, then a list.
    fn from_text(text: &str) -> Self {
        let mut found = Self::default();
        let (mut folder, mut is_about_people) = (String::new(), false);
        for line in text.lines() {
            if !line.starts_with([' ', '-', '#']) {
                folder = unquote_yaml(line.trim().trim_end_matches(':'));
                is_about_people = false;
            } else if line.starts_with("  :") {
                is_about_people = line.trim() == ":submitters:";
            } else if is_about_people {
                let item = line.trim().trim_start_matches("- ");
                let Some((key, value)) = item.split_once(": ") else { continue };
                let people = found.0.entry(folder.clone()).or_default();
                match key {
                    ":name" => people.names.push(unquote_yaml(value)),
                    ":email" | ":sid" => people.ids.push(unquote_yaml(value)),
                    _ => {}
                }
            }
        }
        found
    }

    /// The label of the folder called `name`, if that is a submission's.
    pub(super) fn label(&self, name: &str) -> Option<PlatformLabel> {
        let number = name.strip_prefix(FOLDER)?;
        let people = self.0.get(name);
        let version = number.parse().ok().or_else(|| people.map(|_| 0))?;
        let author = people.map(|people| people.names.join(", ")).filter(|all| !all.is_empty());
        let id = people.map(|people| people.ids.join(" ")).filter(|all| !all.is_empty());
        let label = PlatformLabel::versioned(author.as_deref().unwrap_or(name), version, "");
        Some(PlatformLabel { id: Some(id.unwrap_or_else(|| number.to_owned())), ..label })
    }
}

/// A value of one line, without its quotes.
fn unquote_yaml(value: &str) -> String {
    let value = value.trim();
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    match (inner('\''), inner('"')) {
        (Some(text), _) => text.replace("''", "'"),
        (None, Some(text)) => text.replace("\\\"", "\""),
        (None, None) => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submitters_are_read() {
        let text = "---\nsubmission_12:\n  :submitters:\n  - :name: Ann O'Lee\n    :sid: '7'\n    \
                    :email: ann@uni.example\n  :created_at: 2024-11-12 22:15:00.1 Z\n  :history:\n  \
                    - :id: 3\n    :name: nobody\nsubmission_13:\n  :submitters:\n    - :name: 'Bo ''B'' Ek'\n    \
                    - :name: \"Cy\"\n";
        let metadata = GradescopeMetadata::from_text(text);
        let shown = |name: &str| {
            let label = metadata.label(name)?;
            Some(format!("{}|{}|{}", label.author, label.id.unwrap_or_default(), label.upload.1))
        };
        assert_eq!(shown("submission_12").as_deref(), Some("Ann O'Lee|7 ann@uni.example|12"));
        assert_eq!(shown("submission_13").as_deref(), Some("Bo 'B' Ek, Cy|13|13"));
        assert_eq!(shown("submission_14").as_deref(), Some("submission_14|14|14"));
        assert_eq!(shown("notes"), None);
        assert_eq!(shown("submission_metadata.yml"), None);
    }
}
