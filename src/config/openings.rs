//! `[openings]`: how pairs start, by random legal play or from a file.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;

use super::LARGEST;
use super::keys::{Field, FromTable, TableReader, table_keys};
use super::limits::whole;
use super::player::LookupPaths;
use super::player_keys::{PlayerKeys, RunMethod};
use super::problem::{ByteSpan, Problem, Problems};
use referee_games::{Options, Position, SharedGame};
use referee_match::openings::{Opening, OpeningError, listed};
use referee_record::bounded;
use referee_record::model::openings::{MOST_PLIES, Openings};
use referee_record::model::player::BRIDGE;

/// The most refused openings of a file to show.
const MOST_SHOWN: usize = 8;

table_keys! {
    /// The keys under `[openings]`.
    OpeningsKeys[at], "`[openings]`":
    "plies" => plies: Field<i128>,
    "file" => file: Field<String>,
    /// Whether neither key was given; a key with a wrong type counts as given.
    via(has_neither) => is_empty: bool,
}

fn has_neither(keys: &mut TableReader<'_>, _: &mut Problems) -> bool {
    keys.key("plies").is_none() && keys.key("file").is_none()
}

/// Checks the openings that `keys` ask for, in this game with these options.
pub(super) fn check(
    keys: Option<&OpeningsKeys>,
    ruling: Option<(&SharedGame, &Options)>,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<Openings> {
    let keys = keys?;
    if keys.is_empty {
        let problem = Problem::new(keys.at.clone(), "`[openings]` says neither `plies` nor `file`");
        problems.add(problem.help(
            "add a line such as `plies = 8`, for random legal play, or `file = \"openings.txt\"`",
        ));
    }
    if let (Some(plies), Some(file)) = (&keys.plies, &keys.file) {
        let problem = Problem::new(file.span(), "`[openings]` has both `plies` and `file`");
        let problem = problem.earlier(plies.span(), "`plies` is here");
        problems.add(problem.help("remove one of the two"));
        return None;
    }
    if let Some(file) = &keys.file {
        let (game, options) = ruling?;
        let start = game.start(options).ok()?;
        return read(file, &start, place, problems);
    }
    let plies = whole("plies", keys.plies.as_ref(), &(1..=MOST_PLIES), problems)?;
    Some(Openings::Random { plies })
}

/// Notes every player that cannot start from an opening.
pub(super) fn refuse_bridge(
    keys: Option<&OpeningsKeys>,
    players: Option<&[PlayerKeys]>,
    problems: &mut Problems,
) {
    let (Some(keys), Some(players)) = (keys, players) else { return };
    for player in players {
        let RunMethod::Command(Some(words)) = &player.run else { continue };
        if let Some(word) = words.get_ref().iter().find(|word| word.get_ref() == BRIDGE) {
            let title = "a player behind this bridge cannot begin after an opening";
            let problem = Problem::new(word.span(), title);
            let problem = problem.earlier(keys.at.clone(), "openings are requested here");
            problems.add(problem.help(
                "the bridge cannot tell a player its own first actions: remove `[openings]`, or \
                 this player",
            ));
        }
    }
}

/// Reads the openings from a file, one per line.
fn read(
    file: &Spanned<String>,
    start: &Position,
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<Openings> {
    let name = file.get_ref();
    let refuse = |why: String| Problem::new(file.span(), "unexpected value of `file`").label(why);
    let text: Arc<str> = match bounded::text(&place.base.join(name), LARGEST) {
        Ok(text) => text.into(),
        Err(why) => {
            problems.add(refuse(format!("it cannot be read: {why}")));
            return None;
        }
    };
    let (mut openings, mut refused) = (Vec::new(), 0);
    for line in lines(&text) {
        let BookLine { texts, at } = match line {
            Ok(line) => line,
            Err(at) => {
                let problem = Problem::new(at, "invalid opening");
                let label = "expected a JSON list of texts, such as `[\"e2e4\", \"e7e5\"]`";
                problems.add(problem.label(label).in_file(name, &text));
                return None;
            }
        };
        match listed(start, &texts) {
            Ok(steps) => openings.push(Opening::texts_of(&steps)),
            Err(OpeningError::Dice) => {
                let title = "a game with dice cannot take openings from a file";
                let help = "what is legal depends on the dice: write `plies = 8`, for random legal \
                            play";
                problems.add(Problem::new(file.span(), title).help(help));
                return None;
            }
            Err(OpeningError::Action(number, why)) => {
                refused += 1;
                if refused <= MOST_SHOWN {
                    let at = at.get(number).cloned().unwrap_or_default();
                    let problem = Problem::new(at, "invalid opening").label(why.to_string());
                    problems.add(problem.in_file(name, &text));
                }
            }
        }
    }
    if refused > MOST_SHOWN {
        let more = refused - MOST_SHOWN;
        problems.add(refuse(format!("{more} more openings of this file are refused")));
    }
    if openings.is_empty() && refused == 0 {
        problems.add(refuse("this file contains no openings".to_owned()));
    }
    Some(Openings::Listed(openings))
}

/// A line of an opening book.
#[derive(Debug, PartialEq, Eq)]
struct BookLine {
    /// The actions.
    texts: Vec<String>,
    /// The byte range of each of them.
    at: Vec<Range<usize>>,
}

/// The lines of an opening book that have any actions, or the byte ranges of those that make no
/// sense. Actions are separated by `;`, or are a JSON list; a comment follows `#`.
fn lines(text: &str) -> Vec<Result<BookLine, Range<usize>>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let actions = line.split('#').next().unwrap_or_default();
        if line.trim_start().starts_with('[') {
            let from = start + line.len() - line.trim_start().len();
            lines.push(json_list(line.trim(), from));
        } else if !actions.trim().is_empty() {
            let at = parts(actions, start);
            let texts = at.iter().map(|at| text[at.clone()].to_owned()).collect();
            lines.push(Ok(BookLine { texts, at }));
        }
        start += line.len();
    }
    lines
}

/// A line that begins with a JSON list of actions, perhaps followed by a comment. Every action has
/// the byte range of the list, which begins at `start`.
fn json_list(line: &str, start: usize) -> Result<BookLine, Range<usize>> {
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<Vec<String>>();
    let whole = start..start + line.len();
    let Some(Ok(texts)) = values.next() else { return Err(whole) };
    let end = values.byte_offset();
    let rest = line[end..].trim_start();
    if texts.is_empty() || !(rest.is_empty() || rest.starts_with('#')) {
        return Err(whole);
    }
    let at = vec![start..start + end; texts.len()];
    Ok(BookLine { texts, at })
}

/// The byte ranges of the parts of `actions`, which begins at `start`, without outer blanks.
fn parts(actions: &str, mut start: usize) -> Vec<Range<usize>> {
    let part = |text: &str| {
        let from = start + text.len() - text.trim_start().len();
        start += text.len() + 1;
        from..from + text.trim().len()
    };
    actions.split(';').map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_list_of_actions_or_a_json_list() {
        let texts = |text| {
            let texts = |line: Result<BookLine, _>| line.map(|line| line.texts.join("|"));
            lines(text).into_iter().map(texts).collect::<Vec<_>>()
        };
        assert_eq!(texts("a ; b # c\n\n# d\n"), [Ok("a|b".to_owned())]);
        assert_eq!(
            texts(" [\"a;b\", \"c#\"] # d\ne"),
            [Ok("a;b|c#".to_owned()), Ok("e".to_owned())]
        );
        assert_eq!(texts("[1]\n[] \n[\"a\"] b"), [Err(0..3), Err(4..6), Err(8..15)]);
        let lines = lines("x\n [\"a\", \"b\"]\n");
        assert_eq!(lines[1].as_ref().expect("a list").at, [3..13, 3..13]);
    }
}
