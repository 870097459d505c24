//! The page and the packets from outside: what is written, and what a browser makes of it.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "a test that cannot run says so")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use support::{Arena, Config, Run};
use tempfile::TempDir;

/// Keys as a browser is told them.
const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";

/// Texts that would do harm if they were not escaped.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)>";

/// A tournament with a player of a hostile name that makes faults of hostile texts.
fn hostile() -> Arena {
    let arena = Arena::with(
        &Config::empty()
            .bot("ant", "random")
            .bot("Zoë 象棋 \\u202E", "greedy")
            .player(HOSTILE, "command = [\"sh\", \"bad.sh\"]")
            .change(|config| config.pairs = 1),
    );
    arena.write(
        "bad.sh",
        "read -r line; echo ok; read -r line; echo '<b>\\u202e</script>' >&2; echo '<i>no</i>'\n",
    );
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    arena
}

/// Two hundred players with long names, two rounds of them.
fn two_hundred() -> Arena {
    let arena = Arena::new();
    let mut toml = "name = \"cup\"\ngame = \"backdraughts\"\nformat = \"swiss\"\nrounds = 2\n\
                    seed = 7\njobs = 2\n"
        .to_owned();
    let player = |number: usize| {
        let bot = ["random", "greedy"][number % 2];
        let tail = &"abcdefghijklmnopqrstuvwxyz".repeat(2)[..number % 52];
        format!("[[players]]\nname = \"team {number} {tail}\"\nbot = \"{bot}\"\n")
    };
    toml.extend((0..200).map(player));
    arena.write("tournament.toml", &toml);
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    arena
}

#[test]
fn a_run_writes_the_page_and_report_writes_it_again() {
    let arena = hostile();
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
    let arena = hostile();
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
    let arena = hostile();
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

/// A browser that is driven.
struct Browser {
    client: Client,
    driver: Child,
    _profile: TempDir,
}

impl Browser {
    /// Starts one; says why there is none where that is so.
    async fn start(more: &[&str], options: &Value) -> Option<Self> {
        let mut driver = match Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
        {
            Ok(driver) => driver,
            Err(error) => {
                println!("skipped: chromium: chromedriver cannot be started: {error}");
                return None;
            }
        };
        let port = port(&mut driver);
        let profile = tempfile::tempdir().expect("a folder");
        let mut args: Vec<String> = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
        ]
        .iter()
        .chain(more)
        .map(ToString::to_string)
        .collect();
        args.push(format!("--user-data-dir={}", profile.path().display()));
        let mut chrome = json!({ "args": args });
        for (name, value) in options.as_object().expect("options") {
            chrome[name] = value.clone();
        }
        let wanted = json!({ "goog:chromeOptions": chrome });
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted.as_object().expect("an object").clone())
            .connect(&format!("http://127.0.0.1:{port}"))
            .await;
        match client {
            Ok(client) => Some(Self { client, driver, _profile: profile }),
            Err(error) => {
                println!("skipped: chromium: it cannot be started: {error}");
                end(driver);
                None
            }
        }
    }

    async fn open(&self, page: &Path, fragment: &str) {
        let path = page.canonicalize().expect("the page");
        self.client.goto("about:blank").await.expect("left");
        let address = format!("file://{}{fragment}", path.display());
        self.client.goto(&address).await.expect("opened");
    }

    async fn ask(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.expect("a script that runs")
    }

    async fn press(&self, key: &str) {
        let viewer = self.client.find(Locator::Css("#viewer")).await.expect("the viewer");
        viewer.send_keys(key).await.expect("pressed");
    }

    /// Saves what is to be seen for people to look at.
    async fn look(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots");
        fs::create_dir_all(&folder).expect("a folder");
        let picture = self.client.screenshot().await.expect("a picture");
        fs::write(folder.join(format!("{name}.png")), picture).expect("written");
    }

    async fn end(self) {
        self.client.close().await.expect("closed");
        end(self.driver);
    }
}

fn end(mut driver: Child) {
    driver.kill().expect("killed");
    driver.wait().expect("ended");
}

/// The port that the driver says it listens on.
fn port(driver: &mut Child) -> u16 {
    let out = BufReader::new(driver.stdout.take().expect("a pipe"));
    let mut lines = out.lines().map_while(Result::ok);
    let port = lines.find_map(|line| {
        line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
    });
    port.expect("chromedriver says its port")
}

fn in_a_runtime(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(test);
}

/// What was loaded from anywhere but the disk, and every label that overlaps another of its chart.
const FOREIGN: &str = "return performance.getEntriesByType('resource').map(entry => entry.name)
    .filter(name => !name.startsWith('file:') && !name.startsWith('data:'))";
const OVERLAPS: &str = r#"
    const found = [];
    for (const chart of document.querySelectorAll("svg.chart, .heat:not(.overview) thead")) {
        const labels = [...chart.querySelectorAll("text, th")].filter(label => label.textContent.trim());
        const boxes = labels.map(label => [label.getBoundingClientRect(), label.textContent]);
        boxes.sort(([one], [other]) => one.top - other.top);
        boxes.forEach(([one, text], at) => {
            for (let next = at + 1; next < boxes.length && boxes[next][0].top < one.bottom - 1; next++) {
                const other = boxes[next][0];
                if (other.left < one.right - 1 && one.left < other.right - 1)
                    found.push([text, boxes[next][1]]);
            }
        });
    }
    return [document.querySelectorAll("svg.chart text").length, found];"#;
const SHOWN: &str = "return [document.getElementById('at').textContent, location.hash,
    document.querySelectorAll('#board .piece0, #board .piece1').length]";

#[test]
#[ignore = "slow: starts a browser"]
fn a_replay_is_stepped_with_the_keyboard() {
    let arena = hostile();
    let lines = arena.lines();
    let clean = lines.iter().find(|(_, line)| line.contains("\"fault\":null")).expect("a game");
    let record: Value = serde_json::from_str(clean.1).expect("JSON");
    let (id, plies) = (clean.0.clone(), record["plies"].as_u64().expect("a number"));
    in_a_runtime(async {
        let Some(browser) = Browser::start(&["--window-size=1100,1400"], &json!({})).await else {
            return;
        };
        let page = arena.results().join("report.html");
        browser.open(&page, &format!("#game={id}&ply=2")).await;
        let shown = |ply: u64, pieces: u64| {
            json!([format!("ply {ply} of {plies}"), format!("#game={id}&ply={ply}"), pieces])
        };
        assert_eq!(browser.ask(SHOWN).await, shown(2, 2));
        browser.press(RIGHT).await;
        assert_eq!(browser.ask(SHOWN).await, shown(3, 3));
        browser.press(LEFT).await;
        browser.press(LEFT).await;
        assert_eq!(browser.ask(SHOWN).await, shown(1, 1));
        browser.press(END).await;
        assert_eq!(browser.ask(SHOWN).await[1], shown(plies, 0)[1]);
        browser.press(RIGHT).await;
        assert_eq!(browser.ask(SHOWN).await[1], shown(plies, 0)[1]);
        browser.look("replay").await;
        browser.press(HOME).await;
        assert_eq!(browser.ask(SHOWN).await, shown(0, 0));
        assert_eq!(browser.ask("return document.querySelectorAll('img').length").await, json!(0));
        // A game that the page does not bring along comes from beside it.
        let script = format!("films.delete('{id}'); viewer.film = null; viewer.open('{id}', 1);");
        browser.ask(&script).await;
        browser.ask("document.getElementById('all').open = true").await;
        let list = Locator::Css("#list tr");
        browser.client.wait().for_element(list).await.expect("the list of all games");
        assert_eq!(browser.ask("return films.has(viewer.film.id)").await, json!(true));
        assert_eq!(browser.ask(FOREIGN).await, json!([]));
        browser.end().await;
    });
}

#[test]
#[ignore = "slow: plays 400 games and starts a browser"]
fn with_two_hundred_players_no_label_overlaps() {
    let arena = two_hundred();
    in_a_runtime(async {
        let Some(browser) = Browser::start(&["--window-size=1100,9000"], &json!({})).await else {
            return;
        };
        let page = arena.results().join("report.html");
        browser.open(&page, "").await;
        browser.look("200-players").await;
        browser.ask("document.getElementById('numbers').click()").await;
        let found = browser.ask(OVERLAPS).await;
        assert!(found[0].as_u64() > Some(800), "the labels are there: {found}");
        assert_eq!(found[1], json!([]));
        assert_eq!(browser.ask(FOREIGN).await, json!([]));
        browser.end().await;
    });
}

#[test]
#[ignore = "slow: starts a browser"]
fn pictures_in_light_and_dark_and_on_a_phone() {
    let arena = Arena::with(&Config::small().change(|config| config.max_moves = 60));
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let id = arena.lines().into_keys().next().expect("a game");
    let dark = "--blink-settings=preferredColorScheme=0";
    let phone = json!({ "mobileEmulation": { "deviceMetrics":
        { "width": 390, "height": 3000, "pixelRatio": 1 } } });
    let size = "--window-size=1100,4200";
    let looks: [(&str, &[&str], Value); 3] =
        [("light", &[size], json!({})), ("dark", &[size, dark], json!({})), ("phone", &[], phone)];
    in_a_runtime(async {
        for (name, args, options) in looks {
            let Some(browser) = Browser::start(args, &options).await else { return };
            let page = arena.results().join("report.html");
            browser.open(&page, &format!("#game={id}&ply=9")).await;
            browser.ask("window.scrollTo(0, 0)").await;
            let wide = "return document.documentElement.scrollWidth <= window.innerWidth";
            assert_eq!(browser.ask(wide).await, json!(true), "{name}: the page scrolls sideways");
            assert_eq!(browser.ask(OVERLAPS).await[1], json!([]), "{name}");
            browser.look(name).await;
            browser.end().await;
        }
    });
}

#[test]
#[ignore = "slow: starts a browser"]
fn a_served_page_follows_the_log() {
    let arena = Arena::with(&Config::small().change(|config| config.max_moves = 60));
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let log = arena.log();
    let without_last = log.trim_end().rfind('\n').expect("many lines") + 1;
    arena.put("games.jsonl", &log[..without_last]);
    in_a_runtime(async {
        let Some(browser) = Browser::start(&["--window-size=1100,1400"], &json!({})).await else {
            return;
        };
        let mut server = arena.start(&["serve", "results/cup", "--listen", "127.0.0.1:0"]);
        let mut address = String::new();
        let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
        out.read_line(&mut address).expect("its address");
        browser.client.goto(address.trim()).await.expect("opened");
        let lead = browser.client.find(Locator::Css(".lead")).await.expect("a line");
        assert!(lead.text().await.expect("text").contains("11 of 12 games so far"));
        arena.put("games.jsonl", &log);
        let done = Locator::XPath("//p[@class='lead'][contains(., '· 12 games')]");
        browser.client.wait().for_element(done).await.expect("the page follows");
        let id = arena.lines().into_keys().next().expect("a game");
        browser.ask(&format!("films.clear(); viewer.open('{id}', 1)")).await;
        let move_shown = Locator::Css("#moves li[aria-current]");
        browser.client.wait().for_element(move_shown).await.expect("a game is served");
        browser.end().await;
        Command::new("kill").args(["-INT", &server.id().to_string()]).status().expect("sent");
        assert_eq!(server.wait().expect("ended").code(), Some(0));
    });
}
