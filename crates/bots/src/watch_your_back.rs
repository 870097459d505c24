//! Built-in players of Watch Your Back!.

pub(crate) mod alpha_beta;

use super::watch_your_back::alpha_beta::AlphaBeta;
use super::{Bot, BotGame, Limit};
use referee_games::two_player::Side;
use referee_games::watch_your_back::WatchYourBack;

impl BotGame for WatchYourBack {
    fn lead(&self, seat: Side) -> i32 {
        let count = |seat| self.board().pieces(seat).len().cast_signed();
        count(seat) - count(!seat)
    }

    fn search(limit: Limit) -> Box<dyn Bot<Self>> {
        Box::new(AlphaBeta::new(limit))
    }
}
