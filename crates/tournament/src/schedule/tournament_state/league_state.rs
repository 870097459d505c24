//! The state of a league: its players, and the games chosen.
//!
//! It has no sections. A deal is chosen when a worker is free, and gets the next number; the log says
//! which deals there were. Faults count in the order of the log.

use std::collections::BTreeSet;

use super::{RecordError, TournamentState};
use crate::schedule::matchmaker::Matchmaker;
use referee_protocol::Usage;
use referee_record::model::fixture::Fixture;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::model::record::Header;
use referee_record::model::roster_change::RosterChange;

/// What only a league has.
#[derive(Debug, Clone)]
pub(super) struct LeagueState {
    matchmaker: Matchmaker,
    /// By player number, whether it has come.
    came: Vec<bool>,
    /// By player number, whether it left. One that was taken out by its faults may still leave.
    left: Vec<bool>,
    /// The chosen games that are not done and will be played.
    open: BTreeSet<usize>,
}

impl LeagueState {
    /// The state before any game, with the players that were there at the start.
    pub(super) fn new(header: &Header) -> Self {
        let mut matchmaker = Matchmaker::new(header.table());
        for _ in &header.players {
            matchmaker.add();
        }
        let came: Vec<bool> = header.players.iter().map(|player| player.entry.is_none()).collect();
        let plays =
            |player: &usize| came[*player] && header.players[*player].disqualified.is_none();
        for player in (0..came.len()).filter(plays) {
            matchmaker.enter(player, given_league_rating(header, player), None);
        }
        let left = vec![false; came.len()];
        Self { matchmaker, came, left, open: BTreeSet::new() }
    }

    /// The chosen games that are still to be played, from this index on.
    pub(super) fn open_games(&self, from: usize) -> impl Iterator<Item = usize> {
        self.open.range(from..).copied()
    }
}

/// The rating that was given to a player, if one was.
fn given_league_rating(header: &Header, player: usize) -> Option<f64> {
    let name = &header.players[player].name;
    header.anchors.iter().find(|anchor| anchor.player == *name).map(|anchor| anchor.rating)
}

impl TournamentState {
    /// Whether it is a league.
    pub fn is_league(&self) -> bool {
        self.league.is_some()
    }

    /// The header: all players so far, and what became of them.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether it is a league in which no game would be worth playing now.
    pub fn is_league_idle(&self) -> bool {
        let rests = |league: &LeagueState| {
            league.open.is_empty() && league.matchmaker.clone().choose_deal().is_none()
        };
        self.league.as_ref().is_some_and(rests)
    }

    /// Whether a player takes part now: in a league, whether it came and did not leave.
    pub fn is_taking_part(&self, player: usize) -> bool {
        let in_league =
            self.league.as_ref().is_none_or(|league| league.matchmaker.is_there(player));
        in_league && self.out[player].is_none()
    }

    /// The version of the same author that came before a player of a league.
    pub(crate) fn previous_league_version(&self, player: usize) -> Option<usize> {
        let LeagueEntry { author, version, .. } = self.header.players[player].entry.as_ref()?;
        self.player_number(&LeagueEntry::version_name(author, version.checked_sub(1)?))
    }

    /// Adds a player that comes to the league now, or lets one go. The same change must be added to
    /// the log.
    ///
    /// # Errors
    /// No such change is possible now. Then nothing changes.
    pub fn apply_league_roster_change(&mut self, change: &RosterChange) -> Result<(), RecordError> {
        self.header.apply_roster_change(change).map_err(|_| RecordError::Foreign)?;
        if let RosterChange::Entered { player, .. } = change {
            self.names.push(player.name.clone());
            self.schedule.add_player();
            self.streak.push(0);
            self.out.push(None);
            self.since.push(0);
            self.spent.push(Usage::default());
            if let Some(league) = &mut self.league {
                league.matchmaker.add();
                league.came.push(false);
                league.left.push(false);
            }
        }
        self.apply_logged_roster_change(change)
    }

    /// Follows a change that was read in the log, whose header has all players already.
    pub(crate) fn apply_logged_roster_change(
        &mut self,
        change: &RosterChange,
    ) -> Result<(), RecordError> {
        let player = self.player_number(change.player()).ok_or(RecordError::Foreign)?;
        let before = self.previous_league_version(player);
        let league = self.league.as_mut().ok_or(RecordError::Foreign)?;
        match change {
            RosterChange::Entered { .. } if league.came[player] => Err(RecordError::Double),
            RosterChange::Entered { .. } => {
                league.came[player] = true;
                league.matchmaker.enter(player, None, before);
                Ok(())
            }
            RosterChange::Left { .. } if !league.came[player] => Err(RecordError::Foreign),
            RosterChange::Left { .. } if league.left[player] => Err(RecordError::Double),
            RosterChange::Left { .. } => {
                league.left[player] = true;
                self.retire_league_player(player);
                Ok(())
            }
            RosterChange::Returned { .. } if !league.left[player] => Err(RecordError::Double),
            RosterChange::Returned { .. } => {
                league.left[player] = false;
                // Its faults still keep it out.
                if self.out[player].is_none() {
                    league.matchmaker.come_back(player);
                }
                Ok(())
            }
        }
    }

    /// In a league, chooses no more games of a player, although it did not leave: it cannot be
    /// started now. The log does not say so.
    pub fn rest_league_player(&mut self, player: usize) {
        self.retire_league_player(player);
    }

    /// Stops a player. Its games stay.
    pub(super) fn retire_league_player(&mut self, player: usize) {
        let schedule = &self.schedule;
        let Some(league) = &mut self.league else { return };
        league.matchmaker.leave(player);
        let matchmaker = &mut league.matchmaker;
        league.open.retain(|&index| {
            let game = schedule.fixture(index);
            let stays = game.seat_of(player).is_none();
            if !stays {
                matchmaker.note_game_over(game.players);
            }
            stays
        });
    }

    /// In a league, chooses the next deal, if there is a sensible one.
    pub fn choose_league_deal(&mut self) {
        let Some(league) = &mut self.league else { return };
        let Some(players) = league.matchmaker.choose_deal() else { return };
        let first = self.schedule.len();
        self.schedule.add_league_deal(players);
        self.games.resize(self.schedule.len(), None);
        for index in self.schedule.deal(first) {
            league.open.insert(index);
            league.matchmaker.note_game_begun(players);
        }
    }

    /// In a league, a chosen game will not be played: it is impossible.
    pub(crate) fn withdraw_league_game(&mut self, game: Fixture) {
        let (Some(index), Some(league)) = (self.schedule.index(game), &mut self.league) else {
            return;
        };
        if league.open.remove(&index) {
            league.matchmaker.note_game_over(game.players);
        }
    }

    /// In a league, makes room for a game of the log whose deal is not known yet.
    pub(super) fn claim_league_deal(&mut self, game: Fixture) {
        let Some(league) = &mut self.league else { return };
        if !(game.players.players().all(|player| league.came[player])
            && self.schedule.claim_league_deal(game))
        {
            return;
        }
        self.games.resize(self.schedule.len(), None);
        // The other games of the deal are due too, if all its players are still there.
        let are_there = game.players.players().all(|player| league.matchmaker.is_there(player));
        let of_deal = self.schedule.index(game).map(|index| self.schedule.deal(index));
        for index in of_deal.into_iter().flatten().filter(|_| are_there) {
            league.open.insert(index);
            league.matchmaker.note_game_begun(game.players);
        }
    }

    /// In a league, learns from a game that is done.
    pub(super) fn learn_league_game(&mut self, index: usize, game: GameSummary) {
        let players = self.fixture(index).players;
        let Some(league) = &mut self.league else { return };
        if league.open.remove(&index) {
            league.matchmaker.note_game_over(players);
        }
        league.matchmaker.learn(players, game);
        self.count_faults(index, game);
        for player in players.players() {
            if self.out[player] == Some(index) {
                self.retire_league_player(player);
            }
        }
    }
}

#[cfg(test)]
mod tests;
