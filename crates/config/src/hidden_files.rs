//! Keeps players and the programs of the organiser from reading the files of others.

use std::fs;
use std::path::{Path, PathBuf};

use referee_record::model::player_spec::{PlayerKind, PlayerSpec};

/// Notes for each player which files are the others': their folders, and where it may read, their
/// programs and the files that their commands name. Files that both players are made of stay visible
/// to both. The folder `base` of the configuration belongs to no player.
pub(super) fn hide_other_players(players: &mut [PlayerSpec], base: &Path) {
    let parts: Vec<Vec<PathBuf>> = players.iter().map(player_files_to_hide).collect();
    let dirs = player_folders_to_hide(players.iter().map(|player| player.dir.as_path()), base);
    for (number, player) in players.iter_mut().enumerate() {
        let own = &parts[number];
        let others = parts.iter().enumerate().filter(|(other, _)| *other != number);
        let mut hidden: Vec<PathBuf> = others
            .flat_map(|(_, parts)| parts)
            .filter(|part| own.iter().any(|own| part.starts_with(own)))
            .chain(&dirs)
            .filter(|part| !own.iter().any(|own| own.starts_with(part)))
            .cloned()
            .collect();
        hidden.sort();
        hidden.dedup();
        player.hidden = hidden;
    }
}

/// The real paths of those of the folders `dirs` of players that are not the folder `base`, or
/// around it.
pub fn player_folders_to_hide<'a>(
    dirs: impl Iterator<Item = &'a Path>,
    base: &Path,
) -> Vec<PathBuf> {
    let base = fs::canonicalize(base).unwrap_or_else(|_| base.to_owned());
    let mut found: Vec<PathBuf> = dirs
        .filter_map(|dir| fs::canonicalize(dir).ok())
        .filter(|dir| !base.starts_with(dir))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The real paths of the files and folders that make a player.
fn player_files_to_hide(player: &PlayerSpec) -> Vec<PathBuf> {
    let mut parts = match &player.kind {
        // The referee's own program.
        PlayerKind::Bot(_) => return Vec::new(),
        PlayerKind::Command { program, .. } => vec![program.clone()],
    };
    parts.push(player.dir.clone());
    parts.extend(player.readable.iter().chain(&player.folders).cloned());
    parts.iter().filter_map(|part| fs::canonicalize(part).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(dir: &Path, program: &str, readable: &[&str]) -> PlayerSpec {
        let kind = PlayerKind::Command { program: dir.join(program), args: Vec::new() };
        PlayerSpec {
            readable: readable.iter().map(|name| dir.join(name)).collect(),
            ..PlayerSpec::new(program.to_owned(), kind, dir.to_owned())
        }
    }

    /// The paths hidden from each player, by their names in `top`.
    fn hidden(top: &Path, mut players: Vec<PlayerSpec>) -> Vec<Vec<String>> {
        hide_other_players(&mut players, top);
        let names = |player: &PlayerSpec| {
            let names = player.hidden.iter().map(|path| path.strip_prefix(top).expect("below"));
            names.map(|name| name.display().to_string()).collect()
        };
        players.iter().map(names).collect()
    }

    #[test]
    fn files_of_other_players_are_hidden() {
        let top = tempfile::tempdir().expect("a folder");
        let top = top.path().canonicalize().expect("a path");
        fs::create_dir_all(top.join("deep")).expect("folders");
        for name in ["one", "two", "book", "deep/three"] {
            fs::write(top.join(name), "").expect("a file");
        }
        let found = hidden(
            &top,
            vec![player(&top, "one", &["book"]), player(&top, "two", &["book", "deep"])],
        );
        assert_eq!(found, [vec!["deep", "two"], vec!["one"]], "the book is everybody's");
        let deep = player(&top.join("deep"), "three", &[]);
        let found = hidden(&top, vec![player(&top, "one", &[]), deep.clone(), deep]);
        assert_eq!(found, [vec!["deep", "deep/three"], vec![], vec![]]);
    }
}
