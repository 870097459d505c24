//! Warnings about a game: incidents that did not affect its result.

use std::fmt;
use std::time::Duration;

use super::clock::format_clock_seconds;
use super::fault::FaultCode;
use referee_containment::{Overrun, UnremovedScratch};
use referee_games::{BySeat, Seat, Text};
use referee_protocol::ReplyWarning;

/// A warning about a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameWarning {
    /// The seat whose player it is about.
    pub seat: Seat,
    /// The warning.
    pub warning: PlayerWarning,
}

/// A warning about a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerWarning {
    /// Its action was rejected, and it was asked again.
    AskedAgain {
        /// The ply.
        ply: u32,
        /// Why the action was rejected.
        code: FaultCode,
        /// The same in words.
        message: String,
    },
    /// Its turn was late, which was forgiven.
    Overran {
        /// The ply.
        ply: u32,
        /// By how much, the margin included.
        by: Duration,
        /// How many turns were forgiven in this game by then, and how many may be.
        of: [u32; 2],
    },
    /// A part of its reply was dropped.
    Dropped {
        /// The ply.
        ply: u32,
        /// The part, and the reason.
        why: ReplyWarning,
    },
    /// One of its files was changed since the run began. The name is escaped.
    ChangedFile(String),
    /// It used CPU time on its opponent's turns.
    Pondered {
        /// The CPU time, rounded to 0.1 s.
        cpu: Duration,
        /// The ply since which it is frozen off turn.
        frozen_since: u32,
    },
    /// An engine wrote this line about its search after the move of that search. The line is escaped
    /// and shortened.
    WroteAfterMove {
        /// The ply of the search.
        ply: u32,
        /// The first such line of the game.
        line: String,
    },
    /// The main line of an engine's search cannot be played, or does not bear out its mate score.
    WrongLine {
        /// The ply of the search.
        ply: u32,
        /// The problem with the first such line of the game.
        why: String,
    },
    /// This option of an engine is a button, and is configured not to be pressed. The name is
    /// escaped.
    ButtonLeftAlone(String),
    /// An engine refused its clock, for this reason, which is escaped and shortened.
    NoClock(String),
    /// It wrote this line after the end of the game. The line is escaped and shortened.
    WroteAfterEnd(String),
    /// It reached a limit that did not fail it.
    RanInto(Overrun),
    /// It had to wait this long for a core on its turns, or the referee had to. That time was not
    /// charged.
    WaitedForCore(Duration),
    /// It was killed, because it had not exited this long after `quit`.
    DidNotLeave(Duration),
    /// Files in its scratch folder cannot be removed.
    Unremoved(UnremovedScratch),
    /// This many of its processes outlived it.
    LeftProcesses(usize),
    /// This many bytes of its stderr were not kept.
    LostStderr(u64),
}

/// The exactness of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarningWording {
    /// With the figures of this occasion.
    Exact,
    /// Without figures: the same for all warnings of a kind.
    General,
}

impl WarningWording {
    /// The first text, which has figures, or the second, which has none.
    fn choose(self, exact: String, general: &str) -> String {
        match self {
            Self::Exact => exact,
            Self::General => general.to_owned(),
        }
    }

    /// Details that only an exact text has.
    fn detail(self, text: impl fmt::Display) -> String {
        match self {
            Self::Exact => format!(": {text}"),
            Self::General => String::new(),
        }
    }
}

impl GameWarning {
    /// The warning as a sentence, with the names of the seats.
    pub fn text(&self, seats: &BySeat<Text>) -> String {
        let Self { seat, warning } = self;
        let colon = if matches!(warning, PlayerWarning::ChangedFile(_)) { ":" } else { "" };
        format!("{}{colon} {}", seats[*seat], warning.text(WarningWording::Exact))
    }
}

impl PlayerWarning {
    /// The warning as a sentence without a subject.
    pub fn text(&self, wording: WarningWording) -> String {
        match self {
            Self::AskedAgain { ply, code, message } => {
                let at = wording.choose(format!(" at ply {ply}"), "");
                format!("was asked again{at}: {code}{}", wording.detail(message))
            }
            Self::Overran { ply, by, of: [number, most] } => wording.choose(
                format!(
                    "overran its time at ply {ply} by {}, which was forgiven ({number} of {most})",
                    format_clock_seconds(*by)
                ),
                "overran its time, which was forgiven",
            ),
            Self::Dropped { ply, why } => {
                wording.choose(format!("at ply {ply}: {why}"), &why.to_string())
            }
            Self::ChangedFile(file) => {
                format!("`{file}` has changed since the run began: it may be a different program")
            }
            Self::Pondered { cpu, frozen_since } => wording.choose(
                format!(
                    "pondered {} on the opponent's turns; frozen since ply {frozen_since}",
                    format_clock_seconds(*cpu)
                ),
                "pondered on the opponent's turns, and was frozen during them from then on",
            ),
            Self::WroteAfterMove { ply, line } => {
                let at = wording.choose(format!(" at ply {ply}"), "s");
                format!("wrote after its move{at}{}", wording.detail(format_args!("\"{line}\"")))
            }
            Self::WrongLine { ply, why } => {
                let at = wording.choose(format!(" at ply {ply}"), "s");
                format!("reported a wrong main line{at}{}", wording.detail(why))
            }
            Self::ButtonLeftAlone(option) => format!(
                "set the button `{option}` to `false`, which does nothing; remove the \
                 option"
            ),
            Self::NoClock(why) => {
                let why = wording.detail(format_args!("\"{why}\""));
                format!("refused `time_settings`, so it is not told the time left{why}")
            }
            Self::WroteAfterEnd(line) => {
                let line = wording.detail(format_args!("\"{line}\""));
                format!("wrote after the end of the game{line}")
            }
            Self::RanInto(overrun) => {
                let what = match overrun {
                    Overrun::Memory { .. } => "memory",
                    Overrun::Processes { .. } => "process",
                    Overrun::Scratch { .. } | Overrun::Files { .. } | Overrun::FileSize { .. } => {
                        "disk"
                    }
                };
                let limit = format!("hit its {what} limit");
                wording.choose(format!("{limit} ({overrun})"), &limit)
            }
            Self::WaitedForCore(waited) => {
                let time = wording.choose(format_clock_seconds(*waited), "some time");
                format!("was not charged {time} during which no core was free for it")
            }
            Self::DidNotLeave(patience) => {
                format!(
                    "did not exit within {} of `quit`, and was killed",
                    format_clock_seconds(*patience)
                )
            }
            Self::Unremoved(UnremovedScratch { dir, reason }) => {
                format!("left files in {} that cannot be removed: {reason}", dir.display())
            }
            Self::LeftProcesses(count) => wording.choose(
                format!("left processes behind: {count} killed"),
                "left processes behind, which were killed",
            ),
            Self::LostStderr(bytes) => wording.choose(
                format!("wrote {bytes} bytes too many to stderr; the middle was left out"),
                "wrote too much to stderr; the middle was left out",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEATS: [Text; 2] = [Text::Borrowed("white"), Text::Borrowed("black")];

    fn text(warning: PlayerWarning) -> String {
        GameWarning { seat: Seat::SECOND, warning }.text(&SEATS.into())
    }

    /// Records contain these texts: programs that read logs know them.
    #[test]
    fn a_warning_names_the_seat_and_the_figures() {
        let (cpu, message) = (Duration::from_millis(1200), "P1: no is not allowed".to_owned());
        let asked = PlayerWarning::AskedAgain { ply: 3, code: FaultCode::Illegal, message };
        assert_eq!(text(asked), "black was asked again at ply 3: illegal: P1: no is not allowed");
        let by = Duration::from_millis(34);
        assert_eq!(
            text(PlayerWarning::Overran { ply: 12, by, of: [1, 3] }),
            "black overran its time at ply 12 by 0.034 s, which was forgiven (1 of 3)"
        );
        assert_eq!(
            text(PlayerWarning::Pondered { cpu, frozen_since: 7 }),
            "black pondered 1.2 s on the opponent's turns; frozen since ply 7"
        );
        assert_eq!(
            text(PlayerWarning::ChangedFile("bot.py".into())),
            "black: `bot.py` has changed since the run began: it may be a different program"
        );
        assert_eq!(
            text(PlayerWarning::WroteAfterMove { ply: 4, line: "bestmove e2e4".into() }),
            "black wrote after its move at ply 4: \"bestmove e2e4\""
        );
        let why = "its move 3, `e2e5`, is not legal".to_owned();
        assert_eq!(
            text(PlayerWarning::WrongLine { ply: 4, why }),
            "black reported a wrong main line at ply 4: its move 3, `e2e5`, is not legal"
        );
        assert_eq!(
            text(PlayerWarning::WroteAfterEnd("bye".into())),
            "black wrote after the end of the game: \"bye\""
        );
        assert_eq!(
            text(PlayerWarning::DidNotLeave(Duration::from_secs(2))),
            "black did not exit within 2 s of `quit`, and was killed"
        );
        assert_eq!(
            text(PlayerWarning::WaitedForCore(Duration::from_millis(250))),
            "black was not charged 0.25 s during which no core was free for it"
        );
        assert_eq!(text(PlayerWarning::LeftProcesses(2)), "black left processes behind: 2 killed");
        assert_eq!(
            text(PlayerWarning::LostStderr(10)),
            "black wrote 10 bytes too many to stderr; the middle was left out"
        );
    }

    #[test]
    fn warnings_of_a_kind_are_equal_without_figures() {
        let pondered = |millis, frozen_since| {
            let cpu = Duration::from_millis(millis);
            PlayerWarning::Pondered { cpu, frozen_since }.text(WarningWording::General)
        };
        assert_eq!(pondered(100, 3), pondered(2500, 8));
        let waited = PlayerWarning::WaitedForCore(Duration::from_millis(250));
        assert_eq!(
            waited.text(WarningWording::General),
            "was not charged some time during which no core was free for it"
        );
        let memory = |limit| {
            PlayerWarning::RanInto(Overrun::Memory { peak: limit, limit })
                .text(WarningWording::General)
        };
        assert_eq!((memory(1), memory(2)), (memory(2), "hit its memory limit".to_owned()));
        let wrote =
            |line: &str| PlayerWarning::WroteAfterEnd(line.into()).text(WarningWording::General);
        assert_eq!(wrote("one"), wrote("two"));
    }
}
