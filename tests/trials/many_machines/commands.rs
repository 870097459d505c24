//! What works on one machine works on many: `compare`, `--until`, `--replace`, quarantine, more than
//! two seats; and TLS.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::server::{TestServer, WorkerProcess, arena_with_script};
use crate::support::{Arena, Config, wait_until};

/// A comparison, with each other or in a field, gives the same verdict after the same games here and
/// on a worker.
pub(super) fn compare(server: &mut TestServer) {
    let (here, there) = (Arena::with(&Config::small()), Arena::with(&Config::small()));
    let _worker = WorkerProcess::start(&there, &server.url(), "one");
    let url = server.url();
    // So small a difference is not found in so few games: all of them are played.
    let args = ["compare", "ant", "bee", "--elo1", "1", "--max-pairs", "6", "--format", "json"];
    let field = ["--against", "bot:search-10", "--against", "bot:steady"];
    for args in [args.to_vec(), [&args[..], &field].concat()] {
        let local = here.run(&args);
        let remote = there.run(&[&args[..], &["--on", &url]].concat());
        assert_eq!((local.code, remote.code), (11, 11), "{}{}", local.err, remote.err);
        let verdict = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(verdict(&remote.out), verdict(&local.out));
    }
}

/// With a time limit, more than what was planned is played.
pub(super) fn until(server: &mut TestServer) {
    let config = Config::empty().bot("ant", "random").bot("bee", "random").change(|config| {
        config.pairs = 1;
        config.max_moves = 4;
    });
    let (arena, url) = (Arena::with(&config), server.url());
    let _worker = WorkerProcess::start(&arena, &url, "one");
    let run = arena.run(&["run", "--on", &url, "--until", "15s"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("everything was played, plus "), "{}", run.err);
    let games = arena.lines().len();
    assert!(games > 2, "{games} games");
    assert_eq!(arena.run(&["verify", "results/cup"]).code, 0);
}

/// When the time is up, a worker begins no second game of a pair. The next run plays it.
pub(super) fn until_within_a_pair(server: &mut TestServer) {
    let ant = "dir = \"ant\"\ncommand = [\"sh\", \"play.sh\"]";
    let config = Config::empty().player("ant", ant).bot("bee", "random").change(|config| {
        config.pairs = 1;
        config.max_moves = 4;
        config.clock.push_str("move = \"60s\"");
    });
    let (arena, url) = (Arena::with(&config), server.url());
    fs::create_dir(arena.path().join("ant")).expect("a folder");
    let play = r#"
while read -r line; do
    id=${line#*'"id":'}
    case $line in
    *'"type":"init"'*) slept=; echo "{\"id\":${id%%,*},\"name\":\"ant\"}" ;;
    *'"type":"turn"'*)
        if [ -z "$slept" ]; then sleep 8; slept=yes; fi
        legal=${line#*'"legal":["'}; echo "${legal%%\"*}" ;;
    *'"type":"quit"'*) exit 0 ;;
    esac
done
"#;
    arena.write("ant/play.sh", play);
    let _worker = WorkerProcess::start(&arena, &url, "one");
    let run = arena.run(&["run", "--on", &url, "--until", "8s"]);
    let games = arena.lines().len();
    assert!(games < 2, "{games} games: {}", run.err);
    assert!(run.err.contains("the time is up"), "{}", run.err);
    let rest = arena.run(&["run", "--on", &url]);
    assert_eq!((rest.code, arena.lines().len()), (0, 2), "{}", rest.err);
    assert_eq!(arena.run(&["verify", "results/cup"]).code, 0);
}

/// A player that has changed travels again, and its games are played again.
pub(super) fn replace(server: &mut TestServer) {
    let (arena, url) = (arena_with_script("exec \"$REFEREE\" bot random\n"), server.url());
    let _worker = WorkerProcess::start(&arena, &url, "one");
    let run = arena.run(&["run", "-q", "--on", &url]);
    assert_eq!(run.code, 0, "{}", run.err);
    let before = arena.essence();
    arena.write("ant/play.sh", "exec \"$REFEREE\" bot greedy\n");
    assert_eq!(arena.run(&["run", "-q", "--on", &url]).code, 4, "it must be asked for");
    let run = arena.run(&["run", "-q", "--on", &url, "--replace", "ant"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let after = arena.essence();
    assert_eq!(after.len(), before.len());
    let changed = after.iter().filter(|(id, game)| before[*id]["actions"] != game["actions"]);
    assert_eq!(changed.count(), 4, "the games of ant");
    assert_eq!(arena.run(&["verify", "results/cup"]).code, 0);
}

/// A player that always fails is taken out.
pub(super) fn quarantine(server: &mut TestServer) {
    let config = Config::empty()
        .player("ant", "dir = \"ant\"\ncommand = [\"sh\", \"play.sh\"]")
        .bot("bee", "random")
        .change(|config| {
            // On a busy machine, many games are handed out before the first ones are over.
            config.pairs = 100;
            "quarantine = 3\n".clone_into(&mut config.more);
        });
    let (arena, url) = (Arena::with(&config), server.url());
    fs::create_dir(arena.path().join("ant")).expect("a folder");
    arena.write("ant/play.sh", "exit 1\n");
    let _worker = WorkerProcess::start(&arena, &url, "one");
    let run = arena.run(&["run", "--on", &url]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("ant is quarantined after too many faults in a row"), "{}", run.err);
    let games = arena.lines().len();
    assert!((3..200).contains(&games), "{games} games");
}

/// Six players of four seats and one more that crashes at once, whose deals are made up for. A worker
/// and the coordinator are killed in play. The games that count are those of a run on one machine.
pub(super) fn four_seats(server: &mut TestServer) {
    let (here, there, url) = (Arena::new(), Arena::new(), server.url());
    for arena in [&here, &there] {
        write_cup_of_four(arena);
    }
    let run = here.run(&["run", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let mut killed = WorkerProcess::start(&there, &url, "one");
    let _other = WorkerProcess::start(&there, &url, "two");
    let args = ["run", "-q", "--on", &url, "--lease", "3"];
    let mut coordinator = there.start(&args);
    let is_from = |line: &str, worker| line.contains(&format!("\"worker\":{worker:?}"));
    wait_until(|| {
        let log = fs::read_to_string(there.results().join("games.jsonl")).unwrap_or_default();
        log.lines().any(|line| is_from(line, "one"))
    });
    killed.kill();
    there.wait_for_lines(there.lines().len() + 4);
    coordinator.kill().expect("killed");
    coordinator.wait().expect("ended");
    assert!(there.lines().len() < here.lines().len(), "it was killed in play");
    let run = there.finish(there.start(&args), "");
    assert_eq!(run.code, 0, "{}", run.err);
    // Games of a player that is out soon may have begun before. They do not count.
    let of_others = |arena: &Arena| {
        let mut games = arena.essence();
        games.retain(|_, game| {
            game.as_object_mut().expect("an object").remove("worker");
            game["players"].as_object().expect("names").values().all(|name| name != "bad")
        });
        games
    };
    assert_eq!(of_others(&there), of_others(&here));
    assert_eq!(there.read("standings.csv"), here.read("standings.csv"));
    let verify = there.run(&["verify"]);
    assert!(verify.code == 0 && verify.out.contains(": no problems"), "{}", verify.out);
}

fn write_cup_of_four(arena: &Arena) {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/games/goofspiel/goofspiel.py");
    let bot = |name| format!("[[players]]\nname = {name:?}\nbot = \"random\"\n");
    let program = |name| {
        format!(
            "[[players]]\nname = {name:?}\ndir = {name:?}\ncommand = [\"python3\", \"play.py\"]\n"
        )
    };
    let players = [
        ["ant", "bee", "cat", "dog", "eel"].map(bot).concat(),
        ["fox", "bad"].map(program).concat(),
    ];
    let terms = "seed = 5\nquarantine = 2\nmeetings = 3\n[options]\ncards = 4\n\
                 [containment]\nlevel = \"off\"\n";
    let game = format!("game = {{ command = [\"python3\", {rules:?}, \"4\"] }}\n");
    arena.write("tournament.toml", &["name = \"cup\"\n", &game, terms, &players.concat()].concat());
    for (name, play) in
        [("fox", include_str!("../../players/fine.py")), ("bad", "import sys; sys.exit(3)")]
    {
        fs::create_dir(arena.path().join(name)).expect("a folder");
        arena.write(&format!("{name}/play.py"), play);
    }
}

/// A server that is reached with a certificate of its own authority.
pub(super) fn tls(server: &mut TestServer) {
    let keys = tempfile::tempdir().expect("a folder");
    let openssl = |args: &str| {
        let words: Vec<&str> = args.split(' ').collect();
        let made = Command::new("openssl").args(words).current_dir(keys.path()).output();
        let made = made.expect("openssl");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    };
    fs::write(keys.path().join("names"), "subjectAltName=IP:127.0.0.1\n").expect("written");
    openssl("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=lab");
    openssl("req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=server");
    openssl(
        "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 \
         -extfile names",
    );
    let path = |name: &str| keys.path().join(name).display().to_string();
    let tls =
        format!("tls {{ cert_file: {:?}, key_file: {:?} }}\n", path("cert.pem"), path("key.pem"));
    let locked = TestServer::start(server.program.clone(), &tls);
    let url = locked.url().replace("nats://", "tls://");
    let arena = Arena::with(&Config::small());
    let start = |args: &[&str]| -> Child {
        arena.command(args).env("NATS_CA", path("ca.pem")).spawn().expect("the referee starts")
    };
    let run = arena.run(&["run", "--on", &url]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("cannot connect securely"), "{}", run.err);
    let mut command = arena.command(&["worker", &url, "--jobs", "2", "--name", "one"]);
    command.env("NATS_CA", path("ca.pem")).stdout(Stdio::null()).stderr(Stdio::null());
    let _worker = WorkerProcess(command.spawn().expect("a worker"));
    let run = arena.finish(start(&["run", "-q", "--on", &url]), "");
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(arena.lines().len(), 12);
}
