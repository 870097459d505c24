//! Finds players with the same command and files.

use referee_record::wording::join_with_and;

/// Groups `players`, given as names and hashes, by equal hash, in their order. Where names are
/// pseudonyms, hashes are empty and tell nothing.
pub fn group_copies<'a>(players: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Vec<String>> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, hash) in players.into_iter().filter(|(_, hash)| !hash.is_empty()) {
        match groups.iter_mut().find(|(known, _)| *known == hash) {
            Some((_, names)) => names.push(name.to_owned()),
            None => groups.push((hash, vec![name.to_owned()])),
        }
    }
    groups.into_iter().map(|(_, names)| names).filter(|names| names.len() > 1).collect()
}

/// Describes a group in a sentence that is safe to show.
pub fn describe_copies(names: &[String]) -> String {
    format!("{} are the same player: the same command with the same files.", join_with_and(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_with_the_same_hash_form_a_group() {
        let found =
            group_copies([("ant", "1"), ("bee", "2"), ("cat", "1"), ("dog", "3"), ("elk", "1")]);
        assert_eq!(found, [["ant", "cat", "elk"]]);
        assert_eq!(
            describe_copies(&found[0]),
            "ant, cat and elk are the same player: the same command with the same files."
        );
        assert!(group_copies([("ant", "1"), ("bee", "2"), ("P01", ""), ("P02", "")]).is_empty());
    }
}
