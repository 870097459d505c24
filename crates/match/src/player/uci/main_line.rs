//! Whether the main line of an engine can be played, and bears out its mate score.

use super::engine_info::EngineInfo;
use referee_games::{AnyPosition, Seat, Step, Turn};
use referee_protocol::reply_error_excerpt;

/// What is wrong with what an engine says about the best move of this position.
pub(super) fn find_main_line_problem(
    position: &dyn AnyPosition,
    info: &EngineInfo,
) -> Option<String> {
    // A rules program would have to be asked about each move of the line.
    if info.main_line.is_empty() || position.description().is_some() {
        return None;
    }
    let Turn::Move(mover) = position.turn() else { return None };
    let mut position = position.boxed();
    let mut plies: u32 = 0;
    for text in info.main_line.split_whitespace() {
        if !matches!(position.turn(), Turn::Move(_)) {
            return Some(format!(
                "`{}` is played after the game is over",
                reply_error_excerpt(text.as_bytes())
            ));
        }
        if position.play_silently(Step::Move(text)).is_err() {
            let text = reply_error_excerpt(text.as_bytes());
            return Some(format!("its move {}, `{text}`, is not legal", plies + 1));
        }
        plies += 1;
    }
    let mate = info.report.mate?;
    let is_borne_out =
        plies == plies_to_mate(mate) && seat_has_won(&position.turn(), mate_winner(mate, mover));
    (!is_borne_out).then(|| format!("it does not end with the mate in {mate} that it claims"))
}

/// The plies to a mate in so many moves of the mover, or of its opponent.
fn plies_to_mate(mate: i32) -> u32 {
    let plies = mate.unsigned_abs().saturating_mul(2);
    if mate > 0 { plies - 1 } else { plies }
}

fn mate_winner(mate: i32, mover: Seat) -> Seat {
    let other = if mover == Seat::FIRST { Seat::SECOND } else { Seat::FIRST };
    if mate > 0 { mover } else { other }
}

fn seat_has_won(turn: &Turn, seat: Seat) -> bool {
    turn.outcome().is_some_and(|outcome| outcome.places.winner() == Some(seat))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{GameKind, Options, Position};

    /// The position after these moves.
    fn after(moves: &str) -> Position {
        let game = GameKind::Chess.game();
        let options = Options::resolve(game.options(), []).expect("defaults");
        let mut position = game.start(&options).expect("a start");
        for action in moves.split_whitespace() {
            position.play_silently(Step::Move(action)).expect("legal");
        }
        position
    }

    fn said(moves: &str, info: &str) -> Option<String> {
        let info = EngineInfo::read(&format!("info {info}")).expect("a score");
        find_main_line_problem(&*after(moves), &info)
    }

    #[test]
    fn a_line_has_to_be_legal() {
        assert_eq!(
            said("", "score cp 1 pv e2e4 e7e5 e1g1"),
            Some("its move 3, `e1g1`, is not legal".to_owned())
        );
        assert_eq!(said("", "score cp 1 pv e2e4 e7e5 g1f3"), None);
        assert_eq!(said("", "score cp 1"), None, "there is none");
        let mated = "f2f3 e7e5 g2g4";
        let more = said(mated, "score mate 1 pv d8h4 a2a3");
        assert_eq!(more.as_deref(), Some("`a2a3` is played after the game is over"));
        let control = said("", "score cp 1 pv \u{1b}[31m");
        assert!(control.is_some_and(|text| !text.contains('\u{1b}')));
    }

    #[test]
    fn a_mate_is_borne_out_by_its_line() {
        let claimed =
            |mate| Some(format!("it does not end with the mate in {mate} that it claims"));
        let mated = "f2f3 e7e5 g2g4";
        assert_eq!(said(mated, "score mate 1 pv d8h4"), None);
        assert_eq!(said(mated, "score mate 2 pv d8h4"), claimed(2), "too early");
        assert_eq!(said(mated, "score mate 1 pv d8g5"), claimed(1));
        assert_eq!(said(mated, "score mate -1 pv d8h4"), claimed(-1), "of the other");
        assert_eq!(said("f2f3 e7e5", "score mate -1 pv g2g4 d8h4"), None);
        assert_eq!(said("f2f3 e7e5", "score mate -2 pv g2g4 d8h4"), claimed(-2));
        assert_eq!(said("f2f3 e7e5", "score mate -2147483648 pv g2g4"), claimed(i32::MIN));
        assert_eq!(said(mated, "score mate 3 pv d8g5"), claimed(3), "too short to tell");
    }
}
