//! Starter kits: small working programs in several languages, from the folder `templates`.

pub(crate) mod game_kit;
pub(crate) mod player_kit;

use std::path::Path;

use include_dir::{Dir, DirEntry, include_dir};

/// For each kit a folder, and the folder `all` with the files that all kits have.
static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// A language that there are kits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum KitLanguage {
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
pub(crate) struct TemplateFile {
    /// The path inside the kit's folder.
    pub(crate) path: &'static Path,
    /// The text.
    pub(crate) text: String,
}

impl KitLanguage {
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
pub(crate) struct StarterKit {
    /// The language of its sources.
    pub(crate) language: KitLanguage,
    /// The folder of its templates.
    folder: &'static str,
    /// The file to begin with.
    source: &'static str,
    /// The command that builds it, if it must be built.
    pub(crate) build: Option<&'static str>,
}

impl StarterKit {
    const fn new(
        language: KitLanguage,
        folder: &'static str,
        source: &'static str,
        build: Option<&'static str>,
    ) -> Self {
        Self { language, folder, source, build }
    }

    /// The files of the kit with these marks replaced, in order. Lines from `<<NAME>>` to `<<end>>`
    /// are only for kits with this part.
    fn files(&self, parts: &[&str], marks: &[(&str, &str)]) -> Vec<TemplateFile> {
        let build =
            self.build.map_or(String::new(), |build| format!("Build it first:\n\n    {build}\n\n"));
        let own = [
            ("@LANGUAGE@", self.language.title()),
            ("@FILE@", self.source),
            ("@BUILD@\n", build.as_str()),
        ];
        let fill = |text: &str| {
            let marks = marks.iter().chain(&own);
            marks.fold(select_kit_lines(text, parts), |text, (mark, value)| {
                text.replace(mark, value)
            })
        };
        let templates = self.templates();
        templates.into_iter().map(|(path, text)| TemplateFile { path, text: fill(text) }).collect()
    }

    /// The templates of the kit, each with its path.
    fn templates(&self) -> Vec<(&'static Path, &'static str)> {
        let own = Path::new(self.folder);
        let mut found = Vec::new();
        for folder in [own, &own.with_file_name("all")] {
            if let Some(dir) = TEMPLATES.get_dir(folder) {
                collect_kit_templates(dir, dir.path(), &mut found);
            }
        }
        found
    }
}

/// Adds the files below a folder. `Cargo.toml` is kept as `Cargo.toml.txt`, because Cargo would take
/// its folder for a package of its own.
fn collect_kit_templates(
    dir: &'static Dir<'_>,
    root: &'static Path,
    found: &mut Vec<(&'static Path, &'static str)>,
) {
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(dir) => collect_kit_templates(dir, root, found),
            DirEntry::File(file) => {
                let path = file.path().strip_prefix(root).unwrap_or(file.path());
                let path = path
                    .to_str()
                    .and_then(|path| path.strip_suffix(".txt"))
                    .map_or(path, Path::new);
                found.extend(file.contents_utf8().map(|text| (path, text)));
            }
        }
    }
}

/// The lines of a template that are for kits with these parts, or for all.
fn select_kit_lines(template: &str, parts: &[&str]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut is_wanted = true;
    for line in template.split_inclusive('\n') {
        let part = line.trim_end().strip_prefix("<<").and_then(|part| part.strip_suffix(">>"));
        match part {
            Some(part) => is_wanted = part == "end" || parts.contains(&part),
            None if is_wanted => text.push_str(line),
            None => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::game_kit::game_kits;
    use super::*;

    #[test]
    fn a_template_has_parts_for_some_kits() {
        let template = "a\n<<list>>\nb\n<<end>>\nc\n<<factored>>\nd\n<<end>>\nf\n";
        assert_eq!(select_kit_lines(template, &["list"]), "a\nb\nc\nf\n");
        assert_eq!(select_kit_lines(template, &["factored"]), "a\nc\nd\nf\n");
        assert_eq!(select_kit_lines(template, &[]), "a\nc\nf\n");
    }

    /// Every file of `templates` belongs to a kit, and no mark or part is left in any.
    #[test]
    fn kits_are_complete() {
        let kits = || player_kit::KITS.iter().chain(game_kits());
        let mut used: Vec<_> = kits().map(|kit| Path::new(kit.folder)).collect();
        used.extend(["player/all", "game/all"].map(Path::new));
        for dir in TEMPLATES.dirs().flat_map(Dir::dirs) {
            assert!(used.contains(&dir.path()), "{dir:?}");
        }
        for kit in kits() {
            let files = kit.templates();
            assert!(files.iter().any(|(path, _)| *path == Path::new(kit.source)), "{kit:?}");
            assert!(files.iter().any(|(path, _)| *path == Path::new("README.md")), "{kit:?}");
        }
    }

    /// Fails if a text still contains a mark, such as `@NAME@`, or the beginning of a part.
    pub(super) fn assert_filled(file: &TemplateFile) {
        let is_mark = |word: &str| {
            !word.is_empty() && word.chars().all(|it| it.is_ascii_uppercase() || it == '-')
        };
        let marks = file.text.split('@').skip(1).any(is_mark);
        assert!(!marks && !file.text.contains("<<end>>"), "{}", file.path.display());
    }
}
