//! Reads the modules of a crate, and their references, from its sources.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// A path of names, for example `["config", "keys"]`; empty for the root of the crate.
pub(crate) type Names = Vec<String>;

/// The modules of a crate by path. Code that is only compiled for tests is left out.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    modules: BTreeMap<Names, Module>,
}

/// The contents of one module.
#[derive(Debug, Default)]
struct Module {
    /// Every path that begins with `crate`, `self` or `super`, from the root.
    paths: BTreeSet<Names>,
    /// The paths that begin with anything else, as they are written.
    others: BTreeSet<Names>,
    /// The path of each imported name, from the root.
    imports: HashMap<String, Names>,
    /// Modules with glob imports.
    globs: Vec<Names>,
    /// The names of the items that are defined here.
    items: HashSet<String>,
    /// Those of them that are types or traits.
    types: BTreeSet<String>,
}

impl Sources {
    /// Follows the `mod` items from `root`, the file of a crate's root.
    ///
    /// # Panics
    ///
    /// When a file cannot be read or a module is nowhere.
    pub(crate) fn read(root: &Path) -> Self {
        let mut sources = Self::default();
        sources.add(root, Vec::new(), root.parent().expect("a folder"));
        sources
    }

    /// Adds the module `names`; the files of its children are in `folder`.
    fn add(&mut self, file: &Path, names: Names, folder: &Path) {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = Parser::new(&text, names).parse();
        for (names, module) in parsed.modules {
            let into = self.modules.entry(names).or_default();
            into.paths.extend(module.paths);
            into.others.extend(module.others);
            into.imports.extend(module.imports);
            into.globs.extend(module.globs);
            into.items.extend(module.items);
            into.types.extend(module.types);
        }
        for (names, path) in parsed.children {
            let name = names.last().expect("a child has a name");
            let below = folder.join(name);
            let file = match path {
                Some(path) => file.parent().expect("a folder").join(path),
                None => file_of(&below),
            };
            self.add(&file, names, &below);
        }
    }

    /// The paths of all modules.
    pub(crate) fn modules(&self) -> impl Iterator<Item = &Names> {
        self.modules.keys()
    }

    /// The modules that each module refers to; an imported name leads to where it is defined.
    pub(crate) fn references(&self) -> BTreeMap<&Names, BTreeSet<Names>> {
        let of = |module: &Module| module.paths.iter().map(|path| self.home(path, 8)).collect();
        self.modules.iter().map(|(names, module)| (names, of(module))).collect()
    }

    /// The names of the types and traits that each module defines.
    pub(crate) fn types(&self) -> impl Iterator<Item = (&Names, &String)> {
        self.modules
            .iter()
            .flat_map(|(names, module)| module.types.iter().map(move |name| (names, name)))
    }

    /// The paths of other crates that the sources name.
    pub(crate) fn others(&self) -> impl Iterator<Item = (&Names, &Names)> {
        self.modules
            .iter()
            .flat_map(|(names, module)| module.others.iter().map(move |o| (names, o)))
    }

    /// The module in which the item of `path` is defined, after so many imports at most.
    fn home(&self, path: &[String], imports: usize) -> Names {
        let known = |&length: &usize| self.modules.contains_key(&path[..length]);
        let length = (0..=path.len()).rev().find(known).unwrap_or(0);
        let (names, rest) = path.split_at(length);
        let Some((module, (name, more))) = self.modules.get(names).zip(rest.split_first()) else {
            return names.to_vec();
        };
        let is_known = imports == 0 || module.items.contains(name);
        if let Some(target) = module.imports.get(name).filter(|_| !is_known) {
            return self.home(&[target, more].concat(), imports - 1);
        }
        let globs = module.globs.iter().filter(|_| !is_known);
        let homes = globs.map(|glob| self.home(&[glob.as_slice(), rest].concat(), imports - 1));
        let defines = |home: &Names| self.modules[home].items.contains(name);
        homes.into_iter().find(defines).unwrap_or_else(|| names.to_vec())
    }
}

/// The file of a module without its ending: `name.rs` or `name/mod.rs`.
fn file_of(stem: &Path) -> PathBuf {
    let beside = stem.with_extension("rs");
    if beside.is_file() { beside } else { stem.join("mod.rs") }
}

/// The contents of a file: its module, the modules inside it, and the modules in other files.
#[derive(Debug, Default)]
struct Parsed {
    modules: BTreeMap<Names, Module>,
    /// The path of each, and the file where an attribute names it.
    children: Vec<(Names, Option<String>)>,
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// The module that is being read, and the braces that were open when each of them began.
    inside: Names,
    opened: Vec<usize>,
    depth: usize,
    /// The value of a `path` attribute for the next item.
    path: Option<String>,
    parsed: Parsed,
}

impl Parser {
    fn new(text: &str, names: Names) -> Self {
        let mut parsed = Parsed::default();
        parsed.modules.insert(names.clone(), Module::default());
        let (tokens, inside) = (tokens(text), names);
        Self { tokens, at: 0, inside, opened: Vec::new(), depth: 0, path: None, parsed }
    }

    fn parse(mut self) -> Parsed {
        while self.at < self.tokens.len() {
            self.step();
        }
        self.parsed
    }

    fn module(&mut self) -> &mut Module {
        self.parsed.modules.entry(self.inside.clone()).or_default()
    }

    /// The word or sign so many tokens ahead; empty for a string and at the end.
    fn token(&self, ahead: usize) -> &str {
        match self.tokens.get(self.at + ahead) {
            Some(Token::Word(word)) => word,
            Some(Token::Text(_)) | None => "",
        }
    }

    fn is_name(&self, ahead: usize) -> bool {
        self.token(ahead).starts_with(|c: char| c.is_alphabetic() || c == '_')
    }

    /// Reads one thing, whatever it is.
    fn step(&mut self) {
        if let Some(Token::Text(text)) = self.tokens.get(self.at) {
            // Serde's attributes name functions in strings.
            let is_path = ["crate::", "self::", "super::"].iter().any(|w| text.starts_with(w))
                && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
            let inner = if is_path { tokens(text) } else { Vec::new() };
            self.tokens.splice(self.at..=self.at, inner);
            return;
        }
        match self.token(0) {
            "#" => self.attribute(),
            "mod" if self.is_name(1) && ["{", ";"].contains(&self.token(2)) => self.submodule(),
            "use" => self.import(),
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                if self.is_name(1) =>
            {
                self.item();
            }
            "macro_rules" => {
                let name = self.token(2).to_owned();
                self.module().items.insert(name);
                self.at += 3;
            }
            _ if self.is_name(0) => self.named_path(),
            other => {
                match other {
                    "{" => self.depth += 1,
                    "}" => self.close(),
                    _ => {}
                }
                self.at += 1;
            }
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.opened.last() == Some(&self.depth) {
            self.opened.pop();
            self.inside.pop();
        }
    }

    /// An attribute; skips items that are only compiled for tests.
    fn attribute(&mut self) {
        let bracket = if self.token(1) == "!" { 2 } else { 1 };
        if self.token(bracket) != "[" {
            self.at += 1;
            return;
        }
        let end = self.end_of(self.at + bracket, "[", "]");
        let words: Vec<&str> = (bracket..end - self.at).map(|ahead| self.token(ahead)).collect();
        let negated = words.windows(3).any(|three| three == ["not", "(", "test"]);
        if words.get(1) == Some(&"cfg") && words.contains(&"test") && !negated {
            self.at = end + 1;
            self.pass_over_item();
        } else if let ([_, "path", "=", ..], Some(Token::Text(path))) =
            (&words[..], self.tokens.get(self.at + bracket + 3))
        {
            self.path = Some(path.clone());
            self.at = end + 1;
        } else {
            // Paths inside it count.
            self.at += bracket + 1;
        }
    }

    /// The index of the token that closes the bracket at `from`.
    fn end_of(&self, from: usize, open: &str, close: &str) -> usize {
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(from) {
            match token {
                Token::Word(word) if word == open => depth += 1,
                Token::Word(word) if word == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return index;
            }
        }
        self.tokens.len() - 1
    }

    /// To the end of an item with its further attributes.
    fn pass_over_item(&mut self) {
        while self.token(0) == "#" {
            self.at = self.end_of(self.at + 1, "[", "]") + 1;
        }
        while self.at < self.tokens.len() && ![";", "{"].contains(&self.token(0)) {
            self.at += 1;
        }
        let is_block = self.token(0) == "{";
        self.at = if is_block { self.end_of(self.at, "{", "}") } else { self.at } + 1;
    }

    fn submodule(&mut self) {
        let name = self.token(1).to_owned();
        self.module().items.insert(name.clone());
        let names = [&self.inside[..], std::slice::from_ref(&name)].concat();
        if self.token(2) == ";" {
            self.parsed.children.push((names, self.path.take()));
        } else {
            self.inside.push(name);
            self.opened.push(self.depth);
            self.depth += 1;
            self.module();
        }
        self.at += 3;
    }

    /// The name of an item; those inside functions do no harm.
    fn item(&mut self) {
        let name = self.token(1).to_owned();
        let is_type = ["struct", "enum", "union", "trait", "type"].contains(&self.token(0));
        // Types in an `impl` block or a function are private.
        if is_type && self.depth == self.opened.last().map_or(0, |depth| depth + 1) {
            self.module().types.insert(name.clone());
        }
        self.module().items.insert(name);
        self.at += 2;
    }

    fn import(&mut self) {
        self.at += 1;
        for (path, name) in self.tree(&[]) {
            let Some(path) = self.absolute(&path) else {
                self.module().others.insert(path);
                continue;
            };
            if name == "*" {
                self.module().globs.push(path.clone());
            } else {
                self.module().imports.insert(name, path.clone());
            }
            self.module().paths.insert(path);
        }
    }

    /// The paths of a tree of imports, with the name under which each is known here.
    fn tree(&mut self, before: &[String]) -> Vec<(Names, String)> {
        let mut path = before.to_vec();
        loop {
            match self.token(0) {
                "{" => {
                    let mut all = Vec::new();
                    self.at += 1;
                    while !["}", ""].contains(&self.token(0)) {
                        all.extend(self.tree(&path));
                        self.at += usize::from(self.token(0) == ",");
                    }
                    self.at += 1;
                    return all;
                }
                "*" => {
                    self.at += 1;
                    return vec![(path, "*".to_owned())];
                }
                "::" => self.at += 1,
                _ if self.is_name(0) => {
                    path.push(self.token(0).to_owned());
                    self.at += 1;
                    if self.token(0) != "::" {
                        break;
                    }
                }
                _ => break,
            }
        }
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        let mut name = path.last().cloned().unwrap_or_default();
        if self.token(0) == "as" {
            self.token(1).clone_into(&mut name);
            self.at += 2;
        }
        vec![(path, name)]
    }

    /// A path outside an import.
    fn named_path(&mut self) {
        let mut path = vec![self.token(0).to_owned()];
        self.at += 1;
        while self.token(0) == "::" && self.is_name(1) {
            path.push(self.token(1).to_owned());
            self.at += 2;
        }
        if path.len() < 2 {
            return;
        }
        match self.absolute(&path) {
            Some(path) => self.module().paths.insert(path),
            None => self.module().others.insert(path),
        };
    }

    /// A path that begins in this crate, from its root. A child of this module does, too.
    fn absolute(&mut self, path: &[String]) -> Option<Names> {
        let inside = self.inside.clone();
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([&inside[..], rest].concat()),
            "super" => {
                let up = path.iter().take_while(|name| *name == "super").count();
                let kept = inside.len().saturating_sub(up);
                Some([&inside[..kept], &path[up..]].concat())
            }
            name => self.module().items.contains(name).then(|| [&inside[..], path].concat()),
        }
    }
}

/// A word or a sign, or the inside of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
}

fn tokens(text: &str) -> Vec<Token> {
    let stream: TokenStream = text.parse().unwrap_or_else(|e| panic!("{e}: {text}"));
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    tokens
}

/// Groups become their brackets and what is between them, and two colons one sign.
fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut is_joint = false;
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis | Delimiter::None => ("(", ")"),
                };
                tokens.push(Token::Word(open.to_owned()));
                flatten(group.stream(), tokens);
                tokens.push(Token::Word(close.to_owned()));
            }
            TokenTree::Ident(ident) => tokens.push(Token::Word(ident.to_string())),
            TokenTree::Punct(punct) => {
                let is_second = is_joint && punct.as_char() == ':';
                is_joint =
                    !is_second && punct.as_char() == ':' && punct.spacing() == Spacing::Joint;
                match tokens.last_mut() {
                    Some(Token::Word(first)) if is_second => first.push(':'),
                    _ => tokens.push(Token::Word(punct.as_char().to_string())),
                }
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                tokens.push(Token::Text(text.trim_matches('"').to_owned()));
            }
        }
    }
}
