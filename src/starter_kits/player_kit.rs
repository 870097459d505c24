//! Starter kits for players.

use super::{KitLanguage, StarterKit, TemplateFile};
use referee_record::shell::quote_for_shell;

/// A kit in each language.
pub(super) static KITS: [StarterKit; 8] = [
    StarterKit::new(KitLanguage::Python, "player/python", "player.py", None),
    StarterKit::new(KitLanguage::Rust, "player/rust", "src/main.rs", Some("cargo build --release")),
    StarterKit::new(KitLanguage::Cpp, "player/cpp", "player.cpp", Some("make")),
    StarterKit::new(KitLanguage::C, "player/c", "player.c", Some("make")),
    StarterKit::new(KitLanguage::Java, "player/java", "Player.java", Some("make")),
    StarterKit::new(KitLanguage::JavaScript, "player/javascript", "player.js", None),
    StarterKit::new(KitLanguage::Go, "player/go", "player.go", Some("make")),
    StarterKit::new(KitLanguage::Shell, "player/shell", "player.sh", None),
];

/// How a game shows its legal actions. Kits differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LegalShape {
    List,
    /// In parts.
    Factored,
}

/// What a kit must know about its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KitGameFacts {
    pub(crate) name: String,
    /// The word that names it in the folder of the kit, in a command or a configuration.
    pub(crate) word: String,
    /// The number of its seats.
    pub(crate) seats: usize,
    /// How it shows its legal actions.
    pub(crate) legal: LegalShape,
    /// The state of its first decision, as JSON.
    pub(crate) state: String,
    /// The key of the state that holds the rows of its board, if it has one.
    pub(crate) rows: Option<String>,
    /// The built-in players to meet.
    pub(crate) bots: Vec<&'static str>,
}

impl KitGameFacts {
    /// Whether its rules are a program, which a file names.
    fn is_program(&self) -> bool {
        self.word != self.name
    }
}

/// The files of the kit in this language, for a player called `name`.
pub(crate) fn player_kit_files(
    language: KitLanguage,
    name: &str,
    game: &KitGameFacts,
) -> Vec<TemplateFile> {
    let quoted = quote_for_shell(&game.word);
    let quoted_name = quote_for_shell(name);
    let refusal = format!("this player plays {0} only (--game {0})", game.name);
    let rows = game.rows.as_deref().unwrap_or_default();
    let rules = if game.is_program() {
        "[\"python3\", \"game.py\"]".to_owned()
    } else {
        player_kit_toml_string(&game.name)
    };
    let players = player_kit_config_tables(language, name, game);
    let random = |count: usize| vec!["bot:random"; count].join(" ");
    let marks = [
        ("@REFUSAL@", &*refusal),
        ("@NAME@", name),
        ("@QUOTED-NAME@", &*quoted_name),
        ("@QUOTED-WORD@", &player_kit_toml_string(&game.word)),
        ("@WORD@", &*quoted),
        ("@RULES@", &rules),
        ("@GAME@", &game.name),
        ("@STATE@", &game.state),
        ("@ROWS@", rows),
        ("@OTHERS@", &random(game.seats - 1)),
        ("@REST@", &random(game.seats - 2)),
        ("@PLAYERS@", &players),
    ];
    find_player_kit(language).files(&player_kit_parts(language, game), &marks)
}

/// The parts of the templates for this language and game.
fn player_kit_parts(language: KitLanguage, game: &KitGameFacts) -> Vec<&'static str> {
    let legal = match game.legal {
        LegalShape::List => "list",
        LegalShape::Factored => "factored",
    };
    let rows = game.rows.is_some().then_some("rows");
    let rules = if game.is_program() { "program" } else { "built-in" };
    let seats = if game.seats == 2 { "two" } else { "more" };
    let python = (language == KitLanguage::Python).then_some(["python", rules]);
    [legal, seats].into_iter().chain(rows).chain(python.into_iter().flatten()).collect()
}

/// The tables of `[[players]]`: the kit's player and its opponents, at least one for each other seat.
fn player_kit_config_tables(language: KitLanguage, name: &str, game: &KitGameFacts) -> String {
    let command: Vec<String> =
        player_kit_command(language).iter().map(|word| player_kit_toml_string(word)).collect();
    let own = format!(
        "[[players]]\nname = {}\ncommand = [{}]\n",
        player_kit_toml_string(name),
        command.join(", ")
    );
    let bots = &game.bots;
    let most = bots.len().max(game.seats - 1);
    let houses = bots.iter().cycle().take(most).enumerate().map(|(at, bot)| {
        let number = at / bots.len() + 1;
        let again = if number == 1 { String::new() } else { format!("-{number}") };
        format!("\n[[players]]\nname = \"house-{bot}{again}\"\nbot = \"{bot}\"\n")
    });
    std::iter::once(own).chain(houses).collect()
}

/// The text as a TOML string, which a JSON string always is.
fn player_kit_toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The command of a kit's player once it is built.
fn player_kit_command(language: KitLanguage) -> &'static [&'static str] {
    match language {
        KitLanguage::Python => &["python3", "player.py"],
        KitLanguage::Rust => &["target/release/player"],
        KitLanguage::Cpp | KitLanguage::C | KitLanguage::Go => &["./player"],
        KitLanguage::Java => &["java", "-cp", ".", "Player"],
        KitLanguage::JavaScript => &["node", "player.js"],
        KitLanguage::Shell => &["sh", "player.sh"],
    }
}

/// The command that builds a kit, if it must be built.
pub(crate) fn player_kit_build_command(language: KitLanguage) -> Option<&'static str> {
    find_player_kit(language).build
}

fn find_player_kit(language: KitLanguage) -> &'static StarterKit {
    KITS.iter().find(|kit| kit.language == language).expect("every language has a kit")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::starter_kits::tests::assert_filled;

    fn game(legal: LegalShape) -> KitGameFacts {
        KitGameFacts {
            name: "a-game".to_owned(),
            word: "a game.toml".to_owned(),
            seats: 2,
            legal,
            state: "{}".to_owned(),
            rows: Some("squares".to_owned()),
            bots: vec!["random", "greedy"],
        }
    }

    fn file(language: KitLanguage, path: &str) -> String {
        let files = player_kit_files(language, "ant", &game(LegalShape::List));
        let file = files.into_iter().find(|file| file.path == Path::new(path));
        file.unwrap_or_else(|| panic!("{path} of {language:?}")).text
    }

    #[test]
    fn every_kit_has_its_source_and_a_page_that_says_how_to_build_it() {
        for kit in &KITS {
            let language = kit.language;
            let source = file(language, kit.source);
            assert!(source.contains("a-game"), "{language:?} says what it plays");
            assert!(source.contains("seed"), "{language:?} draws its numbers from the seed");
            assert!(source.contains("squares"), "{language:?} shows how to read a state");
            let readme = file(language, "README.md");
            assert!(readme.contains(kit.source) && readme.contains(language.title()), "{readme}");
            assert!(readme.contains("referee run --replace ant"), "{readme}");
            let has_rules = language == KitLanguage::Python;
            assert_eq!(readme.contains("referee_rules.py"), has_rules, "{readme}");
            let build = kit.build.map(|command| readme.contains(command));
            assert_ne!(build, Some(false), "{readme}");
        }
    }

    #[test]
    fn a_kits_configuration_has_its_player_and_its_opponents() {
        let text = file(KitLanguage::Java, "tournament.toml");
        assert!(text.contains("\ngame = \"a game.toml\"\n"), "{text}");
        let players = "[[players]]\nname = \"ant\"\ncommand = [\"java\", \"-cp\", \".\", \"Player\"]\n\n\
                       [[players]]\nname = \"house-random\"\nbot = \"random\"\n\n\
                       [[players]]\nname = \"house-greedy\"\nbot = \"greedy\"\n";
        assert!(text.ends_with(players), "{text}");
    }

    #[test]
    fn a_kit_for_more_seats_has_an_opponent_for_each() {
        let game = KitGameFacts { seats: 5, ..game(LegalShape::List) };
        let of = |path: &str| {
            let mut files = player_kit_files(KitLanguage::Shell, "ant", &game).into_iter();
            files.find(|file| file.path == Path::new(path)).expect("a file").text
        };
        let text = of("tournament.toml");
        assert!(text.contains("\ndeals = 2 ") && !text.contains("pairs"), "{text}");
        let houses = ["random", "greedy", "random-2", "greedy-2"];
        assert!(houses.iter().all(|it| text.contains(&format!("\"house-{it}\""))), "{text}");
        assert_eq!(text.matches("[[players]]").count(), 5);
        let text = of("README.md");
        assert!(text.contains("play . bot:random bot:random bot:random bot:random "), "{text}");
        assert!(text.contains("play human . bot:random bot:random bot:random "), "{text}");
        assert!(!text.contains("referee compare"), "it is for games of two");
    }

    #[test]
    fn kits_contain_no_template_marks() {
        for kit in &KITS {
            for (shape, seats) in [(LegalShape::List, 2), (LegalShape::Factored, 3)] {
                for file in
                    player_kit_files(kit.language, "ant", &KitGameFacts { seats, ..game(shape) })
                {
                    assert_filled(&file);
                    let is_player = file.path == Path::new(kit.source);
                    let refuses = file.text.contains("this player plays a-game only");
                    assert_eq!(refuses, is_player, "{}", file.path.display());
                }
            }
        }
    }
}
