//! The page of a league: who gets in, what is taken, and what is refused.

mod author_page;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::report::Served;
use crate::support::{Arena, Config, HOSTILE};

/// A league with versions of two authors.
const LEAGUE: &str = "name = \"cup\"\ngame = \"watch-your-back\"\nformat = \"league\"\n\
    [[players]]\nname = \"house\"\nbot = \"random\"\n[[players]]\nname = \"garden\"\nbot = \"greedy\"\n\
    [league]\nlargest = \"100 KiB\"\nevery = \"1 h\"\n";
const AUTHORS: [(&str, u32); 3] = [("ann", 1), ("bob", 1), ("bob", 2)];
/// What separates the parts of a form.
const BOUNDARY: &str = "----------a-boundary";

/// A league with results.
fn league(config: &str) -> Arena {
    league_of(config, Config::empty(), ["random"; 3])
}

/// A league with the results of games that `played` begins to describe, between these versions.
fn league_of(config: &str, played: Config, bots: [&str; 3]) -> Arena {
    let versions = AUTHORS.iter().zip(bots);
    let arena = Arena::played(&versions.fold(played, |played, ((author, version), bot)| {
        played.bot(&format!("{author} v{version}"), bot)
    }));
    arena.edit_line(1, |line| {
        let mut header: Value = serde_json::from_str(line).expect("JSON");
        for (player, (author, version)) in AUTHORS.iter().enumerate() {
            header["players"][player]["entry"] =
                json!({ "author": author, "version": version, "at": 1_700_000_000, "source": "", "kept": "" });
        }
        header.to_string()
    });
    arena.write("league.toml", config);
    arena.write("names.csv", "name,team\nann,1\nbob,2\n");
    arena
}

/// A league in which a version crashed.
fn league_with_a_crash() -> Arena {
    let arena = league(LEAGUE);
    arena.edit_line(2, |line| {
        let mut game: Value = serde_json::from_str(line).expect("JSON");
        let fault = json!({ "code": "crash", "message": "it exited with code 1",
            "stderr": ["File \"player.py\", line 7", "KeyError: 'own'"] });
        game["fault"] = json!({ "white": fault });
        (game["result"], game["reason"]) = ("black".into(), "crash".into());
        game["scores"] = json!({ "white": 0, "black": 1 });
        game.to_string()
    });
    arena
}

#[test]
fn what_players_write_to_stderr_is_not_for_everyone() {
    let organisers = Served::of(league_with_a_crash(), &[]).ask("/", &[]);
    assert!(organisers.contains("KeyError") && organisers.contains("referee ask"), "{organisers}");
    let door = Door::of(league_with_a_crash());
    let everyones = door.served.ask("/", &[]);
    assert!(everyones.contains("it exited with code 1"), "{everyones}");
    assert!(!everyones.contains("KeyError") && !everyones.contains("referee ask"), "{everyones}");
    let log = door.served.arena().log();
    let crashed: Value = serde_json::from_str(log.lines().nth(1).expect("a game")).expect("JSON");
    let game =
        door.served.ask(&format!("/games/{}.js", crashed["id"].as_str().expect("an id")), &[]);
    assert!(game.contains("it exited with code 1") && !game.contains("KeyError"), "{game}");
}

/// The links that the command prints, by name.
fn links(arena: &Arena, words: &[&str]) -> Vec<(String, String)> {
    let output = arena.command(&[&["league", "invite"], words].concat()).output().expect("started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    let link = |line: &str| {
        let (name, link) = line.split_once(',').expect("two columns");
        (name.to_owned(), link.to_owned())
    };
    out.lines().map(link).collect()
}

/// The secret in a link.
fn secret(link: &str) -> &str {
    link.rsplit('/').next().expect("a link")
}

/// A league that is served, with the cookies of its authors and its organiser.
struct Door {
    served: Served,
    ann: String,
    bob: String,
    organiser: String,
}

impl Door {
    fn open(config: &str) -> Self {
        Self::of(league(config))
    }

    fn of(arena: Arena) -> Self {
        let links = links(&arena, &["names.csv", "--organiser"]);
        assert_eq!(
            links.iter().map(|(name, _)| &**name).collect::<Vec<_>>(),
            ["ann", "bob", "organiser"]
        );
        let served = Served::by(arena, &["league", "serve", "league.toml"]);
        let cookie =
            |at: usize| format!("Cookie: other=1; referee-league={}", secret(&links[at].1));
        Self { ann: cookie(0), bob: cookie(1), organiser: cookie(2), served }
    }

    fn hand_in(&self) -> PathBuf {
        self.served.arena().path().join("hand-in")
    }

    /// The token of the forms of whoever has this cookie.
    fn token(&self, page: &str, cookie: &str) -> String {
        let html = self.served.ask(page, &[cookie]);
        let (_, rest) = html.split_once("name=\"token\" value=\"").expect("a form");
        rest.split('"').next().expect("a token").to_owned()
    }

    /// Sends fields and files, each as a name or a file's name, and its content.
    fn post(&self, path: &str, headers: &[&str], fields: &[(&str, &[u8])]) -> String {
        self.post_form(path, headers, &form(fields))
    }

    /// Sends a form as it is.
    fn post_form(&self, path: &str, headers: &[&str], body: &[u8]) -> String {
        let length = format!("Content-Length: {}", body.len());
        let kind = format!("Content-Type: multipart/form-data; boundary={BOUNDARY}");
        let headers = [headers, &[&length, &kind]].concat();
        self.served.send(&format!("POST {path}"), &headers, body)
    }

    /// Hands in as a browser does.
    fn upload(&self, cookie: &str, files: &[(&str, &[u8])]) -> String {
        let token = self.token("/author", cookie);
        let fields = [&[("token", token.as_bytes())], files].concat();
        self.post("/author/hand-in", &[cookie], &fields)
    }

    /// What is in an author's folder, and what is left of submissions on their way.
    fn arrived(&self, author: &str) -> (Vec<String>, usize) {
        let incoming = fs::read_dir(self.hand_in().join(".incoming")).expect("a folder").count();
        (names(&self.hand_in().join(author)), incoming)
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

/// A form: a field whose name has a dot is a file.
fn form(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, content) in fields {
        let file = if name.contains('.') || name.is_empty() {
            format!("files\"; filename=\"{name}")
        } else {
            (*name).to_owned()
        };
        let head =
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{file}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    body
}

fn status(answer: &str) -> u16 {
    let code = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    code.and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("no status: {answer:.200}"))
}

#[test]
fn links_let_in_whom_they_were_made_for_until_they_end() {
    let arena = league(LEAGUE);
    let links = links(&arena, &["names.csv", "--organiser"]);
    let invitations = arena.results().join("invitations.json");
    let mode = fs::metadata(&invitations).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept = fs::read_to_string(&invitations).expect("a file");
    assert!(links.iter().all(|(_, link)| !kept.contains(secret(link))), "only hashes are kept");
    let served = Served::by(arena, &["league", "serve"]);
    let enter = |link: &str| served.ask(&format!("/enter/{}", secret(link)), &[]);
    let page = |link: &str, page: &str| {
        served.ask(page, &[&format!("Cookie: referee-league={}", secret(link))])
    };
    for (name, link) in &links {
        let (to, other) = match name.as_str() {
            "organiser" => ("/organiser", "/author"),
            _ => ("/author", "/organiser"),
        };
        let entered = enter(link);
        assert_eq!(status(&entered), 303, "{entered}");
        let cookie = format!(
            "set-cookie: referee-league={}; HttpOnly; SameSite=Lax; Path=/; Max-Age=15552000\r\n",
            secret(link)
        );
        for line in [&*cookie, &format!("location: {to}\r\n"), "cache-control: no-store\r\n"] {
            assert!(entered.contains(line), "{line}: {entered}");
        }
        let shown = page(link, to);
        // The ranking leads the organiser there.
        let refused = if name == "organiser" { 303 } else { 403 };
        assert_eq!((status(&shown), status(&page(link, other))), (200, refused), "{name}");
        let head = shown.split("\r\n\r\n").next().expect("a head");
        for line in [
            "cache-control: no-store",
            "referrer-policy: same-origin",
            "x-content-type-options: nosniff",
            "script-src 'self';",
            "form-action 'self';",
        ] {
            assert!(head.contains(line), "{line}: {head}");
        }
        assert!(!head.contains("unsafe-inline"), "{head}");
    }
    // A person follows a link in a mail; another page cannot fetch it.
    let followed =
        ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    let path = format!("/enter/{}", secret(&links[0].1));
    assert_eq!(status(&served.ask(&path, &followed)), 303);
    assert_eq!(status(&served.ask(&path, &followed[..1])), 403);
    let forged = ["0".repeat(40), "x".to_owned(), "..%2f".to_owned()];
    for secret in &forged {
        assert_eq!(status(&served.ask(&format!("/enter/{secret}"), &[])), 403, "{secret}");
        let cookie = format!("Cookie: referee-league={secret}");
        assert_eq!(status(&served.ask("/author", &[&cookie])), 403, "{secret}");
    }
    assert_eq!(status(&served.ask("/author", &[])), 403);
    // Renewed and withdrawn links end, with the cookies that came by them.
    let newer =
        self::links(served.arena(), &["--renew", "ann", "--withdraw", "bob", "--organiser"]);
    for (_, old) in &links {
        assert_eq!(status(&enter(old)), 403);
        assert_eq!((status(&page(old, "/author")), status(&page(old, "/organiser"))), (403, 403));
    }
    assert_eq!(newer.len(), 2);
    assert_eq!((status(&enter(&newer[0].1)), status(&page(&newer[0].1, "/author"))), (303, 200));
}

#[test]
fn a_cookie_for_an_encrypted_page_is_sent_only_there() {
    let arena = league(LEAGUE);
    let links = links(&arena, &["names.csv", "--url", "https://league.example.org/"]);
    let (_, link) = &links[0];
    assert!(link.starts_with("https://league.example.org/enter/"), "{link}");
    let served = Served::by(arena, &["league", "serve"]);
    let host = "Host: league.example.org";
    let answer = served.ask(&format!("/enter/{}", secret(link)), &[host]);
    assert!(
        answer.contains("set-cookie: __Host-referee-league=") && answer.contains("; Secure"),
        "{answer}"
    );
    // A proxy may name the page's host, or its own.
    let cookie = format!("Cookie: __Host-referee-league={}", secret(link));
    let origin = "Origin: https://league.example.org";
    for more in [&[host][..], &[host, origin], &[origin]] {
        let answer = served.ask("/author", &[&[&*cookie], more].concat());
        assert_eq!(status(&answer), 200, "{more:?}");
    }
    assert_eq!(status(&served.ask("/author", &[&cookie, "Host: example.org"])), 403);
}

#[test]
fn what_is_handed_in_arrives_whole_in_place_of_what_was_there() {
    let door = Door::open(&LEAGUE.replace("1 h", "1 ns"));
    let program = [b"\x7fELF".as_slice(), &[0, 13, 10, 255].repeat(10_000)].concat();
    assert_eq!(status(&door.upload(&door.ann, &[("player.bin", &program)])), 303);
    assert_eq!(door.arrived("ann"), (vec!["player.bin".to_owned()], 0));
    let path = door.hand_in().join("ann/player.bin");
    assert_eq!(fs::read(&path).expect("a file"), program);
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o755);
    fs::write(door.hand_in().join("ann/report.txt"), "hand-in 1: refused\n").expect("written");
    let several: [(&str, &[u8]); 3] =
        [("player.py", b"import sys\n"), ("", b""), ("C:\\x\\help.py", b"")];
    assert_eq!(status(&door.upload(&door.ann, &several)), 303);
    assert_eq!(door.arrived("ann"), (vec!["files".to_owned(), "report.txt".to_owned()], 0));
    assert_eq!(names(&door.hand_in().join("ann/files")), ["help.py", "player.py"]);
    let page = door.served.ask("/author", &[&door.ann]);
    assert!(page.contains("help.py (0 bytes), player.py (11 bytes)"), "{page}");
    assert_eq!(status(&door.upload(&door.ann, &[("player.zip", b"PK")])), 303);
    assert_eq!(door.arrived("ann").0, ["player.zip", "report.txt"]);
    let again = door.upload(&door.ann, &[("player.zip", b"PK")]);
    assert!(status(&again) == 200 && again.contains("will not be checked twice"), "{again}");
    assert_eq!(door.arrived("ann").0, ["player.zip", "report.txt"]);
    let page = door.served.ask("/author", &[&door.ann]);
    assert!(page.contains("player.zip (2 bytes)") && page.contains("hand-in 1: refused"), "{page}");
    // Names of files lead nowhere, and are text.
    let evil = "..\\..\\x<img src=x>.py";
    assert_eq!(status(&door.upload(&door.bob, &[(evil, b"x")])), 303);
    assert_eq!(door.arrived("bob").0, ["x<img src=x>.py"]);
    let page = door.served.ask("/author", &[&door.bob]);
    assert!(page.contains("x&lt;img src=x&gt;.py") && !page.contains("<img"), "{page}");
    for bad in [".htaccess.py", "Report.txt", "x/.."] {
        assert_eq!(status(&door.upload(&door.bob, &[(bad, b"x")])), 400, "{bad}");
    }
    let twice: [(&str, &[u8]); 2] = [("a.py", b""), ("A.py", b"")];
    assert_eq!(status(&door.upload(&door.bob, &twice)), 400);
    assert_eq!(status(&door.upload(&door.bob, &[("", b"")])), 400, "no file");
    // As old systems send `joueur_é.py`.
    let token = door.token("/author", &door.bob);
    let mut latin = form(&[("token", token.as_bytes()), ("player_#.py", b"x")]);
    let at = latin.iter().position(|&byte| byte == b'#').expect("its name");
    latin[at] = 0xe9;
    let answer = door.post_form("/author/hand-in", &[&door.bob], &latin);
    assert_eq!(status(&answer), 400, "{answer}");
    assert!(answer.contains("its name is not UTF-8"), "{answer}");
    assert_eq!(door.arrived("bob"), (vec!["x<img src=x>.py".to_owned()], 0));
}

#[test]
fn too_large_or_too_often_is_refused() {
    let door = Door::open(LEAGUE);
    let fits = vec![b'x'; 100 << 10];
    let larger = vec![b'x'; (100 << 10) + 1];
    let much = vec![b'x'; 3 << 20];
    for (content, cookie) in [(&larger, &door.ann), (&much, &door.bob)] {
        let answer = door.upload(cookie, &[("player.py", content)]);
        assert_eq!(status(&answer), 413, "{answer}");
        assert!(answer.contains("larger than 102400 bytes"), "{answer}");
    }
    assert_eq!(door.arrived("ann"), (Vec::new(), 0));
    // What is refused before a file arrives does not count.
    assert_eq!(status(&door.upload(&door.bob, &[(".hidden.py", b"x")])), 400);
    assert_eq!(status(&door.upload(&door.bob, &[("player.py", &fits)])), 303);
    for cookie in [&door.ann, &door.bob] {
        let answer = door.upload(cookie, &[("player.py", b"x")]);
        assert_eq!(status(&answer), 429, "{answer}");
        let (_, wait) = answer.split_once("retry-after: ").expect("when to try again");
        let wait: u64 = wait.split("\r\n").next().expect("a line").parse().expect("seconds");
        assert!((1..=3600).contains(&wait), "{wait}");
    }
    assert_eq!(fs::read(door.hand_in().join("bob/player.py")).expect("a file"), fits);
}

#[test]
fn posts_from_elsewhere_are_refused() {
    let door = Door::open(LEAGUE);
    let (ann, bob) = (door.token("/author", &door.ann), door.token("/author", &door.bob));
    let file: (&str, &[u8]) = ("player.py", b"x");
    let send = |token: &str, headers: &[&str]| {
        let headers = [&[&*door.ann], headers].concat();
        status(&door.post("/author/hand-in", &headers, &[("token", token.as_bytes()), file]))
    };
    for headers in [
        &["Origin: https://example.org"][..],
        &["Origin: null"],
        &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
        &["Sec-Fetch-Site: same-site"],
    ] {
        assert_eq!(send(&ann, headers), 403, "{headers:?}");
    }
    for token in ["", "x", &bob] {
        assert_eq!(send(token, &[]), 403, "{token}");
    }
    assert_eq!(status(&door.post("/author/hand-in", &[&door.ann], &[file])), 403, "no token");
    let late = [file, ("token", ann.as_bytes())];
    assert_eq!(
        status(&door.post("/author/hand-in", &[&door.ann], &late)),
        403,
        "the token comes first"
    );
    assert_eq!(status(&door.post("/author/hand-in", &[&door.organiser], &[file])), 403);
    assert_eq!(status(&door.post("/author/hand-in", &[], &[file])), 403);
    assert_eq!(
        status(&door.post("/organiser/pause", &[&door.ann], &[("token", ann.as_bytes())])),
        403
    );
    assert_eq!(status(&door.post("/organiser/pause", &[&door.organiser], &[("token", b"x")])), 403);
    assert!(!door.served.arena().results().join("control.json").exists());
    assert_eq!(door.arrived("ann"), (Vec::new(), 0));
    let own = format!("Origin: http://{}", door.served.address());
    assert_eq!(send(&ann, &[&own, "Sec-Fetch-Site: same-origin"]), 303);
}

#[test]
fn an_author_gets_the_packets_of_its_own_versions_only() {
    let door = Door::open(LEAGUE);
    let ask = |path: &str, cookie: &str| door.served.ask(path, &[cookie]);
    let page = ask("/author", &door.bob);
    let entered = jiff::Timestamp::from_second(1_700_000_000).expect("a time");
    let entered = entered.to_zoned(jiff::tz::TimeZone::system());
    assert!(page.contains(&entered.strftime("%Y-%m-%d %H:%M %:z").to_string()), "{page}");
    let at = |number: u32| page.find(&format!("/author/versions/{number}/packet.zip"));
    assert!(at(2) < at(1) && at(2).is_some(), "the newest first: {page}");
    for path in ["/author/versions/1/", "/author/versions/1/packet.zip"] {
        let own = ask(path, &door.ann);
        assert_eq!(status(&own), 200, "{path}");
        assert!(own.contains("cache-control: no-store"), "{path}");
        assert_eq!(status(&door.served.ask(path, &[])), 403, "{path}");
        assert_eq!(status(&ask(path, &door.organiser)), 403, "{path}");
        // The second version is bob's alone.
        let other = path.replace('1', "2");
        assert_eq!(
            (status(&ask(&other, &door.ann)), status(&ask(&other, &door.bob))),
            (404, 200),
            "{other}"
        );
    }
    let own = ask("/author/versions/1/", &door.ann);
    assert!(own.contains("ann v1") && !own.contains("bob"), "opponents have pseudonyms");
    assert!(own.contains("<a href=\"/author#versions\">Your page</a></nav>"), "{own:.3000}");
    let (_, id) = own.split_once("#game=").expect("a game");
    let id = id.split('&').next().expect("an id");
    let game = ask(&format!("/author/versions/1/games/{id}.js"), &door.ann);
    assert!(
        status(&game) == 200 && game.contains("refereeGame(") && !game.contains("bob"),
        "{game:.300}"
    );
    for bad in ["x.js", "..%2freport.js", "%2e%2e%2f..%2freport.html", id] {
        let answer = ask(&format!("/author/versions/1/games/{bad}"), &door.ann);
        assert_eq!(status(&answer), 404, "{bad}");
    }
    let nothing = ask("/author/versions/9/", &door.ann);
    assert!(status(&nothing) == 404 && nothing.contains("href=\"/author#versions\""), "{nothing}");
    let archive = ask("/author/versions/1/packet.zip", &door.ann);
    assert!(
        archive.contains("filename=\"packet-1.zip\"") && archive.contains("PK"),
        "{archive:.300}"
    );
}

#[test]
fn a_link_asks_before_it_makes_a_visitor_somebody_else() {
    let door = Door::open(LEAGUE);
    let path = |cookie: &str| format!("/enter/{}", cookie.rsplit('=').next().expect("a secret"));
    let bobs = path(&door.bob);
    let again = door.served.ask(&path(&door.ann), &[&door.ann]);
    assert_eq!(status(&again), 303, "her own link: {again}");
    let asked = door.served.ask(&bobs, &[&door.ann]);
    assert_eq!(status(&asked), 200, "{asked}");
    assert!(!asked.contains("set-cookie") && asked.contains("Become bob"), "{asked}");
    assert!(
        asked.contains("referrer-policy: strict-origin\r\n"),
        "the address is a secret: {asked}"
    );
    let token = door.token(&bobs, &door.ann);
    let agree = |token: &str| door.post(&bobs, &[&door.ann], &[("token", token.as_bytes())]);
    assert_eq!(status(&agree("a guess")), 403);
    let agreed = agree(&token);
    assert_eq!(status(&agreed), 303, "{agreed}");
    assert!(agreed.contains(&format!("set-cookie: {}", door.bob.rsplit(' ').next().expect("it"))));
}

#[test]
fn an_author_sees_what_was_handed_in_and_played() {
    let door = Door::open(LEAGUE);
    let entrants = door.served.arena().path().join("entrants/bob");
    fs::create_dir_all(entrants.join("2")).expect("a folder");
    fs::write(entrants.join("2/player.py"), "a player of bob").expect("a file");
    std::os::unix::fs::symlink("/etc/passwd", entrants.join("2/link")).expect("a link");
    let history = [
        json!({ "at": 1_700_000_000, "digest": "a", "files": ["old.py"], "outcome": "refused", "why": "<it> crashes" }),
        json!({ "at": 1_700_086_400, "digest": "b", "files": ["player.py"], "comment": "a new book",
            "outcome": "entered", "version": 2 }),
    ];
    let lines = history.map(|line| line.to_string());
    fs::write(entrants.join("history.jsonl"), lines.join("\n")).expect("a file");
    let page = door.served.ask("/author", &[&door.bob]);
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(at("entered as version 2") < at("refused: &lt;it&gt; crashes"), "the newest first");
    assert!(at("a new book") > at("Your hand-ins"));
    let games = door.served.arena().log();
    let games: Vec<Value> =
        games.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of_bob = |game: &&Value| game["players"].to_string().contains("bob v");
    let game = games.iter().rev().find(of_bob).expect("a game");
    let newest = format!("/#game={}", game["id"].as_str().expect("an id"));
    assert_eq!(page.find("/#game="), page.find(&newest), "the newest first: {page}");
    let lost = door.served.ask("/author?games=lost", &[&door.bob]);
    assert!(!lost.contains(">won<") && !lost.contains(">drawn<"), "{lost}");
    let path = "/author/versions/2/player.zip";
    let archive = door.served.ask(path, &[&door.bob]);
    assert!(archive.contains("filename=\"player-2.zip\""), "{archive:.300}");
    assert!(archive.contains("player-2/player.py") && !archive.contains("player-2/link"));
    assert_eq!(status(&door.served.ask(path, &[&door.ann])), 404);
    assert_eq!(status(&door.served.ask("/author/versions/1/player.zip", &[&door.bob])), 404);
    assert_eq!(status(&door.served.ask(path, &[])), 403);
    assert!(door.served.ask("/", &[]).contains("href=\"/author\""), "it leads back");
    let led = door.served.ask("/author", &[&door.organiser]);
    assert!(led.contains("location: /organiser"), "{led}");
}

#[test]
fn the_report_is_followed_while_it_is_written() {
    let door = Door::open(LEAGUE);
    let ann = door.hand_in().join("ann");
    let mut stream = door.served.connect();
    let host = format!("Host: {}", door.served.address());
    let request = format!("GET /author/report HTTP/1.1\r\n{host}\r\n{}\r\n\r\n", door.ann);
    stream.write_all(request.as_bytes()).expect("sent");
    let mut events = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = || events.find(|line| line.starts_with("data: ")).expect("an event");
    assert_eq!(next(), "data: \"\"");
    for step in ["being checked\n1 of 9", HOSTILE] {
        fs::write(ann.join(".new"), format!("hand-in 1: {step}\u{1b}\n")).expect("written");
        fs::rename(ann.join(".new"), ann.join("report.txt")).expect("in place");
        let shown: Value = serde_json::from_str(&next()[6..]).expect("JSON");
        assert_eq!(shown, format!("hand-in 1: {step}\\u{{1b}}"));
    }
    let page = door.served.ask("/author", &[&door.ann]);
    assert!(page.contains("&lt;img src=x") && !page.contains("<img"), "{page}");
    // The link ends: so does what came by it.
    links(door.served.arena(), &["--withdraw", "ann"]);
    fs::write(ann.join("report.txt"), "hand-in 2: secret\n").expect("written");
    assert!(!events.any(|line| line.contains("secret")));
}

#[test]
fn clients_that_never_finish_do_not_keep_others_out() {
    let door = Door::open(LEAGUE);
    let host = format!("Host: {}", door.served.address());
    let token = door.token("/author", &door.ann);
    let begin = |request: &str| {
        let mut stream = door.served.connect();
        stream.write_all(request.as_bytes()).expect("sent");
        stream
    };
    let post = |more: &str| {
        format!(
            "POST /author/hand-in HTTP/1.1\r\n{host}\r\nContent-Length: 90000\r\n\
             Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n{more}"
        )
    };
    let body =
        String::from_utf8(form(&[("token", token.as_bytes()), ("player.py", b"x")])).expect("text");
    let half = &body[..body.len() - 60];
    let mut clients: Vec<TcpStream> = Vec::new();
    for unfinished in [
        format!("GET /enter/0 HTTP/1.1\r\n{host}\r\nCookie: "),
        post(&format!("{}\r\n", door.ann)),
        post("\r\n"),
        format!("GET /author/report HTTP/1.1\r\n{host}\r\n{}\r\n\r\n", door.ann),
        // What is refused because another one is on its way is no way to stay, either.
        post(&format!("{}\r\n\r\n{half}", door.ann)),
    ] {
        for _ in 0..20 {
            clients.push(begin(&unfinished));
            // Each is at work before the next one comes.
            assert_eq!(status(&door.served.ask("/league.css", &[])), 200, "{unfinished}");
        }
    }
    assert_eq!(status(&door.served.ask("/", &[])), 200);
    assert_eq!(status(&door.upload(&door.bob, &[("player.py", b"x")])), 303);
    assert_eq!(door.arrived("bob").0, ["player.py"]);
    assert_eq!(status(&door.served.ask("/author/report", &[])), 403);
    drop(clients);
}

#[test]
fn the_organiser_decides_on_its_page() {
    let door = Door::open(LEAGUE);
    let queue =
        json!({ "at": 1, "checking": [], "most": 2, "waiting": ["bob", "ann"], "typical": null });
    let file = door.served.arena().results().join("queue.json");
    fs::write(file, queue.to_string()).expect("a file");
    let page = door.served.ask("/organiser", &[&door.organiser]);
    assert!(page.contains("The league is not running"), "{page}");
    assert!(page.contains("2 authors waiting, the next one first: bob, ann."), "{page}");
    let table = door.served.ask("/organiser/authors.csv", &[&door.organiser]);
    assert!(table.contains("content-type: text/csv"), "{table}");
    let lines: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("author,")).collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(
        lines[1].starts_with("ann,takes part,yes,1,") && lines[2].starts_with("bob,"),
        "{table}"
    );
    for stranger in [&[][..], &[&*door.ann]] {
        assert_eq!(status(&door.served.ask("/organiser/authors.csv", stranger)), 403);
    }
    let token = door.token("/organiser", &door.organiser);
    let wish = |wish: &str, fields: &[(&str, &str)]| {
        let fields: Vec<(&str, &[u8])> =
            fields.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        let fields = [&[("token", token.as_bytes())], &fields[..]].concat();
        status(&door.post(&format!("/organiser/{wish}"), &[&door.organiser], &fields))
    };
    let control = || -> Value {
        let text = fs::read(door.served.arena().results().join("control.json")).expect("a file");
        serde_json::from_slice(&text).expect("JSON")
    };
    assert_eq!(wish("pause", &[]), 303);
    assert_eq!(control()["paused"], true);
    assert_eq!(wish("resume", &[]), 303);
    assert_eq!(control()["paused"], false);
    assert_eq!(wish("message", &[("message", HOSTILE)]), 303);
    assert_eq!(wish("message", &[("message", &"x".repeat(2001))]), 400);
    assert_eq!(wish("remove", &[("author", "bob")]), 303);
    assert_eq!(wish("remove", &[("author", "nobody")]), 400);
    assert_eq!(
        (control()["removed"].clone(), control()["message"].clone()),
        (json!(["bob"]), json!(HOSTILE))
    );
    assert_eq!((wish("close", &[]), wish("dance", &[])), (404, 404));
    for (page, cookie) in [("/author", &door.bob), ("/organiser", &door.organiser)] {
        let shown = door.served.ask(page, &[cookie]);
        assert!(shown.contains("&lt;img src=x") && !shown.contains("<img"), "{page}: {shown}");
    }
    let bob = door.token("/author", &door.bob);
    let fields: [(&str, &[u8]); 2] = [("token", bob.as_bytes()), ("player.py", b"x")];
    assert_eq!(status(&door.post("/author/hand-in", &[&door.bob], &fields)), 403, "removed");
    assert_eq!(wish("readmit", &[("author", "bob")]), 303);
    assert_eq!(status(&door.post("/author/hand-in", &[&door.bob], &fields)), 303);
    assert_eq!(wish("close", &[("sure", "yes")]), 303);
    let ann = door.token("/author", &door.ann);
    let fields: [(&str, &[u8]); 2] = [("token", ann.as_bytes()), ("player.py", b"x")];
    assert_eq!(status(&door.post("/author/hand-in", &[&door.ann], &fields)), 403, "closed");
    assert_eq!(wish("resume", &[]), 303);
    assert_eq!(control()["closed"], false);
    let left = door.post("/leave", &[&door.ann], &[("token", ann.as_bytes())]);
    assert!(left.contains("set-cookie: referee-league=; ") && left.contains("Max-Age=0"), "{left}");
}

#[test]
fn under_pseudonyms_the_page_of_a_league_names_nobody() {
    let door = Door::open(&LEAGUE.replace("[league]", "[league]\npseudonyms = true"));
    let page = door.served.ask("/", &[]);
    assert!(page.contains("P01") && page.contains("P03"), "{page:.500}");
    let index = door.served.ask("/games/index.js", &[]);
    let (_, id) = index.split_once("[\"").expect("a game");
    let id = id.split('"').next().expect("an id").to_owned();
    let game = door.served.ask(&format!("/games/{id}.js"), &[]);
    assert!(status(&game) == 200 && game.contains("refereeGame("), "{game:.300}");
    for text in [&page, &index, &game, &door.served.ask("/changes?", &[])] {
        assert!(!text.contains("ann v1") && !text.contains("bob"), "{text:.500}");
    }
    assert_eq!(status(&door.served.ask("/in-play", &[])), 404);
    let own = door.served.ask("/author", &[&door.ann]);
    assert!(own.contains("data-label=\"Shown as\"><bdi>P0"), "its own pseudonym: {own}");
    assert!(own.contains("/#game=") && !own.contains("bob"), "opponents have pseudonyms: {own}");
    let real = door.served.arena().lines().into_keys().next().expect("a game");
    assert_eq!(status(&door.served.ask(&format!("/games/{real}.js"), &[])), 404);
}

#[test]
fn commands_say_what_the_organiser_wants() {
    let arena = league(LEAGUE);
    let call = |words: &[&str]| {
        let run = arena.run(&[&["league"], words].concat());
        (run.code, run.err)
    };
    let control = || -> Value { serde_json::from_str(&arena.read("control.json")).expect("JSON") };
    links(&arena, &["names.csv"]);
    // The brake works whatever is wrong with the players.
    arena.write("league.toml", &LEAGUE.replace("bot = \"random\"", "command = [\"./gone\"]"));
    let answers = |calls: &[(&[&str], &str)]| {
        for (words, answer) in calls {
            assert_eq!(call(words), (0, format!("{answer}\n")), "{words:?}");
        }
    };
    answers(&[
        (&["pause"], "no games start until `referee league resume`"),
        (&["message", "Hello"], "the authors' pages now show the message"),
        (&["remove", "ann"], "ann's versions stop playing, and no new ones are accepted"),
    ]);
    let wanted = json!({ "paused": true, "closed": false, "removed": ["ann"], "message": "Hello" });
    assert_eq!(control(), wanted);
    answers(&[
        (&["resume"], "games start again, and submissions are accepted"),
        (&["message", ""], "the authors' pages no longer show a message"),
        (&["readmit", "ann"], "ann's last version plays again, and submissions are accepted"),
    ]);
    assert_eq!(control()["removed"], json!([]));
    let refused = |words: &[&str]| {
        let (code, err) = call(words);
        assert_eq!(code, 2, "{words:?}: {err}");
        err
    };
    assert_eq!(
        refused(&["remove", "anne"]),
        "error: no author is called anne; did you mean \"ann\"?\n"
    );
    refused(&["message", &"x".repeat(2001)]);
    assert_eq!(
        refused(&["invite", "--renew", "cat"]),
        "error: no one called \"cat\" has been invited\n"
    );
    arena.write("more.csv", "cat\n../dog\n");
    let kept = arena.read("invitations.json");
    assert_eq!(
        refused(&["invite", "more.csv"]),
        "error: more.csv, line 2: \"../dog\" is not a valid author name: it begins with a dot\n"
    );
    arena.write("more.csv", "House\n");
    assert_eq!(
        refused(&["invite", "more.csv"]),
        "error: more.csv, line 1: \"House\" is not a valid author name: a configured player has \
         this name\n"
    );
    // With a Cyrillic letter.
    arena.write("more.csv", "h\u{43e}use\n");
    assert!(refused(&["invite", "more.csv"]).contains("too similar to that of the configured"));
    assert_eq!(arena.read("invitations.json"), kept, "nothing was changed");
    refused(&["invite", "names.csv", "--url", "https://example.org/league"]);
    let (code, err) = call(&["invite", "names.csv"]);
    let note = "already invited, so not printed: 2 (--renew NAME creates a new link)\n";
    assert_eq!((code, &*err), (0, note));
    assert!(
        refused(&["pause", "--config", "tournament.toml"]).contains("does not describe a league")
    );
    fs::remove_file(arena.results().join("games.jsonl")).expect("removed");
    assert!(refused(&["pause"]).contains("the league has not begun"));
}

#[test]
fn the_page_opens_with_the_first_run() {
    let arena = league(LEAGUE);
    let log = arena.results().join("games.jsonl");
    let aside = arena.path().join("aside");
    fs::rename(&log, &aside).expect("moved");
    let mut server = arena
        .command(&["league", "serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut line = String::new();
    let mut err = BufReader::new(server.stderr.take().expect("a pipe"));
    err.read_line(&mut line).expect("a note");
    assert!(line.contains("has not begun"), "{line}");
    fs::rename(&aside, &log).expect("moved back");
    let mut address = String::new();
    BufReader::new(server.stdout.take().expect("a pipe"))
        .read_line(&mut address)
        .expect("it opens");
    let host = address.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut stream = TcpStream::connect(&host).expect("connected");
    let request = format!("GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n"), "{answer}");
    kill(Pid::from_raw(server.id().cast_signed()), Signal::SIGTERM).expect("sent");
    assert_eq!(server.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_quarantined_version_is_not_said_to_play() {
    for config in [LEAGUE.to_owned(), LEAGUE.replace("[league]", "[league]\npseudonyms = true")] {
        let arena = league(&config);
        let crashed = arena.log().lines().position(|line| line.contains("\"white\":\"ann v1\""));
        arena.edit_line(1 + crashed.expect("a game"), |line| {
            let mut game: Value = serde_json::from_str(line).expect("JSON");
            let fault =
                json!({ "code": "crash", "message": "it exited with code 1", "stderr": [] });
            game["fault"] = json!({ "white": fault });
            (game["result"], game["reason"]) = ("black".into(), "crash".into());
            game["scores"] = json!({ "white": 0, "black": 1 });
            game.to_string()
        });
        arena.edit_line(1, |line| {
            let mut header: Value = serde_json::from_str(line).expect("JSON");
            header["quarantine"] = 1.into();
            header.to_string()
        });
        let door = Door::of(arena);
        let page = |cookie: &str| door.served.ask("/author", &[cookie]);
        let own = page(&door.ann);
        let state = "data-label=\"State\">quarantined for faults: hand in a new version</td>";
        assert!(own.contains(state) && !own.contains(">playing</td>"), "{own}");
        assert!(page(&door.bob).contains(">playing</td>"), "others still play");
        let table = door.served.ask("/organiser/authors.csv", &[&door.organiser]);
        assert!(table.contains("\nann,quarantined,yes,1,,"), "{table}");
        let shown = door.served.ask("/organiser", &[&door.organiser]);
        assert!(shown.contains("2 authors, 1 without an active version."), "{shown}");
    }
}

/// Fails if an author cannot hand in again in a moment.
fn expect_short_wait(door: &Door, cookie: &str) {
    let answer = door.upload(cookie, &[("player.py", b"another one")]);
    assert_eq!(status(&answer), 429, "{answer}");
    let (_, wait) = answer.split_once("retry-after: ").expect("when to try again");
    let wait: u64 = wait.split("\r\n").next().expect("a line").parse().expect("seconds");
    assert!((1..=10).contains(&wait), "{wait}");
}

#[test]
fn an_upload_that_fails_does_not_lock_its_author_out() {
    let door = Door::open(LEAGUE);
    let larger = vec![b'x'; (100 << 10) + 1];
    assert_eq!(status(&door.upload(&door.ann, &[("player.py", &larger)])), 413);
    expect_short_wait(&door, &door.ann);
    // A connection that breaks while a file arrives.
    let token = door.token("/author", &door.bob);
    let body = form(&[("token", token.as_bytes()), ("player.py", &[b'x'; 1000])]);
    let head = format!(
        "POST /author/hand-in HTTP/1.1\r\nHost: {}\r\n{}\r\nContent-Length: {}\r\n\
         Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n",
        door.served.address(),
        door.bob,
        body.len()
    );
    let mut stream = door.served.connect();
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&body[..body.len() - 500]).expect("sent");
    let incoming = door.hand_in().join(".incoming");
    let has_begun = |folder: &String| incoming.join(folder).join("player.py").exists();
    crate::support::wait_until(|| names(&incoming).iter().any(has_begun));
    drop(stream);
    crate::support::wait_until(|| names(&incoming).is_empty());
    expect_short_wait(&door, &door.bob);
    assert_eq!((door.arrived("ann").0, door.arrived("bob").0), (Vec::new(), Vec::new()));
}

#[test]
fn handing_in_the_same_again_does_not_lock_its_author_out() {
    let door = Door::open(LEAGUE);
    fs::create_dir_all(door.hand_in().join("ann")).expect("a folder");
    fs::write(door.hand_in().join("ann/player.py"), "x").expect("written");
    let same = door.upload(&door.ann, &[("player.py", b"x")]);
    assert!(status(&same) == 200 && same.contains("Nothing new"), "{same}");
    expect_short_wait(&door, &door.ann);
}
