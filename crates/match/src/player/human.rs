//! A person who plays.

use std::time::Instant;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::reply_limit::ReplyLimit;
use super::user_interface::{Question, UserInterface};
use super::{Answer, InitView, TurnTime, TurnView, Wire};
use crate::replay::event_descriptions::describe_events;
use referee_bots::{BotKind, BotSession, Limit, Reaction};
use referee_games::{Event, GameError, Legal, Refusal, Turn, draw_guesses};
use referee_protocol::{Reply, TurnClock};
use referee_record::model::clock::Measure;
use referee_record::model::fault::{Fault, FaultCode};

const HELP: &str = "\
an action    plays it; spaces, brackets and case do not matter: (3, 4) is 3,4
a square     shows what the piece on it can do, if one piece acts at a time
?            shows all legal actions
hint         shows what the built-in search would play
undo         takes back your last action and everything after it
resign       gives up
quit         leaves the game

In another terminal, `referee rules GAME` shows the rules.
";

/// The width of a list of actions, in columns.
const WIDTH: usize = 80;

/// A person who types actions.
#[derive(Debug)]
pub struct Human {
    interface: Box<dyn UserInterface>,
    /// Whether the game hides something from the person, so that nothing else shows the position.
    is_hidden: bool,
    /// A built-in player in the person's seat. It gets all messages, but is asked only for hints.
    advisor: Option<Wire>,
    /// Events that the advisor was not told yet.
    events: Vec<Event>,
    /// Its answer for this turn.
    advice: Option<String>,
    /// Whether the person knows what the number of a hint means.
    knows_evals: bool,
    /// The plies of the person's decisions so far.
    decided: Vec<u32>,
    /// The decision that the person wants to take back.
    undo: Option<u32>,
}

impl Human {
    /// A person who reads and types through `interface`.
    pub fn new(interface: Box<dyn UserInterface>) -> Self {
        Self {
            interface,
            is_hidden: false,
            advisor: None,
            events: Vec::new(),
            advice: None,
            knows_evals: false,
            decided: Vec::new(),
            undo: None,
        }
    }

    /// Returns, once, the ply of the decision that the person asked to take back.
    pub fn take_undo(&mut self) -> Option<u32> {
        self.undo.take()
    }

    /// Starts a game.
    pub(super) async fn begin(&mut self, view: &InitView<'_>) {
        let ply = view.position.ply();
        self.decided.retain(|&decided| decided < ply);
        let game = view.rules.game.clone();
        self.is_hidden = game.is_hidden();
        let mut session = BotSession::with_game(BotKind::Search(Limit::Time), game);
        let mut wire = Wire::local(Box::new(move |line| match session.respond(line) {
            Ok(Reaction::Reply(reply)) => Some(reply),
            _ => None,
        }));
        // Without an advisor, only hints do not work.
        self.advisor = wire.begin(view).await.is_ok().then_some(wire);
        self.events.clear();
    }

    /// Asks until a legal action is typed. `help` lists the other commands.
    pub(super) async fn ask(&mut self, view: &TurnView<'_>) -> Answer {
        let asked = Instant::now();
        self.events.extend_from_slice(view.events);
        self.advice = None;
        if self.is_hidden {
            self.interface.show_view(&describe_view_for_human(view));
        }
        let reply = loop {
            let Some(line) = self.interface.ask(question_for_human(view)).await else {
                break Err(human_left_fault("the person left"));
            };
            match line.trim() {
                "" => {}
                "help" => self.interface.tell(HELP),
                "?" => {
                    self.interface.tell(&list_actions_for_human(&view.position.legal(view.seat)));
                }
                "hint" => {
                    let hint = self.hint(view).await;
                    self.interface.tell(&format!("{hint}\n"));
                }
                "quit" | "exit" => break Err(human_left_fault("the person left")),
                "resign" => break Err(human_left_fault("the person resigned")),
                "undo" => match self.decided.pop() {
                    Some(ply) => {
                        self.undo = Some(ply);
                        break Err(human_left_fault("the person took an action back"));
                    }
                    None => self.interface.tell("nothing to take back\n"),
                },
                text => {
                    if let Some(reply) = self.read_typed_action(view, text) {
                        break Ok(reply);
                    }
                }
            }
        };
        Answer { reply, time: TurnTime::from_charged(asked.elapsed().min(view.limit.bound)) }
    }

    /// Returns the legal action that was typed. Otherwise prints what is wrong, or what may follow.
    fn read_typed_action(&mut self, view: &TurnView<'_>, text: &str) -> Option<Reply> {
        let judge = |text: &String| view.position.judge(view.seat, text);
        let readings = typed_readings(text);
        if let Some(action) = readings.iter().find_map(|reading| judge(reading).ok()) {
            self.decided.push(view.position.ply());
            return Some(Reply { action, ..Reply::default() });
        }
        let legal = view.position.legal(view.seat);
        let begin = |reading: &String| {
            Some(actions_beginning_with_typed(&legal, reading)).filter(|it| !it.is_empty())
        };
        let said = match readings.iter().find_map(begin) {
            Some(actions) => actions.join("  "),
            None => readings
                .iter()
                .find_map(|reading| explain_refused_typing(&legal, reading, judge(reading)))?,
        };
        self.interface.tell(&format!("{said}\n"));
        None
    }

    async fn hint(&mut self, view: &TurnView<'_>) -> String {
        let Some(advisor) = &mut self.advisor else { return "no hint".to_owned() };
        if let Some(said) = &self.advice {
            return said.clone();
        }
        let events = std::mem::take(&mut self.events);
        let mut rng = ChaCha8Rng::seed_from_u64(view.position.ply().into());
        let wanted = (view.seat, advisor.guesses(false));
        // Without guesses, it chooses any action.
        let guesses =
            draw_guesses(view.position, self.is_hidden, wanted, &mut rng).unwrap_or_default();
        let guesses: Vec<_> = guesses.iter().filter_map(|guess| guess.description()).collect();
        let clock = TurnClock::default();
        let view = TurnView {
            seat: view.seat,
            position: view.position,
            events: &events,
            guesses: &guesses,
            clock,
            retry: None,
            limit: ReplyLimit::new(Measure::Wall, None),
        };
        let said = match advisor.ask(&view).await.map(|answer| answer.reply) {
            Ok(Ok(Reply { action, eval: Some(eval), .. })) => {
                let knows_evals = std::mem::replace(&mut self.knows_evals, true);
                let scale = if knows_evals { "" } else { "  (+1: you win, -1: you lose)" };
                format!("{action}  [{eval:+.2}]{scale}")
            }
            Ok(Ok(Reply { action, .. })) => action,
            Ok(Err(fault)) => format!("no hint: {}", fault.message),
            Err(error) => format!("no hint: {error}"),
        };
        self.advice = Some(said.clone());
        said
    }

    /// Prints why a reply was rejected.
    pub(super) fn refuse(&mut self, fault: &Fault) {
        self.interface.tell(&format!("{}\n", fault.message));
    }
}

/// The person's knowledge in a game with hidden information: the events since its last turn, and
/// its view.
fn describe_view_for_human(view: &TurnView<'_>) -> String {
    let seat = &view.position.seats()[view.seat];
    let known = Event::known_to(view.events, seat);
    let events = known.iter().map(|event| format!("{}\n", describe_events([event])));
    let sees = view.position.view(view.seat);
    let sees = serde_json::from_str(sees.get())
        .map_or_else(|_| sees.get().to_owned(), |it| format_view_for_human(&it));
    events.chain(sees.lines().map(|line| format!("{line}\n"))).collect()
}

/// A view for people: a text as it is; of an object, a line for each field.
fn format_view_for_human(view: &Value) -> String {
    let Value::Object(fields) = view else { return format_value_for_human(view) };
    let lines =
        fields.iter().map(|(name, value)| format!("{name}: {}\n", format_value_for_human(value)));
    lines.collect()
}

/// A value on one line: lists with blanks, objects with the names of their fields.
fn format_value_for_human(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            values.iter().map(format_value_for_human).collect::<Vec<_>>().join(" ")
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name} {}", format_value_for_human(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// The question for an action. It says who is asked, and whether other seats answer at the same
/// time.
fn question_for_human(view: &TurnView<'_>) -> Question {
    let seats = view.position.seats();
    let own = &seats[view.seat];
    let text = match view.position.turn() {
        Turn::Together(asked) => {
            let others = asked.iter().filter(|&seat| seat != view.seat);
            let others: Vec<&str> = others.map(|seat| &*seats[seat]).collect();
            format!("{own}, unseen by {}", others.join(", "))
        }
        _ => format!("{own} to move"),
    };
    Question { seat: view.seat, text, legal: view.position.legal(view.seat) }
}

fn human_left_fault(why: &str) -> Fault {
    Fault::new(FaultCode::Exit, why)
}

/// The texts that a person may have meant: as typed, without brackets and superfluous blanks, in
/// capital letters, and two squares as a move.
fn typed_readings(typed: &str) -> Vec<String> {
    let plain = typed.replace(['(', ')', '[', ']'], " ").replace("->", ">").replace('-', ">");
    let mut tidy = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    for joint in [",", ">"] {
        let parts: Vec<&str> = tidy.split(joint).map(str::trim).collect();
        tidy = parts.join(joint);
    }
    let words: Vec<&str> = tidy.split(' ').collect();
    let squares = match words[..] {
        [one, other] if is_typed_square(one) && is_typed_square(other) => {
            Some(format!("{one}>{other}"))
        }
        [one, other] => Some(format!("{one},{other}")).filter(|both| is_typed_square(both)),
        _ => None,
    };
    let upper = tidy.to_uppercase();
    let mut readings = vec![typed.to_owned(), tidy, upper];
    readings.extend(squares);
    readings.dedup();
    readings
}

/// The reason why a reading is not a legal action, as one tells a person.
fn explain_refused_typing(
    legal: &Legal,
    text: &str,
    judged: Result<String, GameError>,
) -> Option<String> {
    Some(match (judged.err()?, legal) {
        (GameError::Refused(Refusal::Malformed(_)), Legal::List(_)) if is_typed_square(text) => {
            format!("no piece on {text} has a legal action")
        }
        (GameError::Refused(Refusal::Malformed(reason)), _) => {
            format!("not understood: {reason}; `?` shows the legal actions, `help` the commands")
        }
        (refusal, _) => refusal.to_string(),
    })
}

/// The actions that begin with the word `text`, or whose first square is `text`.
fn actions_beginning_with_typed(legal: &Legal, text: &str) -> Vec<String> {
    let Legal::List(texts) = legal else { return Vec::new() };
    let begins = |action: &str| {
        action
            .strip_prefix(text)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    let first_square =
        |action: &str| action.split([' ', '>']).find(|word| is_typed_square(word)) == Some(text);
    texts.iter().filter(|action| begins(action) || first_square(action)).cloned().collect()
}

/// Whether this looks like a square.
fn is_typed_square(text: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once(',').is_some_and(|(column, row)| is_number(column) && is_number(row))
}

/// The legal actions, in columns; those with the same beginning share lines.
fn list_actions_for_human(legal: &Legal) -> String {
    match legal {
        Legal::List(texts) => {
            let begin = |text: &str| text.split_once('>').map(|(from, _)| from.to_owned());
            let mut lines: Vec<(Option<String>, Vec<&str>)> = Vec::new();
            for text in texts {
                let from = begin(text);
                match lines.last_mut().filter(|(last, _)| *last == from) {
                    Some((_, line)) => line.push(text),
                    None => lines.push((from, vec![text])),
                }
            }
            let width = texts.iter().map(String::len).max().unwrap_or_default();
            let per_line = ((WIDTH + 2) / (width + 2)).max(1);
            let rows = lines.iter().flat_map(|(_, line)| line.chunks(per_line));
            rows.map(|row| format_actions_line(row, width) + "\n").collect()
        }
        Legal::Factored { directions, walls, squares } => {
            let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
            let directions = directions.join(" ");
            let squares = squares.join(" ");
            format!("a direction for each piece, from {directions}, then {walls} of:\n{squares}\n")
        }
        Legal::Shown(shown) => format!("{shown}\n"),
    }
}

/// A line of these texts, each in a column of this width.
fn format_actions_line(texts: &[&str], width: usize) -> String {
    let cells: Vec<String> = texts.iter().map(|text| format!("{text:width$}")).collect();
    cells.join("  ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_listed_by_where_they_begin() {
        let legal =
            Legal::List(["1,0>1,1", "1,0>2,0", "1,10>1,9", "pass"].map(str::to_owned).into());
        assert_eq!(list_actions_for_human(&legal), "1,0>1,1   1,0>2,0\n1,10>1,9\npass\n");
        assert_eq!(actions_beginning_with_typed(&legal, "1,0"), ["1,0>1,1", "1,0>2,0"]);
        assert_eq!(actions_beginning_with_typed(&legal, "1,1"), [""; 0]);
        let legal =
            Legal::List(["6,3>6,5", "capture 6,3", "capture 6,30"].map(str::to_owned).into());
        assert_eq!(actions_beginning_with_typed(&legal, "6,3"), ["6,3>6,5", "capture 6,3"]);
        assert_eq!(
            actions_beginning_with_typed(&legal, "capture"),
            ["capture 6,3", "capture 6,30"]
        );
        assert!(is_typed_square("1,10") && !is_typed_square("1,") && !is_typed_square("R U 3,5"));
    }

    #[test]
    fn a_long_list_of_actions_breaks_between_its_columns() {
        let squares: Vec<String> = (0..20).map(|row| format!("0,{row}")).collect();
        let text = list_actions_for_human(&Legal::List(squares));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 2 && lines.iter().all(|line| line.len() <= WIDTH), "{text}");
        assert!(lines[0].starts_with("0,0   0,1   ") && lines[1].starts_with("0,13  0,14"));
    }

    #[test]
    fn a_person_may_type_actions_in_several_ways() {
        let reads =
            |typed: &str, meant: &str| typed_readings(typed).iter().any(|text| text == meant);
        for typed in ["3,4", "3, 4", "(3,4)", "( 3 , 4 )", "3 4"] {
            assert!(reads(typed, "3,4"), "{typed}: {:?}", typed_readings(typed));
        }
        for typed in ["3,4>3,5", "3,4 > 3,5", "3,4 3,5", "(3,4) -> (3,5)", "3,4-3,5"] {
            assert!(reads(typed, "3,4>3,5"), "{typed}: {:?}", typed_readings(typed));
        }
        assert!(reads("r u 3,3", "R U 3,3"));
        assert_eq!(typed_readings("pass")[0], "pass", "first as it was typed");
    }
}
