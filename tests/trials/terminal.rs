//! Output on a terminal, which `script` provides; skipped without it.

use std::process::{Command, Stdio};

use crate::harness::{Lacks, quick, without};
use crate::support::{Arena, Config};
use libtest_mimic::Trial;

pub(crate) fn tests() -> Vec<Trial> {
    vec![quick("colours_are_only_used_on_terminals_that_want_them", colour)]
}

fn colour() -> Lacks {
    let lacks = without(&["script"]);
    if lacks.is_some() {
        return lacks;
    }
    let arena = Arena::with(&Config::small());
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let coloured = on_a_terminal(&arena, "replay 08eee709cd92-1 --ply 3");
    assert!(coloured.contains("\x1b["), "{coloured}");
    let plain = on_a_terminal(&arena, "NO_COLOR replay 08eee709cd92-1 --ply 3");
    assert!(!plain.contains("\x1b[") && plain.contains("placing, 3"), "{plain}");
    None
}

/// The output on a terminal; with `NO_COLOR` set if the line begins with it.
fn on_a_terminal(arena: &Arena, line: &str) -> String {
    let (set, args) = match line.strip_prefix("NO_COLOR ") {
        Some(rest) => ("NO_COLOR=1 ", rest),
        None => ("", line),
    };
    let command = format!("{set}TERM=xterm {} {args}", env!("CARGO_BIN_EXE_referee"));
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(arena.path())
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .output()
        .expect("`script` runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
