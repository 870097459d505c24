//! `rank --from`: games from anywhere, and the games of a tournament read from its table.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::support::{Arena, Config, Run};
use serde_json::Value;

const GAMES: &str = "\
first,second,result,pair,fault
ant,bee,1-0,1,
bee,ant,1/2-1/2,1,
ant,cat,second,,timeout
cat,bee,first,,
bee,cat,draw,,
";

#[test]
fn games_from_anywhere_are_ranked() {
    let arena = Arena::with(&Config::small());
    arena.write("games.csv", GAMES);
    let run = arena.run(&["rank", "--from", "games.csv"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("\n5 of 5 games played.\n"), "{}", run.out);
    let json = arena.run(&["rank", "--from", "games.csv", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((&json["games"], &json["faults"]), (&5.into(), &1.into()));
    assert_eq!(json["players"][0]["player"], "cat");
    let csv = arena.run(&["rank", "--from", "games.csv", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let without = arena.run(&["rank", "--from", "games.csv", "--without-faults"]);
    assert!(without.out.contains("\n4 of 4 games played.\n"), "{}", without.out);
}

#[test]
fn the_table_of_a_tournament_gives_its_ranking_again() {
    let arena = Arena::with(&Config::small());
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let dir = arena.results();
    let table = dir.join("games.csv");
    let again = arena.run(&["rank", "--format", "csv", "--from", &table.to_string_lossy()]);
    let standings = std::fs::read_to_string(dir.join("standings.csv")).expect("read");
    assert_eq!(again, Run::new(0, &standings, ""));
}

#[test]
fn the_order_of_the_games_changes_nothing() {
    let arena = Arena::with(&Config::small());
    let (header, games) = GAMES.split_once('\n').expect("a header");
    let mut games: Vec<&str> = games.lines().collect();
    let mut shown = BTreeSet::new();
    for _ in 0..games.len() {
        games.rotate_left(1);
        arena.write("games.csv", &format!("{header}\n{}\n", games.join("\n")));
        shown.insert(arena.run(&["rank", "--from", "games.csv", "--format", "json"]).out);
    }
    assert_eq!(shown.len(), 1, "{shown:#?}");
}

/// The output without its line breaks.
fn in_one_line(run: &Run) -> String {
    run.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Rotations of three seats between four players, of whom the first in the alphabet mostly win.
fn three_seats() -> String {
    let (names, mut games) =
        (["ant", "bee", "cat", "dog"], String::from("game,seat,player,place,deal\n"));
    for deal in 0..12_usize {
        let seated = [0, 1, 2, 3].into_iter().filter(|player| player != &(deal % 4));
        let mut seated: Vec<usize> = seated.collect();
        for game in 0..3 {
            seated.rotate_left(1);
            let mut order = seated.clone();
            order.sort_unstable();
            // One game of the deal is an upset.
            order.rotate_left(usize::from(game == deal % 3));
            for (seat, player) in ["red", "green", "blue"].iter().zip(&seated) {
                let place = 1 + order.iter().position(|other| other == player).expect("it plays");
                let name = names[*player];
                writeln!(games, "{deal}-{game},{seat},{name},{place},{deal}").expect("memory");
            }
        }
    }
    games
}

#[test]
fn games_of_several_seats_are_ranked() {
    let arena = Arena::with(&Config::small());
    arena.write("games.csv", &three_seats());
    let run = arena.run(&["rank", "--from", "games.csv"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(
        run.out.starts_with("#  player  rating  ±95%  ranks  games  score     %  1st  faults\n"),
        "{}",
        run.out
    );
    assert!(run.out.contains("\n36 of 36 games played.\nSeats "), "{}", run.out);
    let said = in_one_line(&run);
    assert!(
        said.contains("Ties: 0 of 108 comparisons (0.0%). Correlation within deals: "),
        "{said}"
    );
    let json = arena.run(&["rank", "--from", "games.csv", "--format", "json"]).out;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let seats = json["seats"].as_array().expect("a value for each seat");
    assert_eq!(seats.iter().map(|it| &it["seat"]).collect::<Vec<_>>(), ["red", "green", "blue"]);
    let keys = ["deal_correlation", "game_dispersion", "seats_p", "seat_effects_p"];
    assert!(keys.iter().all(|key| json[key].is_number()), "{json}");
    assert!(json.get("first_advantage").is_none() && json.get("pair_correlation").is_none());
    let ant = &json["players"][0];
    assert_eq!((&ant["player"], &ant["games"]), (&"ant".into(), &27.into()));
    assert_eq!(ant["places"], serde_json::json!([18, 0, 9]));
    assert_eq!(
        (&ant["ahead"], &ant["behind"], &ant["score"]),
        (&36.into(), &18.into(), &18.0.into())
    );
    let csv = arena.run(&["rank", "--from", "games.csv", "--format", "csv"]).out;
    let headings = "rank,player,rating,rating_low,rating_high,games,score,ahead,level,behind,\
                    place_1,place_2,place_3,score_red,score_green,score_blue,faults,";
    assert!(csv.starts_with(headings) && csv.lines().count() == 5, "{csv}");
    let fields = csv.lines().map(|line| line.split(',').count()).collect::<BTreeSet<_>>();
    assert_eq!(fields.len(), 1, "{csv}");
}

#[test]
fn winners_alone_have_to_be_said() {
    let arena = Arena::with(&Config::small());
    let rows: Vec<String> = three_seats().lines().map(|line| line.replace(",3,", ",2,")).collect();
    arena.write("games.csv", &(rows.join("\n") + "\n"));
    let run = arena.run(&["rank", "--from", "games.csv"]);
    assert!(run.out.contains("add `--ranking winner`"), "{}", run.out);
    let winner = arena.run(&["rank", "--from", "games.csv", "--ranking", "winner"]);
    assert!(!winner.out.contains("--ranking"), "{}", winner.out);
    let said = in_one_line(&winner);
    assert!(said.contains("Ties: 0 of 72 comparisons (0.0%)."), "{said}");
}

#[test]
fn two_seats_have_one_ranking_in_both_forms() {
    let arena = Arena::with(&Config::small());
    arena.write(
        "wide.csv",
        "first,second,result,pair\nant,bee,1-0,1\nbee,ant,draw,1\ncat,ant,0-1,\n",
    );
    arena.write(
        "tidy.csv",
        "game,seat,player,place,deal\n1,1,ant,1,1\n1,2,bee,2,1\n2,1,bee,1,1\n2,2,ant,1,1\n\
         3,2,ant,1,\n3,1,cat,2,\n",
    );
    for format in ["text", "json", "csv"] {
        let ranked = |file| arena.run(&["rank", "--from", file, "--format", format]);
        assert_eq!(ranked("wide.csv"), ranked("tidy.csv"));
    }
}

#[test]
fn bad_lines_are_named() {
    let arena = Arena::with(&Config::small());
    arena.write("games.csv", "first,second,result\nant,bee,1-0\nant,ant,1-0\nant,bee,both\n");
    let error = "error: games.csv: line 3, column `second`: `ant` cannot play against itself\n  \
                 line 4, column `result`: invalid result `both`; expected `first`, `second` or \
                 `draw`, or `1-0`, `0-1` or `1/2-1/2`\n";
    assert_eq!(arena.run(&["rank", "--from", "games.csv"]), Run::new(2, "", error));
    let run = arena.run(&["rank", "--from", "none.csv"]);
    assert_eq!(run.code, 2);
    assert!(run.err.starts_with("error: none.csv: "), "{}", run.err);
}

#[test]
fn too_many_players_for_one_ranking_are_refused() {
    let arena = Arena::with(&Config::small());
    let games = (0..2_000).fold(String::from("first,second,result\n"), |mut games, player| {
        writeln!(games, "p{player},p{},1-0", player + 1).expect("a string");
        games
    });
    arena.write("games.csv", &games);
    let error = "error: games.csv: 2001 players are too many for one ranking: \
                 the maximum is 2000\n";
    assert_eq!(arena.run(&["rank", "--from", "games.csv"]), Run::new(2, "", error));
}

#[test]
#[ignore = "slow: a million games"]
fn a_million_games_are_counted() {
    let arena = Arena::with(&Config::small());
    let mut games = String::from("first,second,result\n");
    let mut dice = 1_u64;
    for _ in 0..1_000_000 {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (one, step) = ((dice >> 33) % 100, 1 + (dice >> 40) % 99);
        let result = ["1-0", "0-1", "1/2-1/2"][(dice >> 50) as usize % 3];
        writeln!(games, "p{one},p{},{result}", (one + step) % 100).expect("memory");
    }
    arena.write("games.csv", &games);
    let run = arena.run(&["rank", "--from", "games.csv"]);
    assert!(run.out.contains("\n1000000 of 1000000 games played.\n"), "{}", run.out);
}

#[test]
fn several_tournaments_are_rated_together() {
    let arena = Arena::new();
    let bot = |name: &str, bot: &str| format!("[[players]]\nname = \"{name}\"\nbot = \"{bot}\"\n");
    let play = |name: &str, game: &str, players: &[String]| {
        let head = format!("name = \"{name}\"\ngame = \"{game}\"\nseed = 1\npairs = 1\n");
        arena.write("cup.toml", &(head + &players.concat()));
        let run = arena.run(&["run", "--quiet", "cup.toml"]);
        assert_eq!(run.code, 0, "{run:?}");
    };
    play("spring", "watch-your-back", &[bot("ant", "random"), bot("bee", "greedy")]);
    play("autumn", "watch-your-back", &[bot("ant", "search-100"), bot("bee", "greedy")]);
    play("other", "backdraughts", &[bot("ant", "random"), bot("bee", "greedy")]);
    let run = arena.run(&["rank", "results/spring", "results/autumn"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    for name in ["ant (spring)", "ant (autumn)", "bee"] {
        assert!(run.out.contains(name), "each version is a player of its own: {}", run.out);
    }
    assert!(run.out.contains("\n4 of 4 games played.\n"), "{}", run.out);
    let (_, history) = run.out.split_once("\nRatings after each tournament:\n").expect("a history");
    let lines: Vec<Vec<&str>> =
        history.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["player", "spring", "autumn"]);
    let bee = lines.iter().find(|line| line[0] == "bee").expect("its line");
    assert_eq!(bee.len(), 5, "two ratings with their margins: {history}");
    let widths: BTreeSet<usize> = history.lines().map(|line| line.chars().count()).collect();
    assert_eq!(widths.len(), 1, "{history}");
    let json = arena.run(&["rank", "results/spring", "results/autumn", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((&json["games"], &json["groups"]), (&4.into(), &1.into()));
    let history = json["history"].as_array().expect("a step for each tournament");
    let names: Vec<&Value> = history.iter().map(|step| &step["tournament"]).collect();
    assert_eq!(names, ["spring", "autumn"]);
    let rated = |step: &Value| step["ratings"].as_array().map(Vec::len);
    assert_eq!((rated(&history[0]), rated(&history[1])), (Some(2), Some(3)), "{history:?}");
    let refused = arena.run(&["rank", "results/spring", "results/other"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("spring and other differ in the game"), "{}", refused.err);
}

#[test]
fn a_player_out_of_several_tournaments_is_counted_once() {
    let arena = Arena::new();
    arena.write("dud.sh", "exit 1");
    for name in ["spring", "autumn"] {
        let config = "game = \"watch-your-back\"\nquarantine = 1\npairs = 1\n\
                      players = [{ name = \"ant\", bot = \"random\" }, \
                      { name = \"bee\", bot = \"random\" }, \
                      { name = \"dud\", command = [\"sh\", \"dud.sh\"] }]\n";
        arena.write("cup.toml", &format!("name = \"{name}\"\n{config}"));
        let run = arena.run(&["run", "--quiet", "cup.toml"]);
        assert_eq!(run.code, 0, "{run:?}");
    }
    let run = arena.run(&["rank", "results/spring", "results/autumn"]);
    let said: String = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(" will never be played, because 1 player was quarantined."), "{said}");
}

#[test]
fn the_ranking_names_players_that_are_the_same() {
    let config = Config::empty().script("ant", "a.sh").script("bee", "a.sh").bot("cat", "random");
    let arena = Arena::with(&config.change(|config| config.pairs = 1));
    arena.write("a.sh", "read -r line; echo ok\n");
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let said = "ant and bee are the same player: the same command with the same files.\n";
    let run = arena.run(&["rank"]);
    assert!(run.err.contains(said), "{}", run.err);
}

#[test]
fn a_run_writes_files_for_continuous_integration() {
    let arena = Arena::with(&Config::small());
    let args = ["run", "--quiet", "--format", "json", "--junit", "a.xml", "--summary", "a.md"];
    let run = arena.run(&args);
    assert_eq!(run.code, 0, "{run:?}");
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["players"].as_array().map(Vec::len), Some(3));
    let read = |name: &str| std::fs::read_to_string(arena.path().join(name)).expect(name);
    let test = "<testcase classname=\"cup\" name=\"ant\"/>";
    assert!(read("a.xml").contains(test), "{}", read("a.xml"));
    assert!(read("a.md").contains("\n| 1 | bee | 15 |"), "{}", read("a.md"));
    assert_eq!(arena.run(&args).code, 0);
    assert_eq!(read("a.md").matches("## cup").count(), 2, "the summary is appended");
}

/// A league table of divisions: everyone meets the next three only, and wins 58% against each.
#[test]
fn close_games_are_not_taken_for_a_close_field() {
    let arena = Arena::new();
    let mut games = "first,second,result\n".to_owned();
    for (upper, away, game) in (0..60)
        .flat_map(|upper| (1..=3).map(move |away| (upper, away)))
        .flat_map(|(upper, away)| (0..24).map(move |game| (upper, away, game)))
        .filter(|&(upper, away, _)| upper + away < 60)
    {
        let lower = upper + away;
        let wins = game * 7 % 24 < 12 + 2 * away;
        let result = if wins { "first" } else { "second" };
        writeln!(games, "p{upper:02},p{lower:02},{result}").expect("memory");
    }
    arena.write("games.csv", &games);
    let run = arena.run(&["rank", "--from", "games.csv"]);
    assert!(run.out.contains("previously known"), "{}", run.out);
    let json = arena.run(&["rank", "--from", "games.csv", "--format", "json"]).out;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let rated = json["players"].as_array().expect("players").iter();
    let order: Vec<&str> = rated.map(|row| row["player"].as_str().expect("a name")).collect();
    assert!(order[..10].contains(&"p00") && order[50..].contains(&"p59"), "{order:?}");
}
