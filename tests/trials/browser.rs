//! Tests the page in a browser; skipped without one.

mod drawings;
mod driver;
mod foreign;
mod in_play;
mod league;
mod play;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::harness::{Lacks, slow};
use crate::support::{Arena, Config};
use driver::{Element, Session};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) fn tests() -> Vec<Trial> {
    let mut all = play::tests();
    all.extend(in_play::tests());
    all.extend(foreign::tests());
    all.extend(drawings::tests());
    all.extend(league::tests());
    all.extend([
        slow("a_replay_is_stepped_with_the_keyboard", a_replay_is_stepped_with_the_keyboard),
        slow("closing_a_replay_restores_the_reading_position", closing_a_replay_returns),
        slow(
            "with_two_hundred_players_no_label_overlaps",
            with_two_hundred_players_no_label_overlaps,
        ),
        slow(
            "pictures_in_light_and_dark_and_on_a_phone",
            pictures_in_light_and_dark_and_on_a_phone,
        ),
        slow("axe_finds_nothing", axe_finds_nothing),
        slow("players_are_found_sorted_and_opened", players_are_found_sorted_and_opened),
        slow("marks_have_the_colours_of_names", marks_have_the_colours_of_names),
        slow("a_game_is_played_and_shared", a_game_is_played_and_shared),
        slow("a_served_page_follows_the_log", a_served_page_follows_the_log),
    ]);
    all
}

/// Codes of keys.
const ESCAPE: &str = "\u{e00c}";
const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";

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

/// A browser under remote control.
struct Browser {
    window: Session,
    driver: Child,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser, or says why that is impossible.
    async fn start(more: &[&str], options: &Value) -> Result<Self, String> {
        let (driver, port) = driver()?;
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
        match Session::open(port, &chrome).await {
            Ok(window) => Ok(Self { window, driver, _profile: profile }),
            Err(error) => {
                end(driver);
                Err(format!("chromium cannot be started: {error}"))
            }
        }
    }

    async fn open(&self, page: &Path, fragment: &str) {
        let path = page.canonicalize().expect("the page");
        self.window.goto("about:blank").await;
        let address = format!("file://{}{fragment}", path.display());
        self.window.goto(&address).await;
        // On a busy machine the driver has gone on before the page's scripts had.
        let loaded = "return document.readyState === 'complete' ||
            new Promise((done) => addEventListener('load', () => done(true)))";
        assert_eq!(self.ask(loaded).await, json!(true));
    }

    async fn ask(&self, script: &str) -> Value {
        self.window.run(script).await
    }

    /// Waits for something on the page.
    async fn find(&self, selector: &str) -> Element {
        self.window.find(selector).await
    }

    /// Presses a key in the viewer.
    async fn press(&self, key: &str) {
        self.press_in("#viewer", key).await;
    }

    async fn press_in(&self, selector: &str, key: &str) {
        self.window.press(&self.find(selector).await, key).await;
    }

    /// Saves a screenshot for people.
    async fn look(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots");
        fs::create_dir_all(&folder).expect("a folder");
        let picture = self.window.screenshot().await;
        fs::write(folder.join(format!("{name}.png")), picture).expect("written");
    }

    async fn end(self) {
        self.window.close().await;
        end(self.driver);
    }
}

fn end(mut driver: Child) {
    driver.kill().expect("killed");
    driver.wait().expect("ended");
}

/// Starts a driver of browsers. Returns it with the port that it prints. It ends if the port that it
/// drew is taken for the other version of IP, which happens where several start at once.
fn driver() -> Result<(Child, u16), String> {
    for _ in 0..10 {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("chromedriver cannot be started: {error}"))?;
        let out = BufReader::new(driver.stdout.take().expect("a pipe"));
        let mut lines = out.lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let port = line.split_once("started successfully on port ")?.1;
            port.trim_end_matches('.').parse().ok()
        });
        match port {
            Some(port) => return Ok((driver, port)),
            None => end(driver),
        }
    }
    panic!("chromedriver says no port");
}

/// Runs a test that ends early without a browser.
fn in_a_runtime(test: impl Future<Output = Result<(), String>>) -> Lacks {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(test).err()
}

/// Everything loaded from elsewhere than the disk, and every label that overlaps another in its
/// chart.
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
    document.querySelectorAll('#board .piece').length]";

/// Closes the viewer and opens every section.
const OPEN_ALL: &str = "viewer.close(); window.scrollTo(0, 0);
    for (const part of document.querySelectorAll('details')) part.open = true;
    return drawCross()";
/// The texts that stick out of the page to the right, outside of what can be scrolled.
const CLIPPED: &str = "const isWide = document.documentElement.scrollWidth > window.innerWidth;
    const texts = [...document.querySelectorAll('h1, h2, h3, p, td, th, button, label, li, dd, summary, text')];
    return [...(isWide ? ['the page scrolls sideways'] : []), ...texts
        .filter((text) => !text.closest('.scroll, nav, .offstage') && text.checkVisibility())
        .filter((text) => text.getBoundingClientRect().right > window.innerWidth + 1)
        .map((text) => text.textContent)];";

fn a_replay_is_stepped_with_the_keyboard() -> Lacks {
    let arena = Arena::hostile();
    let lines = arena.lines();
    let clean = lines.iter().find(|(_, line)| line.contains("\"fault\":null")).expect("a game");
    let record: Value = serde_json::from_str(clean.1).expect("JSON");
    let (id, plies) = (clean.0.clone(), record["plies"].as_u64().expect("a number"));
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1100,1400"], &json!({})).await?;
        let page = arena.results().join("report.html");
        browser.open(&page, &format!("#game={id}&ply=2")).await;
        let shown = |ply: u64, pieces: u64| {
            json!([format!("{ply} / {plies}"), format!("#game={id}&ply={ply}"), pieces])
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
        // A game that is not in the page is loaded from the folder beside it.
        assert_eq!(browser.ask(UNPACKED).await, json!([]), "they differ from those in the page");
        let script =
            format!("replays.delete('{id}'); viewer.replay = null; return viewer.open('{id}', 1);");
        browser.ask(&script).await;
        browser.ask("document.querySelector('#games details').open = true").await;
        browser.find("#list tr").await;
        assert_eq!(browser.ask("return replays.has(viewer.replay.id)").await, json!(true));
        assert_eq!(browser.ask(FOREIGN).await, json!([]));
        browser.end().await;
        Ok(())
    })
}

/// The games of the page that differ from those in the script beside it.
const UNPACKED: &str = "const ids = [...replays.keys()];
    const whole = ({ frames }) => JSON.stringify(frames.map((frame) => [frame.ply, frame.board ?? null,
      frame.set ?? [], frame.named ?? [], frame.paths ?? [], frame.caption, frame.told, !!frame.bad, frame.clock ?? [],
      frame.said ?? []]));
    const before = ids.map((id) => whole(replays.get(id)));
    readReplays();
    replays.clear();
    return Promise.all(ids.map(loadGame)).then(() =>
      ids.filter((id, at) => whole(replays.get(id)) !== before[at]));";
/// Opens a game from the fourth link of the list of games, and returns the position of that link.
const OPEN: &str = "document.querySelector('#games details').open = true;
    window.link = document.querySelectorAll('#games a')[3];
    link.scrollIntoView({ block: 'center' }); link.focus({ preventScroll: true }); link.click();
    window.before = link.getBoundingClientRect().top";
/// Whether the viewer is hidden, whether the link is where it was to less than a pixel (browsers
/// round the position of a page that has been scrolled), whether it has the focus, and the fragment.
const PLACE: &str = "return [!document.getElementById('viewer').open,
    Math.abs(link.getBoundingClientRect().top - before) < 1, document.activeElement === link,
    location.hash]";

fn closing_a_replay_returns() -> Lacks {
    let arena = Arena::with(&Config::small().change(|config| config.max_moves = 60));
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1100,900"], &json!({})).await?;
        browser.open(&arena.results().join("report.html"), "").await;
        for closing in ["Escape", "the button", "back"] {
            browser.ask(OPEN).await;
            browser.find("#viewer[open] #board svg").await;
            match closing {
                "Escape" => browser.press(ESCAPE).await,
                "back" => browser.window.back().await,
                _ => drop(browser.ask("document.getElementById('close').click()").await),
            }
            browser.find("#viewer:not([open])").await;
            assert_eq!(browser.ask(PLACE).await, json!([true, true, true, ""]), "{closing}");
        }
        // A page that was sent alone has only its own games, and says so.
        let alone = arena.path().join("sent.html");
        fs::copy(arena.results().join("report.html"), &alone).expect("copied");
        browser.open(&alone, "#game=unknown-1").await;
        browser.find("//dialog[@open]//*[contains(., 'not in this file')]").await;
        let stage = "return document.querySelector('#viewer .left').checkVisibility()";
        assert_eq!(browser.ask(stage).await, json!(false));
        browser.ask("viewer.close(); openSection('games')").await;
        browser.find("//*[@id='found'][contains(., 'Only the games in this file')]").await;
        browser.end().await;
        Ok(())
    })
}

fn with_two_hundred_players_no_label_overlaps() -> Lacks {
    let arena = two_hundred();
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1100,9000"], &json!({})).await?;
        let page = arena.results().join("report.html");
        browser.open(&page, "").await;
        browser.look("200-players").await;
        browser.ask(OPEN_ALL).await;
        browser.ask("document.getElementById('numbers').click()").await;
        let found = browser.ask(OVERLAPS).await;
        assert!(found[0].as_u64() > Some(800), "the labels are there: {found}");
        assert_eq!(found[1], json!([]));
        assert_eq!(browser.ask(FOREIGN).await, json!([]));
        browser.end().await;
        Ok(())
    })
}

fn pictures_in_light_and_dark_and_on_a_phone() -> Lacks {
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
            let browser = Browser::start(args, &options).await?;
            let page = arena.results().join("report.html");
            browser.open(&page, &format!("#game={id}&ply=9")).await;
            browser.look(&format!("{name}-game")).await;
            assert_eq!(browser.ask(CLIPPED).await, json!([]), "{name}: the viewer");
            browser.ask(OPEN_ALL).await;
            browser.look(name).await;
            assert_eq!(browser.ask(CLIPPED).await, json!([]), "{name}");
            assert_eq!(browser.ask(OVERLAPS).await[1], json!([]), "{name}");
            browser.end().await;
        }
        Ok(())
    })
}

fn a_served_page_follows_the_log() -> Lacks {
    let arena = Arena::with(&Config::small().change(|config| config.max_moves = 60));
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let log = arena.log();
    let without_last = log.trim_end().rfind('\n').expect("many lines") + 1;
    let without_games = log.find('\n').expect("a header") + 1;
    arena.put("games.jsonl", &log[..without_games]);
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1100,1400"], &json!({})).await?;
        let mut server = arena.start(&["serve", "results/cup", "--listen", "127.0.0.1:0"]);
        let mut address = String::new();
        let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
        out.read_line(&mut address).expect("its address");
        browser.window.goto(address.trim()).await;
        browser.find(".waiting").await;
        let shown = "return ['nav', '#ranking'].map((part) => document.querySelector(part).checkVisibility())";
        assert_eq!(browser.ask(shown).await, json!([false, false]), "nothing to show yet");
        arena.put("games.jsonl", &log[..without_last]);
        browser.find("//p[@class='lead'][contains(., '11 of 12 games played')]").await;
        assert_eq!(browser.ask(shown).await, json!([true, true]));
        arena.put("games.jsonl", &log);
        browser.find("//p[@class='lead'][contains(., '12 of 12 games played')]").await;
        // The projector view walks by itself, and Escape leaves it.
        browser.ask("WALK.table = 100; location.hash = '#projector'").await;
        browser.find("#projector .board svg").await;
        browser.look("projector").await;
        browser.press_in("body", ESCAPE).await;
        let hidden = browser.ask("return document.getElementById('projector').hidden").await;
        assert_eq!(hidden, json!(true));
        browser.ask("WALK.table = 60000; location.hash = '#projector'").await;
        browser.find("#projector table .interval").await;
        browser.look("projector-table").await;
        let columns = "return document.querySelector('#projector tr').cells.length";
        assert_eq!(browser.ask(columns).await, json!(4));
        browser.press_in("body", ESCAPE).await;
        let id = arena.lines().into_keys().next().expect("a game");
        browser.ask(&format!("replays.clear(); viewer.open('{id}', 1)")).await;
        browser.find("#moves [aria-current]").await;
        let foreign = arena.path().join("foreign.html");
        let script = |path: &str| {
            format!(
                "<script src='{}{path}' onload=\"told.push('read')\" \
                 onerror=\"told.push('refused')\"></script>",
                address.trim()
            )
        };
        let page = format!(
            "<script>told = []; refereeIndex = refereeGame = () => told.push('taken')</script>{}{}",
            script("games/index.js"),
            script(&format!("games/{id}.js"))
        );
        fs::write(&foreign, page).expect("written");
        browser.open(&foreign, "").await;
        assert_eq!(browser.ask("return told").await, json!(["refused", "refused"]));
        browser.end().await;
        Command::new("kill").args(["-INT", &server.id().to_string()]).status().expect("sent");
        assert_eq!(server.wait().expect("ended").code(), Some(0));
        Ok(())
    })
}

/// The checks of accessibility, as a script.
///
/// # Errors
/// npm cannot install them.
fn axe() -> Result<String, String> {
    // Tests that run at the same time wait for one installation: a script that is still being
    // written is there already.
    static AXE: OnceLock<Result<String, String>> = OnceLock::new();
    AXE.get_or_init(installed_axe).clone()
}

fn installed_axe() -> Result<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/axe");
    let script = folder.join("node_modules/axe-core/axe.min.js");
    let said = |error: std::io::Error| error.to_string();
    if !script.exists() {
        // Elsewhere at first: half a script may stay where an installation was stopped.
        let made = TempDir::new_in(folder.with_file_name("")).map_err(said)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--prefix"]).arg(made.path()).arg("axe-core@4");
        let is_done = npm.status().is_ok_and(|status| status.success());
        is_done.then_some(()).ok_or("npm cannot install axe-core")?;
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(said)?;
        }
        fs::rename(made.keep(), &folder).map_err(said)?;
    }
    fs::read_to_string(script).map_err(said)
}

/// What axe finds on the page as it is: the rule, the element, and what to do.
const FINDINGS: &str = "return axe.run().then(({ violations }) => violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.target} ${node.failureSummary}`)))";

/// Players with every mark, faults, notices and a player that is out.
fn colourful() -> Arena {
    let config = Config::small()
        .player("house", "bot = \"greedy\"\nrating = 1500")
        .player("dud", "command = [\"sh\", \"-c\", \"exit 3\"]")
        .change(|config| {
            config.max_moves = 60;
            config.more = "quarantine = 2".into();
        });
    Arena::played(&config)
}

fn axe_finds_nothing() -> Lacks {
    let axe = match axe() {
        Ok(axe) => axe,
        Err(missing) => return Some(missing),
    };
    let arena = colourful();
    let id = arena.lines().into_keys().next().expect("a game");
    let dark = "--blink-settings=preferredColorScheme=0";
    let phone = || json!({ "mobileEmulation": { "deviceMetrics": { "width": 390, "height": 900, "pixelRatio": 1 } } });
    let looks: [(&str, &[&str], Value); 4] = [
        ("light", &["--window-size=1280,1000"], json!({})),
        ("dark", &["--window-size=1280,1000", dark], json!({})),
        ("light phone", &[], phone()),
        ("dark phone", &[dark], phone()),
    ];
    in_a_runtime(async {
        for (name, args, options) in looks {
            let browser = Browser::start(args, &options).await?;
            let page = arena.results().join("report.html");
            for (fragment, open) in [
                (String::new(), OPEN_ALL),
                (format!("#game={id}&ply=9"), "return viewer.replay && null"),
                ("#player=dud".to_owned(), ""),
                ("#player=house".to_owned(), ""),
            ] {
                browser.open(&page, &fragment).await;
                browser.ask(open).await;
                browser.ask(&axe).await;
                assert_eq!(browser.ask(FINDINGS).await, json!([]), "{name} {fragment}");
                assert_eq!(browser.ask(CLIPPED).await, json!([]), "{name} {fragment}");
            }
            browser.end().await;
        }
        Ok(())
    })
}

/// The names in the ranking that are shown, in their order.
const RANKED: &str = "return [...document.querySelectorAll('.ranking bdi')]
    .filter((name) => name.checkVisibility()).map((name) => name.textContent)";

/// Whether the players above the line are sorted by name.
const IS_SORTED: &str = "const names = [...document.querySelectorAll('.ranking tbody:first-of-type bdi')]
        .map((name) => name.textContent);
    return names.length > 60 && names.every((name, at) => !at || names[at - 1].localeCompare(name) <= 0)";

fn players_are_found_sorted_and_opened() -> Lacks {
    let arena = two_hundred();
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1280,900"], &json!({})).await?;
        browser.open(&arena.results().join("report.html"), "").await;
        let count = |names: &Value| names.as_array().expect("a list").len();
        assert!(count(&browser.ask(RANKED).await) <= 60, "only the first are shown");
        // The projector view shows those as well, ten at a time.
        browser.ask("projector.turn = 3; WALK.table = 60000; location.hash = '#projector'").await;
        browser.find("#projector tr:nth-child(10) bdi").await;
        browser.press_in("body", ESCAPE).await;
        let search =
            "const { who } = window; who.value = 'team 19'; who.dispatchEvent(new Event('input'));";
        browser.ask(search).await;
        assert_eq!(count(&browser.ask(RANKED).await), 11, "team 19 and 190 to 199");
        browser.ask(&search.replace("'team 19'", "''")).await;
        browser.ask("document.getElementById('all-players').click()").await;
        assert_eq!(count(&browser.ask(RANKED).await), 200);
        let sort = "[...document.querySelectorAll('.sort')].find((it) => it.textContent === 'player').click()";
        browser.ask(sort).await;
        assert_eq!(browser.ask(IS_SORTED).await, json!(true));
        // The page of a player has its games, and goes back.
        browser
            .ask("window.scrollTo(0, 400); document.querySelectorAll('.ranking a')[3].click()")
            .await;
        browser.find("#player [aria-label=Games] tbody tr").await;
        let shown =
            "return [document.querySelectorAll('#player [aria-label=Games] tbody tr').length,
            document.getElementById('ranking').checkVisibility()]";
        assert_eq!(browser.ask(shown).await, json!([4, false]));
        browser.look("player").await;
        browser.press_in("body", ESCAPE).await;
        let back = "return [document.getElementById('player').hidden, Math.round(window.scrollY)]";
        assert_eq!(browser.ask(back).await, json!([true, 400]));
        browser.end().await;
        Ok(())
    })
}

/// What stands beside both marks, and whether the first mark is darker than the second.
const MARKS: &str = "const light = (mark) => {
      const colour = getComputedStyle(mark).backgroundColor;
      return colour.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    };
    const [first, second] = document.querySelectorAll('#clocks .disc');
    return [[...document.querySelectorAll('#clocks .who')].map((who) => who.textContent),
      light(first) < light(second)]";

fn marks_have_the_colours_of_names() -> Lacks {
    let arena = Arena::new();
    assert_eq!(arena.run(&["new", "game", "--language", "python", "nim"]).code, 0);
    // The first seat is black, and no square has the first letter of a seat.
    let edit = r#"s/"first"/"black"/; s/"second"/"white"/; s/heap + " "/"="/"#;
    arena.sh(&format!("sed -i '{edit}' nim/game.py"));
    let games = [
        ("nim/game.toml", "black", json!([["ant black", "bee white"], true])),
        (
            "watch-your-back",
            "white",
            json!([["ant white · 0 pieces", "bee black · 0 pieces"], false]),
        ),
    ];
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1280,1000"], &json!({})).await?;
        for (game, first, marks) in games {
            let cup = format!(
                "name = \"cup\"\ngame = \"{game}\"\n[[players]]\nname = \"ant\"\nbot = \"random\"\n\
                 [[players]]\nname = \"bee\"\nbot = \"random\"\n"
            );
            arena.write("tournament.toml", &cup);
            assert_eq!(arena.run(&["run", "-q"]).code, 0);
            let began = format!("\"players\":{{\"{first}\":\"ant\"");
            let lines = arena.lines();
            let (id, _) = lines.iter().find(|(_, line)| line.contains(&began)).expect("a game");
            browser.open(&arena.results().join("report.html"), &format!("#game={id}&ply=0")).await;
            browser.find("#clocks .disc").await;
            assert_eq!(browser.ask(MARKS).await, marks, "{game}");
            fs::remove_dir_all(arena.results()).expect("removed");
        }
        browser.end().await;
        Ok(())
    })
}

/// How many frames the animation has, whether it is small enough, and by how much the pixels of its
/// last frame differ from the last board, in the mean.
const FILM: &str = "return (async () => {
    const film = await filmOf(viewer.replay, () => {});
    const decoder = new ImageDecoder({ data: await film.arrayBuffer(), type: 'image/gif' });
    await decoder.tracks.ready;
    await decoder.completed;
    const { frameCount } = decoder.tracks.selectedTrack;
    const { image } = await decoder.decode({ frameIndex: frameCount - 1 });
    const [width, height] = [image.displayWidth, image.displayHeight];
    const context = make('canvas', { width, height }).getContext('2d');
    context.drawImage(image, 0, 0);
    const shown = context.getImageData(0, 0, width, height).data;
    const { replay, boards } = viewer, words = `${replay.players.join(' – ')}: ${replay.end}`;
    const drawn = await pixelsOf(pictureOf(replay, boards, boards.length - 1, words), width, height);
    const error = shown.reduce((sum, part, at) => sum + Math.abs(part - drawn[at]), 0) / shown.length;
    return [frameCount, film.size <= 500000, error < 4]; })()";

fn a_game_is_played_and_shared() -> Lacks {
    let arena = Arena::new();
    arena.write(
        "tournament.toml",
        "name = \"cup\"\ngame = \"back-to-the-wall\"\npairs = 1\nseed = 3\n[[players]]\nname = \"ant\"\n\
         bot = \"greedy\"\n[[players]]\nname = \"bee\"\nbot = \"random\"\n",
    );
    assert_eq!(arena.run(&["run", "-q"]).code, 0);
    let id = arena.lines().into_keys().next().expect("a game");
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1280,1000"], &json!({})).await?;
        browser.open(&arena.results().join("report.html"), &format!("#game={id}&ply=2")).await;
        browser.find("#board .path").await;
        assert_eq!(browser.ask(UNPACKED).await, json!([]), "paths are packed");
        browser.ask("document.getElementById('speed').value = '140'").await;
        browser.press(" ").await;
        browser.find("#moves li:last-child [aria-current]").await;
        assert_eq!(browser.ask("return viewer.timer").await, Value::Null);
        let frames = browser.ask("return viewer.replay.frames.length").await;
        assert_eq!(browser.ask(FILM).await, json!([frames, true, true]));
        let svg = "const { source } = pictureOf(viewer.replay, viewer.boards, viewer.at);
            const svg = new DOMParser().parseFromString(source, 'image/svg+xml');
            return [svg.querySelector('parsererror'), svg.querySelectorAll('[class]').length]";
        assert_eq!(browser.ask(svg).await, json!([null, 0]), "it needs no style sheet");
        browser.look("played").await;
        let is_last = browser.ask("return find('next').disabled").await;
        browser.press(if is_last == json!(true) { "p" } else { "n" }).await;
        browser.find("//dialog//*[contains(., '0 / ')]").await;
        let is_other = format!("return viewer.replay.id !== '{id}'");
        assert_eq!(browser.ask(&is_other).await, json!(true));
        // One game in one file, which opens by itself.
        let saved = "return new Promise((done) => {
            save = (blob, name) => blob.text().then((text) => done([name, text]));
            find('file').click(); })";
        let saved = browser.ask(saved).await;
        let (name, text) = (saved[0].as_str().expect("a name"), saved[1].as_str().expect("a page"));
        let stem = name.strip_suffix(".html").expect("the name of a page");
        assert!(stem.contains("ant") && stem.contains("bee"), "{name}");
        arena.write("alone.html", text);
        browser.open(&arena.path().join("alone.html"), "").await;
        browser.find("#board .path, #board svg").await;
        let one = "return [viewer.replay.frames.length > 1, data.only === viewer.replay.id,
            JSON.parse(find('replays').textContent).length, document.querySelectorAll('main > *').length,
            document.title, find('close').checkVisibility()]";
        let title = browser.ask("return viewer.replay.players.join(' – ')").await;
        assert_eq!(browser.ask(one).await, json!([true, true, 1, 0, title, false]));
        browser.look("alone").await;
        browser.end().await;
        Ok(())
    })
}
