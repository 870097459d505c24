//! The page on which a person plays a game: the board, the legal actions, and what happened.

use maud::{DOCTYPE, PreEscaped, html};

use super::page_template::{STYLE, render_template_metadata, template_nonce};
use referee_protocol::escape::escape_line;

/// The scripts, each after those that it uses.
const SCRIPTS: [&str; 2] = [include_str!("board.js"), include_str!("game_page.js")];

/// The board, what the person is asked, everything that it can answer, and the moves.
const BODY: &str = include_str!("game_page.html");

/// The page of a game between two players, as HTML. Only scripts with the hash of `key` may run.
pub fn game_page(title: &str, key: &str) -> String {
    let nonce = template_nonce(key);
    let title = escape_line(title);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { (render_template_metadata(&nonce)) title { (title) } style { (PreEscaped(STYLE)) } }
            body.playing {
                header { h1 { (title) } p #end .lead role="status" {} }
                (PreEscaped(BODY))
                script nonce=(nonce) { @for script in SCRIPTS { (PreEscaped(script)) } }
            }
        }
    };
    page.into_string()
}
