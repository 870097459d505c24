//! A player for @GAME@.

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut random = Random(1);
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.starts_with(r#"{"type":"init""#) {
            random = Random(number_after(&line, "seed"));
            let known = line.contains(r#""game":"@GAME@""#);
            writeln!(out, "{}", if known { "ok" } else { r#"{"error":"@REFUSAL@"}"# })?;
        } else if line.starts_with(r#"{"type":"turn""#) {
            writeln!(out, "{}", choose(&line, &mut random))?;
        } else if line.starts_with(r#"{"type":"quit""#) {
            break;
        } // `error` and `end` ask for no reply.
        out.flush()?;
    }
    Ok(())
}

/// Chooses the action. Start here: the line is the whole turn, with its state and events.
fn choose(line: &str, random: &mut Random) -> String {
<<rows>>
    // The position is under `state`: list_after(line, "@ROWS@")[row] is a row of its board.
<<end>>
<<list>>
    let legal = list_after(line, "legal");
    legal[random.below(legal.len())].to_owned()
<<factored>>
    // The state has lists with these names too.
    let legal = line.split_once(r#""legal":"#).map_or("", |(_, legal)| legal);
    let directions = list_after(legal, "directions");
    let mut squares = list_after(legal, "squares");
    let mut words: Vec<&str> = (0..2).map(|_| directions[random.below(directions.len())]).collect();
    for _ in 0..number_after(legal, "walls") {
        words.push(squares.swap_remove(random.below(squares.len())));
    }
    words.join(" ")
<<end>>
}

/// The strings in the list under `key`.
fn list_after<'a>(line: &'a str, key: &str) -> Vec<&'a str> {
    let rest = line.split_once(&format!(r#""{key}":[""#)).map_or("", |(_, rest)| rest);
    let list = rest.split_once(r#""]"#).map_or("", |(list, _)| list);
    list.split(r#"",""#).collect()
}

/// The number under `key`.
fn number_after(line: &str, key: &str) -> u64 {
    let rest = line.split_once(&format!(r#""{key}":"#)).map_or("", |(_, rest)| rest);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
    digits.parse().unwrap_or(1)
}

/// Random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }
}
