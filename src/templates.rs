//! Starter kits: a small working player in each of several languages, built into the binary.

/// A language that there is a kit for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Python 3
    Python,
    /// Rust
    Rust,
    /// C++17
    Cpp,
    /// C99
    C,
    /// Java 11 or later
    Java,
    /// JavaScript for Node.js
    #[value(name = "javascript")]
    JavaScript,
    /// Go 1.18 or later
    Go,
    /// A POSIX shell
    Shell,
}

/// A file of a kit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFile {
    /// Its path inside the kit's folder.
    pub path: &'static str,
    /// Its text.
    pub text: String,
}

/// The parts of a kit.
struct StarterKit {
    /// The name of the language, for people.
    title: &'static str,
    /// The file that holds the player.
    source: &'static str,
    /// The command that builds it, if it must be built.
    build: Option<&'static str>,
    files: &'static [(&'static str, &'static str)],
}

const README: &str = include_str!("templates/README.md.txt");

impl Language {
    /// Every language.
    pub const ALL: [Self; 8] = [
        Self::Python,
        Self::Rust,
        Self::Cpp,
        Self::C,
        Self::Java,
        Self::JavaScript,
        Self::Go,
        Self::Shell,
    ];

    /// The command that builds the kit in its folder; `None` if it runs as it is.
    pub fn build(self) -> Option<&'static str> {
        self.kit().build
    }

    fn kit(self) -> &'static StarterKit {
        match self {
            Self::Python => &PYTHON,
            Self::Rust => &RUST,
            Self::Cpp => &CPP,
            Self::C => &C,
            Self::Java => &JAVA,
            Self::JavaScript => &JAVASCRIPT,
            Self::Go => &GO,
            Self::Shell => &SHELL,
        }
    }
}

const PYTHON: StarterKit = StarterKit {
    title: "Python",
    source: "player.py",
    build: None,
    files: &[
        ("player.py", include_str!("templates/python/player.py")),
        ("referee_rules.py", include_str!("templates/python/referee_rules.py")),
    ],
};

const RUST: StarterKit = StarterKit {
    title: "Rust",
    source: "src/main.rs",
    build: Some("cargo build --release"),
    files: &[
        ("Cargo.toml", include_str!("templates/rust/Cargo.toml.txt")),
        ("src/main.rs", include_str!("templates/rust/main.rs")),
    ],
};

const CPP: StarterKit = StarterKit {
    title: "C++",
    source: "player.cpp",
    build: Some("make"),
    files: &[
        ("Makefile", include_str!("templates/cpp/Makefile")),
        ("player.cpp", include_str!("templates/cpp/player.cpp")),
    ],
};

const C: StarterKit = StarterKit {
    title: "C",
    source: "player.c",
    build: Some("make"),
    files: &[
        ("Makefile", include_str!("templates/c/Makefile")),
        ("player.c", include_str!("templates/c/player.c")),
    ],
};

const JAVA: StarterKit = StarterKit {
    title: "Java",
    source: "Player.java",
    build: Some("make"),
    files: &[
        ("Makefile", include_str!("templates/java/Makefile")),
        ("Player.java", include_str!("templates/java/Player.java")),
    ],
};

const JAVASCRIPT: StarterKit = StarterKit {
    title: "JavaScript",
    source: "player.js",
    build: None,
    files: &[("player.js", include_str!("templates/javascript/player.js"))],
};

const GO: StarterKit = StarterKit {
    title: "Go",
    source: "player.go",
    build: Some("make"),
    files: &[
        ("Makefile", include_str!("templates/go/Makefile")),
        ("go.mod", include_str!("templates/go/go.mod.txt")),
        ("player.go", include_str!("templates/go/player.go")),
    ],
};

const SHELL: StarterKit = StarterKit {
    title: "shell",
    source: "player.sh",
    build: None,
    files: &[("player.sh", include_str!("templates/shell/player.sh"))],
};

/// How a game shows its legal actions. Kits differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegalShape {
    /// As a list.
    List,
    /// In parts.
    Factored,
}

/// The files of the kit in this language, for a player called `name` of the game called `game`.
pub fn files(language: Language, name: &str, game: &str, shape: LegalShape) -> Vec<TemplateFile> {
    let kit = language.kit();
    let build =
        kit.build.map_or(String::new(), |build| format!("Build it first:\n\n    {build}\n"));
    let fill = |text: &str| {
        text.replace("@REFUSAL@", "this player plays @GAME@ only (--game @GAME@)")
            .replace("@NAME@", name)
            .replace("@GAME@", game)
            .replace("@LANGUAGE@", kit.title)
            .replace("@FILE@", kit.source)
            .replace("@BUILD@\n", &build)
    };
    let templates = kit.files.iter().copied().chain([("README.md", README)]);
    templates
        .map(|(path, text)| TemplateFile { path, text: fill(&of_shape(text, shape)) })
        .collect()
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
    fn nothing_of_a_template_is_left_in_a_kit() {
        for language in Language::ALL {
            for shape in [LegalShape::List, LegalShape::Factored] {
                for file in files(language, "ant", "a-game", shape) {
                    let left = ["@NAME@", "@GAME@", "@FILE@", "@BUILD@", "<<end>>", "<<list>>"];
                    assert!(!left.iter().any(|mark| file.text.contains(mark)), "{}", file.path);
                    let is_player = file.path == language.kit().source;
                    let refuses = file.text.contains("this player plays a-game only");
                    assert_eq!(refuses, is_player, "{}", file.path);
                }
            }
        }
    }
}
