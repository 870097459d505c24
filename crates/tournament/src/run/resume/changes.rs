//! The differences between the header of a log and the configuration: which are allowed when a
//! tournament is resumed, and which are refused.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::name_likeness::are_names_alike;
use referee_record::model::containment::Containment;
use referee_record::model::opening_source::Openings;
use referee_record::model::record::{Header, HeaderPlayer};
use referee_record::model::stage::{
    Format, RankedBy, Stage, checked_round_robin_stages, configured_stages, describe_stages,
};

/// What differs between the results and the configuration, although it must not.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RefusedChanges {
    /// What nothing allows.
    pub(super) forbidden: Vec<String>,
    /// The programs that have changed. Their players may be replaced.
    pub(super) programs: Vec<ChangedProgram>,
    /// The players that the format takes no more.
    pub(super) too_late: Vec<String>,
}

/// A program that is not the one that played.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChangedProgram {
    /// The name of its player.
    pub(super) player: String,
    before: String,
    now: String,
}

impl fmt::Display for ChangedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { player, before, now } = self;
        write!(f, "player {player}: its program changed ({before} became {now})")
    }
}

/// Returns the allowed changes. Returns forbidden changes as an error.
///
/// Of the `replaced` players, those that failed the check are checked again; after a check, no others
/// can be replaced. With further games in the log, no other games may be added before them.
pub(super) fn find_header_changes(
    old: &Header,
    new: &Header,
    replaced: &[String],
    played: &Played<'_>,
) -> Result<Vec<String>, RefusedChanges> {
    let Played { failed, further, .. } = *played;
    let mut changes = Vec::new();
    let forbidden = forbidden_setting_changes(old, new);
    let mut found = RefusedChanges { forbidden, programs: Vec::new(), too_late: Vec::new() };
    let wanted = configured_stages(&new.stages);
    compare_stage_changes(old, new, &mut changes, &mut found.forbidden);
    let is_checked = checked_round_robin_stages(wanted).is_some();
    let is_fixed = further || !(may_add_games(wanted) || is_checked);
    let why_fixed = match (further, is_checked) {
        (true, _) => "games added by --until depend on earlier results",
        (_, true) => {
            "it passed the check, and other players' games depend on that; add the new version \
             under another name"
        }
        _ => "in this format, later meetings depend on earlier results",
    };
    let terms = PlayerChangeTerms { replaced, failed, is_checked, is_fixed, why_fixed };
    for player in &old.players {
        let now = new.players.iter().find(|now| now.name == player.name);
        terms.compare_player(player, now, &mut changes, &mut found);
    }
    found.forbidden.extend(refuse_similar_names(old, new));
    let is_new = |name: &&String| !old.players.iter().any(|known| known.name == **name);
    let added: Vec<&String> = new.players.iter().map(|it| &it.name).filter(is_new).collect();
    changes.extend(added.iter().map(|name| format!("player {name} added")));
    if is_fixed && found.forbidden.is_empty() {
        found.too_late.extend(added.into_iter().cloned());
        found.forbidden.extend(changes.iter().map(|change| format!("{change}: {why_fixed}")));
    }
    changes.extend(
        old.players.iter().filter_map(|player| describe_restart_change(player, &new.players)),
    );
    compare_outage_changes(old, new, &mut changes, &mut found.forbidden);
    changes.extend(usage_limit_changes(old, new));
    changes.extend(counted_game_changes(old, new, played, &mut found.forbidden));
    let has_further = |header: &Header| header.stages.contains(&Stage::extra_games());
    match (has_further(old), has_further(new)) {
        (false, true) => changes.push("further games as time allows (--until)".to_owned()),
        (true, false) => changes.push("no further games (none were played)".to_owned()),
        _ => {}
    }
    if found.forbidden.is_empty() && found.programs.is_empty() {
        return Ok(changes);
    }
    Err(found)
}

/// Why configured players cannot be added to a league: their names are those of authors or versions,
/// or similar. Whoever is in the league already stays.
fn refuse_similar_names(old: &Header, new: &Header) -> Vec<String> {
    let is_founder =
        |name: &str| old.players.iter().any(|known| known.entry.is_none() && known.name == name);
    let taken = |name: &str| {
        let came = old.players.iter().filter_map(|player| Some((player, player.entry.as_ref()?)));
        let mut names = came.flat_map(|(player, entry)| [&entry.author, &player.name]);
        names.find(|known| are_names_alike(known, name))
    };
    let configured = new.players.iter().filter(|player| player.entry.is_none());
    let refusal = |player: &HeaderPlayer| {
        let (name, taken) = (&player.name, taken(&player.name)?);
        Some(format!(
            "player {name}: `{taken}` has joined this league, and the names are too similar; give \
             the player another name"
        ))
    };
    configured.filter(|player| !is_founder(&player.name)).filter_map(refusal).collect()
}

/// What changes of the games that count, and of what ranks the players.
fn counted_game_changes(
    old: &Header,
    new: &Header,
    played: &Played<'_>,
    forbidden: &mut Vec<String>,
) -> Vec<String> {
    let (mut changes, stages) = (Vec::new(), configured_stages(&new.stages));
    let may_return = may_add_games(stages) && !played.further;
    for player in &old.players {
        let now = new.players.iter().find(|now| now.name == player.name);
        let may_return = may_return || player.drawn_before.is_some_and(|it| played.begun <= it);
        match now.map(|now| check_disqualification_change(player, now, may_return)) {
            Some(Ok(change)) => changes.extend(change),
            Some(Err(refusal)) => forbidden.push(refusal),
            None => {}
        }
    }
    if old.rank != new.rank {
        let by = if new.rank == RankedBy::Scores { "final scores" } else { "ratings" };
        // A check only says who stays.
        if played.stages > 1 && checked_round_robin_stages(stages).is_none() {
            forbidden.push(format!(
                "rank: players cannot be ranked by {by} now, because a later stage has begun with \
                 players chosen by the ranking"
            ));
        } else {
            changes.push(format!("players are ranked by {by}"));
        }
    }
    changes
}

/// What was played, as far as it decides what may change.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Played<'a> {
    /// The players that failed the check.
    pub(super) failed: &'a [String],
    /// Whether there are further games.
    pub(super) further: bool,
    /// How many sections have begun.
    pub(super) begun: u32,
    /// How many stages have begun.
    pub(super) stages: usize,
}

/// What decides whether a player may change.
struct PlayerChangeTerms<'a> {
    replaced: &'a [String],
    failed: &'a [String],
    /// Whether a check comes before the games.
    is_checked: bool,
    /// Whether no other games may be added.
    is_fixed: bool,
    why_fixed: &'static str,
}

impl PlayerChangeTerms<'_> {
    /// Compares a player with what the configuration says of it now.
    fn compare_player(
        &self,
        player: &HeaderPlayer,
        now: Option<&HeaderPlayer>,
        changes: &mut Vec<String>,
        found: &mut RefusedChanges,
    ) {
        let Self { replaced, failed, is_checked, is_fixed, why_fixed } = *self;
        let RefusedChanges { forbidden, programs, too_late } = found;
        let name = &player.name;
        match now {
            None => {
                forbidden.push(format!("player {name}: it is in the results but not configured"));
            }
            Some(now) if now.tc != player.tc => {
                let [before, now] = [player.tc, now.tc]
                    .map(|tc| tc.map_or_else(|| "none".to_owned(), |tc| tc.to_string()));
                forbidden.push(format!(
                    "tc of {name}: the results have {before}, the configuration {now}"
                ));
            }
            Some(now) if now.hash == player.hash && !replaced.contains(name) => {}
            Some(now) if is_fixed || is_checked && !failed.contains(name) => {
                too_late.extend(is_fixed.then(|| name.clone()));
                forbidden.push(format!(
                    "cannot replace player {name} ({} → {}): {why_fixed}",
                    player.hash, now.hash,
                ));
            }
            Some(now) if replaced.contains(name) && failed.contains(name) => changes.push(format!(
                "player {name} corrected: {} became {}; it is checked again, and its earlier games \
                 do not count",
                player.hash, now.hash
            )),
            Some(now) if replaced.contains(name) => changes.push(format!(
                "player {name} replaced: {} became {}; its games will be replayed",
                player.hash, now.hash
            )),
            Some(now) => programs.push(ChangedProgram {
                player: name.clone(),
                before: player.hash.clone(),
                now: now.hash.clone(),
            }),
        }
    }
}

/// What changes if the program of a player is now restarted at other times. That may change in any
/// format: who meets whom does not depend on it.
fn describe_restart_change(player: &HeaderPlayer, now: &[HeaderPlayer]) -> Option<String> {
    let now = now.iter().find(|now| now.name == player.name && now.hash == player.hash)?;
    let how = if now.restart { "in each game" } else { "only after a fault" };
    (now.restart != player.restart).then(|| format!("player {} is restarted {how}", now.name))
}

/// What changes of how often a game may be void because a player cannot reach its service. The games
/// played so far may have been so as often as before.
fn compare_outage_changes(
    old: &Header,
    new: &Header,
    changes: &mut Vec<String>,
    forbidden: &mut Vec<String>,
) {
    for before in &old.players {
        let now = new.players.iter().find(|now| now.name == before.name);
        let Some(now) = now.filter(|now| now.outages != before.outages) else { continue };
        let change = format!("outages of {}: {} became {}", now.name, before.outages, now.outages);
        if now.outages > before.outages {
            changes.push(change);
        } else {
            forbidden.push(format!("{change}; they can only be raised"));
        }
    }
}

/// What changes of how much the players may use. Any limit may change at any time: it only decides
/// when a game is played.
fn usage_limit_changes(old: &Header, new: &Header) -> Vec<String> {
    let change = |before: &HeaderPlayer| {
        let now = new.players.iter().find(|now| now.name == before.name)?;
        let (name, now) = (&now.name, now.usage);
        (now != before.usage)
            .then(|| format!("usage limits of {name}: {} became {now}", before.usage))
    };
    old.players.iter().filter_map(change).collect()
}

/// What changes where a player is disqualified, or is not any more; if it must stay so, why.
fn check_disqualification_change(
    before: &HeaderPlayer,
    now: &HeaderPlayer,
    may_return: bool,
) -> Result<Option<String>, String> {
    let HeaderPlayer { name, disqualified, .. } = now;
    if *disqualified == before.disqualified {
        return Ok(None);
    }
    match disqualified {
        Some(why) => {
            Ok(Some(format!("player {name} disqualified: {why}; none of its games counts")))
        }
        None if may_return => {
            Ok(Some(format!("player {name} is no longer disqualified; its games count again")))
        }
        None => Err(format!(
            "player {name}: it stays disqualified, because others have played without it; put the \
             `disqualified` line back"
        )),
    }
}

/// Whether results stay valid when players or pairs are added, or games are played again.
pub(super) fn may_add_games(stages: &[Stage]) -> bool {
    let may = |format: &Format| format.has_one_section() || *format == Format::League;
    matches!(stages, [Stage { format, .. }] if may(format))
}

/// The differences between the stages. More pairs are allowed; anything else is forbidden.
fn compare_stage_changes(
    before: &Header,
    after: &Header,
    changes: &mut Vec<String>,
    differences: &mut Vec<String>,
) {
    let (old, new) = (configured_stages(&before.stages), configured_stages(&after.stages));
    if old.iter().map(Stage::without_late).eq(new.iter().map(Stage::without_late)) {
        return;
    }
    let seats = before.seats.len();
    let key = if seats == 2 { "pairs" } else { "deals" };
    if let ([before], [after]) = (old, new)
        && after.without_late() == (Stage { pairs: after.pairs, ..before.without_late() })
    {
        let (before, after) = (before.pairs, after.pairs);
        match after {
            more if more > before => changes.push(format!("{key}: {before} became {more}")),
            fewer => differences.push(format!(
                "{key}: the results have {before}, the configuration {fewer}; their number can \
                 only grow"
            )),
        }
    } else {
        let words = |stages, header: &Header| describe_stages(stages, header.players.len(), seats);
        let described = [words(old, before), words(new, after)];
        let as_json = |stages| serde_json::to_value(stages).unwrap_or_default().to_string();
        let [old, new] =
            if described[0] == described[1] { [old, new].map(as_json) } else { described };
        differences.push(format!("stages: the results have {old}, the configuration {new}"));
    }
}

/// Differences in settings that must not change.
fn forbidden_setting_changes(old: &Header, new: &Header) -> Vec<String> {
    // Two books are told apart by their contents; their openings may be drawn in part.
    let books = old.book.is_some() && new.book.is_some();
    let settings = |header: &Header| {
        let openings = match &header.book {
            Some(book) if books => Some(book.describe_distinctly()),
            _ => header.openings.as_ref().map(Openings::describe_distinctly),
        };
        list_fixed_settings(header, openings.as_deref())
    };
    let (before, after) = (settings(old), settings(new));
    let value_of = |settings: &'_ [(String, String)], name: &str| {
        let found = settings.iter().find(|(key, _)| key == name);
        found.map_or("nothing".to_owned(), |(_, value)| value.clone())
    };
    let only_now = after.iter().filter(|(name, _)| !before.iter().any(|(key, _)| key == name));
    let said = |(name, _): &(String, String)| {
        let (old, new) = (value_of(&before, name), value_of(&after, name));
        (old != new).then(|| format!("{name}: the results have {old}, the configuration {new}"))
    };
    before.iter().chain(only_now).filter_map(said).collect()
}

/// The settings that must not change, as the configuration writes them.
fn list_fixed_settings(header: &Header, openings: Option<&str>) -> Vec<(String, String)> {
    let Containment { level, in_force, limits } = &header.containment;
    let ratings = header.anchors.iter().map(|anchor| (anchor.player.clone(), anchor.rating.into()));
    let groups = [
        (
            "",
            json!({
                "game": header.game,
                "rules": describe_rules_origin(header),
                "seed": header.seed,
                "continues": header.continues,
                "quarantine": header.quarantine,
                "openings": openings,
            }),
        ),
        ("clock ", json!(header.clock)),
        (
            "",
            json!({
                "fault-policy": header.fault_policy,
                "adjudication": header.adjudication.map(|rules| rules.to_string()),
                "ratings": ratings.collect::<Map<String, Value>>(),
            }),
        ),
        ("containment ", json!({ "level": level, "in-force": in_force })),
        ("containment ", json!(limits)),
    ];
    let mut settings = Vec::new();
    for (group, values) in &groups {
        for (key, value) in values.as_object().into_iter().flatten() {
            let (key, value) = format_header_setting(key, value);
            settings.push((format!("{group}{key}"), value));
        }
    }
    for (name, value) in &header.options {
        settings.push((format!("option {name}"), format_header_setting(name, value).1));
    }
    settings
}

/// The program that knows the rules of the games.
fn describe_rules_origin(header: &Header) -> &'static str {
    if header.program.is_some() { "a program" } else { "built in" }
}

/// A setting of the header, as the configuration writes it.
fn format_header_setting(key: &str, value: &Value) -> (String, String) {
    let (name, is_duration) = key.strip_suffix("_ns").map_or((key, false), |name| (name, true));
    let words = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) if is_duration => number.as_u64().map_or_else(
            || number.to_string(),
            |nanos| humantime::format_duration(Duration::from_nanos(nanos)).to_string(),
        ),
        other => other.to_string(),
    };
    (name.replace('_', "-"), words)
}

#[cfg(test)]
mod tests;
