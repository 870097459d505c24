//! The contents of the page and the packets, from outside.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::formats::PLAYS;
use crate::support::{Arena, Config, HOSTILE, Run};
use serde_json::Value;

#[test]
fn a_run_writes_the_page_and_report_writes_it_again() {
    let arena = Arena::hostile();
    let page = arena.read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(!page.contains(HOSTILE) && !page.contains("<img"), "a name was not escaped");
    assert!(!page.contains('\u{202e}') && page.contains("\\u{202e}"));
    assert!(page.contains("--results results/cup"));
    let ids = page.match_indices(" id=\"").map(|(at, _)| page[at + 5..].split('"').next());
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "an id stands there twice: {ids:?}");
    let links = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!links.contains("http:") && !links.contains("https:"), "the page names an address");
    let script = arena.read("games/part-0.js");
    assert!(script.starts_with("refereePack(\""), "{script}");
    let index = arena.read("games/index.js");
    assert_eq!(index.lines().count(), 2 + arena.lines().len());
    assert!(arena.lines().keys().all(|id| index.contains(id.as_str())), "{index}");
    fs::remove_file(arena.results().join("report.html")).expect("removed");
    let again = arena.run(&["report"]);
    assert_eq!(again, Run::new(0, "results/cup/report.html\n", ""));
    assert_eq!(arena.read("report.html"), page);
}

#[test]
fn a_report_and_a_replay_say_where_a_game_turned() {
    let arena = Arena::with(&Config::empty().bot("ant", "greedy").bot("bee", "random"));
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let plain = arena.read("report.html");
    let with = ["--with", "bot:search-200"];
    assert_eq!(arena.run(&["report", with[0], with[1]]).code, 0);
    let page = arena.read("report.html");
    assert!(
        page.contains("\"turned\":[[")
            && page.contains("search-200 plays ")
            && !plain.contains("\"turned\":[")
    );
    let lines = arena.lines();
    let replays = lines.keys().map(|id| arena.run(&["replay", id, with[0], with[1]]).out);
    let told: Vec<String> =
        replays.filter(|it| it.contains(": search-200 plays ") && it.contains("\n  ? ")).collect();
    assert!(!told.is_empty(), "a game of a random player has a worse action");
    assert_eq!(arena.run(&["report", "--packets", with[0], with[1]]).code, 0);
    let packet = arena.results().join("packets/bee/report.html");
    assert!(fs::read_to_string(packet).expect("a page").contains("\"turned\":["));
    for useless in [&["replay"][..], &["replay", "x", "--format", "json"]] {
        let refused = arena.run(&[useless, &with].concat());
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.err.contains("--with is not possible here"), "{}", refused.err);
    }
    let refused = arena.run(&["replay", "x", "--with", "bot:greedy"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("write bot:search-N"), "{}", refused.err);
}

/// The commands of the page that reproduce faults, as shell words.
fn commands(page: &str) -> Vec<String> {
    let parts = page.split("<pre class=\"command\"><code>").skip(1);
    let code = parts.map(|part| part.split("</code>").next().expect("an end"));
    let plain = |code: &str| {
        let text = code.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        text.replace("&amp;", "&")
    };
    code.map(plain).collect()
}

#[test]
fn the_command_beside_a_fault_reproduces_it() {
    let arena = Arena::hostile();
    let page = arena.read("report.html");
    assert!(page.contains("#game=") && page.contains("&amp;ply="), "the replay is linked");
    let commands = commands(&page);
    assert_eq!(commands.len(), 4, "{commands:?}");
    for command in commands {
        let words = command.strip_prefix("referee ").expect("the referee");
        let run = arena.in_shell(&format!("set -- \"$1\" {words}; exec \"$@\""), &[]);
        assert_eq!(run.code, 1, "{command}\n{}{}", run.out, run.err);
        assert!(run.out.contains("malformed"), "{command}\n{}", run.out);
    }

    // They name the results folder relative to the configuration's folder.
    fs::create_dir(arena.path().join("class")).expect("made");
    for name in ["tournament.toml", "bad.sh"] {
        fs::rename(arena.path().join(name), arena.path().join("class").join(name)).expect("moved");
    }
    fs::rename(arena.path().join("class/tournament.toml"), arena.path().join("class/autumn.toml"))
        .expect("moved");
    assert_eq!(arena.run(&["run", "-q", "class/autumn.toml", "--results", "away"]).code, 0);
    let page = fs::read_to_string(arena.path().join("away/cup/report.html")).expect("a page");
    for command in self::commands(&page) {
        let words = command.strip_prefix("referee ").expect("the referee");
        let script = format!("cd class && set -- \"$1\" {words} && exec \"$@\"");
        let run = arena.in_shell(&script, &[]);
        assert_eq!(run.code, 1, "{command}\n{}{}", run.out, run.err);
        assert!(run.out.contains("malformed"), "{command}\n{}", run.out);
    }

    // A player that does not start is started again. If both seats decide, its own seat is meant.
    let arena = Arena::new();
    let players = [("-ant", "exit 3"), ("bee", "read -r l; echo ok; read -r l; echo no")];
    let player = |(name, script): (&str, &str)| {
        format!("[[players]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", \"{script}\"]\n")
    };
    let toml = format!(
        "name = \"cup\"\ngame = \"back-to-the-wall\"\n[[players]]\nname = \"cat\"\n\
         bot = \"random\"\n{}",
        players.map(player).concat()
    );
    arena.write("tournament.toml", &toml);
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    for command in self::commands(&arena.read("report.html")) {
        let words = command.strip_prefix("referee ").expect("the referee");
        let run = arena.in_shell(&format!("set -- \"$1\" {words}; exec \"$@\""), &[]);
        let code = if command.contains("-- -ant") { "no-start" } else { "malformed" };
        assert_eq!(run.code, 1, "{command}\n{}{}", run.out, run.err);
        assert!(run.out.contains(code), "{command}\n{}", run.out);
    }
}

#[test]
fn grades_follow_the_table_of_the_configuration() {
    let config = Config::small().script("dud", "dud.sh").change(|config| {
        config.max_moves = 10;
        config.more = "grades = { ranks = [{ rank = 3, marks = 5 }], \
                       against = [{ player = \"ant\", score = 0, marks = 1.5 }], failed = -2 }"
            .into();
    });
    let arena = Arena::with(&config);
    arena.write("dud.sh", "exit 1");
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let table = arena.read("grades.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines,
        [
            "player,marks,rank,rank_low,rank_high,band,rank_marks,share_ant,against_ant,games,reason",
            "dud,-2,,,,,-2,0,0,5,quarantined for faults"
        ]
    );
    fs::remove_file(arena.results().join("grades.csv")).expect("removed");
    assert_eq!(arena.run(&["report", "--grades", "tournament.toml"]).code, 0);
    assert_eq!(arena.read("grades.csv"), table);
    arena.configure(&Config::small().change(|config| {
        config.more = "grades = { against = [{ player = \"any\", score = 2, marks = 1 }] }".into();
    }));
    let refused = arena.run(&["run"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("unknown player `any`") && refused.err.contains("from 0 to 1"));
}

#[test]
fn marks_are_explained_where_they_are_given() {
    let marks = "grades = { by = \"high\", count-built-in = false, ranks = [\
                 { rank = 3, marks = 5 }, { rank = 9, marks = 4 }], \
                 against = [{ player = \"ant\", score = 0, marks = 1.5 }] }";
    let config = Config::small().script("fair", "fair.sh").script("even", "fair.sh");
    let arena = Arena::with(&config.change(|config| {
        config.max_moves = 10;
        config.more = marks.into();
    }));
    arena.write("fair.sh", PLAYS);
    let plan = arena.run(&["run", "--plan"]);
    let beyond = " wide\nno one is expected in the band rank 4–9 (4 marks)\nno estimate ";
    assert!(plan.out.contains(beyond), "{}", plan.out);
    let run = arena.run(&["run"]);
    let note = "All 2 ranked players fall in the band rank 1–3 (5 marks), so rank does not affect \
                their marks.";
    assert!(run.err.contains(note), "{}", run.err);
    let table = arena.read("grades.csv");
    assert!(table.contains("\nfair,6.5,"), "{table}");
    assert!(table.contains(",1,2,3,5,") && table.contains(",rank 2 at worst\n"), "{table}");
    assert_eq!(arena.run(&["report", "--packets", "--grades", "tournament.toml"]).code, 0);
    let page = fs::read_to_string(arena.results().join("packets/fair/report.html"));
    let page = page.expect("a packet");
    let sentence = "<p>You get 6.5 marks: 5 for rank 2 at worst (95% interval 1–2), in the band up \
                    to rank 3; 1.5 for ";
    assert!(page.contains(sentence) && page.contains(" points against P0"), "{page}");
    assert!(!page.contains("against ant"), "opponents have pseudonyms");
}

#[test]
fn a_packet_contains_nothing_private_about_others() {
    let arena = Arena::hostile();
    let packets = arena.run(&["report", "--packets"]);
    assert_eq!(packets, Run::new(0, "results/cup/packets\n", ""));
    let again = arena.run(&["report", "--packets"]);
    assert_eq!((again.code, again.err.contains("already exists")), (2, true));
    let out = arena.results().join("packets");
    let key = fs::read_to_string(out.join("key.csv")).expect("the key");
    assert!(key.contains("ant") && key.starts_with("pseudonym,player\n"));
    let public = fs::read_to_string(out.join("public.csv")).expect("the table");
    assert!(!public.contains("ant") && public.contains(",P01,"));
    // With the secret, a player could guess its opponent from its own seed.
    let seeds: Vec<String> = games(&arena.log())
        .iter()
        .flat_map(|game| game["seed"].as_object().expect("by seat").values())
        .map(Value::to_string)
        .collect();
    for (path, text) in texts(&out) {
        for seed in &seeds {
            assert!(!text.contains(seed), "{} tells a seed", path.display());
        }
    }
    let ids: Vec<String> = arena.lines().into_keys().collect();
    for (path, text) in texts(&out.join("ant")) {
        for foreign in ids.iter().map(String::as_str).chain(["img src", "象棋", "no</i>", "bad.sh"])
        {
            assert!(!text.contains(foreign), "{} tells {foreign}", path.display());
        }
    }
    let mut folders = fs::read_dir(&out).expect("folders").flatten().map(|entry| entry.path());
    let bad = folders.find(|path| path.to_string_lossy().contains("img")).expect("its packet");
    let stderr = texts(&bad.join("stderr"));
    let all_loud = stderr.iter().all(|(_, text)| text.contains("</script>"));
    assert!(!stderr.is_empty() && all_loud, "{stderr:?}");
    let read = |name: &str| fs::read_to_string(bad.join(name)).expect(name);
    assert!(read("report.html").contains("malformed"));
    assert!(read("report.html").contains("seed&quot;:0"), "the lines before its fault");
    assert_eq!(read("games.jsonl").lines().count(), 1 + 4);
}

#[test]
fn a_packet_is_read_and_its_fault_repeated_elsewhere() {
    let arena = Arena::hostile();
    assert_eq!(arena.run(&["report", "--packets"]).code, 0);
    let mut packets = fs::read_dir(arena.results().join("packets")).expect("folders").flatten();
    let packet = packets.find(|entry| entry.file_name().to_string_lossy().contains("img"));
    let packet = packet.expect("its packet").path();
    let home = Arena::new();
    fs::copy(packet.join("games.jsonl"), home.path().join("games.jsonl")).expect("a log");
    fs::copy(arena.path().join("bad.sh"), home.path().join("mine.sh")).expect("a player");

    let ranking = home.run(&["rank", "--results", "."]);
    assert_eq!((ranking.code, ranking.err.as_str()), (0, ""), "every line counts, none is edited");
    assert!(ranking.out.contains("4 games"), "{}", ranking.out);
    let page = fs::read_to_string(packet.join("report.html")).expect("a page");
    let (_, again) = page.split_once("referee ask PLAYER ").expect("a command");
    let (terms, _) = again.split_once('<').expect("its end");
    let words: Vec<&str> = ["ask", "sh mine.sh"].into_iter().chain(terms.split(' ')).collect();
    let asked = home.run(&words);
    assert_eq!(asked.code, 1, "{words:?}: {}{}", asked.out, asked.err);
    assert!(asked.out.contains("malformed"), "{}", asked.out);
    let id = terms.split(' ').nth(1).expect("an id");
    let replayed = home.run(&["replay", id, "--results", "."]);
    assert_eq!(replayed.code, 0, "{}", replayed.err);
    assert!(replayed.out.contains("P0"), "the opponent has a pseudonym: {}", replayed.out);
}

/// Games that came after a player was removed are listed, but counted nowhere.
#[test]
fn a_packet_counts_the_games_that_the_page_counts() {
    let arena = Arena::hostile();
    // As if games that were in play had ended after the removal.
    arena.edit_line(1, |header| header.replace("\"quarantine\":5", "\"quarantine\":1"));
    let rank = arena.run(&["rank", "--format", "json"]);
    let ranking: Value = serde_json::from_str(&rank.out).expect("JSON");
    assert_eq!(arena.run(&["report", "--packets"]).code, 0);
    let mut uncounted = 0;
    for player in ranking["players"].as_array().expect("a list") {
        let name = player["player"].as_str().expect("a name");
        let key = arena.read("packets/key.csv");
        let pseudonym = key.lines().find(|line| line.contains(name)).expect("its line");
        let (pseudonym, _) = pseudonym.split_once(',').expect("its name");
        let of_player = texts(&arena.results().join("packets")).into_iter().find(|(path, text)| {
            path.ends_with("report.html") && text.contains(&format!("<strong>{pseudonym}</strong>"))
        });
        let page = of_player.expect("its packet").1;
        let games = player["games"].as_u64().expect("a number");
        let told = if games == 1 { "1 game".to_owned() } else { format!("{games} games") };
        assert!(page.contains(&format!(" · {told} · ")), "{name}: {told}");
        assert!(page.contains(&format!("all</th><td class=\"n\">{games}</td>")), "{name}: {told}");
        let faults = page.matches("<article class=\"fault\"").count() as u64;
        let counted = player["faults"].as_object().expect("by code").values();
        assert_eq!(faults, counted.filter_map(Value::as_u64).sum::<u64>(), "{name}");
        uncounted += page.matches("; it does not count, because").count();
    }
    assert_eq!(uncounted, 6, "three games, each in two packets");
}

#[test]
#[ignore = "slow: whole tournaments"]
fn a_page_under_pseudonyms_contains_no_names() {
    let arena = Arena::new();
    let names = ["Aardvark", "Zebra-Team", "Quokka.py", "Wombat"];
    // One is the anchor and one is taken out. Both write their names wherever they can.
    let loud = r#"
read -r init; echo '{"id":0,"name":"Quokka.py"}'; read -r turn
case $init in *'"you":"white"'*) echo 'Quokka.py speaks'; read -r more;; esac
echo 'Traceback of Quokka.py' >&2; exit 3
"#;
    let chatty = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "init":
        print("ok", flush=True)
    elif message["type"] == "turn":
        reply = {"id": message["id"], "action": message["legal"][0], "note": "I am Wombat"}
        print(json.dumps(dict(reply, eval=0.25)), flush=True)
"#;
    arena.write("loud-secret.sh", loud);
    arena.write("chatty-secret.py", chatty);
    let config = Config::empty()
        .player(names[0], "bot = \"greedy\"\nrating = 1500")
        .bot(names[1], "random")
        .script(names[2], "loud-secret.sh")
        .player(names[3], "command = [\"python3\", \"chatty-secret.py\"]")
        .change(|config| config.more = "quarantine = 3".into());
    arena.configure(&config);
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let written = arena.run(&["report", "--pseudonyms"]);
    assert_eq!(written, Run::new(0, "results/cup/public/report.html\n", ""));

    let header = arena.header();
    let identity = header["identity"].as_str().expect("a text");
    let players = header["players"].as_array().expect("a list");
    let hashes = players.iter().map(|player| player["hash"].as_str().expect("a text"));
    let dir = arena.path().to_str().expect("a plain path");
    let ids: Vec<String> = arena.lines().into_keys().collect();
    let mut told: Vec<&str> = names.into_iter().chain(hashes).chain([identity, dir]).collect();
    told.extend(ids.iter().map(String::as_str));
    told.extend(["secret", "Traceback", "speaks", "I am", "referee ask", "results/cup", "python3"]);
    let files = texts(&arena.results().join("public"));
    assert_eq!(files.len(), 3, "the page, the list of games, and the games");
    for (path, text) in &files {
        for word in &told {
            assert!(!text.contains(word), "{} tells {word}", path.display());
        }
    }
    let page = &files.iter().find(|(path, _)| path.ends_with("report.html")).expect("a page").1;
    for shown in ["P01", "P04", "malformed", "crash", "is quarantined", "#game=P0", " at 1500"] {
        assert!(page.contains(shown), "{shown}");
    }
    // The numbers of the players follow the pseudonyms, not the configuration.
    assert!(page.contains("\"names\":[\"P01\",\"P02\",\"P03\",\"P04\"]"), "the order tells");
    // The page with names shows everything.
    let told_all = texts(&arena.results()).into_iter().filter(|(path, _)| {
        path.starts_with(arena.results().join("games")) || path.ends_with("cup/report.html")
    });
    let told_all: String = told_all.map(|(_, text)| text).collect();
    for word in &told {
        assert!(*word == dir || told_all.contains(word), "{word} was never there");
    }
    // The ranking is that of the page with names.
    let rating = |page: &str| -> Vec<String> {
        let table = page.split("<table class=\"ranking\">").nth(1).expect("a ranking");
        let rows = table.split("</table>").next().expect("its end").split("<th scope=\"row\">");
        let cells = |row: &str| {
            let cells = row.split("</th>").nth(1).expect("cells");
            cells.split("</tr>").next().expect("a row").to_owned()
        };
        rows.skip(1).map(cells).collect()
    };
    assert_eq!(rating(page), rating(&arena.read("report.html")));
    assert_eq!(rating(page).len(), 4);
}

/// A round-robin of twelve players that reveal nothing about themselves.
fn many(seed: Option<u64>) -> Arena {
    let players = (0..12).map(|number| format!("team {number:02}"));
    let config = players.fold(Config::empty(), |config, name| config.bot(&name, "random"));
    let arena = Arena::played(&config.change(|config| {
        (config.pairs, config.max_moves, config.jobs, config.seed) = (1, 1, 1, seed);
        config.more = "containment = { level = \"off\" }".into();
    }));
    assert_eq!(arena.lines().len(), 132);
    arena
}

/// All published files, by path.
fn given_away(arena: &Arena) -> BTreeMap<PathBuf, String> {
    let (public, packets) = (arena.results().join("public"), arena.results().join("packets"));
    let _ = (fs::remove_dir_all(&public), fs::remove_dir_all(&packets));
    assert_eq!(arena.run(&["report", "--pseudonyms"]).code, 0);
    assert_eq!(arena.run(&["report", "--packets"]).code, 0);
    texts(&public).into_iter().chain(texts(&packets)).collect()
}

#[test]
#[ignore = "slow: a tournament of twelve players"]
fn published_games_do_not_follow_the_order_of_the_log() {
    let arena = many(Some(7));
    let before = given_away(&arena);
    let log = arena.log();
    let (header, games) = log.split_once('\n').expect("a header");
    let mut lines: Vec<&str> = games.lines().collect();
    lines.reverse();
    lines.swap(7, 100);
    arena.put("games.jsonl", &format!("{header}\n{}\n", lines.join("\n")));
    let after = given_away(&arena);
    let differ: Vec<_> =
        before.iter().filter(|(path, text)| after.get(*path) != Some(text)).collect();
    assert!(differ.is_empty(), "{:?}", differ.iter().map(|(path, _)| path).collect::<Vec<_>>());
    assert_eq!(before.len(), after.len());
}

/// Guesses names, assuming that games are listed in the order of `schedule`.
fn guess(
    listed: impl IntoIterator<Item = [String; 2]>,
    schedule: &[[String; 2]],
) -> BTreeMap<String, &str> {
    let same = listed.into_iter().zip(schedule);
    let both =
        same.flat_map(|(shown, names)| shown.into_iter().zip(names.iter().map(String::as_str)));
    // The first occurrence counts.
    both.fold(BTreeMap::new(), |mut guessed, (shown, name)| {
        guessed.entry(shown).or_insert(name);
        guessed
    })
}

/// The players of a record by seat.
fn players(game: &Value) -> [String; 2] {
    ["white", "black"].map(|seat| game["players"][seat].as_str().expect("a name").to_owned())
}

/// Anyone with the configuration can play the same schedule and compare both logs. With twelve
/// players, chance alone gives ten right guesses once in 10! attempts.
#[test]
#[ignore = "slow: a tournament of twelve players"]
fn knowing_the_schedule_reveals_no_names() {
    let arena = many(Some(7));
    let schedule: Vec<[String; 2]> = games(&arena.log()).iter().map(players).collect();
    let given = given_away(&arena);
    let key = fs::read_to_string(arena.results().join("packets/key.csv")).expect("the key");
    let key: BTreeMap<&str, &str> =
        key.lines().skip(1).filter_map(|row| row.split_once(',')).collect();
    let right = |guessed: &BTreeMap<String, &str>| {
        guessed.iter().filter(|(shown, name)| key.get(shown.as_str()) == Some(*name)).count()
    };

    let index = &given[&arena.results().join("public/games/index.js")];
    let shown: Vec<Value> = index
        .lines()
        .filter_map(|line| serde_json::from_str(line.trim_end_matches(',')).ok())
        .collect();
    assert_eq!(shown.len(), schedule.len());
    let pseudonym = |number: &Value| format!("P{:02}", number.as_u64().expect("a number") + 1);
    let listed = shown.iter().map(|game| [1, 2].map(|at| pseudonym(&game[at])));
    assert!(right(&guess(listed.clone(), &schedule)) < 10, "{index}");

    // The order of two names in the schedule would sort all names.
    for (game, [first, second]) in shown.iter().zip(listed) {
        let number = game[3].as_str().expect("pair.game").chars().last();
        assert_eq!(number == Some('1'), first < second, "{game}");
    }

    let own = "team 07";
    let packet = arena.results().join("packets").join(own).join("games.jsonl");
    let mine = schedule.iter().filter(|names| names.iter().any(|name| name == own));
    let mine: Vec<[String; 2]> = mine.cloned().collect();
    let packet = fs::read_to_string(packet).expect("its games");
    let listed: Vec<_> = packet
        .lines()
        .skip(1)
        .map(|line| players(&serde_json::from_str(line).expect("JSON")))
        .collect();
    assert_eq!(listed.len(), mine.len());
    // Its opponents, whichever seats they have.
    let opponent = |names: &[String; 2]| names.iter().find(|name| *name != own).cloned();
    let opponents = |games: &[[String; 2]]| -> Vec<[String; 2]> {
        games.iter().filter_map(opponent).map(|name| [name.clone(), name]).collect()
    };
    assert!(right(&guess(opponents(&listed), &opponents(&mine))) < 10, "{packet}");
}

/// A player can note when it plays. Without a seed, the order of the schedule is random, so that
/// reveals nothing.
#[test]
#[ignore = "slow: a tournament of twelve players"]
fn the_time_of_a_game_reveals_no_names() {
    let arena = many(None);
    let played: Vec<[String; 2]> = games(&arena.log()).iter().map(players).collect();
    let schedule: Vec<[String; 2]> = games(&many(Some(7)).log()).iter().map(players).collect();
    let guessed = guess(played.clone(), &schedule);
    let right = guessed.iter().filter(|(name, guess)| name == *guess).count();
    assert!(right < 10, "{played:?}");
    // The first player in the file has the first seat first in about half of the cases.
    let firsts = played.iter().step_by(2).filter(|[first, second]| first < second).count();
    assert!((10..=56).contains(&firsts), "{firsts} of 66");
    // The schedule is always the same.
    let log = arena.log();
    assert_eq!((arena.run(&["run", "-q"]).code, arena.log() == log), (0, true));
    assert_eq!(arena.run(&["verify"]).code, 0);
    assert_eq!(arena.header()["drawn"], Value::Bool(true));
}

/// The page of a small tournament, served by a referee that may open few files.
pub(crate) struct Served {
    server: Child,
    address: String,
    arena: Arena,
}

impl Served {
    fn start() -> Self {
        let arena = Arena::with(&Config::small().change(|config| config.max_moves = 1));
        assert_eq!(arena.run(&["run", "-q"]).code, 0);
        Self::of(arena, &[])
    }

    /// The page of a tournament that was played, served with these options.
    pub(crate) fn of(arena: Arena, options: &[&str]) -> Self {
        Self::by(arena, &[&["serve", "results/cup"], options].concat())
    }

    /// What a command serves that takes `--listen`.
    pub(crate) fn by(arena: Arena, words: &[&str]) -> Self {
        let script = "ulimit -n 80; exec \"$0\" \"$@\" --listen 127.0.0.1:0";
        let mut server = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_referee")])
            .args(words)
            .current_dir(arena.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the referee starts");
        let mut said = String::new();
        let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
        out.read_line(&mut said).expect("its address");
        let address = said.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Self { server, address, arena }
    }

    /// The folder that it runs in.
    pub(crate) fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Its address and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        stream
    }

    /// The answer for a path with these headers and the server's own host name.
    pub(crate) fn ask(&self, path: &str, headers: &[&str]) -> String {
        self.send(&format!("GET {path}"), headers, b"")
    }

    /// The answer to a request, whatever its bytes. `what` is the method and the path.
    pub(crate) fn send(&self, what: &str, headers: &[&str], body: &[u8]) -> String {
        let mut lines = vec![format!("{what} HTTP/1.1")];
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            lines.push(format!("Host: {}", self.address));
        }
        lines.extend(headers.iter().map(ToString::to_string));
        let mut stream = self.connect();
        let request = lines.join("\r\n") + "\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).expect("sent");
        // Whoever refuses a body need not read it.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended.
        let _ = (self.server.kill(), self.server.wait());
    }
}

#[test]
fn other_sites_cannot_read_a_served_page() {
    let served = Served::start();
    for (path, secret) in [("/", "bee"), ("/changes", "bee"), ("/games/index.js", "refereeIndex")] {
        let is_given = |answer: &str| answer.starts_with("HTTP/1.1 200") && answer.contains(secret);
        for own in [&[][..], &["Sec-Fetch-Site: same-origin"]] {
            let answer = served.ask(path, own);
            assert!(is_given(&answer), "{path} {own:?}: {answer:.500}");
            let head = answer.split("\r\n\r\n").next().expect("a head");
            for header in [
                "cross-origin-resource-policy: same-origin",
                "x-content-type-options: nosniff",
                "content-security-policy: frame-ancestors 'none'",
            ] {
                assert!(head.contains(header), "{header}: {head}");
            }
        }
        for foreign in [
            &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"][..],
            &["Sec-Fetch-Site: same-site"],
            &["Origin: https://example.org"],
            &["Host: example.org"],
        ] {
            let answer = served.ask(path, foreign);
            assert!(answer.starts_with("HTTP/1.1 403"), "{path} {foreign:?}: {answer:.500}");
            assert!(!answer.contains(secret), "{path} {foreign:?}");
        }
    }
}

/// The parts that a visitor with these hashes gets: id and hash.
fn changed_parts(served: &Served, have: &str) -> Vec<(String, String)> {
    let answer = served.ask(&format!("/changes?{have}"), &[]);
    let json = answer.split("\r\n\r\n").nth(1).expect("a body");
    let parts: Vec<[String; 3]> = serde_json::from_str(json).expect("JSON");
    parts.into_iter().map(|[id, hash, _]| (id, hash)).collect()
}

#[test]
fn a_visitor_gets_only_the_parts_that_it_lacks() {
    let served = Served::start();
    let all = changed_parts(&served, "");
    let ids: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids[..4], ["data", "replays", "summary", "ranking"]);
    let hashes: Vec<&str> = all.iter().map(|(_, hash)| hash.as_str()).collect();
    assert_eq!(changed_parts(&served, &hashes.join(",")), []);
    assert_eq!(changed_parts(&served, &hashes[1..].join(",")), all[..1]);
}

#[test]
fn pages_are_compressed_for_those_who_can_read_that() {
    let served = Served::start();
    for path in ["/", "/changes", "/games/index.js"] {
        let head = |headers: &[&str]| {
            let answer = served.ask(path, headers);
            answer.split("\r\n\r\n").next().expect("a head").to_owned()
        };
        let length = |head: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            line.expect("a length").parse::<usize>().expect("a number")
        };
        let (packed, plain) =
            (head(&["Accept-Encoding: br, gzip"]), head(&["Accept-Encoding: br"]));
        assert!(!plain.contains("content-encoding"), "{plain}");
        assert!(plain.contains("vary: accept-encoding"), "{plain}");
        // The list of games of this tournament is not worth it.
        if length(&plain) > 1024 {
            assert!(packed.contains("content-encoding: gzip"), "{packed}");
            assert!(length(&packed) * 2 < length(&plain), "{packed}\n{plain}");
        }
    }
}

#[test]
fn endless_requests_do_not_shut_others_out() {
    let served = Served::start();
    let silent: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("sent");
            stream
        })
        .collect();
    let waiting: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = served.connect();
            let request = format!("GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
            stream.write_all(request.as_bytes()).expect("sent");
            stream
        })
        .collect();
    let answer = served.ask("/", &[]);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("bee"), "{answer:.500}");
    drop((silent, waiting));
}

/// The games of a log.
fn games(log: &str) -> Vec<Value> {
    log.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Every file below a folder, except the index of the log, which is binary.
fn texts(dir: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(texts(&path));
        } else if path.extension().is_none_or(|end| end != "index") {
            found.push((path.clone(), fs::read_to_string(&path).expect("text")));
        }
    }
    found
}
