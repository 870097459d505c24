//! A league from outside: what authors hand in while it is played, and what survives.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Child;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::support::{Arena, Config, Run, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// A league of two built-in players.
fn league() -> Arena {
    league_with(|_| {})
}

/// The same, changed.
fn league_with(change: impl FnOnce(&mut Config)) -> Arena {
    let config = Config::empty().bot("ant", "random").bot("bee", "greedy").change(|config| {
        config.pairs = 0;
        config.max_moves = 20;
        config.more.push_str("[[stages]]\nformat = \"league\"\n[league]\nevery = \"1s\"\n");
        config.more.push_str("largest = \"64KiB\"\n");
        change(config);
    });
    let arena = Arena::with(&config);
    fs::create_dir(arena.path().join("hand-in")).expect("a folder");
    arena
}

/// A league that builds what it is sent. Not every machine has the private mounts that a sandbox for
/// builds needs.
fn league_that_builds() -> Arena {
    league_with(|config| {
        config.more = config.more.replace("every = \"1s\"", "every = \"1h\"");
        config.more.push_str("[build]\n[containment]\nlevel = \"off\"\n");
    })
}

/// A player that plays at random; the `note` makes it another program.
fn program(note: &str) -> String {
    let player = include_str!("../../players/random_player.py");
    format!("{player}\n# {note}\n")
}

/// The id of a game.
fn id(line: &str) -> String {
    let game: Value = serde_json::from_str(line).expect("JSON");
    game["id"].as_str().expect("an id").to_owned()
}

impl Arena {
    fn hand_in(&self, author: &str, file: &str, text: &str) {
        fs::create_dir_all(self.path().join("hand-in").join(author)).expect("a folder");
        self.write(&format!("hand-in/{author}/{file}"), text);
    }

    fn report(&self, author: &str) -> String {
        let path = self.path().join("hand-in").join(author).join("report.txt");
        fs::read_to_string(path).unwrap_or_default()
    }

    /// Waits until the queue of checks was written after all that changed in an author's folder: what
    /// is later than the queue looks like a new submission.
    fn wait_for_queue_after(&self, author: &str) {
        let folder = self.path().join("hand-in").join(author);
        let changed = || fs::metadata(&folder).expect("a folder").ctime().cast_unsigned();
        wait_until(|| self.queue()["at"].as_u64().is_some_and(|at| at >= changed()));
    }

    /// Who waits for a check.
    fn queue(&self) -> Value {
        serde_json::from_str(&self.read("queue.json")).expect("JSON")
    }

    fn wait_for_report(&self, author: &str, fate: &str) {
        wait_until(|| self.report(author).lines().next().is_some_and(|line| line.contains(fate)));
    }

    /// Who came and went, in order.
    fn changes(&self) -> Vec<String> {
        let log = self.log();
        let lines = log.lines().filter(|line| line.starts_with("{\"roster\""));
        let change = |line: &str| {
            let change: Value = serde_json::from_str(line).expect("JSON");
            let name = change["player"]["name"].as_str().or(change["player"].as_str());
            let what = change["why"].as_str().or(change["roster"].as_str());
            format!("{} {}", name.expect("a name"), what.expect("a text"))
        };
        lines.map(change).collect()
    }

    /// The lines of games in the log, if there is one yet.
    fn games(&self) -> Vec<String> {
        let log = fs::read_to_string(self.results().join("games.jsonl")).unwrap_or_default();
        let games = log.lines().skip(1).filter(|line| !line.starts_with("{\"roster\""));
        games.map(str::to_owned).collect()
    }

    fn wait_for_games_of(&self, name: &str) {
        let is_in = |line: &String| line.contains(&format!(":\"{name}\""));
        wait_until(|| self.games().iter().any(is_in));
    }

    fn stop(&self, run: Child) -> i32 {
        self.send(Signal::SIGINT, run).code
    }

    /// Sends a signal to a run, and waits for its end.
    fn send(&self, signal: Signal, run: Child) -> Run {
        kill(Pid::from_raw(run.id().cast_signed()), signal).expect("it lives");
        self.finish(run, "")
    }
}

#[test]
fn players_come_improve_and_go_while_games_are_played() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    arena.hand_in("bob", "player.py", "print(");
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    arena.wait_for_report("bob", "refused");
    let report = arena.report("bob");
    assert!(report.contains("SyntaxError"), "{report}");
    assert_eq!(report.matches("NOT READY").count(), 1, "{report}");
    arena.wait_for_games_of("ann v1");
    arena.hand_in("ann", "player.py", &program("two"));
    arena.hand_in("bob", "player.py", &program("mended"));
    arena.wait_for_report("ann", "entered as ann v2");
    arena.wait_for_report("bob", "entered as bob v1");
    arena.wait_for_games_of("ann v2");
    assert_eq!(arena.stop(run), 130);
    let plan = arena.run(&["run", "--plan"]).out;
    assert!(plan.contains("at the pace so far, about "), "{plan}");
    assert!(plan.contains("watch-your-back, 4 players, a league that begins with 2 "), "{plan}");
    assert!(plan.contains(&format!("\n{} games played\n", arena.games().len())), "{plan}");
    let history = fs::read_to_string(arena.path().join("entrants/bob/history.jsonl"));
    let history = history.expect("a history");
    let past: Vec<Value> = history
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(past.len(), 2, "{history}");
    assert_eq!((&past[0]["outcome"], &past[1]["outcome"]), (&"refused".into(), &"entered".into()));
    assert!(past[0]["why"].as_str().is_some_and(|why| !why.is_empty()), "{history}");
    assert_eq!(past[1]["files"], serde_json::json!(["player.py"]));

    let mut changes = arena.changes();
    let at = changes.iter().position(|change| change == "bob v1 entered").expect("it came");
    changes.remove(at);
    assert_eq!(changes, ["ann v1 entered", "ann v1 replaced", "ann v2 entered"]);
    let log = arena.log();
    let left = log.lines().position(|line| line.contains("\"replaced\"")).expect("it went");
    let mut lines = log.lines().skip(left).map(|line| serde_json::from_str(line).expect("JSON"));
    let at = lines.next().map(|change: Value| change["at"].clone()).expect("a line");
    for game in lines.filter(|line| line["players"].to_string().contains("\"ann v1\"")) {
        let began = game["clock"]["began"].as_u64().expect("a time");
        assert!(began <= at.as_u64().expect("a time"), "only games in play are finished: {game}");
    }
    let verified = arena.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
    let ranking = arena.run(&["rank"]);
    for name in ["ann v1", "ann v2", "bob v1"] {
        assert!(ranking.out.contains(name), "the old version keeps its rating: {}", ranking.out);
    }
    assert_eq!(arena.run(&["report"]).code, 0);
    let page = arena.read("report.html");
    assert!(page.contains("Elo over the version before") && page.contains("ann v2"));
    let game = arena.games().into_iter().find(|line| line.contains(":\"ann v2\""));
    let replay = arena.run(&["replay", &id(&game.expect("a game"))]);
    assert!(replay.out.contains("ann v2"), "{}{}", replay.out, replay.err);
}

#[test]
fn a_league_goes_on_under_other_rules_with_its_authors_links_and_versions() {
    let arena = league();
    for text in ["one", "two"] {
        arena.hand_in("ann", "player.py", &program(text));
        arena.hand_in("bob", "player.py", &program("bob's"));
        let run = arena.start(&["run", "--quiet"]);
        let version = if text == "one" { 1 } else { 2 };
        arena.wait_for_report("ann", &format!("entered as ann v{version}"));
        arena.wait_for_report("bob", "entered as bob v1");
        assert_eq!(arena.stop(run), 130);
    }
    // The last submission of an author does not decide who plays; the last version does.
    arena.hand_in("bob", "player.py", "print(");
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("bob", "refused");
    let wait_for = |change: &str| wait_until(|| arena.changes().contains(&change.to_owned()));
    arena.put("control.json", r#"{"removed": ["bob"]}"#);
    wait_for("bob v1 removed");
    arena.put("control.json", r#"{"removed": []}"#);
    wait_for("bob v1 returned");
    assert_eq!(arena.stop(run), 130);
    arena.write("names.csv", "ann\nbob\n");
    let league = |rest: &[&str]| {
        let words = [&["league"], rest, &["--config", "tournament.toml"]].concat();
        let run = arena.run(&words);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    assert_eq!(league(&["invite", "names.csv"]).lines().count(), 2);
    league(&["message", "New rules on Monday."]);

    let config = fs::read_to_string(arena.path().join("tournament.toml")).expect("there");
    let faster = config.replace("[clock]\n", "[clock]\nmove = \"4s\"\n");
    arena.write("tournament.toml", &faster);
    let refused = arena.run(&["run"]);
    assert_eq!(refused.code, 4, "{}", refused.err);
    assert!(refused.err.contains("  continues = \"cup\""), "{}", refused.err);
    let named = faster.replace("name = \"cup\"", "name = \"second\"");
    let continued =
        |name: &str| named.replace("[league]", &format!("[league]\ncontinues = {name:?}"));
    for (name, why) in [("nothing", "has no games.jsonl"), ("second", "this league")] {
        arena.write("tournament.toml", &continued(name));
        for words in
            [&["run"][..], &["league", "invite", "names.csv", "--config", "tournament.toml"]]
        {
            let refused = arena.run(words);
            assert_eq!(refused.code, 2, "{}", refused.err);
            assert!(refused.err.contains(why), "{}", refused.err);
        }
    }
    arena.write("tournament.toml", &continued("cup"));
    assert_eq!(arena.run(&["run", "--plan"]).code, 0);
    // A command may come before the first run.
    assert_eq!(league(&["invite", "names.csv"]), "", "everyone has a link");

    let second = arena.path().join("results/second");
    let log = || fs::read_to_string(second.join("games.jsonl")).unwrap_or_default();
    arena.hand_in("ann", "player.py", &program("three"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v3");
    wait_until(|| log().contains(":\"ann v3\"") && log().contains(":\"bob v1\""));
    assert_eq!(arena.stop(run), 130);
    let came: Vec<String> = log()
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["roster"] == "entered")
        .map(|line| line["player"]["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(came, ["bob v1", "ann v2", "ann v3"]);
    assert!(arena.path().join("entrants/ann/1/player.py").exists(), "old versions stay");
    let control = fs::read_to_string(second.join("control.json")).expect("there");
    assert!(control.contains("New rules on Monday."), "{control}");
    let both = ["rank", "results/cup", "results/second"];
    assert!(arena.run(&both).out.contains("ann v2"));
    assert_eq!(arena.run(&["verify", "results/second"]).code, 0);
    // What the log says of its past stays so.
    arena.write("tournament.toml", &named);
    let refused = arena.run(&["run"]);
    assert_eq!(refused.code, 4, "{}", refused.err);
    assert!(refused.err.contains("continues: the results have cup"), "{}", refused.err);
}

#[test]
fn a_challenge_is_played_and_counts_for_nothing() {
    let arena = league();
    let run = arena.start(&["run", "-q"]);
    arena.hand_in("ann", "player.py", &program("first"));
    arena.wait_for_report("ann", "entered as ann v1");
    let waits = |author: &str| arena.path().join("hand-in").join(author).join(".challenge.txt");
    let told = |author: &str, opponent: &str| -> Value {
        fs::create_dir_all(waits(author).parent().expect("a folder")).expect("a folder");
        fs::write(waits(author), opponent).expect("written");
        wait_until(|| !waits(author).exists());
        let path = arena.path().join("entrants").join(author).join("challenges.json");
        serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
    };
    let played = told("ann", "bee\n");
    let one = &played["played"][0];
    assert_eq!((&one["version"], &one["opponent"]), (&1.into(), &"bee".into()), "{played}");
    let seats: Vec<&Value> = (0..2).map(|game| &one["games"][game]["players"]).collect();
    assert!(seats[0] != seats[1], "each sits in either seat: {played}");
    for players in seats {
        let players = players.to_string();
        assert!(players.contains("\"ann v1\"") && players.contains("\"bee\""), "{players}");
    }
    for (author, opponent, why) in [
        ("ann", "eve v1", "no active player is called `eve v1`"),
        ("ann", "ann v1", "this is your own version"),
        ("bob", "bee", "you have no active version"),
    ] {
        let told = told(author, opponent);
        assert!(told["refused"]["why"].as_str().expect("a reason").contains(why), "{told}");
        assert!(told["played"].as_array().expect("a list").len() <= 1, "{told}");
    }
    arena.wait_for_games_of("ann v1");
    assert_eq!(arena.stop(run), 130);
    assert!(arena.games().iter().all(|line| id(line).len() > 12), "the log has only other games");
}

#[test]
#[ignore = "slow: games that take seconds"]
fn a_challenge_gives_way_to_a_check() {
    let arena = league_with(|config| config.jobs = 1);
    let choice = "return rng.choice(legal)";
    let slow =
        program("slow").replace(choice, "__import__('time').sleep(0.35); return rng.choice(legal)");
    assert!(slow.contains("sleep(0.35)"));
    arena.hand_in("ann", "player.py", &slow);
    let run = arena.start(&["run", "-q"]);
    arena.wait_for_report("ann", "entered as ann v1");
    let waits = arena.path().join("hand-in/ann/.challenge.txt");
    fs::write(&waits, "bee\n").expect("written");
    // It has begun when the next hand-in is noticed.
    std::thread::sleep(std::time::Duration::from_secs(4));
    arena.hand_in("bob", "player.py", &program("quick"));
    arena.wait_for_report("bob", "entered as bob v1");
    assert!(waits.exists(), "the challenge was broken off");
    wait_until(|| !waits.exists());
    let played = fs::read_to_string(arena.path().join("entrants/ann/challenges.json"));
    let played: Value = serde_json::from_str(&played.expect("a file")).expect("JSON");
    assert_eq!(played["played"][0]["games"].as_array().map(Vec::len), Some(2), "{played}");
    assert_eq!(arena.stop(run), 130);
}

#[test]
fn a_challenge_under_pseudonyms_names_nobody() {
    let arena = league();
    let config = fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
    let config = config.replacen("[league]\n", "[league]\npseudonyms = true\n", 1);
    arena.write("tournament.toml", &config);
    let run = arena.start(&["run", "-q"]);
    arena.hand_in("ann", "player.py", &program("first"));
    arena.wait_for_report("ann", "entered as ann v1");
    let file = arena.path().join("hand-in/ann/.challenge.txt");
    let told = |wanted: &str| {
        fs::write(&file, wanted).expect("written");
        wait_until(|| !file.exists());
        fs::read_to_string(arena.path().join("entrants/ann/challenges.json")).expect("a file")
    };
    assert!(told("bee\n").contains("no active player"), "a name tells nothing");
    assert!(told("P01\n2\n").contains("pseudonyms have changed"));
    let all: Vec<String> = (1..=3).map(|number| told(&format!("P0{number}\n3\n"))).collect();
    assert_eq!(all.iter().filter(|told| told.contains("your own version")).count(), 1, "{all:?}");
    let last: Value = serde_json::from_str(&all[2]).expect("JSON");
    let played = last["played"].as_array().expect("a list");
    assert_eq!(played.len(), 2, "{last}");
    assert!(played.iter().all(|one| one["games"].as_array().is_some_and(|it| it.len() == 2)));
    let played = last["played"].to_string();
    for name in ["\"ant\"", "\"bee\"", "\"random\"", "\"greedy\""] {
        assert!(!played.contains(name), "{name}: {played}");
    }
    assert_eq!(arena.stop(run), 130);
}

#[test]
#[ignore = "slow: checks that take a minute"]
fn a_short_check_does_not_wait_for_the_end_of_a_long_one() {
    let arena = league_with(|config| {
        config.jobs = 2;
        config.clock = "move = \"150s\"".to_owned();
    });
    let choice = "return rng.choice(legal)";
    arena.hand_in(
        "ann",
        "player.py",
        &program("slow").replace(choice, "__import__('time').sleep(600)"),
    );
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "being checked");
    let queue = || arena.read("queue.json");
    wait_until(|| arena.results().join("queue.json").exists() && queue().contains("ann"));
    arena.hand_in("bob", "player.py", &program("fast"));
    arena.wait_for_report("bob", "entered as bob v1");
    arena.wait_for_games_of("bob v1");
    assert!(arena.report("ann").contains(": being checked"), "{}", arena.report("ann"));
    // What changes during a check is read after it.
    arena.hand_in("ann", "player.py", &program("mended"));
    assert_eq!(arena.stop(run), 130);
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    assert_eq!(arena.stop(run), 130);
    assert_eq!(arena.changes(), ["bob v1 entered", "ann v1 entered"]);
    assert_eq!(arena.run(&["verify"]).code, 0);
}

#[test]
fn who_hands_in_again_what_already_plays_waits_for_no_check() {
    let arena = league_with(|config| {
        config.jobs = 1;
        config.clock = "move = \"150s\"".to_owned();
    });
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    // Its check lasts longer than this test.
    let choice = "return rng.choice(legal)";
    let slow = program("slow").replace(choice, "__import__('time').sleep(600)");
    arena.hand_in("cat", "player.py", &slow);
    wait_until(|| arena.queue()["checking"].to_string().contains("cat"));
    arena.hand_in("ann", "player.py", &program("two"));
    wait_until(|| arena.queue()["waiting"] == serde_json::json!(["ann"]));
    arena.hand_in("ann", "player.py", &program("one"));
    arena.wait_for_report("ann", "entered as ann v1");
    wait_until(|| arena.queue()["waiting"] == serde_json::json!([]));
    arena.wait_for_queue_after("ann");
    // The report on what is refused at once changes the folder, too.
    arena.hand_in("Bee", "player.py", &program("one"));
    arena.wait_for_report("Bee", "refused");
    let report = arena.report("Bee");
    assert!(report.contains("too similar to that of the house player `bee`"), "{report}");
    arena.wait_for_queue_after("Bee");
    assert_eq!(arena.stop(run), 130);
    assert_eq!(arena.changes(), ["ann v1 entered"]);
}

#[test]
fn no_more_games_begin_than_a_day_may_have_and_none_in_quiet_hours() {
    let arena = league_with(|config| config.more.push_str("games-per-day = 3\n"));
    // Where it is between noon and one o'clock now.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("later").as_secs();
    let zone = format!("XYZ{}", i64::try_from(now / 3600 % 24).expect("small") - 12);
    let start = || arena.command(&["run"]).env("TZ", &zone).spawn().expect("it starts");
    let enters = |author: &str| {
        arena.hand_in(author, "player.py", &program(author));
        arena.wait_for_report(author, &format!("entered as {author} v1"));
    };
    let run = start();
    wait_until(|| arena.games().len() == 3);
    enters("ann");
    let run = arena.send(Signal::SIGINT, run);
    let told = "3 games began today: no more until ";
    assert_eq!(run.err.matches(told).count(), 1, "{}", run.err);
    // They are counted in the log.
    let run = start();
    enters("bob");
    let run = arena.send(Signal::SIGINT, run);
    assert!(run.err.contains(told) && arena.games().len() == 3, "{}", run.err);
    let plan = arena.run(&["run", "--plan"]).out;
    let least = "at most 3 games a day\nat the pace so far, about 3 games and ";
    assert!(plan.contains(least), "{plan}");
    let path = arena.path().join("tournament.toml");
    let config = fs::read_to_string(&path).expect("a configuration");
    let quiet = "quiet = \"11:30-14:00\"";
    fs::write(&path, config.replace("games-per-day = 3", quiet)).expect("written");
    let run = start();
    // The organiser's pause ends, but not the quiet hours.
    for control in [r#"{"paused": true}"#, r#"{"paused": false}"#] {
        arena.put("control.json", control);
        enters(if control.contains("true") { "cat" } else { "dan" });
    }
    let run = arena.send(Signal::SIGINT, run);
    assert!(
        run.err.contains("no games begin until ") && run.err.contains("the league has resumed"),
        "{}",
        run.err
    );
    assert_eq!(arena.games().len(), 3, "{}", run.err);
}

#[test]
fn bounds_that_cannot_be_read_are_refused_with_their_place() {
    for (wrong, at, expected) in [
        ("quiet = \"22-7\"", 9, "expected two different times of day, such as \"22:00-07:00\""),
        ("quiet = \"07:00-07:00\"", 9, "expected two different times of day"),
        ("games-per-day = 0", 17, "expected a whole number from 1 to 1000000"),
    ] {
        let arena = league_with(|config| {
            config.more.push_str(wrong);
            config.more.push('\n');
        });
        let config = fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
        let line = 1 + config.lines().position(|line| line == wrong).expect("a line");
        let refused = arena.run(&["run"]);
        let place = format!("tournament.toml:{line}:{at}\n");
        let is_told = [&place, wrong, "^", expected].iter().all(|part| refused.err.contains(*part));
        assert!(refused.code == 2 && is_told, "{place}{}", refused.err);
    }
}

/// Adds to the log that the first version of ann left.
fn ann_left(arena: &Arena, why: &str) {
    let log = arena.results().join("games.jsonl");
    let mut log = fs::OpenOptions::new().append(true).open(log).expect("a log");
    let left = r#""roster":"left","player":"ann v1","at":1800000000"#;
    writeln!(log, "{{{left},\"why\":\"{why}\"}}").expect("written");
}

#[test]
fn the_final_has_the_last_version_that_played() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    assert_eq!(arena.stop(run), 130);
    // As if the run had been killed before the next version entered, which was then refused.
    ann_left(&arena, "replaced");
    let closed = arena.run(&["league", "close", "--config", "tournament.toml"]);
    assert_eq!(closed.code, 0, "{}", closed.err);
    let last = fs::read_to_string(arena.path().join("final.toml")).expect("a final");
    let (_, ann) = last.split_once("name = \"ann\"").expect("ann");
    assert!(ann.contains("entrants/ann/1") && !last.contains("absent"), "{last}");
}

#[test]
fn the_final_has_who_was_readmitted_and_says_why_others_are_absent() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    arena.hand_in("bob", "essay.txt", "No program.");
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    arena.wait_for_report("bob", "refused");
    assert_eq!(arena.stop(run), 130);
    ann_left(&arena, "removed");
    arena.write("names.csv", "name\nann\nbob\ncat\n");
    let invite = ["league", "invite", "names.csv", "--config", "tournament.toml"];
    assert_eq!(arena.run(&invite).code, 0);
    let absent = |author: &str| {
        let file = arena.path().join("final.toml");
        let last = fs::read_to_string(&file).expect("a final");
        fs::remove_file(file).expect("removed");
        let name = format!("name = \"{author}\"");
        let mut players = last.split("[[players]]");
        let player = players.find(|player| player.contains(&name)).expect("a player");
        player.lines().find_map(|line| line.strip_prefix("absent = ")).map(str::to_owned)
    };
    let close = || {
        let closed = arena.run(&["league", "close", "--config", "tournament.toml"]);
        assert_eq!(closed.code, 0, "{}", closed.err);
    };
    close();
    assert_eq!(absent("ann"), None, "she was readmitted");
    close();
    let bob = absent("bob").expect("absent");
    assert!(bob.contains("the last hand-in was refused: no player"), "{bob}");
    close();
    assert_eq!(absent("cat").as_deref(), Some("\"nothing was handed in\""));
    let remove = ["league", "remove", "ann", "--config", "tournament.toml"];
    assert_eq!(arena.run(&remove).code, 0);
    close();
    assert_eq!(absent("ann").as_deref(), Some("\"removed by the organiser\""));
}

#[test]
fn the_final_leaves_out_whom_it_cannot_have_and_says_so() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    assert_eq!(arena.stop(run), 130);
    arena.write("entrants/ann/1/player.py", "print()");
    let league = |rest: &[&str]| {
        let words = [&["league"], rest, &["--config", "tournament.toml"]].concat();
        let run = arena.run(&words);
        assert_eq!(run.code, 0, "{}", run.err);
        run.err
    };
    arena.write("names.csv", "cat\n");
    league(&["invite", "names.csv"]);
    let config = fs::read_to_string(arena.path().join("tournament.toml")).expect("a file");
    // It gets a player of the same name.
    arena.write("tournament.toml", &(config + "[[players]]\nname = \"cat\"\nbot = \"random\"\n"));
    league(&["remove", "cat"]);
    let told = league(&["close"]);
    let changed = "the files of the last version have changed since it entered";
    assert!(told.contains(&format!("ann is absent from the final: {changed}\n")), "{told}");
    assert!(told.contains("cat is not listed as absent: a house player has this name\n"), "{told}");
    let last = fs::read_to_string(arena.path().join("final.toml")).expect("a final");
    let mut players = last.split("[[players]]");
    let ann = players.find(|player| player.contains("name = \"ann\"")).expect("ann");
    assert!(ann.contains(&format!("absent = \"{changed}\"")), "{last}");
    assert_eq!(last.matches("name = \"cat\"").count(), 1, "{last}");
}

#[test]
fn an_author_repeats_a_check_at_home() {
    let arena = league();
    let bad = program("bad").replace("return rng.choice(legal)", "return \"nowhere\"");
    arena.hand_in("ann", "player.py", &bad);
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "refused");
    assert_eq!(arena.stop(run), 130);
    let report = arena.report("ann");
    let again = report.lines().find_map(|line| line.trim().strip_prefix("again: referee "));
    let again = again.unwrap_or_else(|| panic!("a command: {report}"));
    let home = Arena::new();
    home.write("mine.py", &bad);
    let words: Vec<&str> = again
        .split(' ')
        .map(|word| if word == "PLAYER" { "mine.py" } else { word.trim_matches('\'') })
        .collect();
    let checked = home.run(&words);
    let verdict = report.lines().find(|line| line.contains("NOT READY")).expect("a verdict");
    assert!(checked.out.contains(verdict.trim()), "{words:?}: {}{}", checked.out, checked.err);
}

#[test]
fn a_report_names_no_place_on_the_server() {
    let arena = league();
    let top = fs::canonicalize(arena.path()).expect("a path").display().to_string();
    arena.hand_in("ann", "player.py", &program("one"));
    arena.hand_in("bob", "player.py", "import os, sys\nsys.exit(os.getcwd() + __file__)\n");
    arena.hand_in("cat", "player.py", "open('/srv/cup/key')\n");
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    // A script that only leads to the program of another author.
    let line = format!("#!{top}/entrants/ann/1/player.py\n");
    arena.hand_in("eve", "player", &line);
    let player = arena.path().join("hand-in/eve/player");
    fs::set_permissions(&player, Permissions::from_mode(0o755)).expect("its owner");
    arena.hand_in("eve", "notes", "so that it is read again");
    for author in ["bob", "cat", "eve"] {
        arena.wait_for_report(author, "refused");
        let report = arena.report(author);
        assert!(!report.contains(&top) && !report.contains("/srv"), "{author}: {report}");
    }
    assert!(
        arena.report("cat").contains("File \"…/player.py\", line 1"),
        "{}",
        arena.report("cat")
    );
    assert_eq!(arena.stop(run), 130);
}

#[test]
fn other_accounts_cannot_look_at_what_was_handed_in() {
    let arena = league();
    let entrants = arena.path().join("entrants");
    fs::create_dir(&entrants).expect("its owner made it");
    fs::set_permissions(&entrants, Permissions::from_mode(0o755)).expect("its owner");
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    assert_eq!(arena.stop(run), 130);
    for folder in [entrants, arena.results().join("exchanges")] {
        let mode = fs::metadata(&folder).expect("a folder").permissions().mode();
        assert_eq!(mode & 0o066, 0, "{}: {mode:o}", folder.display());
    }
}

#[test]
fn nothing_is_lost_when_the_run_is_killed() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    let mut run = arena.start(&["run", "--quiet"]);
    arena.wait_for_games_of("ann v1");
    arena.hand_in("ann", "player.py", &program("two"));
    arena.wait_for_report("ann", "being checked");
    run.kill().expect("killed");
    run.wait().expect("dead");
    let before = arena.games();
    // What the program did not see.
    arena.hand_in("cat", "player.py", &program("three"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v2");
    arena.wait_for_report("cat", "entered as cat v1");
    assert_eq!(arena.stop(run), 130);
    assert!(before.iter().all(|line| arena.games().contains(line)), "no game is lost");
    let ids: BTreeSet<String> = arena.games().iter().map(|line| id(line)).collect();
    assert_eq!(ids.len(), arena.games().len(), "no game is played twice");
    // A report is a consequence of the log: without it, it is written again.
    fs::remove_file(arena.path().join("hand-in/cat/report.txt")).expect("removed");
    // Files that are not those that entered do not play.
    arena.write("entrants/ann/2/player.py", "print()");
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("cat", "entered as cat v1");
    arena.wait_for_report("ann", "entered as ann v3");
    assert_eq!(arena.stop(run), 130);
    assert!(arena.changes().contains(&"ann v2 lost".to_owned()), "{:?}", arena.changes());
    assert_eq!(arena.run(&["verify"]).code, 0);
}

/// A service has little time to stop, and the tables of a long league take more.
#[test]
fn a_league_that_is_terminated_leaves_its_tables_for_later() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run"]);
    arena.wait_for_games_of("ann v1");
    let run = arena.send(Signal::SIGTERM, run);
    assert!(run.code == 0 && run.err.contains("stopped: "), "{run:?}");
    assert!(!arena.results().join("report.html").exists());
    let page = arena.run(&["report"]);
    assert!(page.code == 0 && arena.results().join("report.html").exists(), "{page:?}");
    assert_eq!(arena.run(&["verify"]).code, 0);
}

#[test]
fn a_machine_in_disorder_takes_nobody_out() {
    let arena = league();
    for author in ["ann", "bob"] {
        arena.hand_in(author, "player.py", &program(author));
    }
    let run = arena.start(&["run", "--quiet"]);
    for author in ["ann", "bob"] {
        arena.wait_for_report(author, &format!("entered as {author} v1"));
    }
    assert_eq!(arena.stop(run), 130);
    let came = arena.changes();
    // Not mounted, without its interpreter, and one of two not readable.
    arena.sh("mv entrants away");
    let refused = arena.run(&["run", "--until", "1s"]);
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.err.contains("so none was withdrawn: ann v1: "), "{}", refused.err);
    arena.sh("mv away entrants");
    let mut command = arena.command(&["run", "--until", "1s"]);
    let refused = arena.finish(command.env("PATH", "/nowhere").spawn().expect("it starts"), "");
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.err.contains("python3"), "{}", refused.err);
    arena.sh("mv entrants/ann away");
    let played = arena.run(&["run", "--until", "1s"]);
    assert_eq!(played.code, 0, "{}", played.err);
    let pauses = "ann v1 is paused until the run is started again: ";
    assert!(played.err.contains(pauses), "{}", played.err);
    assert_eq!(arena.changes(), came);
    // A version that pauses is replaced like any other.
    let run = arena.start(&["run", "--quiet"]);
    arena.hand_in("ann", "player.py", &program("two"));
    arena.wait_for_report("ann", "entered as ann v2");
    arena.wait_for_games_of("ann v2");
    assert_eq!(arena.stop(run), 130);
    // What was read and is not the same leaves.
    arena.write("entrants/bob/1/of_the_player.py", "not named in its command");
    let played = arena.run(&["run", "--until", "1s"]);
    assert!(played.err.contains("bob v1: its files in "), "{}", played.err);
    assert_eq!(arena.changes()[2..], ["ann v1 replaced", "ann v2 entered", "bob v1 lost"]);
}

#[test]
fn the_organiser_removes_an_author_and_closes_the_league() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_games_of("ann v1");
    arena.put("control.json", r#"{"removed": ["ann"]}"#);
    wait_until(|| arena.changes().contains(&"ann v1 removed".to_owned()));
    arena.hand_in("ann", "player.py", &program("two"));
    arena.wait_for_report("ann", "refused");
    arena.put("control.json", r#"{"removed": []}"#);
    // What she handed in meanwhile enters.
    arena.wait_for_report("ann", "entered as ann v2");
    let closed = arena.run(&["league", "close", "--config", "tournament.toml"]);
    assert_eq!(closed.code, 0, "{}", closed.err);
    assert_eq!(arena.finish(run, "").code, 0, "it ends by itself");
    let last = fs::read_to_string(arena.path().join("final.toml")).expect("the final");
    for line in ["name = \"ann\"", "dir = \"entrants/ann/2\"", "name = \"bee\"", "rating = "] {
        assert!(last.contains(line), "{line} is not in:\n{last}");
    }
    let played = arena.run(&["run", "final.toml", "--quiet"]);
    assert_eq!(played.code, 0, "{}", played.err);
    let again = arena.run(&["league", "close", "--config", "tournament.toml"]);
    assert!(again.code == 2 && again.err.contains("already exists"), "{}", again.err);
}

#[test]
fn the_last_version_of_an_author_who_is_readmitted_plays_again() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    arena.hand_in("ann", "player.py", "print(");
    arena.wait_for_report("ann", "refused");
    arena.put("control.json", r#"{"removed": ["ann"]}"#);
    wait_until(|| arena.changes().contains(&"ann v1 removed".to_owned()));
    assert_eq!(arena.stop(run), 130);
    // Nothing was running when she was readmitted.
    arena.put("control.json", "{}");
    let before = arena.games().len();
    let run = arena.start(&["run", "--quiet"]);
    let plays = |line: &String| line.contains(":\"ann v1\"");
    wait_until(|| arena.games().iter().skip(before).any(plays));
    assert!(arena.report("ann").contains("refused"), "{}", arena.report("ann"));
    // Files that are not those that entered do not play.
    arena.put("control.json", r#"{"removed": ["ann"]}"#);
    wait_until(|| arena.changes().len() == 4);
    arena.write("entrants/ann/1/player.py", "print(");
    arena.put("control.json", "{}");
    arena.hand_in("ann", "player.py", &program("two"));
    arena.wait_for_report("ann", "entered as ann v2");
    assert_eq!(arena.stop(run), 130);
    assert_eq!(
        arena.changes(),
        ["ann v1 entered", "ann v1 removed", "ann v1 returned", "ann v1 removed", "ann v2 entered"]
    );
    let verified = arena.run(&["verify", "results/cup"]);
    assert_eq!(verified.code, 0, "{}", verified.err);
}

#[test]
fn players_are_compared_against_those_who_are_in_the_league_today() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    arena.hand_in("ann", "player.py", &program("two"));
    arena.wait_for_report("ann", "entered as ann v2");
    for name in ["new", "old"] {
        arena.write(&format!("{name}.py"), &program(name));
    }
    let compare = || {
        let args = ["compare", "new.py", "old.py", "--max-pairs", "3", "--format", "json"];
        let run = arena.run(&[&args[..], &["--against", "tournament.toml"]].concat());
        let verdict: Value =
            serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{}", run.err));
        let against = verdict["against"].as_array().expect("a list").iter();
        let names: Vec<String> = against.map(|it| it["name"].to_string()).collect();
        (names.join(" "), run.err)
    };
    // While it is played.
    let (names, notes) = compare();
    assert_eq!(names, r#""ant" "bee" "ann v2""#, "{notes}");
    assert_eq!(arena.stop(run), 130);
    arena.write("entrants/ann/2/player.py", &program("three"));
    let (names, notes) = compare();
    assert_eq!(names, r#""ant" "bee""#, "{notes}");
    let missing = "not among the opponents: ann v2: its files have changed since it entered";
    assert!(notes.contains(missing), "{notes}");
}

#[test]
fn a_league_of_three_seats_fills_its_tables_and_ends_in_a_final() {
    let arena = Arena::new();
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/game.toml");
    let house = |name: &str| format!("[[players]]\nname = {name:?}\nbot = \"random\"\n");
    let config = format!(
        "name = \"cup\"\ngame = {{ from = {game:?} }}\nseed = 1\n[[stages]]\nformat = \"league\"\n\
         [league]\nevery = \"1s\"\n{}{}",
        house("ant"),
        house("bee")
    );
    arena.write("tournament.toml", &config);
    let run = arena.start(&["run", "--quiet"]);
    // Two of three seats: the league waits for another player.
    arena.hand_in("ann", "player.py", &program("one"));
    arena.wait_for_report("ann", "entered as ann v1");
    arena.wait_for_games_of("ann v1");
    arena.hand_in("bob", "player.py", &program("other"));
    arena.hand_in("ann", "player.py", &program("two"));
    arena.wait_for_games_of("ann v2");
    arena.wait_for_games_of("bob v1");
    assert_eq!(arena.stop(run), 130);
    let before = arena.games().len();
    let again = arena.start(&["run", "--quiet"]);
    wait_until(|| arena.games().len() > before + 9);
    let closed = arena.run(&["league", "close", "--config", "tournament.toml"]);
    assert_eq!(closed.code, 0, "{}", closed.err);
    assert_eq!(arena.finish(again, "").code, 0, "it ends by itself");
    for line in arena.games() {
        let game: Value = serde_json::from_str(&line).expect("JSON");
        let players = game["players"].as_object().expect("players");
        let players: BTreeSet<&str> = players.values().filter_map(Value::as_str).collect();
        assert!(players.len() == 3 && !players.is_superset(&["ann v1", "ann v2"].into()), "{line}");
    }
    let verified = arena.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
    let ranking = arena.run(&["rank"]);
    assert!(ranking.out.contains("ann v2") && ranking.out.contains("bob v1"), "{}", ranking.out);
    assert_eq!(arena.run(&["report", "--packets"]).code, 0);
    let last = fs::read_to_string(arena.path().join("final.toml")).expect("the final");
    assert!(last.contains("such as `deals`"), "{last}");
    let played = arena.run(&["run", "final.toml", "--quiet"]);
    assert_eq!(played.code, 0, "{}", played.err);
}

#[test]
fn submissions_that_are_source_code_are_built() {
    let arena = league();
    let config = arena.path().join("tournament.toml");
    let text = fs::read_to_string(&config).expect("a configuration");
    let hook = "[hooks]\ncommand = [\"sh\", \"-c\", \"cat >> told\"]\n";
    // Not every machine has the private mounts that a sandbox for builds needs.
    let off = "[containment]\nlevel = \"off\"\n";
    let text = text.replace("largest =", "disk = \"1MiB\"\nlargest =");
    fs::write(&config, text + "\n[build]\n" + hook + off).expect("written");
    arena.hand_in("ann", "source.txt", &program("built"));
    arena.hand_in("ann", "Makefile", "all:\n\t@echo copying it\n\tcp source.txt player.py\n");
    arena.hand_in("bob", "Makefile", "all:\n\t@echo no luck\n\tfalse\n");
    arena.hand_in("eve", "source.txt", &program("large"));
    arena.hand_in(
        "eve",
        "Makefile",
        "all:\n\thead -c 2000000 /dev/zero > data\n\tcp source.txt player.py\n",
    );
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_report("ann", "entered as ann v1");
    assert!(arena.report("ann").contains("build: make\n  copying it"), "{}", arena.report("ann"));
    arena.wait_for_report("bob", "refused");
    assert!(arena.report("bob").contains("no luck"), "{}", arena.report("bob"));
    arena.wait_for_report("eve", "refused");
    assert!(arena.report("eve").contains("it is larger than 1 MiB"), "{}", arena.report("eve"));
    assert_eq!(arena.stop(run), 130);
    let told = fs::read_to_string(arena.path().join("told")).expect("events");
    for event in ["\"event\":\"entered\",\"player\":\"ann v1\"", "refused", "finished"] {
        assert!(told.contains(event), "{event} is not in:\n{told}");
    }
    let before = arena.games().len();
    let run = arena.start(&["run", "--quiet"]);
    wait_until(|| arena.games().len() > before);
    assert_eq!(arena.stop(run), 130);
    assert_eq!(arena.changes(), ["ann v1 entered"], "the same player after a restart");
}

#[test]
fn what_the_machine_lacked_is_tried_again_without_a_pause() {
    let arena = league_that_builds();
    arena.hand_in("ann", "source.txt", &program("built"));
    arena.hand_in("ann", "Makefile", "all:\n\tcp source.txt player.py\n");
    // What says how a version that was built is started does not fit on the disk.
    let start = arena.path().join("entrants/ann/1.json");
    fs::create_dir_all(arena.path().join("entrants/ann")).expect("a folder");
    symlink("/dev/full", &start).expect("a link");
    let run = arena.start(&["run", "--quiet"]);
    wait_until(|| arena.report("ann").contains("through no fault of its own"));
    fs::remove_file(&start).expect("removed");
    // Whoever deletes the report need not wait for the next try.
    fs::remove_file(arena.path().join("hand-in/ann/report.txt")).expect("removed");
    arena.wait_for_report("ann", "entered as ann v1");
    assert_eq!(arena.stop(run), 130);
}

#[test]
fn the_end_of_a_run_does_not_wait_for_a_build() {
    let arena = league_that_builds();
    let place = |name: &str| arena.path().join(name);
    let [began, ended] = ["began", "ended"].map(place);
    let recipe = format!(
        "all:\n\ttouch {}\n\tsleep 20\n\ttouch {}\n\tcp source.txt player.py\n",
        began.display(),
        ended.display()
    );
    arena.hand_in("ann", "source.txt", &program("built"));
    arena.hand_in("ann", "Makefile", &recipe);
    let run = arena.start(&["run", "--quiet"]);
    wait_until(|| began.exists());
    assert_eq!(arena.stop(run), 130);
    assert!(!ended.exists(), "the run waited for it");
}

#[test]
fn what_is_not_a_submission_is_refused_with_its_reason() {
    let arena = league();
    let big = "x".repeat(65 * 1024);
    arena.hand_in("big", "player.py", &big);
    arena.hand_in("link", "player.py", &program("a link beside it"));
    symlink("/etc/passwd", arena.path().join("hand-in/link/passwd")).expect("a link");
    arena.hand_in("Ann", "player.py", &program("one"));
    arena.hand_in("notes", "notes.txt", "I shall hand in tomorrow");
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("player.py"), program("elsewhere")).expect("a file");
    let away = arena.path().join("hand-in/away");
    symlink(outside.path(), &away).expect("a link");
    arena.hand_in("Ant", "player.py", &program("like a player of the house"));
    let run = arena.start(&["run"]);
    for (author, why) in [
        ("big", "larger than 64 KiB"),
        ("link", "`passwd` is neither a file nor a folder"),
        ("notes", "; a player is a program, a file that ends in .py, "),
        ("Ant", "too similar to that of the house player `ant`; hand in under another name"),
    ] {
        arena.wait_for_report(author, "refused");
        assert!(arena.report(author).contains(why), "{}", arena.report(author));
    }
    arena.wait_for_report("Ann", "entered as Ann v1");
    // A second link is read before the folder after it, and draws no second warning.
    let other = arena.path().join("hand-in/.other");
    symlink(outside.path(), &other).expect("a link");
    fs::rename(other, &away).expect("renamed");
    arena.hand_in("ann", "player.py", &program("another"));
    arena.wait_for_report("ann", "refused");
    assert!(arena.report("ann").contains("too similar to `Ann`"), "{}", arena.report("ann"));
    let run = arena.send(Signal::SIGINT, run);
    assert_eq!(run.code, 130, "{}", run.err);
    let told = "hand-in/away: it is not a folder, or it is a link\n";
    assert_eq!(run.err.matches(told).count(), 1, "{}", run.err);
    assert!(!outside.path().join("report.txt").exists());
    assert_eq!(arena.changes(), ["Ann v1 entered"]);
}

/// A log may come from a stranger. Its lines name no program that would be started.
#[test]
fn forged_changes_are_found() {
    let arena = league();
    arena.hand_in("ann", "player.py", &program("one"));
    let run = arena.start(&["run", "--quiet"]);
    arena.wait_for_games_of("ann v1");
    assert_eq!(arena.stop(run), 130);
    let at = arena.log().lines().position(|line| line.contains("\"entered\"")).expect("a line");
    arena.edit_line(at + 1, |line| line.replace("player.py", "/bin/false"));
    let verified = arena.run(&["verify"]);
    assert_eq!(verified.code, 1, "{}", verified.out);
    assert!(verified.out.contains("edited after it was written"), "{}", verified.out);
    arena.edit_line(at + 1, |line| line.replace("ann v1", "ann v7"));
    let verified = arena.run(&["verify"]);
    assert_eq!(verified.code, 1, "{}", verified.out);
}
