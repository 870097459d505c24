//! The games of a run that could not be played.

use std::collections::BTreeSet;

use super::job_failure::JobFailure;
use crate::schedule::tournament_state::TournamentState;
use referee_record::wording::pluralize;

/// At most this many games are named.
const NAMED: usize = 5;

/// The games that could not be played.
#[derive(Debug, Default)]
pub(super) struct UnplayedGames {
    count: usize,
    /// How many of them are named.
    shown: usize,
    /// The first of them, with reasons.
    named: Vec<String>,
    /// What each kind of failure means.
    meanings: BTreeSet<&'static str>,
}

impl UnplayedGames {
    /// Notes that the games of `job` could not be played, and why.
    pub(super) fn add(&mut self, games: usize, job: &str, why: &JobFailure) {
        self.meanings.insert(match why {
            JobFailure::Panic(_) => "A panic is a bug in the referee or in the game's rules.",
            JobFailure::Game(_) => "A game that fails points to a bug in its rules.",
            JobFailure::Abandoned { .. } => {
                "Workers fall silent when their machines restart or run out of memory, or when a \
                 player brings them down."
            }
        });
        self.count += games;
        if self.named.len() < NAMED {
            self.named.push(format!("{job}: {why}"));
            self.shown += games;
        }
    }

    /// What the run says about them and about the games that wait for a budget, if there are any.
    pub(super) fn message_with(&self, waiting: Option<String>) -> Option<String> {
        let parts: Vec<String> = self.message().into_iter().chain(waiting).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    /// What the run says about them, if there are any.
    fn message(&self) -> Option<String> {
        let games = match self.count {
            0 => return None,
            count => pluralize(count, "game"),
        };
        let more = match self.count - self.shown {
            0 => String::new(),
            more => format!("\n  and {more} more"),
        };
        Some(format!(
            "{games} could not be played:\n  {}{more}\n{} Every other game that was due was \
             played; run the same command again to try the rest once more",
            self.named.join("\n  "),
            self.meanings.iter().copied().collect::<Vec<_>>().join(" ")
        ))
    }
}

/// What the run says about the games that wait because budgets are used up, if there are any.
pub fn describe_unplayed_for_budget(state: &TournamentState) -> Option<String> {
    let (mut count, mut players) = (0, BTreeSet::new());
    for game in state.games_awaiting_budget() {
        count += 1;
        players.extend(game.players.players());
    }
    let games = match count {
        0 => return None,
        1 => "1 game is waiting".to_owned(),
        more => format!("{more} games are waiting"),
    };
    let whose: Vec<String> =
        players.into_iter().filter_map(|it| describe_player_over_budget(state, it)).collect();
    Some(format!(
        "{games}: {}. Raise the limit in the configuration and run the same command again to \
         continue",
        whose.join("; ")
    ))
}

/// Which budget of a player is used up, such as `ant has used up its budget (cost: 5.02 of 5)`.
pub(super) fn describe_player_over_budget(
    state: &TournamentState,
    player: usize,
) -> Option<String> {
    let used = state.describe_spent_budget(player)?;
    Some(format!("{} has used up its budget ({used})", state.name(player)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(games: usize) -> Option<String> {
        let mut unplayed = UnplayedGames::default();
        for game in 0..games {
            unplayed.add(1, &format!("game {game}"), &JobFailure::Game("it fell".to_owned()));
        }
        unplayed.message()
    }

    #[test]
    fn the_first_games_are_named_and_the_rest_counted() {
        assert_eq!(message(0), None);
        let one = message(1).expect("a failure");
        assert!(one.starts_with("1 game could not be played"), "{one}");
        assert!(
            one.contains("\n  game 0: the game itself failed: it fell\n")
                && !one.contains("\n  and "),
            "{one}"
        );
        let many = message(7).expect("a failure");
        assert!(many.starts_with("7 games could not be played"), "{many}");
        assert!(many.contains("game 4: the game itself failed: it fell\n  and 2 more\n"), "{many}");
    }
}
