//! Groups of comparable players: a chain of games connects all players of a group.

/// The group of each player, numbered from 0 in the order of each group's lowest player. `met`
/// yields the pairs of players that have played each other.
pub(crate) fn find_player_groups(
    players: usize,
    met: impl Iterator<Item = (usize, usize)>,
) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..players).collect();
    for (one, other) in met {
        let (one, other) =
            (find_group_root(&mut parents, one), find_group_root(&mut parents, other));
        // The lower number stays, so the root is the lowest number in its group.
        parents[one.max(other)] = one.min(other);
    }
    let mut numbers = vec![None; players];
    let mut next = 0;
    (0..players)
        .map(|player| {
            *numbers[find_group_root(&mut parents, player)].get_or_insert_with(|| {
                next += 1;
                next - 1
            })
        })
        .collect()
}

fn find_group_root(parents: &mut [usize], mut player: usize) -> usize {
    while parents[player] != player {
        parents[player] = parents[parents[player]];
        player = parents[player];
    }
    player
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_games_connect_groups() {
        assert_eq!(find_player_groups(5, [(3, 1), (4, 3)].into_iter()), [0, 1, 2, 1, 1]);
        assert_eq!(find_player_groups(3, std::iter::empty()), [0, 1, 2]);
        assert!(find_player_groups(0, std::iter::empty()).is_empty());
    }
}
