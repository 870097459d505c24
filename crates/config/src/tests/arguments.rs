//! Players named on the command line.

use super::*;

#[test]
fn valid_player_arguments() {
    let folder = Folder::new();
    let program = |word: &str| match folder.word(word, &[]) {
        Ok(PlayerArgument::Program(spec)) => *spec,
        other => panic!("{other:?}"),
    };
    assert_eq!(folder.word("human", &[]), Ok(PlayerArgument::Human));
    assert_eq!(program("bot:greedy").kind, PlayerKind::Bot("greedy".to_owned()));
    let spec = program("python3  'a b.py' -v");
    assert_eq!(spec.name, "python3 'a b.py' -v");
    assert_eq!(spec.command, "python3 'a b.py' -v");
    let args = vec!["a b.py".to_owned(), "-v".to_owned()];
    assert_eq!(spec.kind, PlayerKind::Command { program: folder.path("bin/python3"), args });
    let configured = [PlayerSpec { name: "human".to_owned(), ..program("bot:random") }];
    let expected = PlayerArgument::Program(Box::new(configured[0].clone()));
    assert_eq!(folder.word("human", &configured), Ok(expected));
    let found = program("players/greedy.py");
    assert_eq!((found.name.as_str(), found.dir), ("greedy.py", folder.path("players")));
    assert_eq!(found.command, "python3 greedy.py");
}

#[test]
fn invalid_player_arguments() {
    let folder = Folder::new();
    let refused = |word: &str| folder.word(word, &[]).expect_err("refused");
    assert_eq!(refused("bot:gredy"), "it: unknown built-in player `gredy`; did you mean `greedy`?");
    assert_eq!(
        refused("bot:search-0"),
        "it: unknown built-in player `search-0`; write the number of positions per move, for \
         example `search-100`"
    );
    assert_eq!(refused("humen"), "it: program `humen` not found; did you mean `human`?");
    assert_eq!(refused("gredy"), "it: program `gredy` not found; did you mean `bot:greedy`?");
    assert_eq!(
        refused("pyhton3 a.py"),
        "it: cannot find the program `pyhton3` in PATH; install it, or give its path with a `/`"
    );
    assert_eq!(
        refused("players/gredy.py"),
        "it: cannot find the file `players/gredy.py`; did you mean `players/greedy.py`?"
    );
    assert!(refused("gone.py").starts_with("it: cannot find the file `gone.py`; it should be in"));
    assert!(refused("python3 gone.py").starts_with("it: cannot find the file `gone.py`; "));
    fs::write(folder.path("players/ant.cpp"), "int main() {}").expect("a file");
    assert_eq!(
        refused("players/ant.cpp"),
        "it: `players/ant.cpp` is source code, not a program; build it with `c++ -O2 -o player \
         ant.cpp`, then pass the compiled program instead"
    );
    fs::create_dir(folder.path("kit")).expect("a folder");
    fs::write(folder.path("kit/Makefile"), "player:").expect("a file");
    assert_eq!(
        refused("kit"),
        "it: no player found in `kit`, only source code that must be built first; run `make` in \
         `kit`; if you have already done so, pass the program itself"
    );
    assert_eq!(
        refused("kit/player"),
        "it: cannot find the program `kit/player`; build it with `make`"
    );
    assert_eq!(
        refused("python3 'a"),
        "it: it cannot be split into words; close every quote, and do not end with a backslash"
    );
    assert_eq!(refused(" "), "it: the command is empty; give a program and its arguments");
}
