//! Reading files.

use super::*;

#[test]
fn arbitrary_text_does_not_break_the_reader() {
    let folder = Folder::new();
    for at in 0..EVERY_KEY.len() {
        let (before, after) = EVERY_KEY.split_at(at);
        for put in ["", "\u{e9}", "\"", "[", "=", "\u{1b}", "\r\n", "[[players]]"] {
            let replaced = [before, put, &after[1..]].concat();
            for text in [&[before, put].concat(), &replaced] {
                if let Err(failure) = folder.check(text) {
                    assert!(failure.to_string().contains("--> cup.toml:"), "{}", failure);
                    assert!(!failure.to_string().contains('\u{1b}'), "{}", failure);
                }
            }
        }
    }
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    let refused = |name: &str| {
        let failure = load(&folder.path(name)).expect_err("refused");
        failure.to_string().replace(&format!("{}/", folder.0.path().display()), "")
    };
    assert_eq!(
        refused("gone.toml"),
        "cannot find the configuration `gone.toml`; pass the tournament's file, or create one"
    );
    assert_eq!(refused("bin"), "`bin` is a folder; specify the configuration file in it");
    fs::write(folder.path("latin.toml"), b"a = 1\nname = \"caf\xe9\"\n").expect("a file");
    assert_eq!(refused("latin.toml"), "`latin.toml`: it is not UTF-8 (line 2); save it as UTF-8");
}

#[test]
fn endless_files_are_not_read() {
    let folder = Folder::new();
    let no_file = "it is not a plain file but a device, a pipe or a socket";
    let zero = load(std::path::Path::new("/dev/zero")).expect_err("refused");
    assert_eq!(zero.to_string(), format!("cannot read the configuration `/dev/zero`: {no_file}"));
    let boards = "name = \"cup\"\ngame = \"back-to-the-wall\"\n";
    for (head, lines) in [
        (boards, "[options]\nrounds = \"/dev/zero\"\n"),
        (HEAD, "[openings]\nfile = \"/dev/zero\"\n"),
        (HEAD, "[openings]\nfile = \"large.txt\"\n"),
    ] {
        let large = fs::File::create(folder.path("large.txt")).expect("a file");
        large.set_len((64 << 20) + 1).expect("a file");
        let refused = folder.check(&format!("{head}{lines}{PLAYERS}")).expect_err("refused");
        let why = if lines.contains("large") { "this line is longer than 1 MiB" } else { no_file };
        assert!(refused.to_string().contains(why), "{}", refused);
    }
}

#[test]
fn a_file_is_loaded_with_paths_beside_it() {
    let folder = Folder::new();
    let text = format!("\u{feff}{HEAD}{PLAYERS}").replace('\n', "\r\n");
    fs::write(folder.path("cup.toml"), text).expect("a file");
    let tournament = load(&folder.path("cup.toml")).expect("a tournament");
    let base = folder.0.path().canonicalize().expect("there");
    assert_eq!(tournament.results, base.join("results"));
}
