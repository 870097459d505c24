//! The lines about players that were taken out or disqualified.

use referee_protocol::escape::escape_line;
use referee_record::model::player_spec::Out;
use referee_tournament::analysis::failed_checks::FailedChecks;
use referee_tournament::analysis::tournament_analysis::TournamentAnalysis;

/// One line for each player that is out, with the diagnosis if it failed a check.
pub fn taken_out(analysis: &TournamentAnalysis, failed: &FailedChecks) -> Vec<String> {
    let TournamentAnalysis { state, header, published, .. } = analysis;
    let line = |(player, index)| {
        let name = analysis.shown_name(state.name(player));
        let shown = escape_line(name);
        // Under pseudonyms, the game's place in the schedule must stay hidden.
        let id = published.is_none().then(|| state.id(index));
        let at =
            |before: &str| id.as_ref().map_or(String::new(), |id| format!(" {before} game {id}"));
        let is_unchecked = state.why_out(player, index) == Out::Unchecked;
        match failed.fault_of(name) {
            Some(fault) if is_unchecked => format!(
                "{shown} failed the check and is out: {}{}: {}",
                fault.code,
                at("in"),
                escape_line(&fault.message),
            ),
            // Another player in its game was corrected.
            None if is_unchecked => format!(
                "{shown} failed the check and is out; its fault{} stays, but the game no longer \
                 counts",
                at("in"),
            ),
            _ => format!(
                "{shown} is quarantined: {} faults in a row{}; its later games were not played or \
                 do not count",
                header.quarantine,
                at("up to"),
            ),
        }
    };
    let barred = header.players.iter().filter_map(|player| {
        let why = player.disqualified.as_ref()?;
        // The reason may name others.
        let why = published.is_none().then(|| format!(": {}", escape_line(why)));
        let shown = escape_line(analysis.shown_name(&player.name));
        Some(format!(
            "{shown} is disqualified{}; none of its games counts",
            why.unwrap_or_default()
        ))
    });
    let mut lines: Vec<String> = state.taken_out().map(line).chain(barred).collect();
    if published.is_some() {
        lines.sort_unstable();
    }
    lines
}
