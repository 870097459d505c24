//! The reasons why a player has no rank, as codes for tables and as text for people.

use referee_ratings::Unranked;
use referee_record::model::player_spec::Out;

/// The reason as the tables write it, for example `no-game`.
pub(super) fn unranked_reason_name(why: Unranked<Out>) -> &'static str {
    match why {
        Unranked::Unconnected => "apart",
        Unranked::NoGame => "no-game",
        Unranked::Forfeits => "faults",
        Unranked::Retired => "retired",
        Unranked::Excluded(Out::Quarantined) => "quarantine",
        Unranked::Excluded(Out::Unchecked) => "check",
        Unranked::Excluded(Out::Disqualified) => "disqualified",
    }
}

/// The reason as text that follows the player's name.
pub(super) fn describe_unranked(why: Unranked<Out>) -> &'static str {
    match why {
        Unranked::Unconnected => "not connected to most others by games",
        Unranked::NoGame => "no game that counts",
        Unranked::Forfeits => "committed faults and finished no games",
        Unranked::Retired => "no longer plays",
        Unranked::Excluded(Out::Quarantined) => "quarantined for faults",
        Unranked::Excluded(Out::Unchecked) => "failed the check",
        Unranked::Excluded(Out::Disqualified) => "disqualified",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const ALL: [Unranked<Out>; 7] = [
        Unranked::Unconnected,
        Unranked::NoGame,
        Unranked::Forfeits,
        Unranked::Retired,
        Unranked::Excluded(Out::Quarantined),
        Unranked::Excluded(Out::Unchecked),
        Unranked::Excluded(Out::Disqualified),
    ];

    #[test]
    fn each_reason_has_a_code_and_words_of_its_own() {
        assert_eq!(
            ALL.map(unranked_reason_name),
            ["apart", "no-game", "faults", "retired", "quarantine", "check", "disqualified"]
        );
        let words: BTreeSet<&str> = ALL.into_iter().map(describe_unranked).collect();
        assert_eq!(words.len(), ALL.len());
    }
}
