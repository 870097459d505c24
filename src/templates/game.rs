//! Starter kits for games.

use super::{Language, StarterKit, TemplateFile};

const README: &str = include_str!("game/README.md.txt");

static KITS: [StarterKit; 5] = [
    StarterKit {
        language: Language::Python,
        source: "game.py",
        build: None,
        files: &[
            ("game.toml", include_str!("game/python/game.toml")),
            ("game.py", include_str!("game/python/game.py")),
            ("rules_program.py", include_str!("game/python/rules_program.py")),
        ],
        readme: README,
    },
    StarterKit {
        language: Language::JavaScript,
        source: "game.js",
        build: None,
        files: &[
            ("game.toml", include_str!("game/javascript/game.toml")),
            ("game.js", include_str!("game/javascript/game.js")),
            ("rules_program.js", include_str!("game/javascript/rules_program.js")),
        ],
        readme: README,
    },
    StarterKit {
        language: Language::Cpp,
        source: "game.cpp",
        build: Some("make"),
        files: &[
            ("game.toml", include_str!("game/cpp/game.toml")),
            ("Makefile", include_str!("game/cpp/Makefile")),
            ("game.cpp", include_str!("game/cpp/game.cpp")),
            ("rules_program.hpp", include_str!("game/cpp/rules_program.hpp")),
        ],
        readme: README,
    },
    StarterKit {
        language: Language::Rust,
        source: "src/main.rs",
        build: Some("cargo build --release"),
        files: &[
            ("game.toml", include_str!("game/rust/game.toml")),
            ("Cargo.toml", include_str!("game/rust/Cargo.toml.txt")),
            ("src/main.rs", include_str!("game/rust/main.rs")),
            ("src/rules_program.rs", include_str!("game/rust/rules_program.rs")),
        ],
        readme: README,
    },
    StarterKit {
        language: Language::Java,
        source: "Game.java",
        build: Some("make"),
        files: &[
            ("game.toml", include_str!("game/java/game.toml")),
            ("Makefile", include_str!("game/java/Makefile")),
            ("Game.java", include_str!("game/java/Game.java")),
            ("RulesProgram.java", include_str!("game/java/RulesProgram.java")),
        ],
        readme: README,
    },
];

/// A kit in each language that there is one for.
pub fn kits() -> &'static [StarterKit] {
    &KITS
}

/// The files of a kit, for a game called `name`.
pub fn files(kit: &StarterKit, name: &str) -> Vec<TemplateFile> {
    kit.files(&[("@GAME@", name), ("@TITLE@", &title(name))])
}

/// A name in kebab-case as a title: `tic-tac-toe` as `Tic tac toe`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_has_its_name_as_its_title() {
        assert_eq!(title("tic-tac-toe"), "Tic tac toe");
        for kit in kits() {
            let files = files(kit, "a-game");
            let is_source = |file: &&TemplateFile| file.path == kit.source;
            let source = &files.iter().find(is_source).expect("a source").text;
            assert!(source.contains("\"A game\""), "{source}");
        }
    }

    #[test]
    fn a_page_has_a_blank_line_after_each_command() {
        for kit in kits() {
            let files = files(kit, "a-game");
            let readme = &files.last().expect("a page").text;
            let lines: Vec<&str> = readme.lines().collect();
            for pair in lines.windows(2).filter(|pair| pair[0].starts_with("    ")) {
                let is_end = pair[1].is_empty() || pair[1].starts_with("    ");
                assert!(is_end, "{pair:?}");
            }
        }
    }

    #[test]
    fn kits_contain_no_template_marks() {
        for file in kits().iter().flat_map(|kit| files(kit, "a-game")) {
            let left = ["@GAME@", "@TITLE@", "@LANGUAGE@", "@FILE@", "@BUILD@"];
            assert!(!left.iter().any(|mark| file.text.contains(mark)), "{}", file.path);
        }
    }
}
