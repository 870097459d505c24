//! Starter kits: small working programs in several languages, built into the binary.

pub mod game;
pub mod player;

/// A language that there are kits for.
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

    /// The name of the language, for people.
    fn title(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::Cpp => "C++",
            Self::C => "C",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Go => "Go",
            Self::Shell => "shell",
        }
    }
}

/// A starter kit.
#[derive(Debug)]
pub struct StarterKit {
    /// The language of its sources.
    pub language: Language,
    /// The file to begin with.
    source: &'static str,
    /// The command that builds it, if it must be built.
    build: Option<&'static str>,
    /// Paths inside the kit's folder, and templates.
    files: &'static [(&'static str, &'static str)],
    /// The template of its README.md.
    readme: &'static str,
}

impl StarterKit {
    /// The files of the kit with these marks replaced, in order.
    fn files(&self, marks: &[(&str, &str)]) -> Vec<TemplateFile> {
        let build =
            self.build.map_or(String::new(), |build| format!("Build it first:\n\n    {build}\n\n"));
        let own = [
            ("@LANGUAGE@", self.language.title()),
            ("@FILE@", self.source),
            ("@BUILD@\n", build.as_str()),
        ];
        let fill = |text: &str| {
            let marks = marks.iter().chain(&own);
            marks.fold(text.to_owned(), |text, (mark, value)| text.replace(mark, value))
        };
        let templates = self.files.iter().copied().chain([("README.md", self.readme)]);
        templates.map(|(path, text)| TemplateFile { path, text: fill(text) }).collect()
    }
}
