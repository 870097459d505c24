//! The options of an engine, as it announces them.

use std::fmt;

/// An option of an engine.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EngineOption {
    name: String,
    kind: EngineOptionKind,
}

/// The types of options that UCI knows.
const TYPES: [&str; 5] = ["check", "spin", "combo", "button", "string"];

/// Splits what follows `name` at the type: the name, the type, and what follows it. The name may
/// contain the word `type`, so the first one that a known type follows counts.
fn split_option_at_type(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices(" type").find_map(|(at, separator)| {
        let rest = text[at + separator.len()..].strip_prefix(' ')?.trim_start();
        let (kind, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        TYPES.contains(&kind).then_some((&text[..at], kind, rest))
    })
}

/// The values that an option takes.
#[derive(Debug, Clone, PartialEq)]
enum EngineOptionKind {
    /// `true` or `false`.
    Check,
    /// A number in this range.
    Spin(OptionRange),
    /// One of these.
    Combo(Vec<String>),
    /// None.
    Button,
    /// Any text.
    Text,
}

/// The numbers that an option takes. UCI means whole ones, but some engines announce fractions.
#[derive(Debug, Clone, Copy, PartialEq)]
struct OptionRange {
    least: f64,
    most: f64,
    is_whole: bool,
}

impl OptionRange {
    /// Any whole number.
    const ANY: Self = Self { least: f64::NEG_INFINITY, most: f64::INFINITY, is_whole: true };

    fn has(&self, text: &str) -> bool {
        let is_whole = || text.parse::<i64>().is_ok();
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.is_some_and(|number| (self.least..=self.most).contains(&number))
            && (!self.is_whole || is_whole())
    }
}

impl fmt::Display for OptionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_whole { "a whole number" } else { "a number" })?;
        if self.least.is_finite() {
            write!(f, " from {}", self.least)?;
        }
        if self.most.is_finite() {
            write!(f, " to {}", self.most)?;
        }
        Ok(())
    }
}

impl EngineOption {
    /// Reads an `option` line; `None` if it has no name or no type.
    pub(super) fn read(line: &str) -> Option<Self> {
        let named = line.strip_prefix("option")?.trim_start().strip_prefix("name ")?;
        let (name, kind, rest) = split_option_at_type(named)?;
        let name = name.trim().to_owned();
        let words = rest.split_whitespace();
        // Each word belongs to the key before it.
        let (mut range, mut choices) = (OptionRange::ANY, Vec::<String>::new());
        let mut key = "";
        for word in words {
            match (key, word) {
                (_, "default" | "min" | "max" | "var") => {
                    key = word;
                    if word == "var" {
                        choices.push(String::new());
                    }
                }
                ("min" | "max" | "default", number) if kind == "spin" => {
                    let Ok(limit) = number.parse() else { continue };
                    range.is_whole &= number.parse::<i64>().is_ok();
                    match key {
                        "min" => range.least = limit,
                        "max" => range.most = limit,
                        _ => {}
                    }
                }
                ("var", word) => {
                    if let Some(choice) = choices.last_mut() {
                        if !choice.is_empty() {
                            choice.push(' ');
                        }
                        choice.push_str(word);
                    }
                }
                _ => {}
            }
        }
        let kind = match kind {
            "check" => EngineOptionKind::Check,
            "spin" => EngineOptionKind::Spin(range),
            "combo" => EngineOptionKind::Combo(choices),
            "button" => EngineOptionKind::Button,
            _ => EngineOptionKind::Text,
        };
        Some(Self { name, kind })
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The command that gives it this value; `None` for a button that is not to be pressed.
    ///
    /// # Errors
    /// Says which values it takes instead.
    fn setoption_command(&self, value: &str) -> Result<Option<String>, String> {
        let name = &self.name;
        let given = format!("the option `{name} = {}`", value.escape_debug());
        let fits = match &self.kind {
            EngineOptionKind::Button if value == "true" => {
                return Ok(Some(format!("setoption name {name}")));
            }
            EngineOptionKind::Button if value == "false" => return Ok(None),
            EngineOptionKind::Button => Err("true, to press it, or false".to_owned()),
            EngineOptionKind::Text => Ok(()),
            EngineOptionKind::Check if matches!(value, "true" | "false") => Ok(()),
            EngineOptionKind::Check => Err("true or false".to_owned()),
            EngineOptionKind::Spin(range) if range.has(value) => Ok(()),
            EngineOptionKind::Spin(range) => Err(range.to_string()),
            EngineOptionKind::Combo(choices) => {
                let is_known = choices.iter().any(|known| known.eq_ignore_ascii_case(value));
                is_known.then_some(()).ok_or_else(|| format!("one of {}", choices.join(", ")))
            }
        };
        match fits {
            Ok(()) => Ok(Some(format!("setoption name {name} value {value}"))),
            Err(expected) => Err(format!("{given} is refused: the engine accepts {expected}")),
        }
    }
}

/// The command that sets the option `name` of an engine with these options, if it takes one.
///
/// # Errors
/// Says what is wrong: there is no such option, or it does not take this value.
pub(super) fn find_setoption_command(
    known: &[EngineOption],
    name: &str,
    value: &str,
) -> Result<Option<String>, String> {
    // A second line would be a command of its own.
    if value.contains(char::is_control) {
        return Err(format!(
            "the value of the option `{}` is more than one line",
            name.escape_debug()
        ));
    }
    if let Some(option) = known.iter().find(|option| option.is_called(name)) {
        return option.setoption_command(value);
    }
    let distance = |option: &&EngineOption| {
        strsim::damerau_levenshtein(&option.name.to_lowercase(), &name.to_lowercase())
    };
    let name = name.escape_debug();
    Err(match known.iter().min_by_key(distance) {
        Some(nearest) => {
            format!("the engine has no option `{name}`; the nearest one is `{}`", nearest.name)
        }
        None => format!("the engine has no option `{name}`; it has no options at all"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Vec<EngineOption> {
        [
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Clear Hash type button",
            "option name Style type combo default Normal var Very Solid var Normal",
            "option name Ponder type check default false",
            "option name Book File type string default <empty>",
            "option name Style type type combo default A var A var C",
            "option name Contempt type spin default 0.5 min -1 max 1",
            "option name Seed type spin default 0",
        ]
        .map(|line| EngineOption::read(line).expect(line))
        .to_vec()
    }

    #[test]
    fn options_are_set_by_their_own_names() {
        let set = |name, value| find_setoption_command(&options(), name, value).expect(name);
        for (name, value, rest) in [
            ("hash", "64", "Hash value 64"),
            ("Clear Hash", "true", "Clear Hash"),
            ("Style", "very solid", "Style value very solid"),
            ("Book File", "a b.bin", "Book File value a b.bin"),
            ("Style type", "C", "Style type value C"),
            ("Contempt", "-0.25", "Contempt value -0.25"),
            ("Seed", "-7", "Seed value -7"),
        ] {
            assert_eq!(set(name, value), Some(format!("setoption name {rest}")));
        }
        assert_eq!(set("Clear Hash", "false"), None, "the button is not pressed");
    }

    #[test]
    fn other_options_and_values_are_refused() {
        let refused =
            |name, value| find_setoption_command(&options(), name, value).expect_err("refused");
        assert_eq!(
            [refused("Hsah", "1"), refused("Hash", "0"), refused("Style", "x")],
            [
                "the engine has no option `Hsah`; the nearest one is `Hash`",
                "the option `Hash = 0` is refused: the engine accepts a whole number from 1 to \
                 1024",
                "the option `Style = x` is refused: the engine accepts one of Very Solid, Normal",
            ]
        );
        for (name, value, expected) in [
            ("Ponder", "1", "true or false"),
            ("Hash", "1.5", "a whole number from 1 to 1024"),
            ("Contempt", "2", "a number from -1 to 1"),
            ("Seed", "0.5", "a whole number"),
            ("Clear Hash", "yes", "true, to press it, or false"),
        ] {
            let text =
                format!("the option `{name} = {value}` is refused: the engine accepts {expected}");
            assert_eq!(refused(name, value), text);
        }
        let lines = "the value of the option `Book File` is more than one line";
        assert_eq!(refused("Book File", "a\nquit"), lines);
        let none = "the engine has no option `Hash`; it has no options at all";
        assert_eq!(find_setoption_command(&[], "Hash", "1").expect_err("refused"), none);
    }

    #[test]
    fn lines_that_are_no_options_are_passed_over() {
        for line in ["", "option", "option name Hash", "id name x type spin"] {
            assert_eq!(EngineOption::read(line), None, "{line}");
        }
    }
}
