//! A term of a league: authors hand in at random times by folder and page, the program and the
//! server are killed at random, and at the end everything is as the authors' programs deserve.
//!
//! `REFEREE_TERM=60,4,40 cargo test --test trials league -- --ignored --nocapture` plays a term of
//! 60 authors with 4 versions each and 40 kills.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::harness::{Lacks, slow, without};
use crate::support::{Arena, Config, Dice, wait_until};
use libtest_mimic::Trial;
use serde_json::Value;

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        slow("a_term_loses_nothing", a_term),
        slow("the_recipe_is_followed_word_for_word", || {
            without(&["python3"]).or_else(|| {
                from_nothing_to_the_marks();
                None
            })
        }),
    ]
}

/// Each player says a number once; the higher one wins. Numbers that are drawn around a strength
/// from Gumbel's distribution make the Elo scale exact.
const GAME: &str = r#"
from rules_program import serve
SEATS = ["one", "two"]
GAME = {"protocol": 1, "name": "numbers", "title": "Numbers", "seats": SEATS, "hidden": False,
        "board": {"legend": {}}, "options": [],
        "clauses": [{"id": "N1", "title": "Say", "text": "Each says a number from 0 to 300."},
                    {"id": "N2", "title": "End", "text": "The higher number wins."}]}
LEGAL = [str(number) for number in range(301)]

def start(options): return {"said": []}
def max_plies(options): return 2
def play(options, state, step): return {"said": state["said"] + [int(step["move"])]}
def show(options, state):
    said = state["said"]
    board = {"cells": ["." * 2]}
    if len(said) < 2:
        return {"turn": {"move": SEATS[len(said)]}, "legal": LEGAL, "board": board}
    over = "draw" if said[0] == said[1] else SEATS[said[1] > said[0]]
    return {"turn": {"over": over, "reason": "compared"}, "board": board}

serve(GAME, start=start, max_plies=max_plies, play=play, show=show)
"#;

const PYTHON: &str = r#"
import json, math, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "init":
        random.seed(message["seed"])
        print("ok", flush=True)
    elif message["type"] == "turn":
        luck = -math.log(-math.log(random.random()))
        number = 110 + (STRENGTH + 173.7 * (luck - 0.577)) / 10
        print(max(0, min(300, round(number))), flush=True)
    elif message["type"] == "quit":
        break
"#;

const C: &str = r#"
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strncmp(line, "{\"type\":\"init\"", 14) == 0) {
            const char *seed = strstr(line, "\"seed\":");
            srand48((long)(strtoull(seed + 7, NULL, 10) % 1000003));
            puts("ok");
        } else if (strncmp(line, "{\"type\":\"turn\"", 14) == 0) {
            double luck = -log(-log(drand48() * 0.999998 + 1e-6));
            double number = 110 + (STRENGTH + 173.7 * (luck - 0.577)) / 10;
            printf("%d\n", (int)(number < 0 ? 0 : number > 300 ? 300 : number + 0.5));
        } else if (strncmp(line, "{\"type\":\"quit\"", 14) == 0) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
"#;

const JAVA: &str = r#"
import java.io.*;
import java.util.Random;
public class Player {
    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        Random random = new Random();
        for (String line; (line = input.readLine()) != null; System.out.flush()) {
            if (line.startsWith("{\"type\":\"init\"")) {
                String seed = line.substring(line.indexOf("\"seed\":") + 7).split("[,}]")[0];
                random = new Random(Long.parseUnsignedLong(seed));
                System.out.println("ok");
            } else if (line.startsWith("{\"type\":\"turn\"")) {
                double luck = -Math.log(-Math.log(random.nextDouble() * 0.999998 + 1e-6));
                long number = Math.round(110 + (STRENGTH + 173.7 * (luck - 0.577)) / 10);
                System.out.println(Math.max(0, Math.min(300, number)));
            } else if (line.startsWith("{\"type\":\"quit\"")) {
                return;
            }
        }
    }
}
"#;

/// What an author hands in: its files, and its strength in Elo, if it can play.
struct Submission {
    files: Vec<(&'static str, String)>,
    strength: Option<u32>,
}

/// A version of an author's player: broken or hostile ones among good ones.
fn submission(author: u32, version: u32, dice: &mut Dice) -> Submission {
    let strength = author * 37 % 400 + 60 * version;
    let text = |template: &str| template.replace("STRENGTH", &format!("({strength})"));
    let note = |mark: &str| format!("{mark} {author} {version}\n");
    let good = |files| Submission { files, strength: Some(strength) };
    let bad = |files| Submission { files, strength: None };
    match dice.below(12) {
        0 => bad(vec![("player.py", format!("print(  # {}", note("")))]),
        1 => bad(vec![(
            "player.py",
            PYTHON.replace("max(0, min(300, round(number)))", "999").replace("STRENGTH", "0")
                + "#"
                + &note(""),
        )]),
        2 => bad(vec![(
            "Makefile",
            format!("all:\n\tcat ../../*/*; :(){{ :|:& }};:; false # {}", note("")),
        )]),
        3 => bad(vec![("player.py", format!("import os\nwhile True: os.fork()\n# {}", note("")))]),
        4 | 5 => good(vec![
            ("Makefile", "player: player.c\n\tcc -O1 -o player player.c -lm\n".to_owned()),
            ("player.c", text(C)),
        ]),
        6 => good(vec![
            ("Makefile", "player: player.cpp\n\tg++ -O1 -o player player.cpp -lm\n".to_owned()),
            ("player.cpp", text(C).replace("long)(str", "long)(std::str").replace("std::", "")),
        ]),
        7 => good(vec![("Player.java", text(JAVA))]),
        _ => good(vec![("player.py", text(PYTHON))]),
    }
}

/// A league in play, with its server.
struct Term {
    arena: Arena,
    run: Child,
    server: Child,
    address: String,
    /// The cookie of each author.
    cookies: BTreeMap<String, String>,
    /// What the log was when the program was killed.
    kept: Vec<Vec<u8>>,
    /// The first line of each author's report when the last submission was handed in.
    stale: BTreeMap<String, String>,
}

impl Term {
    fn begin(authors: u32) -> Self {
        let arena = Arena::with(&Config::empty());
        let library = include_str!("../../templates/game/python/rules_program.py");
        arena.write("rules_program.py", library);
        arena.write("numbers.py", GAME);
        arena.write(
            "game.toml",
            "command = [\"python3\", \"numbers.py\"]\nfiles = [\"rules_program.py\"]\n",
        );
        let house = |strength: u32| {
            arena.write(
                &format!("house-{strength}/player.py"),
                &PYTHON.replace("STRENGTH", &strength.to_string()),
            );
            format!(
                "[[players]]\nname = \"house-{strength}\"\ncommand = [\"python3\", \"player.py\"]\n\
                     dir = \"house-{strength}\"\nrating = {strength}\n"
            )
        };
        for strength in [0, 300] {
            fs::create_dir(arena.path().join(format!("house-{strength}"))).expect("a folder");
        }
        let players = [0, 300].map(house).concat();
        arena.write("league.toml", &format!(
            "name = \"cup\"\ngame = \"./game.toml\"\n[[stages]]\nformat = \"league\"\n[league]\nevery = \"1s\"\n\
             [clock]\nmove = \"10s\"\n[build]\ntime = \"60s\"\nmemory = \"512MiB\"\nprocesses = 64\n{players}"
        ));
        let names: Vec<String> = (0..authors).map(|author| format!("author {author}\n")).collect();
        arena.write("names.csv", &names.concat());
        let links = arena.command(&["league", "invite", "names.csv"]).output().expect("links");
        let err = String::from_utf8_lossy(&links.stderr).into_owned();
        let links = String::from_utf8(links.stdout).expect("UTF-8");
        let cookie = |line: &str| {
            let (name, link) = line.split_once(',').expect("two columns");
            (name.to_owned(), link.rsplit('/').next().expect("a secret").to_owned())
        };
        let cookies: BTreeMap<String, String> = links.lines().map(cookie).collect();
        assert_eq!(cookies.len(), authors as usize, "{links}{err}");
        fs::create_dir_all(arena.path().join("hand-in")).expect("a folder");
        let run = arena.start(&["run", "league.toml", "--quiet"]);
        wait_until(|| arena.results().join("games.jsonl").exists());
        let (server, address) = serve(&arena);
        Self { arena, run, server, address, cookies, kept: Vec::new(), stale: BTreeMap::new() }
    }

    fn kill_run(&mut self) {
        self.run.kill().expect("it runs until then");
        self.run.wait().expect("dead");
        self.kept.push(fs::read(self.arena.results().join("games.jsonl")).expect("a log"));
        self.run = self.arena.start(&["run", "league.toml", "--quiet"]);
    }

    fn kill_server(&mut self) {
        self.server.kill().expect("it runs until then");
        self.server.wait().expect("dead");
        (self.server, self.address) = serve(&self.arena);
    }

    fn report(&self, author: &str) -> String {
        let path = self.arena.path().join("hand-in").join(author).join("report.txt");
        fs::read_to_string(path).unwrap_or_default()
    }

    /// The first line of an author's report, if it is about the last submission and final.
    fn fate(&self, author: &str) -> Option<String> {
        let report = self.report(author);
        let line = report.lines().next()?.to_owned();
        let is_stale = self.stale.get(author) == Some(&line);
        (!is_stale && !line.ends_with("being checked")).then_some(line)
    }

    /// Hands in, and forgets the report that was there.
    fn hand_in(&mut self, author: &str, files: &[(&str, String)], by_page: bool) {
        let before = self.report(author).lines().next().unwrap_or_default().to_owned();
        self.stale.insert(author.to_owned(), before);
        if by_page { self.by_page(author, files) } else { self.by_folder(author, files) }
    }

    /// Hands in by the folder: the files appear one by one.
    fn by_folder(&self, author: &str, files: &[(&str, String)]) {
        let folder = self.arena.path().join("hand-in").join(author);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("written");
        }
    }

    /// Hands in by the page.
    fn by_page(&self, author: &str, files: &[(&str, String)]) {
        upload(&self.address, &self.cookies[author], files);
    }

    fn log(&self) -> Vec<u8> {
        fs::read(self.arena.results().join("games.jsonl")).expect("a log")
    }
}

/// Hands in by the page at `address`, as a browser with this cookie does, until it is taken.
fn upload(address: &str, cookie: &str, files: &[(&str, String)]) {
    let cookie = format!("Cookie: referee-league={cookie}");
    loop {
        let page = ask(address, &format!("GET /author HTTP/1.1\r\n{cookie}\r\n"), "");
        let token = page.split("name=\"token\" value=\"").nth(1).expect("a form");
        let token = token.split('"').next().expect("a token");
        let part = |head: String, text: &str| {
            format!("--edge\r\nContent-Disposition: form-data; name={head}\r\n\r\n{text}\r\n")
        };
        let mut body = part("\"token\"".to_owned(), token);
        for (name, text) in files {
            body += &part(format!("\"files\"; filename=\"{name}\""), text);
        }
        body += "--edge--\r\n";
        let head = format!(
            "POST /author/hand-in HTTP/1.1\r\n{cookie}\r\nContent-Type: multipart/form-data; \
             boundary=edge\r\nContent-Length: {}\r\n",
            body.len()
        );
        let answer = ask(address, &head, &body);
        if answer.starts_with("HTTP/1.1 303") {
            return;
        }
        assert!(answer.starts_with("HTTP/1.1 429"), "{answer:.300}");
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// The answer to a request.
fn ask(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it is served");
    let request = format!("{head}Host: {address}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

/// Starts the server, and reads its address.
fn serve(arena: &Arena) -> (Child, String) {
    let mut server = arena.start(&["league", "serve", "league.toml", "--listen", "127.0.0.1:0"]);
    let address = address_of(&mut server);
    (server, address)
}

/// The address that a server prints when it begins.
fn address_of(server: &mut Child) -> String {
    let mut line = String::new();
    let out = server.stdout.take().expect("a pipe");
    BufReader::new(out).read_line(&mut line).expect("an address");
    line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned()
}

/// What the authors handed in, and what should have become of it.
#[derive(Default)]
struct HandedIn {
    /// How many submissions each author has handed in.
    versions: Vec<u32>,
    /// Whether the last one of each author can play.
    last: BTreeMap<String, bool>,
    /// How many of each author's can play.
    entered: BTreeMap<String, u32>,
    /// The strengths of all players that should have come.
    strengths: BTreeMap<String, u32>,
    by_page: u32,
}

#[expect(clippy::print_stdout, reason = "the figures of the term")]
fn a_term() -> Lacks {
    let lacks = without(&["cc", "g++", "javac", "make", "python3"]);
    if lacks.is_some() {
        return lacks;
    }
    let size = std::env::var("REFEREE_TERM").unwrap_or_else(|_| "4,2,4".to_owned());
    let size: Vec<u32> = size.split(',').map(|it| it.parse().expect("a number")).collect();
    let [authors, versions, kills] = size[..] else {
        panic!("REFEREE_TERM=authors,versions,kills")
    };
    let began = Instant::now();
    let mut term = Term::begin(authors);
    let handed_in = hand_in_all(&mut term, (authors, versions, kills));
    everyone_was_told(&term, &handed_in);
    // Everyone gets some games.
    let wanted = handed_in.strengths.len() * 15;
    term.arena.wait_for_lines(wanted);
    let closed = term.arena.run(&["league", "close"]);
    assert_eq!(closed.code, 0, "{}", closed.err);
    assert!(term.run.wait().expect("it ends").success());
    term.server.kill().expect("it runs until then");
    term.server.wait().expect("dead");
    let games = check_log(&term);
    let (right, all) = ratings_within(&term, &handed_in.strengths);
    println!(
        "{authors} authors, {} versions ({} by the page), {} of them good; {kills} kills; {games} \
         games in {:.0} s; {right} of {all} ratings within their intervals",
        authors * versions,
        handed_in.by_page,
        handed_in.strengths.len() - 2,
        began.elapsed().as_secs_f64(),
    );
    // One in twenty misses, and a short term has few.
    assert!(10 * (all - right) <= 20 + all, "{right} of {all}");
    None
}

/// Lets all authors hand in all their versions, each when the one before was answered, and kills
/// the program and its server now and then.
fn hand_in_all(term: &mut Term, (authors, versions, kills): (u32, u32, u32)) -> HandedIn {
    let mut dice = Dice::new(29);
    let strengths = [("house-0".to_owned(), 0), ("house-300".to_owned(), 300)].into();
    let mut all =
        HandedIn { versions: vec![0; authors as usize], strengths, ..HandedIn::default() };
    let (mut left, mut killed) = (authors * versions, 0);
    while left > 0 || killed < kills {
        let due = (authors * versions - left) * kills / (authors * versions);
        if killed < kills && (killed < due || left == 0) {
            match dice.below(3) {
                0 => term.kill_server(),
                _ => term.kill_run(),
            }
            killed += 1;
        }
        let is_free = |author: &u32| {
            let name = format!("author {author}");
            all.versions[*author as usize] < versions
                && (!all.last.contains_key(&name) || term.fate(&name).is_some())
        };
        let free: Vec<u32> = (0..authors).filter(is_free).collect();
        let at = free.len().checked_sub(1).map(|last| dice.below(last as u64 + 1));
        let Some(author) = at.and_then(|at| free.get(usize::try_from(at).ok()?)) else {
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        let name = format!("author {author}");
        let version = &mut all.versions[*author as usize];
        *version += 1;
        left -= 1;
        let Submission { files, strength } = submission(*author, *version, &mut dice);
        if let Some(strength) = strength {
            let number = all.entered.entry(name.clone()).or_default();
            *number += 1;
            all.strengths.insert(format!("{name} v{number}"), strength);
        }
        let is_by_page = dice.below(2) == 0;
        all.by_page += u32::from(is_by_page);
        term.hand_in(&name, &files, is_by_page);
        all.last.insert(name, strength.is_some());
        std::thread::sleep(Duration::from_millis(dice.below(1500)));
    }
    all
}

/// Every author has a report on the last submission, which says what it should.
fn everyone_was_told(term: &Term, handed_in: &HandedIn) {
    for (author, can_play) in &handed_in.last {
        wait_until(|| term.fate(author).is_some());
        let fate = term.fate(author).expect("just now");
        let expected = match can_play {
            false => "refused".to_owned(),
            true => format!("entered as {author} v{}", handed_in.entered[author]),
        };
        let report = term.report(author);
        assert!(fate.ends_with(&expected), "{author}: {fate}, not {expected}\n{report}");
    }
}

/// Nothing in the log was lost or played twice, and the program finds no fault in it. Returns the
/// number of games.
fn check_log(term: &Term) -> usize {
    let log = term.log();
    for kept in &term.kept {
        let whole = kept.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        assert!(log.starts_with(&kept[..whole]), "nothing is lost");
    }
    let text = String::from_utf8(log).expect("UTF-8");
    let lines: Vec<Value> =
        text.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ids: Vec<&str> = lines.iter().filter_map(|line| line["id"].as_str()).collect();
    let different: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(different.len(), ids.len(), "nothing is played twice");
    let verified = term.arena.run(&["verify", "results/cup", "--game", "game.toml"]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    ids.len()
}

/// How many ratings are within their intervals, of how many.
#[expect(clippy::print_stdout, reason = "the figures of the term")]
fn ratings_within(term: &Term, strengths: &BTreeMap<String, u32>) -> (usize, usize) {
    let ranking = term.arena.command(&["rank", "results/cup", "--format", "json"]).output();
    let ranking: Value = serde_json::from_slice(&ranking.expect("a ranking").stdout).expect("JSON");
    let (mut right, mut all, mut unplayed) = (0, 0, 0);
    for row in ranking["players"].as_array().expect("rows") {
        let name = row["player"].as_str().expect("a name");
        let truth = strengths.get(name).unwrap_or_else(|| panic!("who is {name}?"));
        // A version that was replaced before its first game has no rating.
        let bound = |key: &str| row[key].as_f64();
        let Some((low, high)) = bound("rating_low").zip(bound("rating_high")) else {
            assert_eq!(row["games"], 0, "{name}");
            unplayed += 1;
            continue;
        };
        println!("{name}: {truth}, rated {low:.0} to {high:.0} after {} games", row["games"]);
        all += 1;
        right += usize::from((low - 1.0..=high + 1.0).contains(&f64::from(*truth)));
    }
    assert_eq!(all + unplayed, strengths.len(), "everyone is in the ranking");
    (right, all)
}

/// Follows the section of `docs/league.md` in an empty folder.
fn from_nothing_to_the_marks() {
    let page = include_str!("../../docs/league.md");
    let (_, text) = page.split_once("\n## A complete example\n").expect("the section");
    let (text, _) = text.split_once("\n## ").expect("more sections");
    let blocks: Vec<(&str, &str)> = text
        .split("\n```")
        .skip(1)
        .step_by(2)
        .map(|block| block.split_once('\n').expect("a language"))
        .collect();
    let [
        ("toml", league),
        ("console", start),
        ("csv", names),
        ("console", invite),
        ("python", program),
        ("console", copy),
        ("console", close),
        ("toml", grades),
        ("console", last),
    ] = blocks[..]
    else {
        panic!("other blocks: {blocks:?}")
    };
    let commands = |block: &'static str| block.lines().filter_map(|line| line.strip_prefix("$ "));
    let words = |command: &'static str| -> Vec<&'static str> {
        command.strip_prefix("referee ").expect("a command").split(' ').collect()
    };
    let arena = Arena::new();
    arena.write("league.toml", league);
    let begin = commands(start).next().expect("a command");
    let run = arena.start(&words(begin));
    wait_until(|| arena.path().join("results/term/games.jsonl").exists());
    arena.write("names.csv", &format!("{names}\n"));
    let [make_links, serve] = commands(invite).collect::<Vec<_>>()[..] else { panic!("{invite}") };
    let links = arena.command(&words(make_links)).output().expect("links").stdout;
    let links = String::from_utf8(links).expect("UTF-8");
    for (line, expected) in links.lines().zip(invite.lines().skip(1)) {
        let (begin, _) = expected.split_once('…').expect("a link");
        assert!(line.starts_with(begin), "{line}");
    }
    let cookie = links.lines().next().and_then(|line| line.rsplit('/').next()).expect("a secret");
    // Another program may have the usual port.
    let mut server = arena.start(&[&words(serve)[..], &["--listen", "127.0.0.1:0"]].concat());
    let address = address_of(&mut server);
    upload(&address, cookie, &[("player.py", program.to_owned())]);
    arena.write("player.py", program);
    for command in commands(copy) {
        arena.sh(command);
    }
    for author in ["ann", "bob"] {
        let report = arena.path().join("hand-in").join(author).join("report.txt");
        let expected = format!("entered as {author} v1");
        wait_until(|| {
            let text = fs::read_to_string(&report).unwrap_or_default();
            text.lines().next().is_some_and(|line| line.ends_with(&expected))
        });
    }
    let close_it = commands(close).next().expect("a command");
    let closed = arena.run(&words(close_it));
    assert_eq!(closed.code, 0, "{}", closed.err);
    for line in close.lines().skip(1) {
        assert!(closed.err.contains(line), "{line} is not in:\n{}", closed.err);
    }
    let run = arena.finish(run, "");
    assert_eq!(run.code, 0, "{}", run.err);
    server.kill().expect("it runs until then");
    server.wait().expect("dead");
    let text = fs::read_to_string(arena.path().join("final.toml")).expect("the final");
    arena.write("final.toml", &format!("{text}\n{grades}\n"));
    let played = arena.run(&words(commands(last).next().expect("a command")));
    assert_eq!(played.code, 0, "{}", played.err);
    let marks = fs::read_to_string(arena.path().join("results/term-final/grades.csv"));
    let marks = marks.expect("the marks");
    let names = ["ann", "bob", "cat"];
    assert!(names.iter().all(|name| marks.contains(name)) && !marks.contains("house"), "{marks}");
}
