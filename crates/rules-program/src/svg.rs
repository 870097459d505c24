//! A position as its rules program draws it: a small part of SVG, which can run nothing and load
//! nothing. Whatever is not listed here is refused. Pages never get the program's own text: what is
//! allowed is written anew.

use std::fmt::Write as _;

use roxmltree::{Document, Node, ParsingOptions, TextPos};

use referee_games::is_unsafe_to_show;

use crate::contract::LONGEST_SVG;
use crate::printable::printable;

/// The most elements, texts and comments.
const MOST_NODES: u32 = 8192;
/// How deep elements may lie within each other.
const DEEPEST: usize = 16;
/// The greatest number, regardless of its sign.
const GREATEST: f64 = 1e6;
/// How much longer one side of the drawing may be than the other.
const LONGEST_SIDE: f64 = 4.0;
/// The most characters of a name or a value in a message.
const SHOWN: usize = 40;

const NAMESPACE: &str = "http://www.w3.org/2000/svg";
const ELEMENTS: [&str; 12] = [
    "svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text",
    "tspan", "title",
];
/// The elements whose text is shown.
const TEXTS: [&str; 3] = ["text", "tspan", "title"];
const COLOURS: [&str; 25] = [
    "none", "aqua", "black", "blue", "brown", "cyan", "fuchsia", "gold", "gray", "green", "grey",
    "lime", "magenta", "maroon", "navy", "olive", "orange", "pink", "purple", "red", "silver",
    "tan", "teal", "white", "yellow",
];
const TRANSFORMS: [&str; 6] = ["translate", "rotate", "scale", "matrix", "skewX", "skewY"];
const PATH_COMMANDS: &str = "MmLlHhVvCcSsQqTtAaZz";

/// The reason why a drawing cannot be shown, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`svg`, line {line}, column {column}, {inside}: {problem}")]
pub(crate) struct SvgError {
    line: u32,
    column: u32,
    /// The element.
    inside: String,
    problem: String,
}

/// The values that an attribute may have.
enum SvgValue {
    Number,
    Numbers,
    Colour,
    Path,
    Transform,
    Words(&'static [&'static str]),
}

impl SvgValue {
    /// The values of this attribute; none if no element may have it.
    fn for_attribute(attribute: &str) -> Option<Self> {
        Some(match attribute {
            "x" | "y" | "width" | "height" | "rx" | "ry" | "cx" | "cy" | "r" | "x1" | "y1"
            | "x2" | "y2" | "dx" | "dy" | "font-size" | "stroke-width" | "opacity"
            | "fill-opacity" | "stroke-opacity" => Self::Number,
            "viewBox" | "points" | "stroke-dasharray" => Self::Numbers,
            "fill" | "stroke" => Self::Colour,
            "d" => Self::Path,
            "transform" => Self::Transform,
            "text-anchor" => Self::Words(&["start", "middle", "end"]),
            "dominant-baseline" => Self::Words(&["auto", "middle", "central", "hanging"]),
            "font-weight" => Self::Words(&["normal", "bold"]),
            "stroke-linecap" => Self::Words(&["butt", "round", "square"]),
            "stroke-linejoin" => Self::Words(&["miter", "round", "bevel"]),
            "fill-rule" => Self::Words(&["nonzero", "evenodd"]),
            _ => return None,
        })
    }

    /// The value written anew; none if it is not such a value.
    fn clean(&self, text: &str) -> Option<String> {
        let text = text.trim();
        match self {
            Self::Number => parse_svg_number(text).map(|number| number.to_string()),
            Self::Numbers => parse_svg_numbers(text).map(|numbers| format_svg_numbers(&numbers)),
            Self::Colour => is_svg_colour(text).then(|| text.to_owned()),
            Self::Path => clean_svg_path(text),
            Self::Transform => clean_svg_transform(text),
            Self::Words(words) => words.contains(&text).then(|| text.to_owned()),
        }
    }

    fn describe_expected(&self) -> String {
        match self {
            Self::Number => format!("a number up to {GREATEST}, without a unit"),
            Self::Numbers => format!("numbers up to {GREATEST}, separated by spaces or commas"),
            Self::Colour => {
                format!("#RGB, #RRGGBB, or one of {}", COLOURS.join(", "))
            }
            Self::Path => "path commands with numbers".to_owned(),
            Self::Transform => format!("{}, each with numbers", TRANSFORMS.join(", ")),
            Self::Words(words) => words.join(" or "),
        }
    }
}

/// The drawing written anew, in ASCII.
pub(crate) fn clean_svg(text: &str) -> Result<String, SvgError> {
    let at_start = |problem| SvgError { line: 1, column: 1, inside: "svg".to_owned(), problem };
    if text.len() > LONGEST_SVG {
        let problem = format!("it has {} bytes; the maximum is {LONGEST_SVG}", text.len());
        return Err(at_start(problem));
    }
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let TextPos { row, col } = error.pos();
        let problem = printable(&error.to_string());
        SvgError { line: row, column: col, inside: "XML".to_owned(), problem }
    })?;
    let (root, mut cleaner) =
        (document.root_element(), SvgCleaner { document: &document, out: String::new() });
    if root.tag_name().name() != "svg" {
        return Err(cleaner.wrong(root, "the outermost element has to be `svg`".to_owned()));
    }
    cleaner.check_size(root)?;
    cleaner.write_element(root, 1)?;
    Ok(cleaner.out)
}

/// Writes elements anew.
struct SvgCleaner<'a> {
    document: &'a Document<'a>,
    out: String,
}

impl SvgCleaner<'_> {
    fn wrong(&self, node: Node<'_, '_>, problem: String) -> SvgError {
        self.wrong_at(node, node.range().start, problem)
    }

    fn wrong_at(&self, node: Node<'_, '_>, at: usize, problem: String) -> SvgError {
        let TextPos { row, col } = self.document.text_pos_at(at);
        let element = if node.is_element() { Some(node) } else { node.parent_element() };
        let name = element.map_or("svg", |element| element.tag_name().name());
        SvgError {
            line: row,
            column: col,
            inside: format!("`{}`", shorten_svg_text(name)),
            problem,
        }
    }

    /// Checks that the outermost element says how large the drawing is, and that pages have room for
    /// its shape.
    fn check_size(&self, root: Node<'_, '_>) -> Result<(), SvgError> {
        let sides = root.attribute("viewBox").and_then(parse_svg_numbers);
        let fits = sides.is_some_and(|sides| match sides[..] {
            [_, _, width, height] => {
                width > 0.0 && height > 0.0 && (width / height).max(height / width) <= LONGEST_SIDE
            }
            _ => false,
        });
        if fits {
            return Ok(());
        }
        Err(self.wrong(
            root,
            format!(
                "it needs `viewBox` with four numbers: left, top, and width and height, of which \
                 neither is more than {LONGEST_SIDE} times the other"
            ),
        ))
    }

    fn write_element(&mut self, node: Node<'_, '_>, depth: usize) -> Result<(), SvgError> {
        let (name, is_root) = (node.tag_name().name(), depth == 1);
        let is_svg = node.tag_name().namespace().is_none_or(|namespace| namespace == NAMESPACE);
        let Some(name) = ELEMENTS.into_iter().find(|&known| known == name && is_svg) else {
            let problem =
                format!("this element is not allowed; only these are: {}", ELEMENTS.join(", "));
            return Err(self.wrong(node, problem));
        };
        if name == "svg" && !is_root {
            return Err(self.wrong(node, "only the outermost element can be `svg`".to_owned()));
        }
        if depth > DEEPEST {
            return Err(self.wrong(node, format!("elements are nested more than {DEEPEST} deep")));
        }
        self.out.push('<');
        self.out.push_str(name);
        if is_root {
            // Writing to a string cannot fail.
            let _ = write!(self.out, " xmlns=\"{NAMESPACE}\"");
        }
        self.write_attributes(node, is_root)?;
        self.out.push('>');
        for child in node.children() {
            if child.is_element() {
                self.write_element(child, depth + 1)?;
            } else if let Some(text) = child.text().filter(|_| child.is_text()) {
                self.write_text(child, name, text)?;
            } else if child.is_pi() {
                return Err(self.wrong(child, "processing instructions are not allowed".to_owned()));
            }
        }
        let _ = write!(self.out, "</{name}>");
        Ok(())
    }

    fn write_attributes(&mut self, node: Node<'_, '_>, is_root: bool) -> Result<(), SvgError> {
        for attribute in node.attributes() {
            let (name, text) = (attribute.name(), attribute.value());
            let at = attribute.range().start;
            let value = SvgValue::for_attribute(name).filter(|_| attribute.namespace().is_none());
            let Some(value) = value else {
                let problem = format!("the attribute `{}` is not allowed", shorten_svg_text(name));
                return Err(self.wrong_at(node, at, problem));
            };
            let Some(clean) = value.clean(text) else {
                let expected = value.describe_expected();
                let problem =
                    format!("invalid `{name}` \"{}\": expected {expected}", shorten_svg_text(text));
                return Err(self.wrong_at(node, at, problem));
            };
            // Pages decide how large they show it, and where.
            if !(is_root && ["x", "y", "width", "height"].contains(&name)) {
                let _ = write!(self.out, " {name}=\"{clean}\"");
            }
        }
        Ok(())
    }

    fn write_text(&mut self, node: Node<'_, '_>, within: &str, text: &str) -> Result<(), SvgError> {
        if !TEXTS.contains(&within) {
            return match text.trim() {
                "" => Ok(()),
                _ => Err(self
                    .wrong(node, "text is only allowed in `text`, `tspan` and `title`".to_owned())),
            };
        }
        for character in text.chars() {
            match character {
                '\n' | '\t' | '\r' => self.out.push(' '),
                unsafe_one if is_unsafe_to_show(unsafe_one) => {
                    let problem = "a control or invisible character is not allowed".to_owned();
                    return Err(self.wrong(node, problem));
                }
                '<' | '>' | '&' | '\u{80}'.. => {
                    let _ = write!(self.out, "&#{};", u32::from(character));
                }
                plain => self.out.push(plain),
            }
        }
        Ok(())
    }
}

/// The beginning of a text of the program, safe to show.
fn shorten_svg_text(text: &str) -> String {
    printable(&text.chars().take(SHOWN).collect::<String>())
}

fn parse_svg_number(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number: f64 = text.parse().ok().filter(|_| is_plain)?;
    // Digits that nobody sees would make a drawing much longer.
    (number.abs() <= GREATEST).then(|| (number * 1e6).round() / 1e6)
}

fn parse_svg_numbers(text: &str) -> Option<Vec<f64>> {
    let words = text.split([' ', ',', '\n', '\r', '\t']).filter(|word| !word.is_empty());
    words.map(parse_svg_number).collect()
}

fn format_svg_numbers(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

fn is_svg_colour(text: &str) -> bool {
    let is_hex = |digits: &str| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    COLOURS.contains(&text) || text.strip_prefix('#').is_some_and(is_hex)
}

fn clean_svg_path(text: &str) -> Option<String> {
    let mut parts = String::new();
    for part in text.split_inclusive(|letter| PATH_COMMANDS.contains(letter)) {
        // The numbers belong to the command before them.
        let command = part.chars().next_back().filter(|&letter| PATH_COMMANDS.contains(letter));
        let end = part.len() - command.map_or(0, char::len_utf8);
        parts.push_str(&format_svg_numbers(&parse_svg_numbers(&part[..end])?));
        parts.extend(command);
    }
    Some(parts)
}

fn clean_svg_transform(text: &str) -> Option<String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('(') {
        let name = name.trim_matches([' ', ',']);
        let (inside, after) = after.split_once(')')?;
        TRANSFORMS.contains(&name).then_some(())?;
        parts.push(format!("{name}({})", format_svg_numbers(&parse_svg_numbers(inside)?)));
        rest = after;
    }
    rest.trim().is_empty().then(|| parts.join(" "))
}

#[cfg(test)]
mod tests;
