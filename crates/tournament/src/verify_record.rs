//! Checks whether a record is consistent: replays its actions through the rules and its times
//! through the clock, and draws its seeds again.

mod record_finding;

use referee_games::SeatSet;
use referee_match::referee::RefereeEnding;
use std::time::Duration;

pub use self::record_finding::RecordFinding;
use referee_games::{AnyPosition, BySeat, GameError, Outcome, Places, Seat, Step, Text, Turn};
use referee_match::adjudication::adjudicate_position;
use referee_match::openings::OpeningBook;
use referee_match::replay::{Replay, ReplayError};
use referee_record::model::adjudication::is_adjudication_reason;
use referee_record::model::clock::{Clock, ClockVerdict, Measure};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::game_rules::GameRules;
use referee_record::model::opening_source::ListedOpening;
use referee_record::model::record::{ClockRecord, GameRecord, Header, RESIGNATION};
use referee_record::model::short_clock::with_own_short_clock;
use referee_record::seeds::{SeededLuck, TournamentSecret};

/// All errors in a record whose game should begin with an opening of `book`.
pub fn verify_record(
    book: &OpeningBook,
    header: &Header,
    secret: Option<&TournamentSecret>,
    record: &GameRecord,
) -> Vec<RecordFinding> {
    let luck =
        secret.map(|secret| secret.game_luck(&names_in_verified_record(record), record.pair));
    let mut found: Vec<RecordFinding> =
        verify_record_opening(book, secret, record).into_iter().collect();
    let mut replay = match Replay::with_rules(book.rules(), record) {
        Ok(replay) => replay,
        Err(error) => {
            found.push(RecordFinding::Replay(error));
            return found;
        }
    };
    let end = match verify_record_steps(&mut replay, header, luck, record) {
        Ok((wrong, end)) => {
            found.extend(wrong);
            end
        }
        Err(problem) => {
            found.push(problem);
            return found;
        }
    };
    let seats = book.rules().seats();
    found.extend(verify_record_seats(&seats, record));
    found.extend(verify_record_seat_names(record));
    found.extend(verify_record_ending(
        replay.current_position(),
        end,
        record,
        seats_that_can_resign(header, record),
    ));
    found.extend(verify_record_clocks(header, record));
    found.extend(verify_record_outages(header, record));
    found.extend(secret.into_iter().flat_map(|secret| verify_record_seeds(secret, record)));
    found
}

/// Replays a recorded game. Returns the first ply at which it differs from its record, with the
/// difference.
///
/// # Errors
/// The rules program failed.
pub(crate) fn verify_under_rules(
    rules: &GameRules,
    header: &Header,
    record: &GameRecord,
) -> Result<Option<(u32, RecordFinding)>, GameError> {
    let mut replay = match Replay::with_rules(rules, record) {
        Ok(replay) => replay,
        Err(ReplayError::Game(error)) => return Err(error),
        Err(other) => return Ok(Some((0, RecordFinding::Replay(other)))),
    };
    let played = verify_record_steps(&mut replay, header, None, record);
    let ply = replay.current_position().ply();
    match played {
        Err(RecordFinding::Replay(ReplayError::Game(error @ GameError::Program(_)))) => Err(error),
        Err(finding) => Ok(Some((ply, finding))),
        Ok((wrong, end)) => {
            let ending = verify_record_ending(
                replay.current_position(),
                end,
                record,
                seats_that_can_resign(header, record),
            );
            Ok(wrong.into_iter().chain(ending).next().map(|finding| (ply, finding)))
        }
    }
}

/// Replays the whole record. Returns the first outcome that differs from the luck, the first step
/// after the game had to be adjudicated, and how it had to be adjudicated at its end; or why the
/// record cannot be replayed.
fn verify_record_steps(
    replay: &mut Replay<'_>,
    header: &Header,
    mut luck: Option<SeededLuck>,
    record: &GameRecord,
) -> Result<(Vec<RecordFinding>, Option<Outcome>), RecordFinding> {
    let (mut unlucky, mut late) = (None, None);
    loop {
        let (ply, turn) = (replay.current_position().ply(), replay.current_position().turn());
        let rules = header.adjudication.filter(|_| !replay.is_in_opening());
        let end = rules.and_then(|rules| {
            adjudicate_position(&rules, replay.current_position(), &record.notes)
        });
        let outcomes = match turn {
            Turn::Chance(_) if luck.is_some() => replay.current_position().outcomes(),
            _ => Vec::new(),
        };
        let Some(step) = replay.skip_step().map_err(RecordFinding::Replay)? else {
            return Ok((unlucky.into_iter().chain(late).collect(), end));
        };
        if let Some(Outcome { reason, .. }) = end {
            late.get_or_insert(RecordFinding::NotEnded { ply, reason });
        }
        if let (Turn::Chance(stream), Step::Chance(drawn), Some(luck)) = (turn, step, luck.as_mut())
        {
            let expected = luck.draw(stream, &outcomes);
            if expected != drawn {
                let drawn = drawn.to_owned();
                unlucky.get_or_insert(RecordFinding::Unlucky { ply, drawn, expected });
            }
        }
    }
}

/// Checks that the game began with the opening of its pair.
fn verify_record_opening(
    book: &OpeningBook,
    secret: Option<&TournamentSecret>,
    record: &GameRecord,
) -> Option<RecordFinding> {
    let drawn = |secret: &TournamentSecret| {
        let luck = secret.game_luck(&names_in_verified_record(record), record.pair);
        book.opening(record.pair, secret, luck).map(|opening| opening.to_listed())
    };
    let expected = match (book.fixed_opening(record.pair), secret) {
        (Some(listed), _) => listed,
        (None, Some(secret)) => match drawn(secret) {
            Ok(listed) => listed,
            Err(error) => return Some(RecordFinding::Replay(error.into())),
        },
        (None, None) => return None,
    };
    let found = ListedOpening::new(record.options.clone(), record.opening.clone());
    (found != expected).then(|| RecordFinding::Opening {
        pair: record.pair,
        found: found.texts(),
        expected: expected.texts(),
    })
}

fn verify_record_seats(seats: &BySeat<Text>, record: &GameRecord) -> Option<RecordFinding> {
    let names = &record.players.names;
    (names != seats).then(|| RecordFinding::Seats(names.clone()))
}

/// Checks that all values by seat name the seats as the players do, in their order.
fn verify_record_seat_names(record: &GameRecord) -> Vec<RecordFinding> {
    let GameRecord { players, places, scores, seed, clock, final_scores, reported, .. } = record;
    let ClockRecord { tc, startup_ns, used_ns, cpu_ns, wall_ns: _, began: _ } = clock;
    let by_seat = [
        ("places", places.as_ref().map(|it| &it.names)),
        ("scores", Some(&scores.names)),
        ("seed", Some(&seed.names)),
        ("clock.tc", tc.as_ref().map(|it| &it.names)),
        ("clock.startup_ns", Some(&startup_ns.names)),
        ("clock.used_ns", Some(&used_ns.names)),
        ("clock.cpu_ns", Some(&cpu_ns.names)),
        ("final_scores", final_scores.as_ref().map(|it| &it.names)),
        ("reported", reported.as_ref().map(|it| &it.names)),
    ];
    let wrong = |(field, names): (&'static str, Option<&BySeat<Text>>)| {
        let names = names.filter(|names| **names != players.names)?.clone();
        Some(RecordFinding::OtherSeats { field, names })
    };
    by_seat.into_iter().filter_map(wrong).collect()
}

/// The seats whose players can give the game up.
fn seats_that_can_resign(header: &Header, record: &GameRecord) -> SeatSet {
    let can_resign = |seat: &Seat| {
        header.players.iter().any(|info| info.name == record.players[*seat] && info.can_resign())
    };
    record.players.seats().filter(can_resign).collect()
}

/// Checks the ending of the game, which had to be adjudicated as `adjudicated`, if so; `quitters` are
/// the seats whose players can give it up.
fn verify_record_ending(
    position: &dyn AnyPosition,
    adjudicated: Option<Outcome>,
    record: &GameRecord,
    quitters: SeatSet,
) -> Vec<RecordFinding> {
    let seats = &position.seats();
    let expected = match expected_record_outcome(position, adjudicated, record, quitters) {
        Ok(outcome) => outcome,
        Err(finding) => return vec![finding],
    };
    let result = expected.places.result(seats).unwrap_or_default();
    let mut found = Vec::new();
    let mut same = |fact: &str, recorded: &str, replayed: &str| {
        if recorded != replayed {
            let [fact, recorded, replayed] = [fact, recorded, replayed].map(str::to_owned);
            found.push(RecordFinding::Differs { fact, recorded, replayed });
        }
    };
    same("result", &record.result, result);
    let places = if seats.len() > 2 { Some(expected.places.counted_from_one()) } else { None };
    let recorded = record.places.as_ref().map(|places| &places.values);
    same("places", &format_seat_values(recorded), &format_seat_values(places.as_ref()));
    same("reason", &record.reason, &expected.reason);
    same("number of plies", &record.plies.to_string(), &position.ply().to_string());
    let scores = record.final_scores.as_ref().map(|scores| &scores.values);
    same("final score", &format_seat_values(scores), &format_seat_values(position.scores()));
    // If all players fail, all score 0.
    let all_failed = seats.seats().all(|seat| record.fault_of(seat).is_some());
    for seat in seats.seats() {
        let score = if all_failed { 0.0 } else { expected.places.score(seat) };
        let fact = format!("score of {}", seats[seat]);
        same(&fact, &record.score(seat).to_string(), &score.to_string());
    }
    found
}

/// Places or final scores as text.
fn format_seat_values<T: ToString>(values: Option<&BySeat<T>>) -> String {
    let texts = |values: &BySeat<T>| values.as_ref().map(ToString::to_string);
    values.map_or_else(|| "none".to_owned(), |it| texts(it).values().join(" to "))
}

/// The ending of the game, according to the replay, the recorded scores and the recorded faults.
fn expected_record_outcome(
    position: &dyn AnyPosition,
    adjudicated: Option<Outcome>,
    record: &GameRecord,
    quitters: SeatSet,
) -> Result<Outcome, RecordFinding> {
    let seats = &position.seats();
    match (position.turn(), adjudicated, &record.fault) {
        (Turn::Over(outcome), _, None) | (_, Some(outcome), None) => Ok(outcome),
        (Turn::Over(_), _, Some(_)) => Err(RecordFinding::FaultAfterEnd),
        (_, Some(Outcome { reason, .. }), Some(_)) if !verified_record_failed_to_start(record) => {
            Err(RecordFinding::NotEnded { ply: position.ply(), reason })
        }
        (_, None, None) if is_adjudication_reason(&record.reason) => {
            Err(RecordFinding::NotAdjudicated)
        }
        (_, None, None) => {
            find_recorded_resignation(seats, record, quitters).ok_or(RecordFinding::NoEnd)
        }
        (_, _, Some(faults)) => {
            let faults = seats.as_ref().map(|name| faults.get(&**name).cloned());
            let ending = RefereeEnding::by_faults_at(faults, position);
            let ending = ending.ok_or(RecordFinding::FaultOfNobody)?;
            let reason = ending.reason().to_owned().into();
            Ok(Outcome { places: ending.places(), reason })
        }
    }
}

/// Whether the game ended in a fault before anyone was asked. Such a fault comes before everything
/// else: a game may begin with an opening after which it would have to be adjudicated.
fn verified_record_failed_to_start(record: &GameRecord) -> bool {
    let is_early = |fault: &Fault| {
        matches!(fault.code, FaultCode::NoStart | FaultCode::Containment | FaultCode::Outage)
    };
    record.actions.is_empty()
        && record.players.seats().all(|seat| {
            record.clock.used_ns[seat].is_empty() && record.fault_of(seat).is_none_or(is_early)
        })
}

/// The ending of a game that one of these `quitters` gave up.
fn find_recorded_resignation(
    seats: &BySeat<Text>,
    record: &GameRecord,
    quitters: SeatSet,
) -> Option<Outcome> {
    let lost_by = |loser: Seat| Places::lost_by(loser.into(), seats.len());
    let recorded = record.places();
    let has_lost = |&seat: &Seat| quitters.contains(seat) && recorded == Some(lost_by(seat));
    let loser = seats.seats().find(has_lost).filter(|_| record.reason == RESIGNATION)?;
    Some(Outcome { places: lost_by(loser), reason: RESIGNATION.into() })
}

/// The clocks must be those of the players. A turn that exceeded its allowance must be the last one,
/// and a fault.
fn verify_record_clocks(header: &Header, record: &GameRecord) -> Vec<RecordFinding> {
    let mut found = Vec::new();
    for seat in record.players.seats() {
        let tc = header.own_clock_of(&record.players[seat]);
        if record.own_clocks()[seat] != tc {
            found.push(RecordFinding::OtherClock(record.players.names[seat].clone()));
        }
        let control = with_own_short_clock(&header.clock, tc);
        let mut clock = Clock::new(control);
        clock.charge_startup(Duration::from_nanos(record.clock.startup_ns[seat]));
        let late_fault = record.fault_of(seat).is_some_and(|fault| fault.code.is_late());
        let turns = &record.clock.used_ns[seat];
        let (mut is_late, mut is_told) = (false, false);
        for (turn, used) in (1..).zip(turns) {
            is_late = clock.spend(Duration::from_nanos(*used)) == ClockVerdict::Late;
            let is_excused = turn == turns.len() && record.fault_of(seat).is_some();
            // The first one says enough: a forged record may have a million.
            if is_late && !is_excused && !is_told {
                let seat = record.players.names[seat].clone();
                found.push(RecordFinding::Late { seat, turn });
                is_told = true;
            }
        }
        if late_fault && control.measure == Measure::Wall && !is_late && !clock.is_out() {
            found.push(RecordFinding::NotLate(record.players.names[seat].clone()));
        }
    }
    found
}

/// The names of the players, in order of the seats.
fn names_in_verified_record(record: &GameRecord) -> Vec<&str> {
    record.players.values.values().iter().map(String::as_str).collect()
}

/// How often the game was void because players could not reach their services must be allowed, and
/// so must a fault for that reason.
fn verify_record_outages(header: &Header, record: &GameRecord) -> Vec<RecordFinding> {
    let check = |seat: Seat| {
        let player = record.players[seat].clone();
        let times = record.outages.count_for(&record.players.names[seat]);
        let most = header.players.iter().find(|info| info.name == player)?.outages;
        let is_out = record.fault_of(seat).is_some_and(|fault| fault.code == FaultCode::Outage);
        if times > most {
            return Some(RecordFinding::Outages { player, times, most });
        }
        (is_out && most == 0).then_some(RecordFinding::NoService(player))
    };
    record.players.seats().filter_map(check).collect()
}

fn verify_record_seeds(secret: &TournamentSecret, record: &GameRecord) -> Vec<RecordFinding> {
    let names = &record.players.values;
    record
        .players
        .seats()
        .filter(|&seat| {
            let others: Vec<&str> = names.others(seat).map(|other| &*names[other]).collect();
            let GameRecord { pair, game, .. } = *record;
            record.seed[seat] != secret.player_seed(&names[seat], &others, pair, game)
        })
        .map(|seat| RecordFinding::Seed(record.players[seat].clone()))
        .collect()
}

#[cfg(test)]
mod tests;
