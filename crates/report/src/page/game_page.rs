//! The page on which a person plays a game: the board, the legal actions, and what happened.

use maud::{DOCTYPE, PreEscaped, html};

use super::template::{STYLE, metadata, nonce};
use referee_protocol::escape;

/// The scripts, each after those that it uses.
const SCRIPTS: [&str; 2] = [include_str!("board.js"), include_str!("game_page.js")];

/// The page of a game between two players, as HTML. Only scripts with the hash of `key` may run.
pub fn game_page(title: &str, key: &str) -> String {
    let nonce = nonce(key);
    let title = escape::terminal(title);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head { (metadata(&nonce)) title { (title) } style { (PreEscaped(STYLE)) } }
            body.playing {
                header { h1 { (title) } p #end .lead role="status" {} }
                main.stage {
                    div.side {
                        div #board {}
                        p #caption {}
                    }
                    div.side {
                        div #clocks {}
                        div #dice {}
                        p #told aria-live="polite" {}
                        pre #sees tabindex="0" hidden {}
                        (question())
                        h2 { "Moves" }
                        ol #moves aria-label="Moves" tabindex="0" {}
                    }
                }
                script nonce=(nonce) { @for script in SCRIPTS { (PreEscaped(script)) } }
            }
        }
    };
    page.into_string()
}

/// What the person is asked, and everything that it can answer.
fn question() -> maud::Markup {
    html! {
        section #question hidden aria-labelledby="asked" {
            h2 #asked {}
            p #how .hint {}
            div #actions .controls role="group" aria-label="Legal actions" {}
            div.controls role="group" aria-label="Other answers" {
                button type="button" data-say="hint" { "Hint" }
                button type="button" data-say="undo" { "Take back" }
                button type="button" data-say="resign" { "Resign" }
            }
            form #typing .controls {
                label { "Or type it " input #typed type="search" autocomplete="off" maxlength="200"; }
                button { "Play" }
            }
        }
    }
}
