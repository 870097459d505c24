//! The formats from outside: what is played, planned, resumed and refused.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs;

use crate::support::{Arena, Config, Dice};
use serde_json::Value;

const STAGES: &str = "\
[[stages]]
format = \"swiss\"
rounds = 2
[[stages]]
format = \"gauntlet\"
anchors = [\"p0\"]
[[stages]]
format = \"knockout\"
players = 4
tie-breaks = 1
";

/// Seven players of three strengths, one pair per meeting, and these lines of a format.
fn config(format: &str) -> Config {
    let bots = ["random", "greedy", "search-50"];
    let players = (0..7).map(|player| (format!("p{player}"), bots[player % 3]));
    let config = players.fold(Config::empty(), |config, (name, bot)| config.bot(&name, bot));
    config.change(|config| {
        config.pairs = 0;
        config.max_moves = 10;
        config.more.push_str(format);
    })
}

/// The meetings in the order of the log: two names and the number of the pair.
fn meetings(arena: &Arena) -> Vec<(String, String, u64)> {
    let meeting = |line: &str| {
        let game: Value = serde_json::from_str(line).expect("JSON");
        let name = |seat: &str| game["players"][seat].as_str().expect("a name").to_owned();
        let (one, other) = (name("white"), name("black"));
        (one.clone().min(other.clone()), one.max(other), game["pair"].as_u64().expect("a number"))
    };
    arena.log().lines().skip(1).map(meeting).collect()
}

fn complete(arena: &Arena) -> BTreeSet<(String, String, u64)> {
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let verified = arena.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
    let played = meetings(arena);
    let different: BTreeSet<_> = played.iter().cloned().collect();
    assert_eq!(played.len(), 2 * different.len(), "every pair has both its games");
    different
}

#[test]
fn a_late_player_meets_as_many_others_and_changes_no_other_game() {
    let some = config("opponents = 2");
    let arena = Arena::with(&some);
    let plan = arena.run(&["run", "--plan"]);
    assert!(plan.out.starts_with("cup: watch-your-back, 7 players, 2 opponents each, 1 pair per "));
    let forecast = "\nif strengths scatter by 200 Elo, rank intervals are about 6 ranks wide; \
                    4 opponents instead of 2 would make them about 5 wide\nno estimate";
    assert!(plan.out.contains(forecast), "{}", plan.out);
    let before = complete(&arena);
    assert_eq!(before.len(), 7);
    for player in (0..7).map(|player| format!("p{player}")) {
        let own = before.iter().filter(|(one, other, _)| [one, other].contains(&&player));
        assert_eq!(own.count(), 2, "{player}: {before:?}");
    }
    let lines = arena.lines();
    let ranking = arena.run(&["rank"]);
    assert!(!ranking.out.contains("Results decided"), "{}", ranking.out);

    // Wherever it stands in the file, and whatever its name is.
    let mut later = some.clone();
    later.players.reverse();
    arena.configure(&later.clone().bot("a late one", "random"));
    let run = arena.run(&["run"]);
    let notes: Vec<&str> = run.err.lines().take(2).collect();
    assert_eq!(notes, ["player a late one added", "14 games are in the log, 4 to play"]);
    let after = meetings(&arena);
    assert!(lines.iter().all(|(id, line)| arena.lines().get(id) == Some(line)));
    let late = after.iter().filter(|(one, ..)| one == "a late one").count();
    assert_eq!((after.len(), late), (18, 4));

    // A corrected player plays its own games again, and the others keep theirs.
    let mut corrected = later.bot("a late one", "random");
    corrected.players[0].1 = "bot = \"greedy\"".to_owned();
    arena.configure(&corrected);
    let replaced = arena.run(&["run", "--quiet", "--replace", "p6"]);
    assert_eq!(replaced.code, 0, "{}", replaced.err);
    assert_eq!(complete(&arena).len(), 9);

    let more = config("opponents = 3").bot("a late one", "random");
    arena.configure(&more);
    let refused = arena.run(&["run", "--plan"]);
    assert_eq!(refused.code, 4, "the graph would be another: {}", refused.err);
    arena.configure(&config("opponents = 7"));
    let refused = arena.run(&["run", "--plan"]);
    assert!(refused.err.contains("7 players cannot have 7 opponents each"), "{}", refused.err);
}

/// Everyone is checked, and meets two others.
const CHECKED_FEW: &str = "\
[[stages]]
format = \"check\"
[[stages]]
format = \"round-robin\"
opponents = 2
";

/// How often a player met others.
fn meetings_of(arena: &Arena, name: &str) -> usize {
    let all: BTreeSet<_> = meetings(arena).into_iter().collect();
    all.iter().filter(|(one, other, _)| one == name || other == name).count()
}

#[test]
fn late_and_corrected_players_are_checked_and_change_no_other_game() {
    let field = config(CHECKED_FEW).script("bad", "bad.sh").change(|config| config.jobs = 1);
    let arena = Arena::with(&field);
    arena.write("bad.sh", "exit 1");
    let run = |arguments: &[&str]| {
        let before = arena.lines();
        let run = arena.run(arguments);
        let after = arena.lines();
        assert!(before.iter().all(|(id, line)| after.get(id) == Some(line)), "{}", run.err);
        (run.code, run.err, after.len() - before.len())
    };
    let verify = |played: &str| {
        let run = arena.run(&["verify"]);
        assert!(run.code == 0 && run.out.contains(played), "{} {}", run.out, run.err);
    };
    assert_eq!(arena.run(&["run", "--quiet"]).code, 0);
    let at_first = arena.lines().len();

    // A late player: its check and two opponents. It may stand anywhere in the file.
    let mut later = field.bot("late", "random");
    later.players.reverse();
    arena.configure(&later);
    let plan = arena.run(&["run", "--plan"]);
    let due = format!("\n{at_first} of about {} games played", at_first + 6);
    assert!(plan.out.contains(&due), "{} {}", plan.out, plan.err);
    let (code, told, more) = run(&["run", "--quiet"]);
    assert_eq!((code, more), (0, 6), "{told}");
    assert_eq!(meetings_of(&arena, "late"), 3);
    verify(" games played");

    // One that failed the check, is corrected, fails again, and is corrected again.
    arena.write("bad.sh", "read init; exit 1");
    let (code, told, _) = run(&["run"]);
    assert!(code == 4 && told.contains("--replace bad"), "{told}");
    let (code, told, more) = run(&["run", "--replace", "bad"]);
    let checked = "; it is checked again, and its earlier games do not count";
    assert_eq!((code, told.matches(checked).count(), more), (0, 1, 1), "{told}");
    assert!(told.contains("bad failed the check and is out"), "{told}");
    arena.write("bad.sh", PLAYS);
    let plan = arena.run(&["run", "--plan", "--replace", "bad"]);
    assert!(plan.out.contains(&format!(" of about {} games", at_first + 13)), "{}", plan.out);
    let mut child = arena.start(&["run", "--replace", "bad"]);
    arena.wait_for_lines(at_first + 10);
    child.kill().expect("killed");
    child.wait().expect("gone");
    let (code, told, _) = run(&["run"]);
    assert!(code == 0 && !told.contains("failed the check"), "{told}");
    assert_eq!(arena.lines().len(), at_first + 13, "{told}");
    let summary = format!("{} count, 2 before a player was corrected", at_first + 11);
    assert!(arena.run(&["run"]).out.contains(&summary));
    verify(&summary);
    let rank = arena.run(&["rank", "--format", "json"]);
    let json: Value = serde_json::from_str(&rank.out).expect("JSON");
    let bad = json["players"].as_array().expect("a list").iter().find(|it| it["player"] == "bad");
    let bad = bad.expect("it is there");
    assert_eq!((&bad["games"], &bad["faults"]), (&6.into(), &serde_json::json!({})), "{bad}");
    assert!(bad["rank"].is_number(), "{bad}");
    assert!(arena.run(&["replay"]).out.contains("bad"));

    // Others still can, and the earlier late ones keep their games.
    arena.configure(&later.clone().bot("last", "greedy"));
    let (code, told, more) = run(&["run", "--quiet"]);
    assert_eq!((code, more, meetings_of(&arena, "last")), (0, 6, 3), "{told}");
    verify(" games played");

    // One that passed the check cannot be replaced.
    let mut changed = later.bot("last", "greedy");
    changed.players.iter_mut().find(|it| it.0 == "p1").expect("p1").1 = "bot = \"random\"".into();
    arena.configure(&changed);
    let (code, told, _) = run(&["run", "--replace", "p1"]);
    let why = "it passed the check, and other players' games depend on that; add the new version \
               under another name";
    assert!(code == 4 && told.contains(why), "{told}");
}

#[test]
#[ignore = "slow: whole tournaments"]
fn a_gauntlet_is_everyone_against_the_anchors() {
    let arena =
        Arena::with(&config("format = \"gauntlet\"\nanchors = [\"p2\", \"p5\"]\npairs = 2"));
    let played = complete(&arena);
    assert_eq!(played.len(), 5 * 2 * 2);
    let anchors = ["p2", "p5"];
    let is_anchor = |name: &String| anchors.contains(&name.as_str());
    assert!(played.iter().all(|(one, other, _)| is_anchor(one) != is_anchor(other)));
}

#[test]
fn swiss_tournaments_have_no_rematches() {
    let arena = Arena::with(&config("format = \"swiss\"\nrounds = 4"));
    let played = complete(&arena);
    assert_eq!(played.len(), 3 * 4);
    let pairings: BTreeSet<_> = played.iter().map(|(one, other, _)| (one, other)).collect();
    assert_eq!(pairings.len(), played.len());
    let plan = arena.run(&["run", "--plan"]);
    assert_eq!(
        plan.out,
        "cup: watch-your-back, 7 players, 4 Swiss rounds of 1 pair\n24 of 24 games played\n"
    );
}

#[test]
#[ignore = "slow: whole tournaments"]
fn a_ladder_ends_with_its_games() {
    let arena = Arena::with(&config("format = \"ladder\"\ngames = 30"));
    assert_eq!(complete(&arena).len(), 15);
    let sharp = Arena::with(&config("format = \"ladder\"\ngames = 3000\nmargin = 250"));
    assert!(complete(&sharp).len() < 150);
}

#[test]
#[ignore = "slow: whole tournaments"]
fn a_knockout_has_one_winner() {
    let arena = Arena::with(&config("format = \"knockout\"\npairs = 2"));
    let played = complete(&arena);
    let pairings: BTreeSet<_> = played.iter().map(|(one, other, _)| (one, other)).collect();
    assert_eq!(pairings.len(), 6);
}

const CHECKED: &str = "\
[[stages]]
format = \"check\"
[[stages]]
format = \"swiss\"
rounds = 2
[[stages]]
format = \"round-robin\"
players = 3
";

/// Seven bots, one player that exits at its first turn, and one that cannot start.
fn with_faulty() -> Config {
    let bots = config(CHECKED);
    let bots = bots.script("leaves", "leaves.sh").script("mute", "mute.sh");
    bots.change(|config| config.clock.push_str("startup = \"5s\""))
}

#[test]
#[ignore = "slow: whole tournaments"]
fn players_that_fail_the_check_play_no_further() {
    let arena = Arena::with(&with_faulty());
    arena.write("leaves.sh", "read init; echo ok; read turn");
    arena.write("mute.sh", "exit 1");
    let run = arena.run(&["run", "--quiet"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(arena.run(&["verify"]).code, 0);
    let played = meetings(&arena);
    for name in ["leaves", "mute"] {
        let of = played.iter().filter(|(one, other, _)| one == name || other == name).count();
        assert!((1..=2).contains(&of), "{name} played {of} games");
    }
    // Everyone passed or is out, and four Swiss meetings of seven players follow.
    let rank = arena.run(&["rank"]);
    let line = |start: &str| rank.err.lines().find(|line| line.starts_with(start)).expect("a line");
    let diagnosis = line("leaves failed the check and is out: exit in game ");
    assert!(diagnosis.contains(": "), "{diagnosis}");
    line("mute failed the check and is out: no-start in game ");
    let plan = arena.run(&["run", "--plan"]);
    let start = "cup: watch-your-back, 9 players, a check of 1 pair each; then 2 Swiss";
    assert!(plan.out.starts_with(start), "{}", plan.out);
    // Wherever the run stops, the same games are played.
    let again = Arena::with(&with_faulty());
    again.write("leaves.sh", "read init; echo ok; read turn");
    again.write("mute.sh", "exit 1");
    for lines in [2, 7, 16] {
        let mut child = again.start(&["run"]);
        again.wait_for_lines(lines);
        child.kill().expect("killed");
        child.wait().expect("gone");
    }
    assert_eq!(again.run(&["run", "--quiet"]).code, 0);
    let out: BTreeSet<_> = meetings(&again).into_iter().collect();
    assert_eq!(out, played.into_iter().collect());
}

/// Plays any legal action.
pub(crate) const PLAYS: &str = "while read -r line; do case $line in \
                     *'\"type\":\"init\"'*) echo ok ;; \
                     *'\"type\":\"turn\"'*) legal=${line#*'\"legal\":[\"'}; echo \
                     \"${legal%%\\\"*}\" ;; \
                     *'\"type\":\"quit\"'*) exit 0 ;; esac; done\n";

#[test]
#[ignore = "slow: whole tournaments"]
fn players_that_never_start_rank_and_grade_below_others() {
    let check = "grades = { ranks = [{ rank = 1, marks = 10 }, { rank = 9, marks = 5 }] }\n\
                 [[stages]]\nformat = \"check\"\n[[stages]]\nformat = \"round-robin\"\n";
    let config = config(check).script("fine", "fine.sh");
    let mute = |config: Config, name: &str| config.script(name, "mute.sh");
    let arena = Arena::with(&["mute", "mute too"].into_iter().fold(config, mute));
    arena.write("fine.sh", PLAYS);
    arena.write("mute.sh", "exit 1");
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!run.err.contains("leading: mute"), "{}", run.err);
    let unranked = run.out.lines().filter(|line| line.starts_with("–  mute"));
    assert_eq!(unranked.count(), 2, "{}", run.out);
    let reason = "Without a rank: mute (failed the check), mute too (failed the check).";
    assert!(run.out.replace('\n', " ").contains(reason), "{}", run.out);
    let rank = arena.run(&["rank", "--format", "json"]);
    let json: Value = serde_json::from_str(&rank.out).expect("JSON");
    let last = &json["players"][9];
    assert_eq!(
        (&last["rank"], &last["rating"], &last["score"]),
        (&Value::Null, &Value::Null, &0.into())
    );
    assert_eq!(last["unranked"], "check");
    let standings = arena.read("standings.csv");
    assert!(standings.lines().nth(10).is_some_and(|line| line.starts_with(",mute too,,,,")));
    // The house player is not graded, and failed players have the lowest grade.
    let grades = arena.read("grades.csv");
    let rows: Vec<&str> = grades.lines().skip(1).collect();
    assert!(rows[0].starts_with("fine,10,") || rows[0].starts_with("fine,5,"), "{grades}");
    let failed = |name: &str| format!("{name},0,,,,,0,");
    assert!(rows[1].starts_with(&failed("mute")) && rows[1].ends_with(",failed the check"));
    assert!(rows[2].starts_with(&failed("mute too")) && rows.len() == 3, "{grades}");
    // All commands report the same numbers of games.
    let games = run.out.lines().find(|line| line.contains(" games played")).expect("it is said");
    let games = games.split_once("; ").map_or(games, |(start, _)| start).trim_end_matches('.');
    let page = arena.read("report.html");
    for text in [page, arena.run(&["verify"]).out, arena.run(&["run", "--plan"]).out] {
        assert!(text.contains(games), "{games} is not in {text}");
    }
}

#[test]
#[ignore = "slow: whole tournaments"]
fn a_killed_run_of_stages_resumes_with_the_same_games() {
    let whole = Arena::with(&config(STAGES));
    let expected = complete(&whole);
    let mut dice = Dice::new(5);
    for jobs in [1, 2] {
        let arena = Arena::with(&config(STAGES).change(|config| config.jobs = jobs));
        for lines in [3, 9, 20, 30] {
            let mut child = arena.start(&["run"]);
            arena.wait_for_lines(lines + usize::try_from(dice.below(3)).expect("small"));
            child.kill().expect("killed");
            child.wait().expect("gone");
        }
        assert_eq!(complete(&arena), expected);
        assert_eq!(arena.essence(), whole.essence());
    }
}

#[test]
fn a_plan_lists_the_games_to_come() {
    let arena = Arena::with(&config(STAGES));
    let run = arena.run(&["run", "--plan"]);
    let expected = "cup: watch-your-back, 7 players, 2 Swiss rounds of 1 pair; then a gauntlet of \
                    6 against 1 anchor, 1 pair per pairing; then the best 4: a knockout with 1 pair per \
                    match\n\
                    0 of about 30 games played\nif strengths scatter by 200 Elo, rank intervals \
                    are about 5 ranks wide\nno estimate before the first game\n";
    assert_eq!((run.code, run.out.as_str()), (0, expected));
}

#[test]
fn results_that_later_pairings_depend_on_cannot_change() {
    let swiss = config("format = \"swiss\"\nrounds = 2");
    let arena = Arena::with(&swiss);
    complete(&arena);
    let another = "bot = \"random\"".to_owned();
    arena.configure(&swiss.change(|config| config.players[1].1 = another));
    let run = arena.run(&["run", "--replace", "p1"]);
    assert_eq!(run.code, 4);
    let reason = "): in this format, later meetings depend on earlier results\n";
    assert!(run.err.contains(reason), "{}", run.err);
    let run = arena.run(&["run"]);
    assert!(run.err.contains(reason) && !run.err.contains("--replace"), "{}", run.err);
    arena.configure(&config("format = \"swiss\"\nrounds = 3"));
    let run = arena.run(&["run"]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("stages: the results have 2 Swiss rounds of 1 pair, the configuration 3 Swiss rounds of 1 pair"), "{}", run.err);
}

#[test]
fn a_player_too_late_for_a_swiss_tournament_is_ranked_by_the_games_that_the_plan_offers() {
    let swiss = config("format = \"swiss\"\nrounds = 2");
    let arena = Arena::with(&swiss);
    complete(&arena);
    let before = arena.log();
    arena.configure(&swiss.bot("zoe", "greedy"));
    let plan = arena.run(&["run", "--plan"]);
    assert_eq!(plan.code, 4);
    let added = "player zoe added: in this format, later meetings depend on earlier results\n";
    assert!(plan.err.contains(added), "{}", plan.err);
    // The words are followed to the letter.
    let part = |from: &str, to: &str| {
        let rest = plan.err.split_once(from).expect(from).1;
        rest.split_once(to).expect(to).0.to_owned()
    };
    let keys = part(" grades, put\n", "Then\n");
    let kept = part(
        "late.toml, keep only the players ",
        "; in place of its name, format, stages and grades, put\n",
    )
    .replace(" and ", ", ");
    let kept: Vec<&str> = kept.split(", ").collect();
    assert_eq!((kept[0], kept.len()), ("zoe", 6), "{kept:?}");
    let (_, commands) = plan.err.split_once("Then\n").expect("commands");
    let mut late =
        config(&keys.replace("  name = \"cup-late\"\n", "").replace("pairs = 10", "pairs = 2"));
    late = late.bot("zoe", "greedy");
    late.players.retain(|(name, _)| kept.contains(&&**name));
    arena.configure(&late);
    let text = fs::read_to_string(arena.path().join("tournament.toml"))
        .expect("a file")
        .replace("name = \"cup\"", "name = \"cup-late\"");
    arena.write("late.toml", &text);
    let mut commands = commands.lines().map(|line| line.trim().replace("referee", "\"$1\""));
    let (first, second) = (commands.next().expect("two"), commands.next().expect("two"));
    let played = arena.in_shell(&format!("{first} --quiet"), &[]);
    assert_eq!(played.code, 0, "{}", played.err);
    let ranked = arena.in_shell(&second.replace("DIR", "."), &[]);
    assert_eq!(ranked.code, 0, "{}", ranked.err);
    let zoe = ranked.out.lines().find(|line| line.contains("zoe")).expect("a row");
    assert!(
        zoe.contains('±') && zoe.contains('–'),
        "a rating and a rank with their intervals: {zoe}"
    );
    assert!(["p0", "p6"].iter().all(|player| ranked.out.contains(player)), "{}", ranked.out);
    assert_eq!(arena.log(), before);
}

#[test]
fn invalid_formats_are_refused() {
    let title = |format: &str| {
        let run = Arena::with(&config(format)).run(&["run"]);
        assert_eq!(run.code, 2);
        run.err.lines().next().expect("a line").to_owned()
    };
    assert_eq!(title("format = \"swis\""), "error: unknown format `swis`");
    assert_eq!(title("format = \"swiss\""), "error: a Swiss stage needs `rounds`");
    let most = "error: 7 players cannot play 5 rounds of a Swiss stage";
    assert_eq!(title("format = \"swiss\"\nrounds = 5"), most);
    let useless = "error: `rounds` has no effect in a round-robin stage";
    assert_eq!(title("rounds = 5"), useless);
    assert_eq!(title("format = \"gauntlet\""), "error: a gauntlet needs `anchors`");
    let unknown = "error: the anchor `p9` is not a player";
    assert_eq!(title("format = \"gauntlet\"\nanchors = [\"p9\"]"), unknown);
    assert_eq!(title("format = \"check\""), "error: a check must be the first of several stages");
    let second = CHECKED.replace("swiss\"\nrounds = 2", "check\"");
    assert_eq!(title(&second), "error: a check must be the first of several stages");
    let misplaced = "error: with `[[stages]]`, `rounds` belongs in a stage";
    assert_eq!(title(&format!("rounds = 2\n{STAGES}")), misplaced);
}
