//! The pages of a league in a browser: an author comes by a link and hands in.

use super::{
    Arena, Browser, BufRead, BufReader, CLIPPED, Child, Command, FINDINGS, Lacks, Trial, axe, fs,
    in_a_runtime, json, slow,
};
use crate::support::wait_until;

pub(crate) fn tests() -> Vec<Trial> {
    vec![slow("an_author_hands_in_and_sees_the_check", an_author_hands_in_and_sees_the_check)]
}

const LEAGUE: &str = "name = \"cup\"\ngame = \"watch-your-back\"\nformat = \"league\"\njobs = 1\n\
    [options]\nmax-moves = 20\n[[players]]\nname = \"ant\"\nbot = \"random\"\n\
    [[players]]\nname = \"bee\"\nbot = \"random\"\n[league]\nevery = \"1s\"\n";

/// A league that is played, with links for an author and the organiser.
fn league() -> (Arena, Child, [String; 2]) {
    let arena = Arena::new();
    arena.write("league.toml", LEAGUE);
    arena.write("names.csv", "Ann Lee\n");
    let player = include_str!("../../../players/random_player.py");
    for (folder, text) in
        [("good", player), ("broken", "print("), ("better", &format!("{player}#\n"))]
    {
        fs::create_dir(arena.path().join(folder)).expect("a folder");
        arena.write(&format!("{folder}/player.py"), text);
    }
    let run = arena.start(&["run", "league.toml", "-q"]);
    let invited = arena.command(&["league", "invite", "names.csv", "--organiser"]).output();
    let table = String::from_utf8(invited.expect("links").stdout).expect("UTF-8");
    let secret = |line: &str| line.rsplit('/').next().expect("a secret").to_owned();
    let secrets: Vec<String> = table.lines().map(secret).collect();
    wait_until(|| arena.results().join("games.jsonl").exists());
    (arena, run, secrets.try_into().expect("two links"))
}

fn an_author_hands_in_and_sees_the_check() -> Lacks {
    let axe = match axe() {
        Ok(axe) => axe,
        Err(missing) => return Some(missing),
    };
    let (arena, run, [author, organiser]) = league();
    let mut server = arena.start(&["league", "serve", "--listen", "127.0.0.1:0"]);
    let mut address = String::new();
    let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
    out.read_line(&mut address).expect("its address");
    let link = |secret: &str| format!("{}enter/{secret}", address.trim());
    let phone = json!({ "mobileEmulation": { "deviceMetrics":
        { "width": 390, "height": 900, "pixelRatio": 1 } } });
    let dark = "--blink-settings=preferredColorScheme=0";
    let lacks = in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1280,1000"], &json!({})).await?;
        let looks_well = async |browser: &Browser, name: &str| {
            browser.look(&format!("league-{name}")).await;
            browser.ask(&axe).await;
            assert_eq!(browser.ask(FINDINGS).await, json!([]), "{name}");
            assert_eq!(browser.ask(CLIPPED).await, json!([]), "{name}");
        };
        browser.window.goto(&link(&author)).await;
        let hand_in = async |folder: &str| {
            let file = arena.path().join(folder).join("player.py");
            browser.press_in("#files", &file.to_string_lossy()).await;
            browser.ask("document.querySelector('#files').form.requestSubmit()").await;
        };
        looks_well(&browser, "author").await;
        hand_in("broken").await;
        browser.find("//*[@id='report'][contains(., 'refused')]").await;
        browser.find("//*[@id='report'][contains(., 'SyntaxError')]").await;
        looks_well(&browser, "refused").await;
        hand_in("good").await;
        // The report grows without another request for the page.
        browser.find("//*[@id='report'][contains(., 'being checked')]").await;
        browser.find("//*[@id='report'][contains(., 'entered as Ann Lee v1')]").await;
        browser.find("#news:not([hidden])").await;
        browser.ask("document.querySelector('#news a').click()").await;
        browser.find("//th[@scope='row'][. = '1']").await;
        looks_well(&browser, "entered").await;
        let author_page = format!("{}author", address.trim());
        browser.ask("document.querySelector('#opponent').form.requestSubmit()").await;
        browser.find("//*[@id='challenges'][contains(., 'is queued or in progress')]").await;
        looks_well(&browser, "challenge").await;
        wait_until(|| arena.path().join("entrants/Ann Lee/challenges.json").exists());
        browser.window.goto(&author_page).await;
        browser.find("//a[@href='/author/challenges/1/']").await;
        looks_well(&browser, "challenged").await;
        browser.ask("document.querySelector('[href=\"/author/challenges/1/\"]').click()").await;
        browser.find("//h1[contains(., 'Ann Lee v1 – ant')]").await;
        browser.ask("document.querySelector('#games td a').click()").await;
        browser.find("#viewer[open]").await;
        looks_well(&browser, "challenge-game").await;
        assert_eq!(browser.ask("return find('link').hidden").await, json!(true));
        browser.ask("document.querySelector('#close').click()").await;
        browser.ask("document.querySelector('nav a[href^=\"/author\"]').click()").await;
        browser.find("#challenges").await;
        hand_in("better").await;
        browser.find("//*[@id='report'][contains(., 'entered as Ann Lee v2')]").await;
        browser.find("#news:not([hidden])").await;
        browser.ask("document.querySelector('#news a').click()").await;
        browser.find("//th[@scope='row'][. = '2']").await;
        browser.find("//h2[. = 'Did version 2 help?']").await;
        looks_well(&browser, "improved").await;
        browser.ask("document.querySelector('td a').click()").await;
        browser.find("//h1[contains(., 'Ann Lee v2')]").await;
        browser.ask("document.querySelector('nav a[href^=\"/author\"]').click()").await;
        browser.find("#versions").await;
        browser.end().await;
        let browser = Browser::start(&[dark], &phone).await?;
        browser.window.goto(&link(&author)).await;
        browser.find("#report").await;
        browser.find("//th[@scope='row'][. = '2']").await;
        looks_well(&browser, "author-phone").await;
        // Whoever is an author already is asked first.
        browser.window.goto(&link(&organiser)).await;
        browser.find("//button[. = 'Become the organiser']").await;
        looks_well(&browser, "change-of-guest-phone").await;
        browser.ask("document.querySelector('main form').requestSubmit()").await;
        browser.find("#message").await;
        looks_well(&browser, "organiser-phone").await;
        browser
            .ask("document.querySelector('[action=\"/organiser/pause\"]').requestSubmit()")
            .await;
        browser.find("[action=\"/organiser/resume\"]").await;
        browser.end().await;
        Ok(())
    });
    if lacks.is_none() {
        let control = fs::read_to_string(arena.results().join("control.json")).expect("a file");
        assert!(control.contains("\"paused\": true"), "{control}");
    }
    for mut process in [run, server] {
        Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("sent");
        process.wait().expect("ended");
    }
    lacks
}
