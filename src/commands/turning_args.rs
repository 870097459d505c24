//! The option that marks the plies at which a game turned.

use std::mem;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use crate::printer::Printer;
use referee_bots::{BotKind, Limit};
use referee_match::replay::ReplayError;
use referee_match::replay::turning_points::TurningPoint;
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::GameRecord;
use referee_record::parallel::map_in_parallel;
use referee_report::replay_renderer::TurningPoints;
use referee_tournament::analysis::logged_game::LoggedGame;

/// How many games are looked at together.
const AT_ONCE: usize = 64;

/// A built-in player that looks at recorded games.
#[derive(Debug, Args)]
pub(crate) struct TurningArgs {
    /// Mark the plies at which a game turned, as this built-in player sees it, and show what it
    /// would have played
    #[arg(long, value_name = "bot:search-N", value_parser = parse_turning_nodes)]
    with: Option<u64>,
}

impl TurningArgs {
    /// Refuses the option where it would do nothing.
    pub(crate) fn refuse_unless(&self, has_use: bool, why: &str) -> Result<(), Failure> {
        if self.with.is_some() && !has_use {
            return Err(Failure::input(format!("--with is not possible here: {why}")));
        }
        Ok(())
    }

    /// The turning points of a game; none unless they are asked for.
    pub(crate) fn points(
        &self,
        rules: &GameRules,
        record: &GameRecord,
    ) -> Result<Vec<TurningPoint>, ReplayError> {
        self.with.map_or(Ok(Vec::new()), |nodes| TurningPoint::find_all(rules, record, nodes))
    }

    /// The turning points of all these games, about `count`, on all cores; of none unless they are
    /// asked for. A game that cannot be replayed has none: its replay says why.
    pub(crate) fn points_of_all(
        &self,
        (count, printer): (usize, Printer),
        rules: &GameRules,
        each: impl FnOnce(&mut dyn FnMut(&LoggedGame) -> Result<(), Failure>) -> Result<(), Failure>,
    ) -> Result<TurningPoints, Failure> {
        let mut all = TurningPoints::new();
        if self.with.is_none() {
            return Ok(all);
        }
        let bar = if printer.has_progress_bar() {
            ProgressBar::new(count as u64)
        } else {
            ProgressBar::hidden()
        };
        let style = "{bar:16} {pos}/{len} games looked at, {per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        let look = |games: Vec<LoggedGame>| {
            map_in_parallel(games, |game| {
                let points = self.points(rules, &game.record).unwrap_or_default();
                bar.inc(1);
                (game.record.id.clone(), points)
            })
        };
        let mut waiting = Vec::new();
        each(&mut |game| {
            waiting.extend((!game.is_sealed).then(|| game.clone()));
            if waiting.len() == AT_ONCE {
                all.extend(look(mem::take(&mut waiting)));
            }
            Ok(())
        })?;
        all.extend(look(waiting));
        bar.finish_and_clear();
        Ok(all)
    }
}

/// The number of nodes of a player that thinks alike each time.
fn parse_turning_nodes(text: &str) -> Result<u64, String> {
    let name = text.strip_prefix("bot:").unwrap_or(text);
    match referee_bots::parse_bot_name(name) {
        Ok(BotKind::Search(Limit::Nodes(nodes))) => Ok(nodes),
        _ => Err("write bot:search-N, which looks at N positions per ply: bot:search-1000".into()),
    }
}
