//! The options of an engine, as it announces them.

/// An option of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EngineOption {
    name: String,
    kind: EngineOptionKind,
}

/// The values that an option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EngineOptionKind {
    /// `true` or `false`.
    Check,
    /// A whole number from the first to the second.
    Spin(i64, i64),
    /// One of these.
    Combo(Vec<String>),
    /// None.
    Button,
    /// Any text.
    Text,
}

impl EngineOption {
    /// Reads an `option` line; `None` if it has no name or no type.
    pub(super) fn read(line: &str) -> Option<Self> {
        let (name, rest) = line.strip_prefix("option")?.trim_start().split_once(" type ")?;
        let name = name.strip_prefix("name ")?.trim().to_owned();
        let mut words = rest.split_whitespace();
        let kind = words.next()?;
        // Each word belongs to the key before it.
        let (mut least, mut most, mut choices) = (i64::MIN, i64::MAX, Vec::<String>::new());
        let mut key = "";
        for word in words {
            match (key, word) {
                (_, "default" | "min" | "max" | "var") => {
                    key = word;
                    if word == "var" {
                        choices.push(String::new());
                    }
                }
                ("min", number) => least = number.parse().unwrap_or(least),
                ("max", number) => most = number.parse().unwrap_or(most),
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
            "spin" => EngineOptionKind::Spin(least, most),
            "combo" => EngineOptionKind::Combo(choices),
            "button" => EngineOptionKind::Button,
            _ => EngineOptionKind::Text,
        };
        Some(Self { name, kind })
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The command that gives it this value.
    ///
    /// # Errors
    /// Says which values it takes instead.
    fn command(&self, value: &str) -> Result<String, String> {
        let name = &self.name;
        let given = format!("the option `{name} = {}`", value.escape_debug());
        let fits = match &self.kind {
            EngineOptionKind::Button => return Ok(format!("setoption name {name}")),
            EngineOptionKind::Text => Ok(()),
            EngineOptionKind::Check if matches!(value, "true" | "false") => Ok(()),
            EngineOptionKind::Check => Err("true or false".to_owned()),
            EngineOptionKind::Spin(least, most) => match value.parse::<i64>() {
                Ok(number) if (*least..=*most).contains(&number) => Ok(()),
                _ => Err(format!("a whole number from {least} to {most}")),
            },
            EngineOptionKind::Combo(choices) => {
                let is_known = choices.iter().any(|known| known.eq_ignore_ascii_case(value));
                is_known.then_some(()).ok_or_else(|| format!("one of {}", choices.join(", ")))
            }
        };
        match fits {
            Ok(()) => Ok(format!("setoption name {name} value {value}")),
            Err(expected) => Err(format!("{given} is refused: the engine takes {expected}")),
        }
    }
}

/// The command that sets the option `name` of an engine with these options.
///
/// # Errors
/// Says what is wrong: there is no such option, or it does not take this value.
pub(super) fn command(known: &[EngineOption], name: &str, value: &str) -> Result<String, String> {
    if let Some(option) = known.iter().find(|option| option.is_called(name)) {
        return option.command(value);
    }
    let distance = |option: &&EngineOption| {
        strsim::damerau_levenshtein(&option.name.to_lowercase(), &name.to_lowercase())
    };
    let name = name.escape_debug();
    Err(match known.iter().min_by_key(distance) {
        Some(nearest) => {
            format!("the engine has no option `{name}`; the nearest one is `{}`", nearest.name)
        }
        None => format!("the engine has no option `{name}`, nor any other"),
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
        ]
        .map(|line| EngineOption::read(line).expect(line))
        .to_vec()
    }

    #[test]
    fn options_are_set_by_their_own_names() {
        let set = |name, value| command(&options(), name, value);
        assert_eq!(set("hash", "64").expect("set"), "setoption name Hash value 64");
        assert_eq!(set("Clear Hash", "true").expect("set"), "setoption name Clear Hash");
        let solid = "setoption name Style value very solid";
        assert_eq!(set("Style", "very solid").expect("set"), solid);
        let book = "setoption name Book File value a b.bin";
        assert_eq!(set("Book File", "a b.bin").expect("set"), book);
    }

    #[test]
    fn other_options_and_values_are_refused() {
        let refused = |name, value| command(&options(), name, value).expect_err("refused");
        assert_eq!(
            [refused("Hsah", "1"), refused("Hash", "0"), refused("Style", "x")],
            [
                "the engine has no option `Hsah`; the nearest one is `Hash`",
                "the option `Hash = 0` is refused: the engine takes a whole number from 1 to 1024",
                "the option `Style = x` is refused: the engine takes one of Very Solid, Normal",
            ]
        );
        let ponder = "the option `Ponder = 1` is refused: the engine takes true or false";
        assert_eq!(refused("Ponder", "1"), ponder);
        let none = "the engine has no option `Hash`, nor any other";
        assert_eq!(command(&[], "Hash", "1").expect_err("refused"), none);
    }

    #[test]
    fn lines_that_are_no_options_are_passed_over() {
        for line in ["", "option", "option name Hash", "id name x type spin"] {
            assert_eq!(EngineOption::read(line), None, "{line}");
        }
    }
}
