//! The reasons why a player has no rank, as codes for tables and as text for people.

use crate::model::player::Out;
use referee_ratings::Unranked;

/// The reason as the tables write it, for example `no-game`.
pub(super) fn name(why: Unranked<Out>) -> &'static str {
    match why {
        Unranked::Unconnected => "apart",
        Unranked::NoGame => "no-game",
        Unranked::Forfeits => "faults",
        Unranked::Excluded(Out::Quarantined) => "quarantine",
        Unranked::Excluded(Out::Unchecked) => "check",
    }
}

/// The reason as text that follows the player's name.
pub(super) fn describe(why: Unranked<Out>) -> &'static str {
    match why {
        Unranked::Unconnected => "not connected with most others by games",
        Unranked::NoGame => "no game that counts",
        Unranked::Forfeits => "made faults and finished no game",
        Unranked::Excluded(Out::Quarantined) => "quarantined for faults",
        Unranked::Excluded(Out::Unchecked) => "failed the check",
    }
}
