//! How good the formats are, at about the same number of games: prints the table of
//! `docs/ratings.md`
//! (`cargo test -p referee-tournament --test simulations -- --ignored --nocapture formats`).

use referee_record::model::grades::{Grades, RankBy, RankMark};
use referee_record::model::record::{Header, examples};
use referee_record::model::stage::{Format, Stage};
use referee_tournament::forecast::Forecast;

use crate::cases;

fn stage(format: Format) -> Stage {
    Stage { format, pairs: 1, players: None }
}

fn opponents(opponents: usize) -> Stage {
    stage(Format::PartialRoundRobin { opponents, late: Vec::new(), corrected: Vec::new() })
}

fn header(players: u32, stages: Vec<Stage>) -> Header {
    let names: Vec<String> = (0..players).map(|player| format!("p{player}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Header { stages, ..examples::header(&names) }
}

/// Marks for the rank itself: the best fifth, the next three tenths, the next, and the rest.
fn grades(players: u32) -> Grades {
    let band = |tenths: u32| RankMark { rank: players * tenths / 10, marks: tenths.into() };
    Grades { by: RankBy::Rank, ranks: [2, 5, 8, 10].map(band).into(), ..Grades::default() }
}

/// The formats, each with about seven pairs for every player. If a stage of further games comes last,
/// it goes on until there are as many.
fn formats(players: u32) -> [(&'static str, Vec<Stage>); 5] {
    // A round-robin of eight players has 56 games for each pair.
    let pairs = (2 * players + 28) / 56;
    let best = Stage { players: Some(8), ..Stage::round_robin(pairs) };
    [
        ("`opponents = 7`", vec![opponents(7)]),
        ("Swiss, 7 rounds", vec![stage(Format::Swiss { rounds: 7 })]),
        ("ladder", vec![stage(Format::Ladder { games: 7 * players, margin: None })]),
        ("`opponents = 5`, then the best 8", vec![opponents(5), best]),
        ("`opponents = 5`, then `--until`", vec![opponents(5), Stage::extra_games()]),
    ]
}

/// Prints a row of the table.
fn row(name: &str, players: u32, stages: Vec<Stage>) -> Forecast {
    let most = stages.contains(&Stage::extra_games()).then_some(7 * players as usize);
    let header = header(players, stages);
    let found =
        Forecast::new(&header, &grades(players), most, cases(1500, 600) / u64::from(players));
    let found = found.expect("everyone is ranked");
    println!(
        "| {players} | {name} | {:.0} | {:.0} Elo | {:.1}% | {:.1} | {:.1}% |",
        found.games,
        found.error,
        100.0 * found.ordered,
        3.0 * found.top,
        100.0 * found.right,
    );
    found
}

#[test]
#[ignore = "slow: hundreds of simulated tournaments"]
fn formats_compared() {
    println!("| players | format | games | error | pairs in order | of the top 3 | right marks |");
    println!("|---|---|---|---|---|---|---|");
    for players in [30, 100, 200] {
        let all = formats(players).map(|(name, stages)| row(name, players, stages));
        let more = row("`opponents = 14`", players, vec![opponents(14)]);
        let [some, swiss, ladder, best, _] = &all;
        assert!(all.iter().all(|one| (one.games / f64::from(7 * players) - 1.0).abs() < 0.04));
        assert!(all.iter().all(|one| more.error < one.error && more.right > one.right));
        assert!(some.ordered > best.ordered && some.right > best.right, "the best take its games");
        assert!(best.top > some.top && swiss.top > some.top, "the best meet each other");
        // In a small field, everyone meets a fair part of it anyway.
        assert!(players < 200 || ladder.top > some.top, "so they do on a ladder");
    }
}
