//! Reads the file names of a learning platform: who the author is, and what the author called the
//! file.

use std::collections::BTreeSet;

use super::archive::strip_archive_ending;
use crate::build_commands::has_build_command;

/// The folder in which Sakai puts what an author handed in, in the folder of the author.
const SAKAI_ATTACHMENTS: &str = "Submission attachment(s)";

/// The information in the name of a file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlatformLabel {
    /// The author as the platform writes it; in a plain folder, the name itself.
    pub(crate) author: String,
    /// An id that distinguishes authors with the same name. Plain folders have no ids, and each
    /// entry there has its own author.
    pub(crate) id: Option<String>,
    /// Whether the platform marked it as late.
    pub(crate) late: bool,
    /// The attempt or version of this upload; later ones are greater.
    pub(crate) upload: (String, u64),
    /// The name that its author gave it; empty for a folder created by the platform.
    pub(crate) file: String,
    /// The folder in it that has the author's files; the rest of it is the platform's.
    pub(crate) attachments: Option<&'static str>,
    /// Whether it is a page written by the platform.
    pub(crate) is_page: bool,
}

impl PlatformLabel {
    /// Reads `entry` as the name of a file or folder from Moodle, Blackboard, Brightspace, Sakai or
    /// Canvas, or as a plain name.
    pub(super) fn parse(entry: &str) -> Self {
        parse_moodle_label(entry)
            .or_else(|| parse_blackboard_label(entry))
            .or_else(|| parse_brightspace_label(entry))
            .or_else(|| parse_sakai_file_label(entry))
            .or_else(|| parse_canvas_label(entry))
            .unwrap_or_else(|| plain_label(entry))
    }

    /// The label of a file in an author's folder.
    pub(super) fn from_author_file(file: &str) -> Self {
        Self::new("", "", file)
    }

    /// Whether the author is anonymous.
    pub(super) fn is_anonymous(&self) -> bool {
        ["participant", "anon"].contains(&self.author.to_lowercase().as_str())
    }

    /// The author's file name before repeated uploads, and how many repeats there were: browsers
    /// and platforms write `name (1).zip` or `name-1.zip`.
    pub(super) fn original_file(&self) -> (String, u64) {
        let (stem, ending) = split_label_ending(&self.file);
        let numbered = stem.rsplit_once('-').or_else(|| {
            let (stem, rest) = stem.rsplit_once('(')?;
            Some((stem.trim_end(), rest.strip_suffix(')')?))
        });
        let copy =
            numbered.and_then(|(stem, number)| Some((stem, label_digits(number)?.parse().ok()?)));
        match copy {
            Some((stem, number)) if !stem.is_empty() && self.id.is_some() => {
                (format!("{stem}{ending}"), number)
            }
            _ => (self.file.clone(), 0),
        }
    }

    /// The label of an upload on a platform that counts the versions of each author.
    pub(super) fn versioned(author: &str, version: u64, file: &str) -> Self {
        // An earlier version is superseded as a whole, not file by file.
        let upload = (format!("{version:020}"), version);
        Self { upload, ..Self::new(author, author, file) }
    }

    fn new(author: &str, id: &str, file: &str) -> Self {
        Self {
            author: author.to_owned(),
            id: Some(id.to_owned()),
            late: false,
            upload: (String::new(), 0),
            file: file.to_owned(),
            attachments: None,
            is_page: false,
        }
    }
}

/// `Ada Byron_1234_assignsubmission_file_`, as a folder or before the name of a file. Without
/// names, the author is `Participant` in the platform's language.
fn parse_moodle_label(entry: &str) -> Option<PlatformLabel> {
    let (whose, rest) = entry.split_once("_assignsubmission_")?;
    let (author, id) = whose.rsplit_once('_')?;
    let (kind, file) = rest.split_once('_').unwrap_or((rest, ""));
    let label = PlatformLabel::new(author, label_digits(id)?, file);
    Some(PlatformLabel { is_page: kind == "onlinetext", ..label })
}

/// `Project 1_abyron_attempt_2018-05-11-23-58-02_player.zip`, or a page `….txt` without a file.
fn parse_blackboard_label(entry: &str) -> Option<PlatformLabel> {
    let (whose, rest) = entry.split_once("_attempt_")?;
    let (_, author) = whose.rsplit_once('_')?;
    let (time, rest) = rest.split_at_checked("2018-05-11-23-58-02".len())?;
    if time.split('-').count() != 6 || !time.split('-').all(|part| label_digits(part).is_some()) {
        return None;
    }
    let label = match rest.strip_prefix('_') {
        // Only the whole of it tells apart `j_smith` and `k_smith`.
        Some(file) => PlatformLabel::new(author, whose, file),
        None if rest == ".txt" => {
            PlatformLabel { is_page: true, ..PlatformLabel::new(author, whose, "") }
        }
        None => return None,
    };
    Some(PlatformLabel { upload: (time.to_owned(), 0), ..label })
}

/// `101-2001 - Ada Byron- Nov 12, 2024 1015 PM`, as a folder, or before ` - player.zip`: the numbers
/// of the author and of the assignment.
fn parse_brightspace_label(entry: &str) -> Option<PlatformLabel> {
    let (numbers, rest) = entry.split_once(" - ")?;
    let (id, assignment) = numbers.split_once('-')?;
    let (id, _) = (label_digits(id)?, label_digits(assignment)?);
    rest.match_indices("- ").find_map(|(at, separator)| {
        let behind = &rest[at + separator.len()..];
        let (time, file) = behind.split_once(" - ").unwrap_or((behind, ""));
        let label = PlatformLabel::new(rest[..at].trim_end(), id, file);
        Some(PlatformLabel { upload: (parse_brightspace_time(time)?, 0), ..label })
    })
}

/// Brightspace's `Nov 12, 2024 1015 PM` or `12 November 2024 10:15 PM` as text that sorts by time.
/// The name of a month in another language is not understood; then the times of the files decide.
fn parse_brightspace_time(time: &str) -> Option<String> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let words: Vec<&str> = time.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let (first, second, year, clock, half) = match words[..] {
        [first, second, year, clock] => (first, second, year, clock, ""),
        [first, second, year, clock, half] => (first, second, year, clock, half),
        _ => return None,
    };
    let (day, month) = match first.trim_end_matches('.').parse::<u8>() {
        Ok(day) => (day, second),
        Err(_) => (second.trim_end_matches('.').parse().ok()?, first),
    };
    let year = label_digits(year).filter(|year| year.len() == 4)?;
    let clock: u16 = clock.replace(':', "").parse().ok()?;
    let clock = match half.to_ascii_lowercase().as_str() {
        "pm" => clock % 1200 + 1200,
        "am" => clock % 1200,
        _ => clock,
    };
    let month = month.to_lowercase();
    let number = MONTHS.iter().position(|known| month.starts_with(known));
    Some(number.map_or_else(String::new, |month| format!("{year}-{month:02}-{day:02} {clock:04}")))
}

/// `Byron, Ada(abyron)_Submission attachment(s)_player.zip`.
fn parse_sakai_file_label(entry: &str) -> Option<PlatformLabel> {
    let (whose, file) = entry.split_once("_Submission attachment(s)_")?;
    let (author, id) = split_sakai_label(whose)?;
    Some(PlatformLabel::new(author, id, file))
}

/// The folder `Byron, Ada(abyron)` of an author, with these names in it.
pub(super) fn parse_sakai_folder_label(
    entry: &str,
    inside: &BTreeSet<String>,
) -> Option<PlatformLabel> {
    let (author, id) = split_sakai_label(entry)?;
    let label = PlatformLabel::new(author, id, "");
    Some(if inside.contains(SAKAI_ATTACHMENTS) {
        PlatformLabel { attachments: Some(SAKAI_ATTACHMENTS), ..label }
    } else {
        PlatformLabel { is_page: true, ..label }
    })
}

/// Whether an author's folder with this name in it is one of Sakai's.
pub(super) fn is_sakai_attachment(name: &str) -> bool {
    name == SAKAI_ATTACHMENTS
}

fn split_sakai_label(whose: &str) -> Option<(&str, &str)> {
    let (author, id) = whose.strip_suffix(')')?.rsplit_once('(')?;
    (!author.trim().is_empty() && !id.is_empty()).then_some((author.trim(), id))
}

/// The author, the version and the file's name in `abyron_2_handin.py`, as Autolab writes it. Any
/// file may have such a name; only the others in its folder show it.
pub(super) fn split_autolab_label(entry: &str) -> Option<(&str, u64, &str)> {
    entry.match_indices('_').find_map(|(at, _)| {
        let (version, file) = entry[at + 1..].split_once('_')?;
        let version = label_digits(version)?.parse().ok()?;
        (at > 0 && !file.is_empty()).then_some((&entry[..at], version, file))
    })
}

/// `byronada_LATE_12345_678_player.zip`: the author, the author's number and the upload's number.
/// An anonymous author is `anon_6Xb2q` without a number; a text has no upload number.
fn parse_canvas_label(entry: &str) -> Option<PlatformLabel> {
    let parts: Vec<&str> = entry.split('_').collect();
    let id_at = (1..parts.len()).find(|&at| {
        let next = parts.get(at + 1).copied().unwrap_or_default();
        let is_id = label_digits(parts[at]).is_some() || parts[at - 1] == "anon";
        let is_upload = label_digits(next).is_some() && parts.len() > at + 2;
        is_id && (is_upload || ["text.html", "link.html"].contains(&next))
    })?;
    let whose = &parts[..id_at];
    let late = whose.contains(&"LATE");
    let author =
        whose.iter().filter(|part| **part != "LATE").copied().collect::<Vec<_>>().join("_");
    let upload = label_digits(parts[id_at + 1]).and_then(|number| number.parse().ok());
    let file = parts[id_at + 2..].join("_");
    Some(PlatformLabel {
        late,
        upload: (String::new(), upload.unwrap_or_default()),
        is_page: upload.is_none(),
        ..PlatformLabel::new(&author, parts[id_at], &file)
    })
}

fn plain_label(entry: &str) -> PlatformLabel {
    let author = split_label_ending(entry).0;
    PlatformLabel { id: None, ..PlatformLabel::new(author, "", entry) }
}

/// Splits a name from its ending if that is one of an archive or a program.
pub(super) fn split_label_ending(name: &str) -> (&str, &str) {
    let stem = strip_archive_ending(name);
    if stem.len() < name.len() {
        return name.split_at(stem.len());
    }
    match name.rsplit_once('.') {
        Some((stem, ending)) if is_program_label_ending(&ending.to_lowercase()) => {
            name.split_at(stem.len())
        }
        Some((stem, _)) if has_build_command(name) => name.split_at(stem.len()),
        _ => (name, ""),
    }
}

fn is_program_label_ending(ending: &str) -> bool {
    ["py", "js", "mjs", "sh", "java", "jar"].contains(&ending)
}

/// `text`, if it consists of digits.
fn label_digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(entry: &str) -> String {
        let PlatformLabel { author, id, late, upload: (time, number), file, is_page, .. } =
            PlatformLabel::parse(entry);
        let id = id.unwrap_or("-".to_owned());
        let flags =
            [(late, " late"), (is_page, " page")].map(|(is, word)| if is { word } else { "" });
        format!("{author}|{id}|{time}{number}|{file}{}", flags.concat())
    }

    #[test]
    fn names_of_platforms_are_read() {
        for (entry, expected) in [
            ("Ada Byron_1234_assignsubmission_file_", "Ada Byron|1234|0|"),
            ("Ada Byron_1234_assignsubmission_file_my_player.py", "Ada Byron|1234|0|my_player.py"),
            ("Participant_7_assignsubmission_file_a.zip", "Participant|7|0|a.zip"),
            ("Ada_1_assignsubmission_onlinetext_onlinetext.html", "Ada|1|0|onlinetext.html page"),
            ("byronada_12345_678_player.zip", "byronada|12345|678|player.zip"),
            ("byronada_LATE_12345_678_a_1.py", "byronada|12345|678|a_1.py late"),
            ("anon_6Xb2q_678_player.zip", "anon|6Xb2q|678|player.zip"),
            ("LATE_anon_6Xb2q_678_player.zip", "anon|6Xb2q|678|player.zip late"),
            ("byronada_12345_text.html", "byronada|12345|0| page"),
            (
                "Part B_abyron_attempt_2018-05-11-23-58-02_a.zip",
                "abyron|Part B_abyron|2018-05-11-23-58-020|a.zip",
            ),
            (
                "Part B_abyron_attempt_2018-05-11-23-58-02.txt",
                "abyron|Part B_abyron|2018-05-11-23-58-020| page",
            ),
            ("11-20 - Ada Byron- Nov 12, 2024 1015 PM", "Ada Byron|11|2024-10-12 22150|"),
            ("11-20 - A - B- 5 March 2026 12:05 AM", "A - B|11|2026-02-05 00050|"),
            ("11-20 - Ada - Mar 29, 2018 1205 PM - a - 6.zip", "Ada|11|2018-02-29 12050|a - 6.zip"),
            ("11-20 - Ada - 29 août 2018 1305", "Ada|11|0|"),
            ("11-20 - Ada", "11-20 - Ada|-|0|11-20 - Ada"),
            ("Lee, Ann(al)_Submission attachment(s)_a_b.py", "Lee, Ann|al|0|a_b.py"),
            ("team_42", "team_42|-|0|team_42"),
            ("my_player.py", "my_player|-|0|my_player.py"),
            ("team-7.tar.gz", "team-7|-|0|team-7.tar.gz"),
            (" ..zip", " .|-|0| ..zip"),
            ("eve_12_mine.tar", "eve_12_mine|-|0|eve_12_mine.tar"),
        ] {
            assert_eq!(shown(entry), expected, "{entry}");
        }
    }

    #[test]
    fn a_file_that_was_uploaded_again_is_the_same_file() {
        let original = |entry: &str| PlatformLabel::parse(entry).original_file();
        let is = |file: &str, number| (file.to_owned(), number);
        assert_eq!(original("byronada_1_2_player-2.tar.gz"), is("player.tar.gz", 2));
        assert_eq!(original("byronada_1_2_player (1).py"), is("player.py", 1));
        assert_eq!(original("byronada_1_2_-1.py"), is("-1.py", 0));
        assert_eq!(original("byronada_1_2_player-b.py"), is("player-b.py", 0));
        assert_eq!(original("team-2.py"), is("team-2.py", 0));
    }
}
