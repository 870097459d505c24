//! What puts the players of a tournament in order.

use referee_games::{AnyGame, PlacesTell};
use referee_record::model::stage::{RankedBy, Stage};

use super::problem::{Problem, Problems, suggest_similar_word};
use super::toml_keys::Given;

/// What puts the players in order, if the stages and the game allow it.
pub(super) fn check_rank_key(
    field: Given<'_, String>,
    stages: &[Stage],
    game: Option<&dyn AnyGame>,
    problems: &mut Problems,
) -> RankedBy {
    let Some(field) = field else { return RankedBy::default() };
    let rank = match field.get_ref().as_str() {
        "ratings" => RankedBy::Ratings,
        "scores" => RankedBy::Scores,
        other => {
            let label = suggest_similar_word(other, ["ratings", "scores"]);
            problems.add(Problem::new(field.span(), "invalid value for `rank`").label(label));
            return RankedBy::default();
        }
    };
    let unsuited = stages.iter().filter_map(|stage| stage.suits_rank(rank).err());
    problems.extend(unsuited.map(|problem| Problem::new(field.span(), problem.to_string())));
    let title = match game.map(AnyGame::program) {
        Some(None) => "built-in games have no final scores",
        Some(Some(program)) if program.ranking == PlacesTell::Winner => {
            "this game reports only the winner, not final scores"
        }
        _ => return rank,
    };
    if rank == RankedBy::Scores {
        let problem = Problem::new(field.span(), title);
        problems.add(problem.help("remove `rank` to rank players by rating"));
    }
    rank
}
