//! Tests of reading lists of games.

use super::*;
use referee_ratings::{Outcomes, Side};

fn read_text(text: &str) -> Result<NamedResults, String> {
    read_by(text, RankedBy::Ratings)
}

fn read_by(text: &str, rank: RankedBy) -> Result<NamedResults, String> {
    read_imported_games(text.as_bytes(), Faulted::Count, Compared::All, rank)
        .map_err(|error| error.to_string())
}

#[test]
fn results_are_read_in_every_notation() {
    let text = "first,second,result\na,b,first\na,b,1-0\na,b,win\na,b,1\na,b,white\n\
                a,b,second\na,b,0-1\na,b,LOSS\na,b,0\na,b,black\n\
                a,b,draw\na,b,1/2-1/2\na,b,½-½\na,b,0.5\n";
    let results = read_text(text).expect("results");
    assert_eq!(results.names(), ["a", "b"]);
    assert_eq!(results.counts.outcomes_of(0), Outcomes { wins: 5, draws: 4, losses: 5 });
}

/// In the game of these lists black comes first, or the seats have names that mean something else.
#[test]
fn the_winner_s_name_decides_whatever_the_seats_are_called() {
    let text = "first,second,result,winner\na,b,black,a\nb,a,white,a\na,b,red,a\na,b,0,a\n\
                a,b,draw,\na,b,1,b\n";
    let results = read_text(text).expect("results");
    assert_eq!(results.counts.outcomes_of(0), Outcomes { wins: 4, draws: 1, losses: 1 });
    let error = read_text("first,second,result,winner\na,b,black,c\na,b,1-0,\n");
    let expected = ["`c` with the result `black`", "`` with the result `1-0`"].map(|what| {
        format!("column `winner`: invalid winner {what}; expected `a` or `b`, or nothing in a draw")
    });
    let [first, second] = expected;
    assert_eq!(error.expect_err("bad lines"), format!("line 2, {first}\n  line 3, {second}"));
}

#[test]
fn columns_may_come_in_any_order_and_be_quoted() {
    let text = "\u{feff}result,note,second,first\r\n\r\n1-0,x,\"b, the \"\"second\"\"\", a \r\n\
                0-1,\"two lines\",a,c\r\n";
    let results = read_text(text).expect("results");
    assert_eq!(results.names(), ["a", "b, the \"second\"", "c"]);
    assert_eq!(results.counts.outcomes_of(0), Outcomes { wins: 2, draws: 0, losses: 0 });
}

#[test]
fn the_two_games_of_a_pair_find_each_other() {
    let text = "first,second,result,pair\na,b,1-0,1\nb,a,0-1,1\nb,a,draw,2\na,b,draw,3\nb,a,1-0,\n\
                a,b,0-1,2\n";
    let results = read_text(text).expect("results");
    let [(0, 1, counts)] = results.counts.pairings()[..] else { panic!("one pairing") };
    assert_eq!(
        (counts.pairs(), counts.singles(Side::Upper), counts.singles(Side::Lower)),
        (2, 1, 1)
    );
}

#[test]
fn a_pair_has_two_games_with_the_seats_swapped() {
    let text = "first,second,result,pair\na,b,1-0,1\nb,a,0-1,1\nb,a,draw,1\na,b,draw,2\n\
                a,b,0-1,2\nc,b,1-0,1\n";
    let what = "expected two games with the seats swapped; give each pair of these players a \
                number of its own, and leave the field empty for a single game";
    let expected = format!(
        "line 4, column `pair`: pair 1 of `b` and `a`: a third game, after lines 2 and 3; {what}\n  \
          line 6, column `pair`: pair 2 of `a` and `b`: `a` is the first player here and on line \
         5; {what}"
    );
    assert_eq!(read_text(text).expect_err("bad lines"), expected);
}

#[test]
fn players_are_numbered_by_name() {
    let games = ["cat,ant,1-0,1", "ant,cat,1-0,1", "bee,cat,draw,", "ant,bee,0-1,3"];
    let mut counts = Vec::new();
    for at in 0..games.len() {
        let mut list = games;
        list.rotate_left(at);
        let text = format!("first,second,result,pair\n{}\n", list.join("\n"));
        let results = read_text(&text).expect("results");
        assert_eq!(results.names(), ["ant", "bee", "cat"]);
        counts.push(format!("{:?}", results.counts.pairings()));
    }
    assert!(counts.iter().all(|other| *other == counts[0]), "{counts:#?}");
}

#[test]
fn a_single_fault_belongs_to_the_loser() {
    let text = "first,second,result,fault\na,b,1-0,timeout\na,b,0-1,crash\na,b,draw,crash+illegal\n\
                a,b,draw,\n";
    let results = read_text(text).expect("results");
    let faults = [0, 1].map(|player| results.faults(player).clone());
    assert_eq!(faults[0], [(FaultCode::Crash, 2)].into());
    assert_eq!(faults[1], [(FaultCode::Timeout, 1), (FaultCode::Illegal, 1)].into());
    let without =
        read_imported_games(text.as_bytes(), Faulted::LeaveOut, Compared::All, RankedBy::Ratings)
            .expect("results");
    assert_eq!(without.counts.outcomes_of(0), Outcomes { wins: 0, draws: 1, losses: 0 });
}

#[test]
fn all_bad_lines_are_named() {
    let text = "first,second,result,pair,fault\n\na,a,1-0,,\na,b,2-0,,\na,b\na,b,draw,one,\n\
                a,b,draw,,timeout\na,b,0-1,,slow\n,b,draw,,\n";
    let error = read_text(text).expect_err("bad lines");
    let lines: Vec<&str> = error.lines().map(str::trim).collect();
    assert_eq!(lines.len(), 7, "{error}");
    assert_eq!(lines[0], "line 3, column `second`: `a` cannot play against itself");
    assert_eq!(
        lines[1],
        "line 4, column `result`: invalid result `2-0`; expected `first`, `second` or `draw`, or \
         `1-0`, `0-1` or `1/2-1/2`"
    );
    assert_eq!(lines[2], "line 5: expected 5 fields as in the header line, found 2");
    assert!(lines[3].starts_with("line 6, column `pair`: invalid pair `one`; "), "{error}");
    assert!(
        lines[4].starts_with("line 7, column `fault`: the fault `timeout` in a draw"),
        "{error}"
    );
    assert!(lines[5].starts_with("line 8, column `fault`: invalid fault `slow`; "), "{error}");
    assert_eq!(lines[6], "line 9, column `first`: it is empty; expected a player's name");
    let many = format!("first,second,result\n{}", "a,b,?\n".repeat(13));
    assert!(read_text(&many).expect_err("bad lines").ends_with("\n  and 3 more bad lines"));
}

#[test]
fn a_list_without_games_or_columns_is_refused() {
    for empty in ["", "\n", "first,second,result\n"] {
        assert_eq!(read_text(empty).map(|_| ()), Err(GameListError::Empty.to_string()));
    }
    let error = read_text("white,black,result\n").expect_err("no such column");
    assert_eq!(
        error,
        "line 1: missing column `first`; expected a header line such as `first,second,result`"
    );
    for (header, separators) in
        [("first;second;result", "semicolons"), ("first\tsecond\tresult", "tabs")]
    {
        let error = read_text(&format!("{header}\n")).expect_err("no commas");
        let end = format!("`first,second,result`, with commas instead of {separators}");
        assert!(error.ends_with(&end), "{error}");
    }
    let error = read_text("first,second,third\na,b,c\n").expect_err("three players");
    assert_eq!(
        error,
        "line 1: the column `third` names a third player; for games with more than two, expected a \
         line for each game and seat, after a header line such as `game,seat,player,place`"
    );
    for column in ["first", "fault"] {
        let text = format!("first,second,result,fault,{column}\na,b,1-0,,\n");
        let error = read_text(&text).expect_err("a column twice");
        assert_eq!(error, format!("line 1: the column `{column}` appears twice"));
    }
}

/// Three games of three seats: two of a deal, and one that a fault ended.
const TIDY: &str = "game,seat,player,place,deal,fault\n\
                    1,red,ant,1,7,\n1,green,bee,2,7,\n1,blue,cat,2,7,\n\
                    2,red,bee,1,7,\n2,green,cat,2,7,\n2,blue,ant,3,7,\n\
                    3,red,dog,3,,crash\n3,green,bee,1,,\n3,blue,ant,1,,\n";

#[test]
fn a_list_may_have_a_line_for_each_seat() {
    let results = read_text(TIDY).expect("results");
    assert_eq!(results.names(), ["ant", "bee", "cat", "dog"]);
    assert_eq!(results.seats(), ["red", "green", "blue"]);
    let counts = &results.counts;
    assert_eq!((counts.games(), counts.seats()), (3, 3));
    // Ahead of both; behind both; and ahead of the player that crashed, level with the other.
    assert_eq!(counts.outcomes_of(0), Outcomes { wins: 3, draws: 1, losses: 2 });
    assert_eq!((counts.places(0), counts.places(3)), (&[2, 0, 1][..], &[0, 0, 1][..]));
    assert_eq!(counts.completion(0).spared, 1);
    assert_eq!(results.faults(3), &[(FaultCode::Crash, 1)].into());
    let without =
        read_imported_games(TIDY.as_bytes(), Faulted::LeaveOut, Compared::All, RankedBy::Ratings)
            .expect("results");
    assert_eq!((without.counts.games(), without.counts.completion(3).forfeited), (2, 1));
    let winner =
        read_imported_games(TIDY.as_bytes(), Faulted::Count, Compared::Winner, RankedBy::Ratings)
            .expect("results");
    let compared = winner.counts.outcomes_of(2);
    assert_eq!(compared, Outcomes { wins: 0, draws: 0, losses: 2 }, "only with the winners");
}

#[test]
fn the_order_of_lines_and_columns_does_not_matter() {
    let numbered = TIDY.replace("red", "1").replace("green", "2").replace("blue", "10");
    let (header, rows) = numbered.split_once('\n').expect("a header");
    let turned = |line: &str| line.split(',').rev().collect::<Vec<_>>().join(",");
    let mut rows: Vec<String> = rows.lines().map(turned).collect();
    rows.reverse();
    let other = format!("{}\n{}\n", turned(header), rows.join("\n"));
    let [one, other] = [&numbered, &other].map(|text| read_text(text).expect("results"));
    assert_eq!(
        (one.seats(), other.seats()),
        (&["1", "2", "10"].map(str::to_owned)[..], one.seats())
    );
    for player in 0..4 {
        assert_eq!(one.counts.places(player), other.counts.places(player));
        for seat in 0..3 {
            assert_eq!(
                one.counts.outcomes_at_seat(player, seat),
                other.counts.outcomes_at_seat(player, seat)
            );
        }
    }
}

#[test]
fn final_scores_may_replace_places() {
    let text = "id,game,player,seat,final_score\nx,1,a,1,7.5\nx,1,b,2,-3\nx,1,c,3,7.5\n\
                y,1,a,1,0\ny,1,b,2,1e3\ny,1,c,3,1\n";
    let results = read_text(text).expect("results");
    assert_eq!(results.counts.games(), 2, "the id tells games apart, if there is one");
    assert_eq!(results.counts.places(0), [1, 0, 1]);
    assert_eq!(results.counts.places(1), [1, 0, 1]);
}

#[test]
fn final_scores_are_read_beside_places() {
    let text = "game,seat,player,place,final_score,fault\n1,1,a,1,9,\n1,2,b,2,3,\n1,3,c,3,0,\n\
                2,1,a,3,,crash\n2,2,b,1,,\n2,3,c,1,,\n";
    let results = read_by(text, RankedBy::Scores).expect("results");
    let means = |player| results.scored.score_means(player).map(|it| (it.score, it.margin));
    assert_eq!([0, 1].map(means), [Some((9.0, 7.5)), Some((3.0, -1.5))]);
    assert_eq!(
        results.scored.games_without_scores(),
        0,
        "the fault is why the other game has none"
    );
    let text = "first,second,result,first_final_score,second_final_score\na,b,1-0,41,40.5\n\
                b,a,0-1,,\n";
    let results = read_by(text, RankedBy::Scores).expect("results");
    assert_eq!(results.scored.score_means(0).map(|it| it.margin), Some(0.5));
    assert_eq!(results.scored.games_without_scores(), 1);
    for text in ["game,player,place\n1,a,1\n1,b,2\n", "first,second,result\na,b,1-0\n"] {
        assert!(read_text(text).is_ok());
        let error = read_by(text, RankedBy::Scores).expect_err("no scores");
        assert!(error.contains("final_score`, which `--ranking scores` needs"), "{error}");
    }
    let wrong = read_text("game,player,place,final_score\n1,a,1,inf\n1,b,2,0\n");
    assert!(wrong.is_err_and(|error| error.contains("invalid score `inf`")));
}

#[test]
fn a_line_for_each_of_two_seats_gives_the_results_of_a_line_for_both() {
    let tidy = "game,seat,player,place,deal,fault\n1,1,a,1,4,\n1,2,b,2,4,\n2,2,a,1,4,\n\
                2,1,b,1,4,\n3,1,c,2,,timeout\n3,2,a,1,,\n4,1,c,1,,crash\n4,2,b,1,,crash\n";
    let wide = "first,second,result,pair,fault\na,b,1-0,4,\nb,a,draw,4,\nc,a,0-1,,timeout\n\
                c,b,draw,,crash+crash\n";
    let [tidy, wide] = [tidy, wide].map(|text| read_text(text).expect("results"));
    assert_eq!(tidy.counts.table(), None, "the same model, to the last digit");
    let shown = |results: &NamedResults| format!("{:?}", results.counts.pairings());
    assert_eq!((shown(&tidy), tidy.names()), (shown(&wide), wide.names()));
    for player in 0..3 {
        assert_eq!(tidy.counts.outcomes_of(player), wide.counts.outcomes_of(player));
        assert_eq!(tidy.counts.completion(player), wide.counts.completion(player));
        assert_eq!(tidy.faults(player), wide.faults(player));
    }
}

#[test]
fn seats_may_be_unknown() {
    let results = read_text("game,player,place\n1,a,1\n1,b,2\n2,b,1\n2,a,1\n").expect("results");
    assert!(results.seats().is_empty() && results.counts.table().is_some());
    assert_eq!(results.counts.outcomes_of(0), Outcomes { wins: 1, draws: 1, losses: 0 });
}

#[test]
fn all_bad_lines_of_seats_are_named() {
    let text = "game,seat,player,place,deal,fault\n1,red,ant,0,,\n,red,ant,1,,\n1,red,,1,,\n\
                1,,ant,1,,\n1,red,ant,1,x,\n1,red,ant,1,,slow\n1,red\n2,red,ant,1,,\n\
                2,red,bee,2,,\n2,blue,ant,2,,\n";
    let error = read_text(text).expect_err("bad lines");
    let lines: Vec<&str> = error.lines().map(str::trim).collect();
    let expected = [
        "line 2, column `place`: invalid place `0`; expected 1 for the best player, ",
        "line 3, column `game`: it is empty; expected the game's number",
        "line 4, column `player`: it is empty; expected a player's name",
        "line 5, column `seat`: it is empty; expected a seat",
        "line 6, column `deal`: invalid deal `x`; expected a whole number ",
        "line 7, column `fault`: invalid fault `slow`; expected one of ",
        "line 8: expected 6 fields as in the header line, found 2",
        "line 10, column `seat`: game `2` has the same seat on line 9",
        "line 11, column `player`: game `2` has the same player on line 9",
    ];
    assert_eq!(lines.len(), expected.len(), "{error}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}\n{expected}");
    }
}

#[test]
fn the_games_of_a_list_have_the_same_seats() {
    let wrong = |rows: &str| {
        let text = format!("game,seat,player,place,deal\n{rows}");
        read_text(&text).expect_err("bad games")
    };
    assert_eq!(
        wrong("1,red,ant,1,\n2,red,bee,1,\n"),
        "line 2, column `game`: game `1` has one line; expected 2 to 16, one per seat, with the \
         same `game`"
    );
    assert_eq!(
        wrong("1,a,ant,1,\n1,b,bee,2,\n2,a,bee,1,\n2,b,ant,2,\n2,c,cat,3,\n"),
        "line 4: game `2` has 3 players, and game `1` has 2; expected a line for each seat, and \
         the same number of seats in all games\n  line 2, column `seat`: there are 3 seats \
         overall, such as `a`, `b`, `c`, but 2 in game `1`; expected the same seats in all games"
    );
    assert_eq!(
        wrong("1,a,ant,2,\n1,b,bee,3,\n"),
        "line 2, column `place`: game `1` has no player in place 1"
    );
    assert_eq!(
        wrong("1,a,ant,1,5\n1,b,bee,2,5\n2,a,ant,1,5\n2,b,bee,2,5\n").lines().next(),
        Some(
            "line 4, column `deal`: `ant` already has this seat in deal 5 (line 2); everyone must \
             sit in each seat once; give each deal of these players its own number, and leave the \
             field empty for single games"
        )
    );
    assert_eq!(
        wrong("1,a,ant,1,5\n1,b,bee,2,6\n"),
        "line 3, column `deal`: game `1` has a different deal on line 2"
    );
    let seventeen: Vec<String> = (0..17).map(|at| format!("1,{at},p{at},1,\n")).collect();
    assert!(wrong(&seventeen.concat()).contains("game `1` has more than 16 lines; expected one"));
}
