//! Games that a person plays in a browser.

use super::{
    Arena, Browser, BufRead, BufReader, CLIPPED, Child, FINDINGS, Lacks, Trial, Value, axe,
    in_a_runtime, json, slow,
};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        slow("a_person_plays_in_the_browser", a_person_plays_in_the_browser),
        slow("axe_finds_nothing_where_a_person_plays", axe_finds_nothing_where_a_person_plays),
    ]
}

/// A game that is being played on a page.
struct OpenGame {
    arena: Arena,
    process: Child,
    out: BufReader<std::process::ChildStdout>,
    url: String,
}

impl OpenGame {
    fn start(game: &str, more: &[&str]) -> Self {
        let arena = Arena::new();
        let play = ["play", "human", "bot:random", "--seed", "1", "--browser", "--game", game];
        let mut process = arena.start(&[&play[..], more].concat());
        let mut out = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut url = String::new();
        out.read_line(&mut url).expect("its address");
        Self { arena, process, out, url: url.trim().to_owned() }
    }
}

/// Clicks on the middle of a square of the board.
fn click(column: u8, row: u8) -> String {
    format!(
        "const svg = document.querySelector('#board svg'), box = svg.getScreenCTM();
         const {{ x, y }} = new DOMPoint({column}.5, {row}.5).matrixTransform(box);
         svg.dispatchEvent(new MouseEvent('click', {{ clientX: x, clientY: y }}))"
    )
}

/// Waits until something on the page has this text.
async fn until(browser: &Browser, id: &str, text: &str) {
    let path = format!("//*[@id='{id}'][contains(., \"{text}\")]");
    browser.find(&path).await;
}

/// Waits until the page asks the person.
async fn until_asked(browser: &Browser) {
    browser.find("//*[@id='question'][not(@hidden)][not(@inert)]").await;
}

fn a_person_plays_in_the_browser() -> Lacks {
    let mut game = OpenGame::start("watch-your-back", &["--save", "kept"]);
    let lacks = in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1280,1000"], &json!({})).await?;
        browser.window.goto(&game.url).await;
        until(&browser, "asked", "white to move").await;
        // A click on the board, an action in the list, and one that is typed.
        browser.ask(&click(2, 2)).await;
        until(&browser, "moves", "2black").await;
        until_asked(&browser).await;
        browser
            .ask("[...find('actions').children].find((it) => it.textContent === '4,2').click()")
            .await;
        until(&browser, "moves", "4black").await;
        until_asked(&browser).await;
        browser.ask("find('typed').value = '(5, 5)'; find('typing').requestSubmit()").await;
        until(&browser, "moves", "6black").await;
        until_asked(&browser).await;
        let moves = browser
            .ask("return game.story.filter(([ply]) => ply % 2).map(([, text]) => text)")
            .await;
        assert_eq!(moves, json!(["white 2,2", "white 4,2", "white 5,5"]));
        // What cannot be played is explained, an action is taken back, and a hint given.
        browser.ask("say('nonsense')").await;
        until(&browser, "told", "not understood").await;
        until_asked(&browser).await;
        browser.ask("document.querySelector('[data-say=undo]').click()").await;
        browser.find("//*[@id='moves'][count(li)=4]").await;
        until_asked(&browser).await;
        browser.ask("document.querySelector('[data-say=hint]').click()").await;
        until(&browser, "told", "+1: you win").await;
        until_asked(&browser).await;
        browser.look("play").await;
        // An answer to another question than the open one is refused, and so is a foreign page.
        let late =
            "return fetch('say/1', { method: 'POST', body: '3,3' }).then(({ status }) => status)";
        assert_eq!(browser.ask(late).await, json!(409));
        browser.ask("document.querySelector('[data-say=resign]').click()").await;
        until(&browser, "end", "the person resigned: random (black) wins").await;
        browser.window.goto("about:blank").await;
        browser.end().await;
        Ok(())
    });
    if lacks.is_some() {
        game.process.kill().expect("killed");
        return lacks;
    }
    // The command ends when the page is closed.
    assert_eq!(game.process.wait().expect("ended").code(), Some(0));
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut game.out, &mut rest).expect("text");
    assert_eq!(rest, "the person resigned: random (black) wins\n");
    assert!(game.arena.path().join("kept/games.jsonl").exists());
    None
}

fn axe_finds_nothing_where_a_person_plays() -> Lacks {
    let axe = match axe() {
        Ok(axe) => axe,
        Err(missing) => return Some(missing),
    };
    let dark = "--blink-settings=preferredColorScheme=0";
    let phone = json!({ "mobileEmulation": { "deviceMetrics":
        { "width": 390, "height": 1100, "pixelRatio": 1 } } });
    let looks: [(&str, &[&str], Value); 3] = [
        ("light", &["--window-size=1280,1000"], json!({})),
        ("dark", &["--window-size=1280,1000", dark], json!({})),
        ("phone", &[], phone),
    ];
    for name in ["watch-your-back", "backdraughts", "back-to-the-wall"] {
        let mut game = OpenGame::start(name, &[]);
        let lacks = in_a_runtime(async {
            for (look, args, options) in &looks {
                let browser = Browser::start(args, options).await?;
                browser.window.goto(&game.url).await;
                until(&browser, "asked", "").await;
                browser.look(&format!("play-{name}-{look}")).await;
                browser.ask(&axe).await;
                assert_eq!(browser.ask(FINDINGS).await, json!([]), "{name} {look}");
                assert_eq!(browser.ask(CLIPPED).await, json!([]), "{name} {look}");
                browser.end().await;
            }
            Ok(())
        });
        game.process.kill().expect("killed");
        game.process.wait().expect("ended");
        if lacks.is_some() {
            return lacks;
        }
    }
    None
}
