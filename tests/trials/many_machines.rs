//! Tournaments on many machines, with a real server and several workers, which are processes here.
//!
//! The server is the first `nats-server` of the path that is new enough, or `$NATS_SERVER`.

mod commands;
mod lies;
mod malice;
mod server;
mod troubles;

use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use crate::harness::{Lacks, quick, slow, without};
use crate::support::{Arena, Config, Dice, wait_until};
use libtest_mimic::Trial;
use server::{TestServer, WorkerProcess, servers};

pub(crate) fn tests() -> Vec<Trial> {
    vec![
        quick("a round-robin is the same here and on workers", || with_server(round_robin)),
        quick("players with files play on workers", || with_server(bundled)),
        quick("clocks of players and adjudication are the same on workers", || {
            with_server(engines)
        }),
        quick("what is wrong with a server is said in a sentence", || with_server(sentences)),
        quick("lies of workers are caught, and their games replayed", || with_server(lies::caught)),
        quick("a worker cannot frame another one", malice::framing),
        quick("a worker can do no more than it needs", malice::forbidden_requests),
        quick("a worker that fails everything costs no game", malice::failing),
        slow("a worker cannot hold a run", malice::holding),
        slow("a worker cannot flood a run", malice::floods),
        slow("a spot check tells that a worker played differently", || {
            with_server(lies::spot_check)
        }),
        slow("a game that no worker survives is given up", || with_server(troubles::given_up)),
        slow("a server that stalls is said once, and nothing is lost", || {
            with_server(troubles::stalled)
        }),
        slow("a server that loses its store loses no game", || with_server(troubles::lost_store)),
        slow("of two coordinators, the later one goes on", || with_server(troubles::taken_over)),
        slow("signals are heard while the server is silent", || {
            with_server(troubles::stopped_while_silent)
        }),
        slow("old queues of a tournament are removed", || with_server(troubles::old_queues)),
        slow("a comparison is the same here and on a worker", || with_server(commands::compare)),
        slow("more is played until a time is up", || with_server(commands::until)),
        slow("no second game of a pair begins when the time is up", || {
            with_server(commands::until_within_a_pair)
        }),
        slow("a player that comes to a league is sent and plays", || {
            without(&["python3"]).or_else(|| with_server(league))
        }),
        slow("a replaced player is sent and plays again", || with_server(commands::replace)),
        slow("a player that always fails is taken out", || with_server(commands::quarantine)),
        slow("a tournament of four seats is the same here and on workers that are killed", || {
            without(&["python3"]).or_else(|| with_server(commands::four_seats))
        }),
        slow("a server with TLS is used by its authority", || {
            without(&["openssl"]).or_else(|| with_server(commands::tls))
        }),
        quick("an old server is refused by its version", old_server),
        slow("a Swiss is the same here and on workers", || with_server(swiss)),
        slow("a game that is a program is the same here and on workers", || {
            without(&["python3"]).or_else(|| with_server(program))
        }),
        slow("a rules program that fails on a worker stops the run with its message", || {
            without(&["python3"]).or_else(|| with_server(troubles::failing_rules))
        }),
        slow("random kills of workers, server and coordinator lose nothing", || {
            with_server(random_kills)
        }),
    ]
}

fn with_server(test: impl FnOnce(&mut TestServer)) -> Lacks {
    let Some((program, _)) = servers().into_iter().find(|(_, version)| *version >= (2, 10)) else {
        return Some("there is no nats-server 2.10 or newer here".to_owned());
    };
    test(&mut TestServer::start(program, ""));
    None
}

/// Plays the same tournament here and on two workers, and compares games and tables.
fn same_in_both_places(server: &TestServer, prepare: impl Fn(&Arena)) {
    let (here, there) = (Arena::new(), Arena::new());
    prepare(&here);
    prepare(&there);
    let run = here.run(&["run", "-q"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let workers = ["one", "two"].map(|name| WorkerProcess::start(&there, &server.url(), name));
    let mut run = there.start(&["run", "-q", "--on", &server.url()]);
    wait_until(|| run.try_wait().expect("a child").is_some());
    let run = there.finish(run, "");
    assert_eq!(run.code, 0, "{}", run.err);
    drop(workers);
    let names = there.lines().values().filter(|line| line.contains("\"worker\":")).count();
    assert_eq!(names, there.lines().len(), "every game names its worker");
    let essence = |arena: &Arena| {
        let mut games = arena.essence();
        for game in games.values_mut() {
            game.as_object_mut().expect("an object").remove("worker");
        }
        games
    };
    assert_eq!(essence(&there), essence(&here));
    assert!(there.read("report.html").contains("Games by worker"));
    assert_eq!(there.read("standings.csv"), here.read("standings.csv"));
    let verify = there.run(&["verify", "results/cup"]);
    assert_eq!(verify.code, 0, "{}", verify.err);
}

fn round_robin(server: &mut TestServer) {
    same_in_both_places(server, |arena| arena.configure(&Config::small()));
}

fn swiss(server: &mut TestServer) {
    let config = Config::small()
        .bot("dog", "random")
        .bot("eel", "greedy")
        .change(|config| "format = \"swiss\"\nrounds = 3\n".clone_into(&mut config.more));
    same_in_both_places(server, |arena| arena.configure(&config));
}

fn program(server: &mut TestServer) {
    same_in_both_places(server, |arena| {
        arena.write("liar.py", include_str!("../rules/liar.py"));
        arena.write(
            "tournament.toml",
            "name = \"cup\"\nseed = 7\npairs = 4\n[game]\n\
             command = [\"python3\", \"liar.py\", \"honest\"]\n\
             [[players]]\nname = \"ant\"\nbot = \"random\"\n\
             [[players]]\nname = \"bee\"\nbot = \"random\"\n",
        );
    });
}

/// A league, to which somebody comes while a worker plays it.
fn league(server: &mut TestServer) {
    let arena = Arena::new();
    let stages = "[[stages]]\nformat = \"league\"\n";
    arena.configure(&Config::small().change(|config| {
        config.pairs = 0;
        config.more.push_str(stages);
    }));
    let worker = WorkerProcess::start(&arena, &server.url(), "one");
    let run = arena.start(&["run", "-q", "--on", &server.url()]);
    arena.wait_for_lines(3);
    fs::create_dir_all(arena.path().join("hand-in/ann")).expect("a folder");
    arena.write("hand-in/ann/player.py", include_str!("../../players/random_player.py"));
    let is_hers = |line: &str| line.contains(":\"ann v1\"") && line.contains("\"worker\":\"one\"");
    wait_until(|| arena.log().lines().any(is_hers));
    arena.put("control.json", "{\"closed\": true}");
    let run = arena.finish(run, "");
    assert_eq!(run.code, 0, "{}", run.err);
    drop(worker);
    let verify = arena.run(&["verify", "results/cup"]);
    assert_eq!(verify.code, 0, "{}", verify.err);
}

/// Engines with different clocks, which agree on a draw.
fn engines(server: &mut TestServer) {
    same_in_both_places(server, |arena| {
        arena.write("shuffles.sh", include_str!("../players/shuffles.sh"));
        arena.write(
            "tournament.toml",
            "name = \"cup\"\ngame = \"chess\"\nseed = 7\n\
             [adjudication]\ndraw = { plies = 4, score = 10 }\n\
             [[players]]\nname = \"ant\"\nuci = [\"sh\", \"shuffles.sh\", \"cp\", \"0\"]\n\
             tc = \"60+1\"\n\
             [[players]]\nname = \"bee\"\nuci = [\"sh\", \"shuffles.sh\", \"cp\", \"9\"]\n",
        );
    });
}

/// Players whose program and files are in their folders.
fn bundled(server: &mut TestServer) {
    let config = Config::empty()
        .player("ant", "dir = \"ant\"\ncommand = [\"sh\", \"play.sh\"]")
        .bot("bee", "random");
    same_in_both_places(server, |arena| {
        arena.configure(&config);
        fs::create_dir(arena.path().join("ant")).expect("a folder");
        arena.write("ant/play.sh", "exec \"$REFEREE\" bot $(cat kind)\n");
        arena.write("ant/kind", "random");
    });
}

fn sentences(server: &mut TestServer) {
    let arena = Arena::with(&Config::small());
    let said = |args: &[&str]| {
        let run = arena.run(args);
        assert_eq!(run.code, 3, "{}", run.err);
        run.err
    };
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let nobody = format!("nats://{}", free.local_addr().expect("an address"));
    drop(free);
    let err = said(&["worker", &nobody]);
    assert!(err.contains("cannot reach a NATS server at"), "{err}");
    let users = "authorization { user: lab, password: right }\n";
    let locked = TestServer::start(server.program.clone(), users);
    let wrong = locked.url().replace("//", "//lab:wrong@");
    for args in [&["worker", &wrong][..], &["run", "--on", &wrong]] {
        let err = said(args);
        assert!(err.contains("refuses this user or password") && !err.contains("wrong@"), "{err}");
    }
    let full = TestServer::start(
        server.program.clone(),
        "accounts { A: { jetstream: { max_store: 1KB, max_mem: 1KB }, \
         users: [{ user: lab, password: right }] } }\n",
    );
    let address = full.url().replace("//", "//lab:right@");
    let err = said(&["run", "--on", &address]);
    assert!(err.contains("the NATS server's store is full"), "{err}");
    let narrow = TestServer::start(
        server.program.clone(),
        "authorization { users: [{ user: lab, password: right, \
         permissions: { publish: \"_INBOX.>\" } }] }\n",
    );
    let address = narrow.url().replace("//", "//lab:right@");
    let err = said(&["run", "--on", &address]);
    assert!(err.contains("denies this user permission"), "{err}");
}

fn old_server() -> Lacks {
    let Some((program, _)) = servers().into_iter().find(|(_, version)| *version < (2, 10)) else {
        return Some("there is no nats-server older than 2.10 here".to_owned());
    };
    let server = TestServer::start(program, "");
    let arena = Arena::with(&Config::small());
    let run = arena.run(&["run", "--on", &server.url()]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("the NATS server has version 2."), "{}", run.err);
    None
}

/// Thousands of short games, while everything is killed at random: thirty times, or `REFEREE_KILLS`
/// times.
#[expect(clippy::print_stdout, reason = "the counts are what the trial is run for")]
fn random_kills(server: &mut TestServer) {
    let wanted = std::env::var("REFEREE_KILLS").ok();
    let wanted: u32 = wanted.map_or(30, |kills| kills.parse().expect("REFEREE_KILLS: a number"));
    let config = Config::empty().bot("ant", "random").bot("bee", "random").change(|config| {
        config.pairs = 60 * wanted;
        config.max_moves = 2;
    });
    let arena = Arena::with(&config);
    let (mut dice, url) = (Dice::new(7), server.url());
    let mut workers: Vec<WorkerProcess> =
        (0..3).map(|number| WorkerProcess::start(&arena, &url, &format!("w{number}"))).collect();
    let args = ["run", "-q", "--on", &url, "--lease", "3"];
    let mut run = arena.start(&args);
    // Of the coordinator, the server, and workers.
    let mut kills = [0; 3];
    let log = arena.results().join("games.jsonl");
    let length = || fs::metadata(&log).map_or(0, |log| log.len());
    while kills.iter().sum::<u32>() < wanted {
        // However busy the machine is, some games are played between two kills.
        let enough = length() + 30_000 + dice.below(90_000);
        wait_until(|| length() >= enough || run.try_wait().expect("it runs").is_some());
        std::thread::sleep(Duration::from_millis(dice.below(500)));
        if run.try_wait().expect("it runs").is_some() {
            break;
        }
        match dice.below(4) {
            0 => {
                kills[0] += 1;
                run.kill().expect("it runs");
                run.wait().expect("it ended");
                run = arena.start(&args);
            }
            1 => {
                kills[1] += 1;
                server.restart();
            }
            _ => {
                kills[2] += 1;
                let number = usize::try_from(dice.below(3)).expect("small");
                workers[number].kill();
                workers[number] = WorkerProcess::start(&arena, &url, &format!("w{number}"));
            }
        }
    }
    let run = arena.finish(run, "");
    let [coordinator, server, worker] = kills;
    println!("killed: coordinator {coordinator}, server {server}, workers {worker} times");
    assert_eq!(run.code, 0, "{}", run.err);
    let games = u32::try_from(arena.lines().len()).expect("few");
    assert_eq!(games, 120 * wanted, "after {kills:?} kills");
    let verify = arena.run(&["verify", "results/cup"]);
    assert_eq!(verify.code, 0, "{}", verify.err);
}
