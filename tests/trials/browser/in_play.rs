//! Games that are watched in a browser while they are played.

use super::{
    Arena, Browser, BufRead, BufReader, CLIPPED, Child, Command, Config, FINDINGS, Lacks, Trial,
    Value, axe, in_a_runtime, json, slow,
};

pub(crate) fn tests() -> Vec<Trial> {
    vec![slow("games_in_play_are_shown_on_boards", games_in_play_are_shown_on_boards)]
}

const SHOWN: &str = "#in-play:not([hidden]) #boards svg";
const GONE: &str = "#in-play[hidden]";

/// Starts the tournament, and waits until its log is there.
fn begin(arena: &Arena) -> Child {
    let run = arena.start(&["run", "-q"]);
    while !arena.results().join("live.sock").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    run
}

fn games_in_play_are_shown_on_boards() -> Lacks {
    let axe = match axe() {
        Ok(axe) => axe,
        Err(missing) => return Some(missing),
    };
    let config = Config::empty().bot("ant", "search").bot("bee", "search-10000");
    // More games than are played while it is looked at.
    let arena = Arena::with(&config.change(|config| (config.jobs, config.pairs) = (2, 500)));
    let phone = json!({ "mobileEmulation": { "deviceMetrics":
        { "width": 390, "height": 900, "pixelRatio": 1 } } });
    let dark = "--blink-settings=preferredColorScheme=0";
    let looks: [(&str, &[&str], Value); 2] =
        [("wide", &["--window-size=1280,1000"], json!({})), ("phone", &[dark], phone)];
    let mut run = begin(&arena);
    let mut server = arena.start(&["serve", "results/cup", "--listen", "127.0.0.1:0"]);
    let mut address = String::new();
    let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
    out.read_line(&mut address).expect("its address");
    let lacks = in_a_runtime(async {
        for (name, args, options) in looks {
            let browser = Browser::start(args, &options).await?;
            browser.window.goto(address.trim()).await;
            browser.find(SHOWN).await;
            browser.look(&format!("in-play-{name}")).await;
            browser.ask(&axe).await;
            assert_eq!(browser.ask(FINDINGS).await, json!([]), "{name}");
            assert_eq!(browser.ask(CLIPPED).await, json!([]), "{name}");
            // The boards go on, end with the run, and come back with the next one. Between two games,
            // none is shown.
            let on = "const before = new Map([...inPlay.shown].map(([id, { ply }]) => [id, ply]));
                return new Promise((done) => { const receive = inPlay.receive; inPlay.receive = (games) => {
                receive.call(inPlay, games);
                if (games.some(({ id, frame }) => frame.ply > (before.get(id) ?? 0))) done(true); } })";
            assert_eq!(browser.ask(on).await, json!(true));
            browser.ask("location.hash = '#projector'").await;
            assert_eq!(browser.ask(FINDINGS).await, json!([]), "{name}: the projector view");
            browser.ask("location.hash = ''").await;
            run.kill().expect("killed");
            run.wait().expect("ended");
            browser.find(GONE).await;
            run = begin(&arena);
            browser.find(SHOWN).await;
            browser.end().await;
        }
        Ok(())
    });
    for mut process in [run, server] {
        Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("sent");
        process.wait().expect("ended");
    }
    assert!(!arena.results().join("live.sock").exists(), "a run removes its socket");
    lacks
}
