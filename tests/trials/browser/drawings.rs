//! Drawings that rules programs make of their positions, and those that an attacker makes.

use super::{Arena, Browser, FOREIGN, Lacks, Trial, in_a_runtime, json, slow};
use crate::harness::without;

pub(crate) fn tests() -> Vec<Trial> {
    vec![slow("hostile_drawings_neither_run_nor_appear", hostile_drawings)]
}

/// Each of them but the first and the last two would do something, or load something.
fn drawings() -> Vec<String> {
    let inside = |inside: &str| format!("<svg viewBox='0 0 9 9'>{inside}</svg>");
    let evil = "window.ran = true";
    let nested = |count: usize| inside(&("<g>".repeat(count) + &"</g>".repeat(count)));
    vec![
        inside("<circle r='1'/>"),
        inside(&format!("<script>{evil}</script>")),
        format!("<svg viewBox='0 0 9 9' onload='{evil}'/>"),
        inside(&format!("<rect width='9' height='9' onmouseover='{evil}'/>")),
        inside(&format!("<a href='javascript:{evil}'><text>here</text></a>")),
        inside("<use href='http://127.0.0.1:9/use.svg#a'/>"),
        inside("<image href='http://127.0.0.1:9/image.png'/>"),
        inside("<rect width='9' height='9' fill='url(http://127.0.0.1:9/fill.svg#a)'/>"),
        inside("<style>@import url(http://127.0.0.1:9/style.css)</style>"),
        inside("<g style='background: url(http://127.0.0.1:9/style.png)'/>"),
        inside(&format!(
            "<foreignObject><img xmlns='http://www.w3.org/1999/xhtml' src='x' \
             onerror='{evil}'/></foreignObject>"
        )),
        inside(&format!("<animate onbegin='{evil}' attributeName='x' dur='1s'/>")),
        inside(&format!("<g fill='red\" onload=\"{evil}'/>")),
        format!("<!DOCTYPE svg [<!ENTITY a '&#60;script>{evil}&#60;/script>'>]>{}", inside("&a;")),
        inside("<rect width='1e308' height='1e308'/>"),
        "<svg viewBox='0 0 1e-300 1e300'/>".to_owned(),
        nested(5000),
        inside(&format!("</svg><script>{evil}</script>")),
        inside("<text>&lt;script&gt;window.ran = true&lt;/script&gt;</text>"),
        inside("<circle r='2'/>"),
    ]
}

/// Every position in the viewer: whether the game's drawing is there, and what else there is.
const SHOWN: &str = "return viewer.boards.map((_, at) => {
    viewer.show(at);
    const inner = document.querySelectorAll('#board svg svg').length;
    const names = [...document.querySelectorAll('#board svg *')].map(({ localName }) => localName);
    return [inner, names.some((name) => !['svg', 'g', 'rect', 'circle', 'text'].includes(name))];
  })";

fn hostile_drawings() -> Lacks {
    if let Some(missing) = without(&["python3"]) {
        return Some(missing);
    }
    let arena = Arena::new();
    arena.write("drawings.py", include_str!("../../rules/drawings.py"));
    arena.write("drawings.json", &json!(drawings()).to_string());
    arena.write(
        "tournament.toml",
        "name = \"cup\"\npairs = 1\n[game]\ncommand = [\"python3\", \"drawings.py\"]\n\
         [[players]]\nname = \"ant\"\nbot = \"random\"\n\
         [[players]]\nname = \"bee\"\nbot = \"random\"\n",
    );
    let run = arena.run(&["run", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!arena.log().contains("svg") && !arena.read("report.html").contains("127.0.0.1:9"));
    let id = arena.lines().into_keys().next().expect("a game");
    in_a_runtime(async {
        let browser = Browser::start(&["--window-size=1100,900"], &json!({})).await?;
        browser.open(&arena.results().join("report.html"), &format!("#game={id}&ply=0")).await;
        browser.find("#board svg").await;
        let last = drawings().len() - 1;
        let is_fine = |at: usize| at == 0 || at >= last - 1;
        let expected: Vec<_> = (0..=last).map(|at| json!([u8::from(is_fine(at)), false])).collect();
        assert_eq!(browser.ask(SHOWN).await, json!(expected));
        assert_eq!(browser.ask("return window.ran ?? null").await, json!(null));
        assert_eq!(browser.ask(FOREIGN).await, json!([]));
        browser.end().await;
        Ok(())
    })
}
