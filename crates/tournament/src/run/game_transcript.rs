//! The transcript of a game, as saved beside the log.

use std::time::Duration;

use referee_games::{BySeat, Text};
use referee_match::player::{LineDirection, Player};

/// The last lines in both directions, in order of time, then the saved part of each player's
/// stderr, as JSON lines.
pub(super) fn render_game_transcript(
    seats: &BySeat<Text>,
    names: &BySeat<String>,
    players: &BySeat<Player>,
) -> String {
    let mut lines = Vec::new();
    for seat in seats.seats() {
        lines.extend(players[seat].transcript().into_iter().map(|line| (seat, line)));
    }
    lines.sort_by_key(|(_, line)| line.at);
    let began = lines.first().map(|(_, line)| line.at);
    let mut all = String::new();
    for (seat, line) in &lines {
        let way = match line.direction {
            LineDirection::ToPlayer => "to",
            LineDirection::FromPlayer => "from",
        };
        let at = began.map_or(Duration::ZERO, |began| line.at - began);
        let line = serde_json::json!({
            "at_us": u64::try_from(at.as_micros()).unwrap_or(u64::MAX),
            "seat": seats[*seat], "player": names[*seat],
            way: String::from_utf8_lossy(&line.bytes),
        });
        all.push_str(&line.to_string());
        all.push('\n');
    }
    for seat in seats.seats() {
        let stderr = players[seat].stderr();
        if !stderr.is_empty() {
            let line = serde_json::json!({
                "seat": seats[seat], "player": names[seat],
                "stderr": String::from_utf8_lossy(&stderr),
            });
            all.push_str(&line.to_string());
            all.push('\n');
        }
    }
    all
}
