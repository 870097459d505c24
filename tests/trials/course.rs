//! A course, as `docs/recipes.md` has it: an export of 200 made-up students, with late and corrected
//! players, up to the packets in which each mark is explained.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::harness::slow;
use crate::support::{Arena, Run};
use libtest_mimic::Trial;

/// A quick player of Backdraughts that starts no other program. `PICK` computes the place `at` of its
/// action among `many`, from a random number; an action stands at place 2 `at` + 2.
const PLAYER: &str = r#"# Handed in by AUTHOR.
seed=1
while read -r line; do
    case $line in
    '{"type":"init"'*)
        seed=${line#*\"seed\":}
        seed=$((${seed%%,*} % 2147483648))
        echo ok
        ;;
    '{"type":"turn"'*)
        legal=${line#*\"legal\":\[}
        IFS=\"
        set -- ${legal%%]*}
        many=$(($# / 2))
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        random=$((seed / 65536))
        PICK
        shift $((2 * at + 1))
        echo "$1"
        ;;
    '{"type":"quit"'*) exit 0 ;;
    esac
done
"#;

/// How players pick their actions.
const PICKS: [&str; 5] = [
    "at=$((random % many))",
    "at=0",
    "at=$((many - 1))",
    "at=$((random % 2 * (many - 1)))",
    "at=$((random % (many > 3 ? 3 : many)))",
];

/// A player that crashes in its first game.
const CRASHES: &str = "read -r line\necho 'an index is out of range' >&2\nexit 1\n";

/// The students of the export.
const STUDENTS: usize = 200;
/// Those whose first version crashes.
const CORRECTED: [usize; 3] = [20, 90, 150];
/// Those who hand in no player.
const DOCUMENT: usize = 33;
const TWO_PROGRAMS: usize = 77;
const BROKEN: usize = 111;
/// Those who come later have the numbers after the others.
const LATE: usize = 3;

const GRADES: &str = r#"
[grades]
by = "rank"
ranks = [
    { rank = 20, marks = 10 },
    { rank = 100, marks = 8 },
    { rank = 203, marks = 5 },
]
failed = 1
"#;

pub(crate) fn tests() -> Vec<Trial> {
    vec![slow("everyone of a class of 200 is told the marks and why", || {
        class_of_200();
        None
    })]
}

fn class_of_200() {
    let arena = Arena::new();
    for student in 0..STUDENTS {
        hand_in(&arena, student);
    }
    arena.write("submissions/Thumbs.db", "of the system");
    arena.write("submissions/list.xlsx", "of the course");
    let new = arena.run(&["new", "tournament", "submissions", "--game", "backdraughts"]);
    assert_eq!(new.code, 1, "{new:?}");
    assert!(new.err.contains("tournament.toml: 197 of 200 are players"), "{new:?}");
    assert!(new.err.contains("ignored, not part of any submission: `list.xlsx`\n"), "{new:?}");
    edit(&arena);
    let plan = done(arena.run(&["run", "--plan"]));
    assert!(plan.out.contains("197 players"), "{plan:?}");

    done(arena.run(&["run", "--quiet"]));
    let rows = read_grades(&arena);
    assert_eq!(rows.len(), STUDENTS);
    for student in CORRECTED {
        let row = &rows[&name(student)];
        assert!(row.rank.is_empty() && row.marks == "1", "{row:?}");
        assert_eq!(row.reason, "failed the check");
    }
    let before = arena.log();

    add_late(&arena);
    done(arena.run(&["run", "--quiet"]));
    for student in CORRECTED {
        let file = folder(student) + "/player.sh";
        arena.write(&file, &player(student));
    }
    let names = CORRECTED.map(name);
    let replace = names.iter().flat_map(|name| ["--replace", name]);
    done(arena.run(&["run", "--quiet"].into_iter().chain(replace).collect::<Vec<_>>()));

    let after = arena.log();
    let lines: BTreeSet<&str> = after.lines().collect();
    let lost = before.lines().skip(1).find(|line| !lines.contains(line));
    assert_eq!(lost, None, "the games of others stay as they are");
    let verify = done(arena.run(&["verify"]));
    assert!(verify.out.contains("no problems"), "{verify:?}");
    let rank = done(arena.run(&["rank"]));
    done(arena.run(&["report", "--packets", "--grades", "tournament.toml"]));
    everyone_is_told(&arena, &rank.out);
}

/// Everyone has one row and one packet, and the two agree.
fn everyone_is_told(arena: &Arena, ranking: &str) {
    let everyone: BTreeSet<String> = (0..STUDENTS + LATE).map(name).collect();
    let rows = read_grades(arena);
    assert!(rows.keys().eq(&everyone));
    let packets = fs::read_dir(arena.results().join("packets")).expect("packets").flatten();
    let packets = packets.filter(|entry| entry.path().is_dir());
    let packets = packets.map(|entry| entry.file_name().to_string_lossy().into_owned());
    assert_eq!(packets.collect::<BTreeSet<_>>(), everyone);

    let ranked = rows.values().filter(|row| !row.rank.is_empty()).count();
    let reasons = [
        (DOCUMENT, "no player was recognised; it contains `report.pdf`"),
        (TWO_PROGRAMS, "several files could be the player: `a/main.py`, `b/main.py`"),
        (BROKEN, "the archive was refused: it is damaged, or not an archive"),
    ];
    assert_eq!(ranked, STUDENTS + LATE - reasons.len(), "late and corrected ones are ranked");
    let packet = |name: &str| arena.read(&format!("packets/{name}/report.html"));
    for (student, reason) in reasons {
        let row = &rows[&name(student)];
        assert!(row.marks == "1" && row.reason.starts_with(reason), "{row:?}");
        let page = packet(&name(student));
        assert!(page.contains(&format!("<p>You get 1 mark: {}.</p>", row.reason)), "{page}");
    }
    let are_ranked = everyone.iter().filter(|name| !rows[*name].rank.is_empty());
    for name in are_ranked {
        let Row { marks, rank, low, high, band, reason, .. } = &rows[name];
        assert_eq!(reason, &format!("rank {rank}"), "{name}");
        let interval = if low == high { low.clone() } else { format!("{low}–{high}") };
        let page = packet(name);
        let sentence = format!(
            "<p>You get {marks} marks: {marks} for {reason} (95% interval {interval}), in the band \
             up to rank {band}.</p>"
        );
        assert!(page.contains(&sentence), "{name}: no {sentence}");
        let place = format!(
            "Rank <strong>{rank}</strong> of {ranked}, rank interval <strong>{interval}</strong>"
        );
        assert!(page.contains(&place), "{name}: no {place}");
        assert!(ranking.contains(name.as_str()), "{name} is not in the ranking");
    }
    let marks: BTreeSet<&str> = rows.values().map(|row| row.marks.as_str()).collect();
    assert_eq!(marks.into_iter().collect::<Vec<_>>(), ["1", "10", "5", "8"], "by band");
}

/// The name of a student, by number.
fn name(student: usize) -> String {
    const FIRST: [&str; 15] = [
        "Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hanna", "Ivo", "Jo", "Kim", "Lea",
        "Max", "Nora", "Otto",
    ];
    const LAST: [&str; 14] = [
        "Abel", "Birch", "Crow", "Dove", "Elm", "Fox", "Grove", "Hill", "Iris", "Jay", "Kite",
        "Lark", "Moss", "Nash",
    ];
    format!("{} {}", FIRST[student % FIRST.len()], LAST[student / FIRST.len()])
}

/// The folder of a student, as a platform exports it.
fn folder(student: usize) -> String {
    let export = if student < STUDENTS { "submissions" } else { "later" };
    format!("{export}/{}_{}_assignsubmission_file_", name(student), 4000 + student)
}

/// A player that works.
fn player(student: usize) -> String {
    PLAYER.replace("AUTHOR", &name(student)).replace("PICK", PICKS[student % PICKS.len()])
}

/// Writes what a student hands in.
fn hand_in(arena: &Arena, student: usize) {
    let folder = folder(student);
    let put = |file: &str, text: &str| {
        let path = arena.path().join(&folder).join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    };
    match student {
        DOCUMENT => put("report.pdf", "%PDF"),
        TWO_PROGRAMS => {
            put("a/main.py", "print(1)\n");
            put("b/main.py", "print(2)\n");
        }
        BROKEN => put("mine.zip", "PK, cut off"),
        _ if CORRECTED.contains(&student) => {
            put("player.sh", &format!("# {student}\n{CRASHES}"));
        }
        _ => put("player.sh", &player(student)),
    }
}

/// Edits the configuration as the recipe says.
fn edit(arena: &Arena) {
    let path = arena.path().join("tournament.toml");
    let mut text = fs::read_to_string(&path).expect("a configuration");
    let title = text.lines().find(|line| line.starts_with("name = ")).expect("a name").to_owned();
    let stages = "[[stages]]\nformat = \"check\"\n\n[[stages]]\nformat = \"round-robin\"\n\
                  opponents = 2\n\n[clock]";
    for (from, to) in [
        (title.as_str(), "name = \"cup\""),
        ("pairs = 1\n", ""),
        ("\nopponents = 10\n", "\n"),
        ("# seed = 7\n", "seed = 7\n"),
        ("[clock]", stages),
        // A busy machine must not decide a game.
        ("move = \"5s\"", "move = \"60s\""),
    ] {
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        text = text.replace(from, to);
    }
    arena.write("tournament.toml", &(text + GRADES));
}

/// Adds the players of those who are late, from a configuration of their own.
fn add_late(arena: &Arena) {
    (STUDENTS..STUDENTS + LATE).for_each(|student| hand_in(arena, student));
    done(arena.run(&["new", "tournament", "later", "--game", "backdraughts", "--into", "late"]));
    let read = |name: &str| fs::read_to_string(arena.path().join(name)).expect("a configuration");
    let late = read("late/tournament.toml");
    let (_, tables) = late.split_once("[[players]]").expect("players");
    let (tables, _) = tables.split_once("\n# An anchor").expect("further parts");
    let text = read("tournament.toml");
    let (before, grades) = text.split_once("\n[grades]").expect("marks");
    arena.write("tournament.toml", &format!("{before}\n[[players]]{tables}\n[grades]{grades}"));
}

/// The run, which must have found nothing wrong.
fn done(run: Run) -> Run {
    assert_eq!(run.code, 0, "{run:?}");
    run
}

/// A row of `grades.csv`.
#[derive(Debug)]
struct Row {
    marks: String,
    rank: String,
    low: String,
    high: String,
    band: String,
    reason: String,
}

/// The rows by name; panics if one occurs twice.
fn read_grades(arena: &Arena) -> BTreeMap<String, Row> {
    let table = arena.read("grades.csv");
    let mut lines = table.lines();
    let headings = "player,marks,rank,rank_low,rank_high,band,rank_marks,games,reason";
    assert_eq!(lines.next(), Some(headings));
    let mut rows = BTreeMap::new();
    for line in lines {
        let mut cells = line.splitn(9, ',').map(|cell| cell.trim_matches('"').to_owned());
        let mut cell = || cells.next().expect("nine cells");
        let name = cell();
        let (marks, rank, low, high, band) = (cell(), cell(), cell(), cell(), cell());
        let (rank_marks, _games, reason) = (cell(), cell(), cell());
        assert_eq!(marks, rank_marks, "{line}");
        let row = Row { marks, rank, low, high, band, reason };
        assert!(rows.insert(name, row).is_none(), "{line} is not the only one");
    }
    rows
}
