//! Games that are not built in, as the terminal and the browser show them.

use super::{Arena, Browser, Lacks, Trial, Value, fs, in_a_runtime, json, slow};
use crate::real_games::without_package;

pub(crate) fn tests() -> Vec<Trial> {
    vec![slow("foreign_games_look_alike_on_the_terminal_and_the_page", games_look_alike)]
}

/// Games of `OpenSpiel`: eleven with a board, and three as plain text.
const OPENSPIEL: [&str; 14] = [
    "amazons",
    "backgammon",
    "breakthrough",
    "clobber",
    "connect_four",
    "go(board_size=9)",
    "gomoku(size=9)",
    "hex(board_size=7)",
    "kuhn_poker",
    "leduc_poker",
    "lines_of_action",
    "mnk(m=4,n=4,k=3)",
    "othello",
    "tic_tac_toe",
];

/// The board as it is drawn, row by row: a character for each square; or lines of text.
const DRAWN: &str = "
    const svg = document.querySelector('#board svg'), board = viewer.boards[viewer.at];
    if (!board.width) return [...svg.querySelectorAll('text.line')].map((line) => line.textContent);
    const on = (at) => {
        const piece = svg.querySelector(`[data-piece$='@${at}']`)?.dataset.piece;
        if (piece) return piece.split('@')[0];
        return svg.querySelector(`[data-at='${at}']`).classList.contains('removed') ? '#' : '.';
    };
    const rows = [];
    for (let at = 0; at < board.squares.length; at += board.width)
        rows.push([...Array(board.width).keys()].map((column) => on(at + column)).join(' '));
    return rows";

fn games_look_alike() -> Lacks {
    let lacks = without_package("pyspiel");
    if lacks.is_some() {
        return lacks;
    }
    let arena = Arena::with_packages();
    arena.write("openspiel.py", include_str!("../../../games/openspiel/openspiel.py"));
    arena.write("konane.py", include_str!("../../rules/konane.py"));
    arena
        .write("rules_program.py", include_str!("../../../templates/game/python/rules_program.py"));
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1280,800"], &json!({})).await?;
        for name in OPENSPIEL {
            look(&arena, &browser, name, &format!("[\"python3\", \"openspiel.py\", \"{name}\"]"))
                .await;
        }
        look(&arena, &browser, "konane", "[\"python3\", \"konane.py\"]").await;
        browser.end().await;
        Ok(())
    })
}

/// Compares the two pictures of a game, and that of the terminal with the one that was looked at.
async fn look(arena: &Arena, browser: &Browser, name: &str, command: &str) {
    let game = name.split('(').next().expect("a name");
    arena.write("game.toml", &format!("command = {command}\n"));
    let options = ["--games", "1", "--search-games", "0", "--page", "game.html"];
    let trial = arena.run(&[&["test-game", "game.toml"], &options[..]].concat());
    assert!(trial.out.contains("\nnothing found\n"), "{name}: {trial:?}");
    let (_, shown) = trial.out.split_once("\na random game after ").expect("a position");
    insta::assert_snapshot!(format!("foreign_{game}"), shown);
    let ply = shown.split(' ').next().expect("a number");
    let page = arena.path().join("game.html");
    let text = fs::read_to_string(&page).expect("a page");
    let id = text.split("{\"only\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let fragment = format!("#game={}&ply={ply}", id.expect("its id"));
    browser.open(&page, &fragment).await;
    browser.find("#board svg").await;
    browser.look(&format!("foreign-{game}")).await;
    let drawn: Vec<String> =
        serde_json::from_value::<Vec<String>>(browser.ask(DRAWN).await).expect("rows");
    let is_board =
        browser.ask("return viewer.boards[viewer.at].width > 0").await == Value::Bool(true);
    let lines = shown.lines().skip(2);
    for (line, row) in lines.skip_while(|line| is_board && is_label(line)).zip(&drawn) {
        let line = line.trim_start();
        let matches =
            if is_board { line.ends_with(row.as_str()) } else { line.trim_end() == row.trim() };
        assert!(matches, "{name}: the terminal shows `{line}`, the page `{row}`");
    }
}

/// Whether a line names the columns of a board.
fn is_label(line: &str) -> bool {
    line.trim_start().starts_with("a b")
}
