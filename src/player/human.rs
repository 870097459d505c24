//! A person at this terminal.

use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

use super::{Answer, TurnView};
use crate::fault::{Fault, FaultCode};
use crate::printer::Printer;
use crate::protocol::Reply;
use crate::rules::{Game, Legal, Turn};

/// A person who types actions.
#[derive(Debug)]
pub struct Human {
    lines: Lines<BufReader<Stdin>>,
    printer: Printer,
}

impl Human {
    /// The person who reads what `printer` prints.
    pub fn new(printer: Printer) -> Self {
        Self { lines: BufReader::new(tokio::io::stdin()).lines(), printer }
    }

    /// Asks until a legal action is typed. `?` shows what is legal, `resign` gives up.
    pub(super) async fn ask<G: Game>(&mut self, view: &TurnView<'_, G>) -> Answer {
        let asked = Instant::now();
        let reply = loop {
            self.printer.prompt(&question(view));
            let Ok(Some(line)) = self.lines.next_line().await else {
                break Err(Fault::new(FaultCode::Exit, "the person left"));
            };
            match line.trim() {
                "" => {}
                "?" => self.printer.prompt(&listed(&view.position.legal(view.seat))),
                "resign" => break Err(Fault::new(FaultCode::Exit, "the person resigned")),
                text => match view.position.parse_action(view.seat, text) {
                    Ok(action) => {
                        break Ok(Reply { action: action.to_string(), ..Reply::default() });
                    }
                    Err(refusal) => self.printer.prompt(&format!("{refusal}\n")),
                },
            }
        };
        Answer {
            reply,
            used: Duration::min(asked.elapsed(), view.allowance.unwrap_or(Duration::MAX)),
        }
    }

    /// Shows why a reply was refused.
    pub(super) fn refuse(&self, fault: &Fault) {
        self.printer.prompt(&format!("{}\n", fault.message));
    }
}

/// Who is asked, and whether the other seat answers at the same time.
fn question<G: Game>(view: &TurnView<'_, G>) -> String {
    let (own, other) = (G::SEATS[view.seat], G::SEATS[!view.seat]);
    match view.position.turn() {
        Turn::Both => format!("{own}, unseen by {other} (? for the legal actions): "),
        _ => format!("{own} to move (? for the legal actions): "),
    }
}

fn listed(legal: &Legal) -> String {
    match legal {
        Legal::List(texts) => format!("{}\n", texts.join("  ")),
        Legal::Factored { directions, walls, squares } => {
            let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
            let directions = directions.join(" ");
            let squares = squares.join(" ");
            format!("a direction for each piece, of {directions}, then {walls} of:\n{squares}\n")
        }
    }
}
