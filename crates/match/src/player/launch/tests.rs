use std::collections::BTreeMap;

use super::*;
use referee_games::GameKind;
use referee_record::fingerprint::Fingerprint;

fn spec(kind: PlayerKind) -> PlayerSpec {
    PlayerSpec {
        name: "ant".to_owned(),
        kind,
        dir: PathBuf::from("/players/ant"),
        env: BTreeMap::from([("PYTHONHASHSEED".to_owned(), "7".to_owned())]),
        readable: vec![PathBuf::from("/data")],
        hidden: vec![PathBuf::from("/players/bee")],
        reusable: false,
        guesses: false,
        hash: String::new(),
        fingerprint: Fingerprint::default(),
        command: String::new(),
    }
}

fn launch(kind: PlayerKind) -> Launch {
    Launch::of(&spec(kind), GameKind::WatchYourBack.game())
}

#[test]
fn a_program_is_started_as_it_is_configured() {
    let (program, args) = (PathBuf::from("/bin/python3"), vec!["ant.py".to_owned()]);
    let launch = launch(PlayerKind::Command { program: program.clone(), args: args.clone() });
    let command = launch.command;
    assert_eq!((command.program, command.args, launch.hosted), (program, args, false));
    assert_eq!(command.dir, Path::new("/players/ant"));
    assert_eq!((command.readable.len(), command.hidden.len()), (1, 1));
    let helper = command.helper.expect("the rules");
    assert_eq!(helper.variable, "REFEREE");
}

#[test]
fn a_class_runs_in_a_host_whose_environment_can_be_overridden() {
    let class = |lenient| PlayerKind::Class {
        python: PathBuf::from("/bin/python3"),
        class: "team.Player".to_owned(),
        lenient,
    };
    let strict = launch(class(false));
    assert!(strict.hosted);
    assert_eq!(
        (strict.command.args[0].as_str(), &strict.command.args[2..]),
        ("-c", &["team.Player".to_owned()][..])
    );
    assert_eq!(strict.command.env["PYTHONHASHSEED"], "7", "as configured");
    assert_eq!(strict.command.env["PYTHONSAFEPATH"], "1");
    let lenient = launch(class(true));
    assert_eq!(lenient.command.args.last().map(String::as_str), Some("--lenient"));
}

#[test]
fn a_built_in_player_is_this_program() {
    let bot = launch(PlayerKind::Bot("greedy".to_owned()));
    assert_eq!(bot.command.args, ["bot", "greedy"]);
    assert_eq!((bot.hosted, bot.command.helper), (false, None));
    assert!(bot.command.starts.is_empty());
}

#[test]
fn only_files_that_are_there_belong_to_a_command() {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["game.py", "data.txt"] {
        std::fs::write(dir.path().join(name), "").expect("written");
    }
    let words = ["python3", "game.py", "--fast"].map(str::to_owned);
    let files = ["data.txt", "missing.txt"].map(str::to_owned);
    let expected = ["game.py", "data.txt"].map(|name| dir.path().join(name));
    assert_eq!(own_files(&words, &files, dir.path()), expected);
}
