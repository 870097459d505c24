use super::*;
use referee_protocol::ReportedCost;
use referee_record::model::adjudication::Adjudication;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::model::record::{Anchor, FaultPolicy, HeaderPlayer, examples};
use referee_record::model::seat_usage::UsageLimit;
use referee_record::model::stage::Format;

const NAMES: [&str; 2] = ["ant", "bee"];

fn header() -> Header {
    examples::header(&NAMES)
}

fn player(name: &str, hash: &str) -> HeaderPlayer {
    HeaderPlayer {
        name: name.to_owned(),
        command: String::new(),
        hash: hash.to_owned(),
        tc: None,
        takes_openings: true,
        restart: true,
        outages: 0,
        usage: UsageLimit::default(),
        disqualified: None,
        drawn_before: None,
        entry: None,
        left: None,
    }
}

fn swiss(rounds: u32) -> Vec<Stage> {
    vec![Stage { format: Format::Swiss { rounds }, pairs: 1, players: None }]
}

fn compared(new: &Header) -> Result<Vec<String>, RefusedChanges> {
    find_header_changes(&header(), new, &[], &Played::default())
}

/// The differences, none of which is allowed.
fn forbidden(compared: Result<Vec<String>, RefusedChanges>) -> Vec<String> {
    let RefusedChanges { forbidden, programs, .. } = compared.expect_err("refused");
    assert_eq!(programs, []);
    forbidden
}

/// The reasons why a tournament cannot be resumed with this change of its configuration.
fn refused(change: impl FnOnce(&mut Header)) -> String {
    let mut new = header();
    change(&mut new);
    forbidden(compared(&new)).join("\n")
}

#[test]
fn the_same_configuration_changes_nothing() {
    assert_eq!(compared(&header()), Ok(Vec::new()));
}

#[test]
fn a_setting_that_decided_games_must_not_change() {
    let said = |name: &str, old: &str, new: &str| {
        format!("{name}: the results have {old}, the configuration {new}")
    };
    let seed = refused(|new| new.seed = Some(7));
    assert_eq!(seed, said("seed", "none", "7"));
    let game = refused(|new| new.game = "backdraughts".to_owned());
    assert_eq!(game, said("game", "watch-your-back", "backdraughts"));
    let limit = refused(|new| new.clock.per_move = Some(Duration::from_millis(1500)));
    assert_eq!(limit, said("clock move", "none", "1s 500ms"));
    let quarantine = refused(|new| new.quarantine = 0);
    assert_eq!(quarantine, said("quarantine", "5", "0"));
    let policy = refused(|new| new.fault_policy = FaultPolicy::Retry(2));
    assert_eq!(policy, said("fault-policy", "lose", "{\"retry\":2}"));
    let tc = refused(|new| new.players[1].tc = Some("10+0.1".parse().expect("a clock")));
    assert_eq!(tc, said("tc of bee", "none", "10+0.1"));
    let rules = Adjudication { length: Some(90), ..Adjudication::default() };
    let adjudication = refused(|new| new.adjudication = Some(rules));
    assert_eq!(adjudication, said("adjudication", "none", "draw after 90 plies"));
}

#[test]
fn an_option_must_be_in_both_or_in_neither() {
    let (mut old, mut new) = (header(), header());
    new.options.insert("max-moves".to_owned(), 5.into());
    assert_eq!(
        forbidden(find_header_changes(&old, &new, &[], &Played::default())),
        ["option max-moves: the results have nothing, the configuration 5"]
    );
    old.options.insert("max-moves".to_owned(), 7.into());
    assert_eq!(
        forbidden(find_header_changes(&old, &new, &[], &Played::default())),
        ["option max-moves: the results have 7, the configuration 5"]
    );
    assert_eq!(
        forbidden(find_header_changes(&old, &header(), &[], &Played::default())),
        ["option max-moves: the results have 7, the configuration nothing"]
    );
}

#[test]
fn a_player_is_disqualified_and_taken_back_until_others_played_without_it() {
    let disqualify = |new: &mut Header| new.players[1].disqualified = Some("it copied".to_owned());
    let (mut old, mut new) = (header(), header());
    disqualify(&mut new);
    let change = "player bee disqualified: it copied; none of its games counts";
    assert_eq!(compared(&new), Ok(vec![change.to_owned()]));
    let back = "player bee is no longer disqualified; its games count again";
    assert_eq!(find_header_changes(&new, &old, &[], &Played::default()), Ok(vec![back.to_owned()]));
    old.stages = swiss(2);
    new.stages = swiss(2);
    new.players[1].drawn_before = Some(1);
    let played = |begun| Played { begun, ..Played::default() };
    assert_eq!(find_header_changes(&old, &new, &[], &played(1)), Ok(vec![change.to_owned()]));
    assert_eq!(find_header_changes(&new, &old, &[], &played(1)), Ok(vec![back.to_owned()]));
    assert_eq!(
        forbidden(find_header_changes(&new, &old, &[], &played(2))),
        ["player bee: it stays disqualified, because others have played without it; put the \
          `disqualified` line back"]
    );
}

#[test]
fn what_ranks_players_changes_until_it_has_chosen_those_of_a_later_stage() {
    let stages = vec![Stage::round_robin(1), Stage { players: Some(2), ..Stage::round_robin(1) }];
    let old = Header { stages, ..header() };
    let new = Header { rank: RankedBy::Scores, ..old.clone() };
    let played = |stages| Played { stages, ..Played::default() };
    let change = "players are ranked by final scores";
    assert_eq!(find_header_changes(&old, &new, &[], &played(1)), Ok(vec![change.to_owned()]));
    let said = forbidden(find_header_changes(&old, &new, &[], &played(2)));
    assert!(
        said[0].ends_with("a later stage has begun with players chosen by the ranking"),
        "{said:?}"
    );
}

#[test]
fn ratings_and_limits_must_not_change() {
    let anchor = Anchor { player: "ant".to_owned(), rating: 100.0 };
    let ratings = refused(|new| new.anchors = vec![anchor]);
    assert!(ratings.starts_with("ratings: the results have {}, the configuration {"), "{ratings}");
    let memory = refused(|new| new.containment.limits.sandbox.memory += 1);
    assert!(memory.starts_with("containment memory: the results have "), "{memory}");
}

#[test]
fn a_round_robin_may_get_more_pairs_and_players() {
    let mut new = header();
    new.stages = vec![Stage::round_robin(3)];
    new.players.push(player("cat", ""));
    assert_eq!(
        compared(&new),
        Ok(vec!["pairs: 1 became 3".to_owned(), "player cat added".to_owned()])
    );
    let mut old = header();
    old.stages = vec![Stage::round_robin(2)];
    let fewer = forbidden(find_header_changes(&old, &header(), &[], &Played::default()));
    assert_eq!(
        fewer,
        ["pairs: the results have 2, the configuration 1; their number can only grow"]
    );
}

#[test]
fn no_player_joins_a_league_under_the_name_of_an_author_or_a_version() {
    let stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
    let league = |configured: &[&str]| {
        let entry = LeagueEntry {
            author: "ann".to_owned(),
            version: 1,
            at: 0,
            source: String::new(),
            kept: String::new(),
        };
        let came = HeaderPlayer { entry: Some(entry), ..player("ann v1", "") };
        let own = configured.iter().map(|name| player(name, ""));
        Header { stages: stages.clone(), players: own.chain([came]).collect(), ..header() }
    };
    let old = league(&NAMES);
    let compared = |new: &Header| find_header_changes(&old, new, &[], &Played::default());
    assert_eq!(compared(&league(&["ant", "bee", "cat"])), Ok(vec!["player cat added".to_owned()]));
    // The last one begins with a Cyrillic letter.
    for name in ["ann", "ANN", "ann v1", "\u{430}nn"] {
        let said = forbidden(compared(&league(&["ant", "bee", name])));
        let expected = format!("player {name}: `ann");
        assert!(said.len() == 1 && said[0].starts_with(&expected), "{said:?}");
    }
    // A league that has such players already goes on.
    let old = league(&["ant", "ann"]);
    assert_eq!(find_header_changes(&old, &old, &[], &Played::default()), Ok(Vec::new()));
}

#[test]
fn a_player_of_the_results_must_stay_as_it_was() {
    let gone = refused(|new| drop(new.players.remove(0)));
    assert_eq!(gone, "player ant: it is in the results but not configured");
    let mut new = header();
    "12ab".clone_into(&mut new.players[0].hash);
    let RefusedChanges { forbidden, programs, .. } = compared(&new).expect_err("refused");
    let programs: Vec<String> = programs.iter().map(ChangedProgram::to_string).collect();
    assert_eq!(forbidden, [""; 0]);
    assert_eq!(programs, ["player ant: its program changed ( became 12ab)"]);
}

#[test]
fn a_replaced_player_plays_its_games_again() {
    let (mut old, mut new) = (header(), header());
    old.players = vec![player("ant", "aa"), player("bee", "bb")];
    new.players = vec![player("ant", "cc"), player("bee", "bb")];
    assert_eq!(
        find_header_changes(&old, &new, &["ant".to_owned()], &Played::default()),
        Ok(vec!["player ant replaced: aa became cc; its games will be replayed".to_owned()])
    );
}

#[test]
fn nothing_is_added_once_later_meetings_depend_on_earlier_results() {
    let (mut old, mut new) = (header(), header());
    old.stages = swiss(2);
    new.stages = swiss(2);
    assert_eq!(find_header_changes(&old, &new, &[], &Played::default()), Ok(Vec::new()));
    new.players.push(player("cat", ""));
    assert_eq!(
        forbidden(find_header_changes(&old, &new, &[], &Played::default())),
        ["player cat added: in this format, later meetings depend on earlier results"]
    );
    new.players.pop();
    "12ab".clone_into(&mut new.players[0].hash);
    for replaced in [vec![], vec!["ant".to_owned()]] {
        assert_eq!(
            forbidden(find_header_changes(&old, &new, &replaced, &Played::default())),
            ["cannot replace player ant ( → 12ab): in this format, later meetings depend on \
              earlier results"]
        );
    }
    new.players = [header().players, vec![player("cat", "")]].concat();
    let further = forbidden(find_header_changes(
        &header(),
        &new,
        &[],
        &Played { further: true, ..Played::default() },
    ));
    assert!(further[0].starts_with("stages: the results have "), "{further:?}");
    new.stages = header().stages;
    assert_eq!(
        forbidden(find_header_changes(
            &header(),
            &new,
            &[],
            &Played { further: true, ..Played::default() }
        )),
        ["player cat added: games added by --until depend on earlier results"]
    );
}

#[test]
fn budgets_may_change() {
    let mut new = header();
    new.players[0].usage = UsageLimit { tokens: Some(10), cost: ReportedCost::from_units(2.5) };
    let expected = "usage limits of ant: none became tokens 10, cost 2.5";
    assert_eq!(compared(&new).expect("allowed"), [expected]);
    let lower = find_header_changes(&new, &header(), &[], &Played::default()).expect("allowed");
    assert_eq!(lower, ["usage limits of ant: tokens 10, cost 2.5 became none"]);
}

#[test]
fn outages_can_only_be_raised() {
    let mut new = header();
    new.players[0].outages = 2;
    assert_eq!(compared(&new).expect("allowed"), ["outages of ant: 0 became 2"]);
    let lowered = find_header_changes(&new, &header(), &[], &Played::default());
    let expected = "outages of ant: 2 became 0; they can only be raised";
    assert_eq!(forbidden(lowered), [expected]);
}

#[test]
fn a_program_is_restarted_at_other_times_in_any_format() {
    let old = Header { stages: swiss(3), ..header() };
    let mut new = old.clone();
    new.players[0].restart = !new.players[0].restart;
    for further in [false, true] {
        let changes =
            find_header_changes(&old, &new, &[], &Played { further, ..Played::default() })
                .expect("it may change");
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert!(changes[0].contains("is restarted"), "{changes:?}");
    }
}

#[test]
fn another_format_is_another_tournament() {
    let said = refused(|new| new.stages = swiss(2));
    assert!(said.starts_with("stages: the results have 1 pairing of "), "{said}");
    assert!(said.ends_with("the configuration 2 Swiss rounds of 1 pair"), "{said}");
}

#[test]
fn further_games_come_and_go_with_the_time() {
    let (old, mut new) = (header(), header());
    new.stages.push(Stage::extra_games());
    assert_eq!(
        find_header_changes(&old, &new, &[], &Played::default()),
        Ok(vec!["further games as time allows (--until)".to_owned()])
    );
    assert_eq!(
        find_header_changes(&new, &old, &[], &Played::default()),
        Ok(vec!["no further games (none were played)".to_owned()])
    );
}

#[test]
fn settings_are_shown_as_the_configuration_writes_them() {
    use serde_json::json;
    let shown = |key: &str, value| format_header_setting(key, &value);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(shown("startup_ns", json!(10_000_000_000_u64)), pair("startup", "10s"));
    assert_eq!(shown("budget_ns", json!(null)), pair("budget", "none"));
    assert_eq!(shown("count_startup", json!(true)), pair("count-startup", "true"));
    assert_eq!(shown("measure", json!("cpu")), pair("measure", "cpu"));
    assert_eq!(shown("max-moves", json!(512)), pair("max-moves", "512"));
}

#[test]
fn only_players_that_failed_the_check_are_checked_again() {
    let (mut old, mut new) = (header(), header());
    let some = Format::PartialRoundRobin { opponents: 2, late: Vec::new(), corrected: Vec::new() };
    let stage = |format| Stage { format, pairs: 1, players: None };
    old.stages = vec![stage(Format::Check), stage(some)];
    old.players = vec![player("ant", "aa"), player("bee", "bb")];
    new.stages.clone_from(&old.stages);
    new.players = vec![player("cat", "cc"), player("bee", "bb"), player("ant", "dd")];
    let ant = ["ant".to_owned()];
    let changes =
        find_header_changes(&old, &new, &ant, &Played { failed: &ant, ..Played::default() })
            .expect("allowed");
    let corrected = "player ant corrected: aa became dd; it is checked again, and its earlier games \
                     do not count";
    assert_eq!(changes, [corrected, "player cat added"]);
    let RefusedChanges { programs, .. } =
        find_header_changes(&old, &new, &[], &Played { failed: &ant, ..Played::default() })
            .expect_err("asked for");
    assert_eq!(programs[0].player, "ant");
    let said = forbidden(find_header_changes(&old, &new, &ant, &Played::default()));
    assert!(said[0].contains("it passed the check, and other"), "{said:?}");

    // Further games that were planned, but not played, change nothing.
    old.stages.push(Stage::extra_games());
    super::super::mark_late_on_resume(&old, &mut new, &ant);
    let names: Vec<&str> = new.players.iter().map(|player| &*player.name).collect();
    assert_eq!(names, ["ant", "bee", "cat"], "in the order of the results");
    let Format::PartialRoundRobin { late, corrected, .. } = &new.stages[1].format else { panic!() };
    assert_eq!((&**late, &**corrected), (&["cat".to_owned(), "ant".to_owned()][..], &ant[..]));
}
