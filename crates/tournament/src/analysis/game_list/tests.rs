//! Tests of reading lists of games.

use super::*;
use referee_ratings::{Outcomes, Side};

fn read_text(text: &str) -> Result<NamedResults, String> {
    read(text.as_bytes(), Faulted::Count).map_err(|error| error.to_string())
}

#[test]
fn results_are_read_in_every_notation() {
    let text = "first,second,result\na,b,first\na,b,1-0\na,b,win\na,b,1\na,b,white\n\
                a,b,second\na,b,0-1\na,b,LOSS\na,b,0\na,b,black\n\
                a,b,draw\na,b,1/2-1/2\na,b,½-½\na,b,0.5\n";
    let results = read_text(text).expect("results");
    assert_eq!(results.names(), ["a", "b"]);
    assert_eq!(results.counts.of(0), Outcomes { wins: 5, draws: 4, losses: 5 });
}

#[test]
fn columns_may_come_in_any_order_and_be_quoted() {
    let text = "\u{feff}result,note,second,first\r\n\r\n1-0,x,\"b, the \"\"second\"\"\", a \r\n\
                0-1,\"two lines\",a,c\r\n";
    let results = read_text(text).expect("results");
    assert_eq!(results.names(), ["a", "b, the \"second\"", "c"]);
    assert_eq!(results.counts.of(0), Outcomes { wins: 2, draws: 0, losses: 0 });
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
                number of its own, and leave the field of a single game empty";
    let expected = format!(
        "line 4, column `pair`: pair 1 of `b` and `a`: a third game, after lines 2 and 3; {what}\n  \
         line 6, column `pair`: pair 2 of `a` and `b`: `a` is the first player here and in line 5; \
         {what}"
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
    let without = read(text.as_bytes(), Faulted::LeaveOut).expect("results");
    assert_eq!(without.counts.of(0), Outcomes { wins: 0, draws: 1, losses: 0 });
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
    let error = read_text("third,first,second,result\nc,a,b,1-0\n").expect_err("three players");
    assert_eq!(
        error,
        "line 1: the column `third` names a third player; expected games of two players, `first` \
         and `second`"
    );
    for column in ["first", "fault"] {
        let text = format!("first,second,result,fault,{column}\na,b,1-0,,\n");
        let error = read_text(&text).expect_err("a column twice");
        assert_eq!(error, format!("line 1: the column `{column}` is there twice"));
    }
}
