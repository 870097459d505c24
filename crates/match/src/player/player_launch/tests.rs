use std::collections::BTreeMap;

use super::*;
use referee_games::GameKind;

fn spec(kind: PlayerKind) -> PlayerSpec {
    PlayerSpec {
        env: BTreeMap::from([("PYTHONHASHSEED".to_owned(), "7".to_owned())]),
        readable: vec![PathBuf::from("/data")],
        hidden: vec![PathBuf::from("/players/bee")],
        folders: vec![PathBuf::from("/tables")],
        ..PlayerSpec::new("ant".to_owned(), kind, PathBuf::from("/players/ant"))
    }
}

fn launch(kind: PlayerKind) -> PlayerLaunch {
    PlayerLaunch::for_player(&spec(kind), GameKind::WatchYourBack.game())
}

#[test]
fn a_program_is_started_as_it_is_configured() {
    let (program, args) = (PathBuf::from("/bin/python3"), vec!["ant.py".to_owned()]);
    let launch = launch(PlayerKind::Command { program: program.clone(), args: args.clone() });
    let command = launch.command;
    assert_eq!((command.program, command.args, launch.bridged), (program, args, false));
    assert_eq!(command.dir, Path::new("/players/ant"));
    assert_eq!((command.readable.len(), command.hidden.len()), (2, 1));
    let helper = command.helper.expect("the rules");
    assert_eq!(helper.variable, "REFEREE");
}

#[test]
fn the_bridge_gets_its_source_and_an_environment_that_can_be_overridden() {
    let args = ["-B", BRIDGE, "ant.py", "--lenient"].map(str::to_owned).to_vec();
    let launch = launch(PlayerKind::Command { program: PathBuf::from("/bin/python3"), args });
    assert!(launch.bridged);
    let args = launch.command.args;
    assert_eq!(args[..2], ["-B", "-c"]);
    assert!(args[2].starts_with("\"\"\""));
    assert_eq!(args[3..], ["ant.py", "--lenient"]);
    assert_eq!(launch.command.env["PYTHONHASHSEED"], "7", "as configured");
    assert_eq!(launch.command.env["PYTHONSAFEPATH"], "1");
}

#[test]
fn a_built_in_player_is_this_program() {
    let bot = launch(PlayerKind::Bot("greedy".to_owned()));
    assert_eq!(bot.command.args, ["bot", "greedy"]);
    assert_eq!((bot.bridged, bot.command.helper), (false, None));
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
    assert_eq!(launch_files(&words, &files, dir.path()), expected);
}
