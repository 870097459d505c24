use super::*;
use referee_games::{GameKind, Options, SeatMap};
use referee_record::model::fault::FaultCode;
use referee_record::model::record::examples::{faulty, game};

fn rules() -> GameRules {
    let game = GameKind::WatchYourBack.shared();
    let options = Options::resolve(game.options(), []).expect("the defaults");
    GameRules::new(game, options).expect("the defaults")
}

/// A game that begins with these actions and ends by a crash of white.
fn record(actions: &[&str]) -> GameRecord {
    let crash = [("white", FaultCode::Crash)];
    let mut record = faulty(game("ant\u{1b}", "bee", "black"), &crash);
    record.actions = actions.iter().map(|&action| action.to_owned()).collect();
    "crash".clone_into(&mut record.reason);
    record
}

fn frames(record: &GameRecord) -> ReplayFrames {
    let control = TimeControl {
        budget: Some(Duration::from_millis(5)),
        ..TimeControl::unlimited(Duration::ZERO)
    };
    ReplayFrames::from_record(&rules(), &control, record)
}

#[test]
fn there_is_a_frame_for_the_start_each_ply_and_a_fault() {
    let shown = frames(&record(&["3,3", "4,4"]));
    let plies: Vec<u32> = shown.frames.iter().map(|frame| frame.ply).collect();
    assert_eq!(plies, [0, 1, 2, 2]);
    let told: Vec<&str> = shown.frames.iter().map(|frame| frame.told.as_str()).collect();
    assert_eq!(told[..3], ["", "white 3,3", "black 4,4"]);
    assert!(told[3].starts_with("white: crash: ") && shown.frames[3].bad, "{told:?}");
    assert_eq!(shown.end, "bee (black) wins: crash");
    assert_eq!(shown.players, [r"ant\u{1b}", "bee"], "names are safe to show");
}

#[test]
fn a_frame_has_only_what_changed() {
    let shown = frames(&record(&["3,3", "4,4"]));
    let board = &shown.frames[0].board.as_ref().expect("the whole board").cells;
    assert_eq!((board.len(), board[0].len()), (8, 8));
    let width = board[0].len();
    for (frame, square) in [(&shown.frames[1], 3 * width + 3), (&shown.frames[2], 4 * width + 4)] {
        assert_eq!(frame.board, None);
        let changed: Vec<usize> = frame.set.iter().map(|(at, _)| *at).collect();
        assert_eq!((changed, &frame.named), (vec![square], &vec![square]));
        assert_eq!(frame.set[0].1.0.len(), 1);
    }
}

#[test]
fn the_time_of_each_turn_is_shown_with_what_is_left() {
    let shown = frames(&record(&["3,3", "4,4"]));
    assert_eq!(shown.frames[1].clock, [(0, 1.4, Some(3.6))]);
    assert_eq!(shown.frames[2].clock, [(1, 1.0, Some(4.0))]);
    assert_eq!(shown.frames[3].clock, [(0, 0.7, Some(2.9))], "the turn that nobody answered");
    let mut own = record(&["3,3", "4,4"]);
    let tc = BySeat::from([None, Some("0.009".parse().expect("a clock"))]);
    own.clock.tc = Some(SeatMap::new(own.players.names.clone(), tc));
    let shown = frames(&own);
    assert_eq!(shown.frames[1].clock, [(0, 1.4, Some(3.6))]);
    assert_eq!(shown.frames[2].clock, [(1, 1.0, Some(8.0))], "its own clock");
}

#[test]
fn remarks_are_shown_at_their_ply() {
    let note = |ply, by: &str, note: Option<&str>, eval| RecordedNote {
        ply,
        by: by.to_owned(),
        note: note.map(str::to_owned),
        eval,
        search: referee_protocol::SearchReport::default(),
    };
    let mut record = record(&["3,3", "4,4"]);
    record.notes =
        vec![note(0, "white", Some("well\u{202e}"), None), note(1, "black", None, Some(-0.5))];
    let shown = frames(&record);
    assert_eq!(shown.frames[1].said, [(0, Some(r"well\u{202e}".to_owned()), None)]);
    assert_eq!(shown.frames[2].said, [(1, None, Some(-0.5))]);
    assert!(shown.frames[0].said.is_empty());
}

#[test]
fn a_record_that_cannot_be_replayed_says_where_it_ends() {
    let shown = frames(&record(&["3,3", "0,0"]));
    let told: Vec<&str> = shown.frames.iter().map(|frame| frame.told.as_str()).collect();
    assert_eq!(told[1], "white 3,3");
    assert!(told[2].starts_with("the record cannot be replayed: "), "{told:?}");
    assert!(shown.frames[2].bad);
}

#[test]
fn an_end_names_the_winner_and_its_seat() {
    let two = [("ant", "white"), ("bee", "black")];
    let end = |places, reason| describe_end_of_seats(places, reason, |seat| two[seat.index()]);
    let won = Places::won_by(Seat::FIRST, 2);
    assert_eq!(end(won, "elimination"), "ant (white) wins: elimination");
    let drawn = |reason| end(Places::level(2), reason);
    assert_eq!(drawn("repetition"), "draw: repetition");
    assert_eq!(drawn("adjudicated-length"), "draw: adjudicated by length");
    assert_eq!(drawn("\u{1b}[2J"), r"draw: \u{1b}[2J");
}

#[test]
fn a_drawing_is_stored_as_what_changed_in_it() {
    let drawings = ["", "<a>1</a>", "<a>2</a>", "<a>22</a>", "<a></a>", ""];
    let changes = [(0, 0, "<a>1</a>"), (3, 4, "2"), (4, 4, "2"), (3, 4, ""), (0, 0, "")];
    for (pair, (start, end, between)) in drawings.windows(2).zip(changes) {
        let (old, new) = (pair[0], pair[1]);
        let expected = SvgChange(start, end, between.to_owned());
        assert_eq!(SvgChange::between(old, new), Some(expected));
        assert_eq!(format!("{}{between}{}", &old[..start], &old[old.len() - end..]), new);
        assert_eq!(SvgChange::between(new, new), None);
    }
}
