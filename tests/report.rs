//! The page and the packets from outside: what is written.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Arena, Config, HOSTILE, Run};

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
    for id in arena.lines().keys() {
        let script = arena.read(&format!("games/{id}.js"));
        assert!(script.contains("refereeGame({") && script.contains(id), "{script}");
    }
    assert_eq!(arena.read("games/index.js").lines().count(), 2 + arena.lines().len());
    fs::remove_file(arena.results().join("report.html")).expect("removed");
    let again = arena.run(&["report"]);
    assert_eq!(again, Run::new(0, "results/cup/report.html\n", ""));
    assert_eq!(arena.read("report.html"), page);
}

/// The commands of the page that reproduce faults, as a shell takes them.
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

    // A player that does not start is started again; where both decide its own seat is meant.
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
    let config = Config::small().change(|config| {
        config.max_moves = 10;
        config.more = "grades = { ranks = [{ rank = 3, marks = 5 }], \
                       against = [{ player = \"ant\", score = 0, marks = 1.5 }] }"
            .into();
    });
    let arena = Arena::with(&config);
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let table = arena.read("grades.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "player,marks,rank,rank_low,rank_high,rank_marks,against_ant");
    assert!(lines[1..].iter().all(|line| line.contains(",6.5,") && line.ends_with(",5,1.5")));
    fs::remove_file(arena.results().join("grades.csv")).expect("removed");
    assert_eq!(arena.run(&["report", "--grades", "tournament.toml"]).code, 0);
    assert_eq!(arena.read("grades.csv"), table);
    arena.configure(&Config::small().change(|config| {
        config.more = "grades = { against = [{ player = \"any\", score = 2, marks = 1 }] }".into();
    }));
    let refused = arena.run(&["run"]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("there is no player `any`") && refused.err.contains("from 0 to 1")
    );
}

#[test]
fn a_packet_holds_nothing_of_anyone_else() {
    let arena = Arena::hostile();
    let packets = arena.run(&["packets"]);
    assert_eq!(packets, Run::new(0, "results/cup/packets\n", ""));
    let again = arena.run(&["packets"]);
    assert_eq!((again.code, again.err.contains("is there already")), (2, true));
    let out = arena.results().join("packets");
    let key = fs::read_to_string(out.join("key.csv")).expect("the key");
    assert!(key.contains("ant") && key.starts_with("pseudonym,player\n"));
    let public = fs::read_to_string(out.join("public.csv")).expect("the table");
    assert!(!public.contains("ant") && public.contains(",P01,"));
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
    assert!(!stderr.is_empty() && stderr.iter().all(|(_, text)| text.contains("</script>")));
    let read = |name: &str| fs::read_to_string(bad.join(name)).expect(name);
    assert!(read("report.html").contains("malformed"));
    assert_eq!(read("games.jsonl").lines().count(), 4);
}

#[test]
fn a_page_under_pseudonyms_names_nobody() {
    let arena = Arena::new();
    let names = ["Aardvark", "Zebra-Team", "Quokka.py", "Wombat"];
    // One is the anchor, one is taken out, and both of these write their names wherever they can.
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
    assert_eq!(files.len(), 2 + ids.len());
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
    // The page with the names tells it all.
    let told_all = texts(&arena.results()).into_iter().filter(|(path, _)| {
        path.starts_with(arena.results().join("games")) || path.ends_with("cup/report.html")
    });
    let told_all: String = told_all.map(|(_, text)| text).collect();
    for word in &told {
        assert!(*word == dir || told_all.contains(word), "{word} was never there");
    }
    // The ranking is that of the page with the names.
    let rating = |page: &str| -> Vec<String> {
        let rows = page.split("<td class=\"n band\">").skip(1);
        rows.map(|row| row.split("</th>").nth(1).expect("cells")[..60].to_owned()).collect()
    };
    assert_eq!(rating(page), rating(&arena.read("report.html")));
    assert_eq!(rating(page).len(), 4);
}

/// Every file below a folder.
fn texts(dir: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(texts(&path));
        } else {
            found.push((path.clone(), fs::read_to_string(&path).expect("text")));
        }
    }
    found
}
