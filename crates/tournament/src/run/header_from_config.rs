//! The header of a log, from a configuration.

use std::time::{SystemTime, UNIX_EPOCH};

use referee_games::{RulesProgram, Text};
use referee_record::model::containment::Containment;
use referee_record::model::opening_source::{OpeningSource, Openings};
use referee_record::model::record::{Header, HeaderPlayer, SCHEMA};
use referee_record::model::tournament::Tournament;

/// The header of a log for this configuration, without openings from a book.
pub fn header_from_config(
    tournament: &Tournament,
    containment: Containment,
    identity: String,
) -> Header {
    let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let options = tournament.options.to_json();
    let seats = tournament.game.seats();
    Header {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        tournament: tournament.name.clone(),
        identity,
        created,
        game: tournament.game.name().to_owned(),
        program: tournament.game.program().map(RulesProgram::without_local_paths),
        seats: seats.map(Text::into_owned),
        options,
        clock: tournament.clock,
        fault_policy: tournament.fault_policy,
        adjudication: tournament.adjudication,
        quarantine: tournament.quarantine,
        stages: tournament.stages.clone(),
        rank: tournament.rank,
        // With a seed the tournament can be repeated, and so it is predictable.
        drawn: tournament.seed.is_none(),
        openings: match &tournament.openings {
            Some(OpeningSource::Random { plies }) => Some(Openings::Random { plies: *plies }),
            Some(OpeningSource::Book(_)) | None => None,
        },
        book: None,
        containment,
        seed: tournament.seed,
        anchors: tournament.anchors.clone(),
        players: tournament.players.iter().map(HeaderPlayer::from).collect(),
        continues: tournament.league.as_ref().and_then(|league| league.continues.clone()),
        changes: Vec::new(),
    }
}
