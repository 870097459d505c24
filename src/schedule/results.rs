//! What came of a tournament: everything that is computed from its games, in one place.
//!
//! Who goes on to the next stage and what people see rest on the same numbers: those of
//! [`Ledger::tally`], ranked by [`Ranking`].

#[cfg(test)]
mod tests;

use crate::model::record::Anchor;
use crate::rating::tally::{Faulted, Place};
use crate::rating::{self, Contradiction, Out, Ranking, RatingError, SeatEffects, Tally};
use crate::schedule::ledger::Ledger;
use crate::schedule::summary::Summary;

/// The results of a tournament so far.
#[derive(Debug, Clone)]
pub struct Results {
    /// What every player scored against every other.
    pub tally: Tally,
    /// Who is better, and the ratings.
    pub ranking: Ranking,
    /// Whether the seat is worth the same to all.
    pub seats: SeatEffects,
    /// Two anchors whose results do not fit the ratings given.
    pub contradiction: Option<Contradiction>,
    /// How many games these are.
    pub summary: Summary,
}

impl Results {
    /// The results of the games in `ledger`.
    ///
    /// Without the games that ended in a fault nobody is taken out either: that says how strong
    /// players are when nothing breaks.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used.
    pub fn of(ledger: &Ledger, faulted: Faulted) -> Result<Self, RatingError> {
        let out = match faulted {
            Faulted::Count => ledger.outs(),
            Faulted::LeaveOut => vec![None; ledger.names().len()],
        };
        Self::new(ledger.tally(faulted), ledger.ratings(), &out, ledger.summary())
    }

    /// The same under other names, in the order of `names`; `rename` turns a player's name into
    /// one of them.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used, or `rename` gives a name that is not in `names`.
    pub fn renamed<'a>(
        ledger: &Ledger,
        names: &[String],
        rename: impl Fn(&str) -> &'a str,
    ) -> Result<Self, RatingError> {
        let mut tally = Tally::new(names);
        let number = |name: &String| tally.number(rename(name));
        let numbers: Vec<usize> = ledger.names().iter().map(number).collect::<Result<_, _>>()?;
        for (Place { first, second, pair }, game) in ledger.counted() {
            let place = Place { first: numbers[first], second: numbers[second], pair };
            tally.add_played(place, game);
        }
        let mut out = vec![None; names.len()];
        for (why, &number) in ledger.outs().into_iter().zip(&numbers) {
            out[number] = why;
        }
        let given = ledger.ratings().iter();
        let ratings: Vec<Anchor> = given
            .map(|anchor| Anchor { player: rename(&anchor.player).to_owned(), ..anchor.clone() })
            .collect();
        Self::new(tally, &ratings, &out, ledger.summary())
    }

    /// The results of `tally` with these given ratings, where `out` says by number who was taken
    /// out and why.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used.
    pub fn new(
        tally: Tally,
        ratings: &[Anchor],
        out: &[Option<Out>],
        summary: Summary,
    ) -> Result<Self, RatingError> {
        Ok(Self {
            ranking: Ranking::new(&tally, ratings, out)?,
            seats: rating::seat_effects(&tally, ratings)?,
            contradiction: rating::contradiction(&tally, ratings)?,
            tally,
            summary,
        })
    }
}
