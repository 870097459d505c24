//! Starter kits for players.

use super::{Language, StarterKit, TemplateFile};

const README: &str = include_str!("player/README.md.txt");

static PYTHON: StarterKit = StarterKit {
    language: Language::Python,
    source: "player.py",
    build: None,
    files: &[
        ("player.py", include_str!("player/python/player.py")),
        ("referee_rules.py", include_str!("player/python/referee_rules.py")),
    ],
    readme: README,
};

static RUST: StarterKit = StarterKit {
    language: Language::Rust,
    source: "src/main.rs",
    build: Some("cargo build --release"),
    files: &[
        ("Cargo.toml", include_str!("player/rust/Cargo.toml.txt")),
        ("src/main.rs", include_str!("player/rust/main.rs")),
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
    ],
    readme: README,
};

static JAVASCRIPT: StarterKit = StarterKit {
    language: Language::JavaScript,
    source: "player.js",
    build: None,
    files: &[("player.js", include_str!("player/javascript/player.js"))],
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
    ],
    readme: README,
};

static SHELL: StarterKit = StarterKit {
    language: Language::Shell,
    source: "player.sh",
    build: None,
    files: &[("player.sh", include_str!("player/shell/player.sh"))],
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

/// The files of the kit in this language, for a player called `name` of a game with this name. `word`
/// stands for the game on command lines.
pub fn files(
    language: Language,
    name: &str,
    (game, word): (&str, &str),
    shape: LegalShape,
) -> Vec<TemplateFile> {
    let quoted = shlex::try_quote(word).unwrap_or(word.into());
    let refusal = format!("this player plays {game} only (--game {game})");
    let marks =
        [("@REFUSAL@", &*refusal), ("@NAME@", name), ("@WORD@", &*quoted), ("@GAME@", game)];
    let files = kit(language).files(&marks);
    files
        .into_iter()
        .map(|file| TemplateFile { text: of_shape(&file.text, shape), ..file })
        .collect()
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

/// Selects the lines of a template for this shape. Lines from `<<list>>` or `<<factored>>` to
/// `<<end>>` belong to that shape only, all others to both.
fn of_shape(template: &str, shape: LegalShape) -> String {
    let mut text = String::with_capacity(template.len());
    let mut only = None;
    for line in template.split_inclusive('\n') {
        match line.trim_end() {
            "<<list>>" => only = Some(LegalShape::List),
            "<<factored>>" => only = Some(LegalShape::Factored),
            "<<end>>" => only = None,
            _ if only.is_none_or(|only| only == shape) => text.push_str(line),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_parts_for_one_shape() {
        let template = "a\n<<list>>\nb\n<<end>>\nc\n<<factored>>\nd\n<<end>>\ne\n";
        assert_eq!(of_shape(template, LegalShape::List), "a\nb\nc\ne\n");
        assert_eq!(of_shape(template, LegalShape::Factored), "a\nc\nd\ne\n");
    }

    #[test]
    fn every_kit_has_its_source_and_a_page_that_says_how_to_build_it() {
        for language in Language::ALL {
            let kit = kit(language);
            assert_eq!(kit.language, language);
            let files = files(language, "ant", ("a-game", "a-game"), LegalShape::List);
            let text = |path: &str| {
                let file = files.iter().find(|file| file.path == path);
                &file.unwrap_or_else(|| panic!("{path} of {language:?}")).text
            };
            assert!(text(kit.source).contains("a-game"), "{language:?} says what it plays");
            let readme = text("README.md");
            assert!(readme.contains(kit.source) && readme.contains(language.title()), "{readme}");
            let build = kit.build.map(|command| readme.contains(command));
            assert_ne!(build, Some(false), "{readme}");
        }
    }

    #[test]
    fn kits_contain_no_template_marks() {
        for language in Language::ALL {
            for shape in [LegalShape::List, LegalShape::Factored] {
                for file in files(language, "ant", ("a-game", "a-game"), shape) {
                    let left =
                        ["@NAME@", "@WORD@", "@GAME@", "@FILE@", "@BUILD@", "<<end>>", "<<list>>"];
                    assert!(!left.iter().any(|mark| file.text.contains(mark)), "{}", file.path);
                    let is_player = file.path == kit(language).source;
                    let refuses = file.text.contains("this player plays a-game only");
                    assert_eq!(refuses, is_player, "{}", file.path);
                }
            }
        }
    }
}
