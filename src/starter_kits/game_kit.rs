//! Starter kits for games.

use super::{KitLanguage, StarterKit, TemplateFile};

static KITS: [StarterKit; 5] = [
    StarterKit::new(KitLanguage::Python, "game/python", "game.py", None),
    StarterKit::new(KitLanguage::JavaScript, "game/javascript", "game.js", None),
    StarterKit::new(KitLanguage::Cpp, "game/cpp", "game.cpp", Some("make")),
    StarterKit::new(KitLanguage::Rust, "game/rust", "src/main.rs", Some("cargo build --release")),
    StarterKit::new(KitLanguage::Java, "game/java", "Game.java", Some("make")),
];

/// A kit in each language that there is one for.
pub(crate) fn game_kits() -> &'static [StarterKit] {
    &KITS
}

/// The files of a kit, for a game called `name`.
pub(crate) fn game_kit_files(kit: &StarterKit, name: &str) -> Vec<TemplateFile> {
    kit.files(&[], &[("@GAME@", name), ("@TITLE@", &game_kit_title(name))])
}

/// A name in kebab-case as a title: `tic-tac-toe` as `Tic tac toe`.
fn game_kit_title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::starter_kits::tests::assert_filled;

    #[test]
    fn a_game_has_its_name_as_its_title() {
        assert_eq!(game_kit_title("tic-tac-toe"), "Tic tac toe");
        for kit in game_kits() {
            let files = game_kit_files(kit, "a-game");
            let is_source = |file: &&TemplateFile| file.path == Path::new(kit.source);
            let source = &files.iter().find(is_source).expect("a source").text;
            assert!(source.contains("\"A game\""), "{source}");
        }
    }

    #[test]
    fn a_page_has_a_blank_line_after_each_command() {
        for kit in game_kits() {
            let files = game_kit_files(kit, "a-game");
            let is_page = |file: &&TemplateFile| file.path == Path::new("README.md");
            let readme = &files.iter().find(is_page).expect("a page").text;
            let lines: Vec<&str> = readme.lines().collect();
            for pair in lines.windows(2).filter(|pair| pair[0].starts_with("    ")) {
                let is_end = pair[1].is_empty() || pair[1].starts_with("    ");
                assert!(is_end, "{pair:?}");
            }
        }
    }

    #[test]
    fn kits_contain_no_template_marks() {
        game_kits()
            .iter()
            .flat_map(|kit| game_kit_files(kit, "a-game"))
            .for_each(|file| assert_filled(&file));
    }
}
