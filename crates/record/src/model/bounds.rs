//! The bounds on the texts and lists of a record and a header.
//!
//! A log may come from a stranger, and a record from a worker or from a game in which every move
//! drew a warning. Longer texts are cut, in one place for records that are written and for those
//! that are read: a game counts regardless of its texts, and no table, page or terminal has to
//! show megabytes of text.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use super::fault::Fault;
use super::record::{ClockRecord, GameRecord, Header, HeaderPlayer, RecordedNote};
use super::roster_change::RosterChange;
use referee_games::{RulesProgram, SEATS, SeatMap, Text};
use referee_protocol::LONG_NOTE_LIMIT;
use referee_ratings::MOST_PLAYERS;

/// The maximum length of a text, in bytes.
pub const LONGEST_TEXT: usize = 4 << 10;
/// The maximum length of a list of texts for people, in bytes.
pub(crate) const LONGEST_TEXTS: usize = 64 << 10;
/// The maximum length of all notes of a game, in bytes.
pub const LONGEST_NOTES: usize = 8 << 20;
/// The maximum length of the options of a game, in bytes of JSON.
pub const LONGEST_OPTIONS: usize = 64 << 10;
/// The maximum number of steps of a game, such as actions, outcomes of chance and times.
pub(crate) const MOST_STEPS: usize = 1 << 20;

/// Something with bounds.
pub trait HasBounds {
    /// Cuts anything that exceeds its bound. Changes nothing if nothing does.
    fn cut(&mut self);
}

impl HasBounds for String {
    fn cut(&mut self) {
        bound_text(self, LONGEST_TEXT);
    }
}

/// Cuts a text to at most so many bytes.
fn bound_text(text: &mut String, most: usize) {
    if text.len() > most {
        let most = most - '…'.len_utf8();
        let end = (0..=most).rev().find(|&end| text.is_char_boundary(end));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
}

impl HasBounds for Text {
    fn cut(&mut self) {
        if self.len() > LONGEST_TEXT {
            self.to_mut().cut();
        }
    }
}

impl<T: HasBounds> HasBounds for Option<T> {
    fn cut(&mut self) {
        if let Some(it) = self {
            it.cut();
        }
    }
}

/// Cuts a list of texts for people. Its last line says how many were left out.
fn bound_texts(texts: &mut Vec<String>) {
    texts.iter_mut().for_each(HasBounds::cut);
    let size = |texts: &[String]| texts.iter().map(|text| text.len() + 1).sum::<usize>();
    if size(texts) <= LONGEST_TEXTS {
        return;
    }
    let mut room = LONGEST_TEXTS - 64;
    let fits = |text: &&String| {
        let rest = room.checked_sub(text.len() + 1);
        room = rest.unwrap_or(0);
        rest.is_some()
    };
    let kept = texts.iter().take_while(fits).count();
    let more = texts.len() - kept;
    texts.truncate(kept);
    texts.push(format!("… and {more} more"));
}

/// Cuts a list of actions or outcomes.
fn bound_steps(steps: &mut Vec<String>) {
    steps.truncate(MOST_STEPS);
    steps.iter_mut().for_each(HasBounds::cut);
}

/// The size of options, in bytes of JSON.
pub fn size_of_options(options: &Map<String, Value>) -> usize {
    if options.is_empty() { 0 } else { serde_json::to_vec(options).map_or(0, |it| it.len()) }
}

fn bound_seat_names<T>(map: &mut SeatMap<T>) {
    map.names.values_mut().iter_mut().for_each(HasBounds::cut);
}

/// Cuts the names and the values.
fn bound_seats<T>(map: &mut SeatMap<T>, cut: impl FnMut(&mut T)) {
    bound_seat_names(map);
    map.values.values_mut().iter_mut().for_each(cut);
}

impl HasBounds for Fault {
    fn cut(&mut self) {
        let Self { code: _, message, clause, raw, stderr } = self;
        message.cut();
        clause.cut();
        raw.cut();
        bound_texts(stderr);
    }
}

impl HasBounds for RecordedNote {
    fn cut(&mut self) {
        let Self { ply: _, by, note, eval: _, search: _ } = self;
        by.cut();
        if let Some(note) = note {
            bound_text(note, LONG_NOTE_LIMIT);
        }
    }
}

/// Drops the notes with which all of a game would have more bytes than [`LONGEST_NOTES`]. The rest of
/// the remarks stays.
fn bound_notes(notes: &mut Vec<RecordedNote>) {
    notes.truncate(MOST_STEPS);
    notes.iter_mut().for_each(HasBounds::cut);
    let mut room = LONGEST_NOTES;
    for note in notes {
        let rest = room.checked_sub(note.note.as_ref().map_or(0, String::len));
        room = rest.unwrap_or(0);
        if rest.is_none() {
            note.note = None;
        }
    }
}

impl HasBounds for ClockRecord {
    fn cut(&mut self) {
        let Self { tc, startup_ns, used_ns, cpu_ns, wall_ns: _, began: _ } = self;
        tc.iter_mut().for_each(bound_seat_names);
        bound_seat_names(startup_ns);
        bound_seats(used_ns, |turns| turns.truncate(MOST_STEPS));
        bound_seat_names(cpu_ns);
    }
}

impl HasBounds for GameRecord {
    fn cut(&mut self) {
        let Self {
            id,
            pair: _,
            game: _,
            players,
            result,
            places,
            reason,
            scores,
            plies: _,
            fault,
            void,
            outages,
            usage,
            worker,
            seed,
            clock,
            rolls,
            final_scores,
            options,
            opening,
            actions,
            warnings,
            notes,
            reported,
        } = self;
        for text in [id, result, reason] {
            text.cut();
        }
        bound_seats(players, HasBounds::cut);
        places.iter_mut().for_each(bound_seat_names);
        bound_seat_names(scores);
        bound_seat_names(seed);
        worker.cut();
        bound_texts(void);
        let is_seat = |seat: &str| players.names.values().contains(&seat.into());
        outages.0.retain(|seat, _| is_seat(seat));
        usage.0.retain(|seat, _| is_seat(seat));
        if let Some(faults) = fault {
            let bounded = std::mem::take(faults).into_iter().take(*SEATS.end()).map(
                |(mut seat, mut fault)| {
                    seat.cut();
                    fault.cut();
                    (seat, fault)
                },
            );
            *faults = bounded.collect();
        }
        clock.cut();
        final_scores.iter_mut().for_each(bound_seat_names);
        if size_of_options(options) > LONGEST_OPTIONS {
            options.clear();
        }
        for steps in [rolls, opening, actions] {
            bound_steps(steps);
        }
        bound_texts(warnings);
        bound_notes(notes);
        if let Some(reported) = reported {
            bound_seats(reported, HasBounds::cut);
        }
    }
}

impl HasBounds for HeaderPlayer {
    fn cut(&mut self) {
        let Self {
            name,
            command,
            hash,
            tc: _,
            takes_openings: _,
            restart: _,
            outages: _,
            usage: _,
            disqualified,
            drawn_before: _,
            entry,
            left: _,
        } = self;
        for text in [name, command, hash].into_iter().chain(disqualified) {
            text.cut();
        }
        if let Some(entry) = entry {
            entry.author.cut();
            entry.source.cut();
        }
    }
}

/// Only texts for people are cut.
impl HasBounds for Header {
    fn cut(&mut self) {
        self.players.iter_mut().for_each(HasBounds::cut);
        bound_texts(&mut self.changes);
    }
}

/// Only texts for people are cut.
impl HasBounds for RosterChange {
    fn cut(&mut self) {
        if let Self::Entered { player, files: _ } = self {
            player.cut();
        }
    }
}

impl Header {
    /// Checks that no tournament could make it larger.
    ///
    /// # Errors
    /// Says what is too large.
    pub(super) fn check_size_bounds(&self) -> Result<(), String> {
        let Self { schema, version, tournament, identity, game, program, seats, .. } = self;
        let texts = [schema, version, tournament, identity, game].into_iter().chain(seats.values());
        let program = program.iter().flat_map(bounded_program_texts);
        if texts.chain(program).any(|text| text.len() > LONGEST_TEXT) {
            return Err(format!("a string is longer than {LONGEST_TEXT} bytes"));
        }
        let Self { options, stages, anchors, players, .. } = self;
        if size_of_options(options) > LONGEST_OPTIONS {
            return Err(format!("the game options take more than {LONGEST_OPTIONS} bytes"));
        }
        if players.len().max(anchors.len()).max(stages.len()) > MOST_PLAYERS {
            return Err(format!("it has more than {MOST_PLAYERS} players, anchors or stages"));
        }
        Ok(())
    }
}

fn bounded_program_texts(program: &RulesProgram) -> impl Iterator<Item = &String> {
    let RulesProgram { command, program, dir, configured, files, hash, code, .. } = program;
    command.iter().chain(files).chain([program, dir, configured, hash, code])
}

/// A record is cut wherever it is read, and all its values by seat have the same seats.
impl<'de> Deserialize<'de> for GameRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut record = Self::deserialize(deserializer)?;
        if !record.is_of_its_seats() {
            return Err(de::Error::custom(
                "expected values for the seats in `players`, and how the game ended",
            ));
        }
        record.cut();
        Ok(record)
    }
}

impl GameRecord {
    fn is_of_its_seats(&self) -> bool {
        let Self { players, places, scores, seed, clock, final_scores, reported, .. } = self;
        let ClockRecord { tc, startup_ns, used_ns, cpu_ns, .. } = clock;
        let counts = [scores.len(), seed.len(), startup_ns.len(), used_ns.len(), cpu_ns.len()];
        let optional = [
            places.as_ref().map(SeatMap::len),
            tc.as_ref().map(SeatMap::len),
            final_scores.as_ref().map(SeatMap::len),
            reported.as_ref().map(SeatMap::len),
        ];
        // A game for two has a result; places are for more.
        let has_its_end = if players.len() > 2 {
            self.result.is_empty() && self.places().is_some()
        } else {
            !self.result.is_empty() && places.is_none()
        };
        has_its_end
            && counts
                .into_iter()
                .chain(optional.into_iter().flatten())
                .all(|it| it == players.len())
    }
}

impl Serialize for GameRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fault::FaultCode;
    use crate::model::record::examples;
    use referee_protocol::SearchReport;
    use serde_json::json;

    /// A record in which every text, list and map has something.
    fn full() -> Value {
        let seats = |white: Value, black: Value| json!({"white": white, "black": black});
        let fault = Fault {
            clause: Some("P1".to_owned()),
            raw: Some("raw".to_owned()),
            stderr: vec!["said".to_owned()],
            ..Fault::new(FaultCode::Crash, "message")
        };
        let game = examples::faulty(examples::game("ant", "bee", "draw"), &[]);
        let mut record = serde_json::to_value(game).expect("plain data");
        let more = json!({
            "fault": {"white": fault}, "void": ["void"], "worker": "worker", "rolls": ["roll"],
            "opening": ["go"], "actions": ["go"], "warnings": ["warning"],
            "notes": [{"ply": 1, "by": "white", "note": "note"}],
            "reported": seats(json!("one"), json!("two")), "options": {"start": "here"},
        });
        record
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        record["clock"]["used_ns"] = seats(json!([1]), json!([2]));
        record
    }

    /// Passes on versions of a value, each with one text or list that is far too long.
    fn each_excess(value: &Value, pass: &mut dyn FnMut(Value)) {
        match value {
            Value::String(_) => pass(json!("x".repeat(1 << 20))),
            Value::Array(list) => {
                pass(Value::Array(vec![list[0].clone(); 50_000]));
                each_excess(&list[0], &mut |first| pass(json!([first])));
            }
            Value::Object(map) => {
                for (key, value) in map {
                    each_excess(value, &mut |value| {
                        let mut map = map.clone();
                        map.insert(key.clone(), value);
                        pass(Value::Object(map));
                    });
                }
            }
            _ => {}
        }
    }

    #[test]
    fn no_text_of_a_record_is_longer_than_its_bound() {
        let (mut cut, mut refused) = (0, 0);
        each_excess(&full(), &mut |record| {
            // The code of a fault is one of a list.
            let Ok(mut record) = serde_json::from_value::<GameRecord>(record) else {
                refused += 1;
                return;
            };
            cut += 1;
            let GameRecord { rolls, opening, actions, notes, clock, .. } = &mut record;
            for steps in [rolls, opening, actions] {
                steps.truncate(1);
            }
            notes.truncate(1);
            for times in clock.used_ns.values.values_mut() {
                times.truncate(1);
            }
            let size = serde_json::to_vec(&record).expect("plain data").len();
            assert!(size < 2 * LONGEST_TEXTS, "{size} bytes");
        });
        assert_eq!((cut, refused), (29, 1));
    }

    #[test]
    fn the_steps_of_a_game_are_bounded() {
        let mut steps = vec![String::new(); MOST_STEPS + 1];
        bound_steps(&mut steps);
        assert_eq!(steps.len(), MOST_STEPS);
    }

    #[test]
    fn all_notes_of_a_game_are_bounded() {
        let search = SearchReport::default();
        let note = |length: usize| RecordedNote {
            ply: 1,
            by: "white".to_owned(),
            note: Some("x".repeat(length)),
            eval: Some(0.5),
            search,
        };
        let most = LONGEST_NOTES / LONG_NOTE_LIMIT;
        let mut notes = vec![note(2 * LONG_NOTE_LIMIT); most];
        notes.extend([note(1), note(1)]);
        bound_notes(&mut notes);
        let kept = |notes: &[RecordedNote]| notes.iter().filter(|it| it.note.is_some()).count();
        assert_eq!((kept(&notes), notes.len()), (most, most + 2));
        assert!(
            notes[most].eval.is_some()
                && notes[0].note.as_ref().is_some_and(|it| it.ends_with('…'))
        );
        let once = notes.clone();
        bound_notes(&mut notes);
        assert_eq!(notes, once);
    }

    #[test]
    fn what_is_within_its_bounds_stays_and_is_cut_only_once() {
        let record: GameRecord = serde_json::from_value(full()).expect("a record");
        assert_eq!(serde_json::to_value(&record).expect("plain data"), full());
        let mut texts: Vec<String> = (0..10_000).map(|line| format!("warning {line}")).collect();
        bound_texts(&mut texts);
        let last = texts.last().expect("a line").clone();
        assert_eq!(last, format!("… and {} more", 10_000 - texts.len() + 1));
        let once = texts.clone();
        bound_texts(&mut texts);
        assert_eq!(texts, once);
        let mut text = "ü".repeat(LONGEST_TEXT);
        text.cut();
        assert!(text.len() <= LONGEST_TEXT && text.ends_with("ü…"), "{}", text.len());
    }
}
