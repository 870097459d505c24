//! What an author may be called, whose folder also has this name.

use unicode_normalization::UnicodeNormalization as _;

use referee_protocol::escape::escape_line;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::model::player_spec::{LONGEST_NAME, player_name_problem};
use referee_tournament::name_likeness::{are_names_alike, name_likeness};

/// The organiser in the list of links.
pub const ORGANISER_NAME: &str = "organiser";
/// The longest name of an author, in characters: the name of a version must not be too long.
pub(crate) const LONGEST_AUTHOR: usize = LONGEST_NAME - " v4294967295".len();

/// Whether a name looks like a pseudonym, such as `P07`.
fn is_pseudonym(name: &str) -> bool {
    let mut letters = name.nfkc();
    let first = letters.next().is_some_and(|first| name_likeness(&first.to_string()) == "p");
    let rest: String = letters.collect();
    first && !rest.is_empty() && rest.chars().all(char::is_numeric)
}

/// What makes a text impossible as the name of an author, whose folder also has it.
pub fn author_problem(name: &str) -> Option<String> {
    let length = name.chars().count();
    let version = name.rsplit_once(" v").is_some_and(|(author, number)| {
        number.parse().is_ok_and(|number| LeagueEntry::version_name(author, number) == name)
    });
    let problem = if length > LONGEST_AUTHOR {
        format!(
            "it has {length} characters; the maximum is {LONGEST_AUTHOR}, to leave room for \
                 version numbers"
        )
    } else if name.starts_with('.') {
        "it begins with a dot".to_owned()
    } else if name.contains(['/', '\\']) {
        "it contains a slash, which folder names cannot contain".to_owned()
    } else if name.trim() != name {
        "it begins or ends with a space".to_owned()
    } else if escape_line(name) != name {
        "it contains an invisible character".to_owned()
    } else if version {
        "it looks like a version of another author's player".to_owned()
    } else if is_pseudonym(name) {
        "it looks like a pseudonym".to_owned()
    } else if are_names_alike(name, ORGANISER_NAME) {
        "it is reserved for the organiser's link".to_owned()
    } else {
        return player_name_problem(name);
    };
    Some(problem)
}
