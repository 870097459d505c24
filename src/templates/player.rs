//! Starter kits for players.

use super::{Language, StarterKit, TemplateFile};
use crate::shell;

const README: &str = include_str!("player/README.md.txt");
const TOURNAMENT: (&str, &str) = ("tournament.toml", include_str!("player/tournament.toml.txt"));

static PYTHON: StarterKit = StarterKit {
    language: Language::Python,
    source: "player.py",
    build: None,
    files: &[
        ("player.py", include_str!("player/python/player.py")),
        TOURNAMENT,
        ("referee_rules.py", include_str!("player/python/referee_rules.py")),
    ],
    readme: concat!(
        include_str!("player/README.md.txt"),
        include_str!("player/python/looking_ahead.md.txt")
    ),
};

static RUST: StarterKit = StarterKit {
    language: Language::Rust,
    source: "src/main.rs",
    build: Some("cargo build --release"),
    files: &[
        ("Cargo.toml", include_str!("player/rust/Cargo.toml.txt")),
        ("src/main.rs", include_str!("player/rust/main.rs")),
        TOURNAMENT,
    ],
    readme: README,
};

static CPP: StarterKit = StarterKit {
    language: Language::Cpp,
    source: "player.cpp",
    build: Some("make"),
    files: &[
        ("Makefile", include_str!("player/cpp/Makefile")),
        ("player.cpp", include_str!("player/cpp/player.cpp")),
        TOURNAMENT,
    ],
    readme: README,
};

static C: StarterKit = StarterKit {
    language: Language::C,
    source: "player.c",
    build: Some("make"),
    files: &[
        ("Makefile", include_str!("player/c/Makefile")),
        ("player.c", include_str!("player/c/player.c")),
        TOURNAMENT,
    ],
    readme: README,
};

static JAVA: StarterKit = StarterKit {
    language: Language::Java,
    source: "Player.java",
    build: Some("make"),
    files: &[
        ("Makefile", include_str!("player/java/Makefile")),
        ("Player.java", include_str!("player/java/Player.java")),
        TOURNAMENT,
    ],
    readme: README,
};

static JAVASCRIPT: StarterKit = StarterKit {
    language: Language::JavaScript,
    source: "player.js",
    build: None,
    files: &[("player.js", include_str!("player/javascript/player.js")), TOURNAMENT],
    readme: README,
};

static GO: StarterKit = StarterKit {
    language: Language::Go,
    source: "player.go",
    build: Some("make"),
    files: &[
        ("Makefile", include_str!("player/go/Makefile")),
        ("go.mod", include_str!("player/go/go.mod.txt")),
        ("player.go", include_str!("player/go/player.go")),
        TOURNAMENT,
    ],
    readme: README,
};

static SHELL: StarterKit = StarterKit {
    language: Language::Shell,
    source: "player.sh",
    build: None,
    files: &[("player.sh", include_str!("player/shell/player.sh")), TOURNAMENT],
    readme: README,
};

/// How a game shows its legal actions. Kits differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegalShape {
    /// As a list.
    List,
    /// In parts.
    Factored,
}

/// What a kit must know about its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFacts {
    /// Its name.
    pub name: String,
    /// The word that names it in the folder of the kit, in a command or a configuration.
    pub word: String,
    /// How it shows its legal actions.
    pub legal: LegalShape,
    /// The state of its first decision, as JSON.
    pub state: String,
    /// The key of the state that holds the rows of its board, if it has one.
    pub rows: Option<String>,
    /// The built-in players to meet.
    pub bots: Vec<&'static str>,
}

/// The files of the kit in this language, for a player called `name`.
pub fn files(language: Language, name: &str, game: &GameFacts) -> Vec<TemplateFile> {
    let quoted = shell::quoted(&game.word);
    let quoted_name = shell::quoted(name);
    let refusal = format!("this player plays {0} only (--game {0})", game.name);
    let rows = game.rows.as_deref().unwrap_or_default();
    let players = players_of_configuration(language, name, &game.bots);
    let marks = [
        ("@REFUSAL@", &*refusal),
        ("@NAME@", name),
        ("@QUOTED-NAME@", &*quoted_name),
        ("@QUOTED-WORD@", &toml_string(&game.word)),
        ("@WORD@", &*quoted),
        ("@GAME@", &game.name),
        ("@STATE@", &game.state),
        ("@ROWS@", rows),
        ("@PLAYERS@", &players),
    ];
    let files = kit(language).files(&marks);
    files
        .into_iter()
        .map(|file| TemplateFile { text: for_game(&file.text, game), ..file })
        .collect()
}

/// The tables of `[[players]]`: the kit's player and its opponents.
fn players_of_configuration(language: Language, name: &str, bots: &[&str]) -> String {
    let command: Vec<String> = command(language).iter().map(|word| toml_string(word)).collect();
    let own =
        format!("[[players]]\nname = {}\ncommand = [{}]\n", toml_string(name), command.join(", "));
    let houses =
        bots.iter().map(|bot| format!("\n[[players]]\nname = \"house-{bot}\"\nbot = \"{bot}\"\n"));
    std::iter::once(own).chain(houses).collect()
}

/// The text as a TOML string, which a JSON string always is.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The command of a kit's player once it is built.
fn command(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &["python3", "player.py"],
        Language::Rust => &["target/release/player"],
        Language::Cpp | Language::C | Language::Go => &["./player"],
        Language::Java => &["java", "-cp", ".", "Player"],
        Language::JavaScript => &["node", "player.js"],
        Language::Shell => &["sh", "player.sh"],
    }
}

/// The command that builds a kit, if it must be built.
pub fn build_command(language: Language) -> Option<&'static str> {
    kit(language).build
}

fn kit(language: Language) -> &'static StarterKit {
    match language {
        Language::Python => &PYTHON,
        Language::Rust => &RUST,
        Language::Cpp => &CPP,
        Language::C => &C,
        Language::Java => &JAVA,
        Language::JavaScript => &JAVASCRIPT,
        Language::Go => &GO,
        Language::Shell => &SHELL,
    }
}

/// Selects the lines of a template for this game. Lines from `<<list>>`, `<<factored>>` or
/// `<<rows>>` to `<<end>>` are only for games that list their legal actions, show them in parts, or
/// have a board of rows; all others are for every game.
fn for_game(template: &str, game: &GameFacts) -> String {
    let mut text = String::with_capacity(template.len());
    let mut wanted = true;
    for line in template.split_inclusive('\n') {
        match line.trim_end() {
            "<<list>>" => wanted = game.legal == LegalShape::List,
            "<<factored>>" => wanted = game.legal == LegalShape::Factored,
            "<<rows>>" => wanted = game.rows.is_some(),
            "<<end>>" => wanted = true,
            _ if wanted => text.push_str(line),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(legal: LegalShape) -> GameFacts {
        GameFacts {
            name: "a-game".to_owned(),
            word: "a game.toml".to_owned(),
            legal,
            state: "{}".to_owned(),
            rows: Some("squares".to_owned()),
            bots: vec!["random", "greedy"],
        }
    }

    fn file(language: Language, path: &str) -> String {
        let files = files(language, "ant", &game(LegalShape::List));
        let file = files.into_iter().find(|file| file.path == path);
        file.unwrap_or_else(|| panic!("{path} of {language:?}")).text
    }

    #[test]
    fn a_template_has_parts_for_some_games() {
        let template =
            "a\n<<list>>\nb\n<<end>>\nc\n<<factored>>\nd\n<<end>>\n<<rows>>\ne\n<<end>>\nf\n";
        assert_eq!(for_game(template, &game(LegalShape::List)), "a\nb\nc\ne\nf\n");
        let without = GameFacts { rows: None, ..game(LegalShape::Factored) };
        assert_eq!(for_game(template, &without), "a\nc\nd\nf\n");
    }

    #[test]
    fn every_kit_has_its_source_and_a_page_that_says_how_to_build_it() {
        for language in Language::ALL {
            let kit = kit(language);
            assert_eq!(kit.language, language);
            let source = file(language, kit.source);
            assert!(source.contains("a-game"), "{language:?} says what it plays");
            assert!(source.contains("seed"), "{language:?} draws its numbers from the seed");
            assert!(source.contains("squares"), "{language:?} shows how to read a state");
            let readme = file(language, "README.md");
            assert!(readme.contains(kit.source) && readme.contains(language.title()), "{readme}");
            assert!(readme.contains("referee run --replace ant"), "{readme}");
            let has_rules = kit.files.iter().any(|(path, _)| *path == "referee_rules.py");
            assert_eq!(readme.contains("referee_rules.py"), has_rules, "{readme}");
            let build = kit.build.map(|command| readme.contains(command));
            assert_ne!(build, Some(false), "{readme}");
        }
    }

    #[test]
    fn a_kits_configuration_has_its_player_and_its_opponents() {
        let text = file(Language::Java, "tournament.toml");
        assert!(text.contains("\ngame = \"a game.toml\"\n"), "{text}");
        let players = "[[players]]\nname = \"ant\"\ncommand = [\"java\", \"-cp\", \".\", \"Player\"]\n\n\
                       [[players]]\nname = \"house-random\"\nbot = \"random\"\n\n\
                       [[players]]\nname = \"house-greedy\"\nbot = \"greedy\"\n";
        assert!(text.ends_with(players), "{text}");
    }

    #[test]
    fn kits_contain_no_template_marks() {
        for language in Language::ALL {
            for shape in [LegalShape::List, LegalShape::Factored] {
                for file in files(language, "ant", &game(shape)) {
                    let text = &file.text;
                    let marks = ["@NAME@", "@WORD@", "@GAME@", "@FILE@", "@BUILD@", "@STATE@"];
                    assert!(!marks.iter().any(|mark| text.contains(mark)), "{}", file.path);
                    let marks = [
                        "@ROWS@",
                        "@PLAYERS@",
                        "@QUOTED-WORD@",
                        "@REFUSAL@",
                        "<<end>>",
                        "@QUOTED-NAME@",
                    ];
                    assert!(!marks.iter().any(|mark| text.contains(mark)), "{}", file.path);
                    let is_player = file.path == kit(language).source;
                    let refuses = text.contains("this player plays a-game only");
                    assert_eq!(refuses, is_player, "{}", file.path);
                }
            }
        }
    }
}
