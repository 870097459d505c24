//! The option that marks the plies at which a game turned.

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::printer::Printer;
use referee_bots::{BotKind, Limit};
use referee_match::replay::ReplayError;
use referee_match::replay::frames::ReplayFrames;
use referee_match::replay::turning::TurningPoint;
use referee_record::model::record::GameRecord;
use referee_record::model::rules::GameRules;

/// A built-in player that looks at recorded games.
#[derive(Debug, Args)]
pub(crate) struct TurningArgs {
    /// Mark the plies at which a game turned in the eyes of this built-in player, and what it
    /// would have played
    #[arg(long, value_name = "bot:search-N", value_parser = nodes)]
    with: Option<u64>,
}

impl TurningArgs {
    /// Marks about this many replays.
    pub(crate) fn marker(&self, replays: usize, printer: Printer) -> TurningMarker {
        let bar = (self.with.is_some() && printer.bar()).then(|| {
            let bar = ProgressBar::new(replays as u64);
            let style = "{bar:16} {pos}/{len} games looked at, {per_sec}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar
        });
        TurningMarker { nodes: self.with, bar }
    }

    /// The turning points of a game; none unless they are asked for.
    pub(crate) fn points(
        &self,
        rules: &GameRules,
        record: &GameRecord,
    ) -> Result<Vec<TurningPoint>, ReplayError> {
        self.with.map_or(Ok(Vec::new()), |nodes| TurningPoint::all(rules, record, nodes))
    }
}

/// Marks the turning points in replays, and shows how many are done.
#[derive(Debug, Default)]
pub(crate) struct TurningMarker {
    nodes: Option<u64>,
    bar: Option<ProgressBar>,
}

impl TurningMarker {
    /// Marks the turning points of a game, unless it cannot be replayed.
    pub(crate) fn mark(&self, frames: &mut ReplayFrames, rules: &GameRules, record: &GameRecord) {
        let points = self.nodes.map(|nodes| TurningPoint::all(rules, record, nodes));
        if let Some(Ok(points)) = points {
            frames.mark(&points);
        }
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}

impl Drop for TurningMarker {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The number of nodes of a player that thinks alike each time.
fn nodes(text: &str) -> Result<u64, String> {
    let name = text.strip_prefix("bot:").unwrap_or(text);
    match referee_bots::named(name) {
        Ok(BotKind::Search(Limit::Nodes(nodes))) => Ok(nodes),
        _ => Err("write bot:search-N, which looks at N positions per ply: bot:search-1000".into()),
    }
}
