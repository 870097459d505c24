//! What to do where a tournament cannot take a change.

use std::path::Path;

use crate::analysis::TournamentEvaluation;
use crate::analysis::named_results::Faulted;
use crate::folder::LogContents;
use referee_record::shell::quote_for_shell;
use referee_record::wording::join_with_and;

/// How the league called `name` goes on under other rules.
pub(super) fn offer_league_continuation(name: &str) -> String {
    format!(
        "\nnext: to continue with the same authors, links and versions, give the league another \
         `name`, and add to `[league]`\n  continues = {}",
        serde_json::Value::from(name)
    )
}

/// The most opponents of a player that comes too late.
const SAMPLE: usize = 5;

/// How to rank players that cannot join: by games against some of the others, from all over the
/// ranking.
pub(super) fn offer_late_gauntlet(
    dir: &Path,
    contents: &LogContents,
    players: &[String],
) -> Option<String> {
    let TournamentEvaluation { results, ranking, .. } =
        TournamentEvaluation::from_state(&contents.state, Faulted::Count).ok()?;
    let ranks = ranking.ranks();
    let with_rank = ranking.order.iter().filter(|&&player| ranks[player].is_ok());
    let names = with_rank.map(|&player| &results.names()[player]);
    let ranked: Vec<&String> = names.filter(|name| !players.contains(name)).collect();
    let (last, most) = (ranked.len().checked_sub(1)?, ranked.len().min(SAMPLE));
    let steps = most.saturating_sub(1).max(1);
    let sample: Vec<&String> = (0..most).map(|at| ranked[at * last / steps]).collect();
    let kept: Vec<&String> = players.iter().chain(sample.iter().copied()).collect();
    // A deal of more seats is more games.
    let games = if contents.header.seats.len() == 2 { "pairs = 10" } else { "deals = 2" };
    let name = format!("{}-late", contents.header.tournament);
    let both = [dir, &dir.with_file_name(&name)].map(|dir| quote_for_shell(&dir.to_string_lossy()));
    Some(format!(
        "\nnext: play {} against some of the others, and rank them all together. In a copy of the \
         configuration, late.toml, keep only the players {}; in place of its name, format, stages \
         and grades, put\n  name = {}\n  format = \"gauntlet\"\n  anchors = {}\n  {games}\nThen\n  \
         referee run late.toml\n  referee rank {}",
        join_with_and(players),
        join_with_and(&kept),
        serde_json::to_string(&name).ok()?,
        serde_json::to_string(&sample).ok()?,
        both.join(" "),
    ))
}
