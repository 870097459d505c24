//! Makes logs of any length for measurements: the games of a short tournament again and again,
//! under the names, numbers, ids and seeds that the schedule gives them.

use std::fs;
use std::path::{Path, PathBuf};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use referee_games::{BySeat, Seat};
use referee_record::log::{LOG, LogReader, LogWriter};
use referee_record::model::league_entry::{LeagueEntry, Leaving, LeavingReason};
use referee_record::model::record::{GameRecord, Header, HeaderPlayer};
use referee_record::model::roster_change::RosterChange;
use referee_record::model::stage::{Format, Stage};
use referee_record::seeds::TournamentSecret;
use referee_tournament::folder::SECRET;
use referee_tournament::schedule::tournament_state::TournamentState;

use crate::measure::Outcome;
use crate::program::referee;

/// The seed of the tournaments, from which all others follow.
const SEED: u64 = 7;
/// The house players of a league.
const HOUSE_PLAYERS: usize = 10;
/// The most players whose games are played for a league.
const MOST_PLAYERS: usize = 100;

/// A tournament's folder with a made log.
#[derive(Debug)]
pub(crate) struct Made {
    /// The results folder.
    pub(crate) results: PathBuf,
    /// The number of games in the log.
    pub(crate) games: usize,
}

/// The games of a short tournament, whose folder is empty again but for its secret.
struct Played {
    results: PathBuf,
    header: Header,
    games: Vec<GameRecord>,
}

/// Makes a round-robin with at least `games` games of `players` players in the folder `dir`, whose
/// tables and page are not written yet.
pub(crate) fn make(dir: &Path, players: usize, games: usize) -> Outcome<Made> {
    let pairs = games.div_ceil(players * (players - 1));
    let Played { results, mut header, games: played } = play(dir, players)?;
    configure(dir, players, pairs)?;
    header.stages[0].pairs = u32::try_from(pairs)?;
    let schedule = TournamentState::new(&header);
    let mut log = LogWriter::create(&results, &header)?;
    for index in 0..schedule.len() {
        log.append(&again(&played[index % played.len()], &schedule, index))?;
    }
    log.finish()?;
    Ok(Made { results, games: schedule.len() })
}

/// Makes a league in the folder `dir`: one author after the other hands in a version, until each has
/// handed in so many. In between, those that are there play. Only the log is a league's: no run can go on
/// with it.
pub(crate) fn make_league(
    dir: &Path,
    authors: usize,
    versions: usize,
    games: usize,
) -> Outcome<()> {
    // Hardly any game comes twice: players would share far more positions than in a league, and to
    // find those that decide alike would take longer.
    let players = (HOUSE_PLAYERS..MOST_PLAYERS).find(|it| it * (it - 1) >= games);
    let Played { results, mut header, games: played } = play(dir, players.unwrap_or(MOST_PLAYERS))?;
    header.stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
    header.players.truncate(HOUSE_PLAYERS);
    header.quarantine = 0;
    let [mut won, mut lost] = ["white", "black"]
        .map(|winner| played.iter().filter(move |game| game.result == winner).cycle());
    let mut state = TournamentState::new(&header);
    let mut log = LogWriter::create(&results, &header)?;
    let (first, all) = (state.names().len(), authors * versions);
    let mut luck = SmallRng::seed_from_u64(SEED);
    for entered in 0..all {
        for change in hand_in(&header.players[0], entered, authors)? {
            state.apply_league_roster_change(&change)?;
            log.append_change(&change)?;
        }
        while state.played() < games * (entered + 1) / all {
            state.choose_league_deal();
            while let Some(index) = state.next_due(0) {
                let [white, black] = state.fixture(index).players.two().map(|player| {
                    player.checked_sub(first).map_or(0.0, |it| strength(it % authors, authors))
                });
                let chance = 1.0 / (1.0 + 10_f64.powf((black - white) / 400.0));
                let such = if luck.random_bool(chance) { &mut won } else { &mut lost };
                let record = again(such.next().ok_or("no game ends so")?, &state, index);
                state.add(&record)?;
                log.append(&record)?;
            }
        }
    }
    Ok(log.finish()?)
}

/// What changes when one of the authors hands in, who take turns: the version before leaves.
fn hand_in(like: &HeaderPlayer, entered: usize, authors: usize) -> Outcome<Vec<RosterChange>> {
    let author = format!("author {:03}", entered % authors);
    let version = u32::try_from(entered / authors)? + 1;
    let name = |version| LeagueEntry::version_name(&author, version);
    let leaving = Leaving { at: 0, why: LeavingReason::Replaced };
    let left = (version > 1).then(|| RosterChange::Left { player: name(version - 1), leaving });
    let (source, kept) = (String::new(), String::new());
    let entry = LeagueEntry { author: author.clone(), version, at: 0, source, kept };
    let (name, hash) = (name(version), format!("{entered:064x}"));
    let player = Box::new(HeaderPlayer { name, hash, entry: Some(entry), ..like.clone() });
    let come = RosterChange::Entered { player, files: [].into() };
    Ok(left.into_iter().chain([come]).collect())
}

/// The strength of an author's versions: up to 1,000 Elo.
fn strength(author: usize, authors: usize) -> f64 {
    let share = author * 7919 % authors * 1000 / authors;
    u32::try_from(share).map_or(0.0, f64::from)
}

/// Plays a tournament of these players, and takes the games out of its folder.
fn play(dir: &Path, players: usize) -> Outcome<Played> {
    fs::create_dir_all(dir)?;
    configure(dir, players, 1)?;
    run(dir)?;
    let results = dir.join("results/made");
    let mut reader = LogReader::open(&results)?;
    let header = reader.header().clone();
    let mut games = Vec::new();
    while let Some(record) = reader.next_record()? {
        games.push(record);
    }
    for entry in fs::read_dir(&results)? {
        let path = entry?.path();
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else if path.file_name().is_some_and(|name| name != SECRET) {
            fs::remove_file(path)?;
        }
    }
    Ok(Played { results, header, games })
}

/// A game as the one at `index` of the schedule.
fn again(played: &GameRecord, schedule: &TournamentState, index: usize) -> GameRecord {
    let fixture = schedule.fixture(index);
    let players = fixture.players.players();
    let names: BySeat<String> = players.map(|player| schedule.name(player).to_owned()).collect();
    let secret = TournamentSecret::from_seed(SEED);
    let seed = |seat: Seat| {
        let others: Vec<&str> = names.others(seat).map(|other| &*names[other]).collect();
        secret.player_seed(&names[seat], &others, fixture.pair, fixture.game)
    };
    let mut game = played.clone();
    game.seed.values = BySeat::from_fn(2, seed);
    game.players.values = names.clone();
    GameRecord { id: schedule.id(index), pair: fixture.pair, game: fixture.game, ..game }
}

fn configure(dir: &Path, players: usize, pairs: usize) -> Outcome<()> {
    let settings = format!(
        "name = \"made\"\ngame = \"watch-your-back\"\nseed = {SEED}\npairs = {pairs}\n\
         [containment]\nlevel = \"off\"\n"
    );
    let player = |number| format!("[[players]]\nname = \"player {number:03}\"\nbot = \"random\"\n");
    let text: Vec<String> = (0..players).map(player).collect();
    Ok(fs::write(dir.join("tournament.toml"), settings + &text.concat())?)
}

/// Runs the tournament in `dir`.
pub(crate) fn run(dir: &Path) -> Outcome<()> {
    referee(dir, &["run", "--quiet"])
}

/// The length of the log in bytes.
pub(crate) fn log_length(made: &Made) -> Outcome<u64> {
    Ok(fs::metadata(made.results.join(LOG))?.len())
}
