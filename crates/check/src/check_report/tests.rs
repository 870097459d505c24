use super::*;
use crate::FaultTranscriptLine;
use referee_match::player::LineDirection;
use referee_record::model::fault::FaultCode;
use referee_record::model::warning::{PlayerWarning, WarningWording};

fn report() -> CheckReport {
    CheckReport::new("ant", "ant", "a-game", ["start", "turns", "long"].map(str::to_owned).into())
}

#[test]
fn an_unfinished_check_reports_its_findings() {
    let mut report = report();
    report.steps[0].verdict = CheckStepVerdict::Passed;
    report.break_off("interrupted");
    assert_eq!((report.outcome(), report.ready), (Readiness::Unfinished, false));
    assert_eq!(report.verdict(), "not finished: interrupted; no problems found in 1 of 3 steps");
    assert_eq!(
        report.describe(Colour::Plain, None),
        "ant (a-game)\n  ok    start  skipped\n  -     turns  not finished: interrupted\n  \
         -     long   skipped\n\
         not finished: interrupted; no problems found in 1 of 3 steps"
    );
}

#[test]
fn a_league_lets_in_who_is_slow_but_not_wrong() {
    let out_of_time = |passed: usize, fails: bool| {
        let mut report = report();
        report.steps[..passed].iter_mut().for_each(|step| step.verdict = CheckStepVerdict::Passed);
        if fails {
            failed(&mut report, 1, "it crashed");
        }
        report.end_in_time(Duration::from_secs(300));
        report.lets_in()
    };
    assert!(out_of_time(1, false) && out_of_time(2, false));
    assert!(!out_of_time(0, false), "it has not even started, which may be the machine's fault");
    assert!(!out_of_time(1, true));

    let mut broken_off = report();
    broken_off.steps[0].verdict = CheckStepVerdict::Passed;
    broken_off.break_off("a thread panicked");
    assert!(!broken_off.lets_in(), "it is tried again");
}

#[test]
fn a_slow_start_is_noted() {
    let seconds = Duration::from_secs_f64;
    for (took, notes) in [(8.9, 1), (5.1, 1), (4.9, 0), (10.1, 0)] {
        let mut report = report();
        report.figures.start(seconds(took));
        report.note_slow_start(seconds(10.0));
        assert_eq!(report.warnings.len(), notes, "{took}");
    }
    let mut report = report();
    report.figures.start(seconds(8.9));
    report.note_slow_start(seconds(10.0));
    let note = "took 8.9 s to start (limit 10 s): on a slower or busier machine it may be too late";
    assert!(report.warnings.contains(note), "{:?}", report.warnings);
}

#[test]
fn failures_take_precedence_over_the_time_limit() {
    let mut report = report();
    report.steps[0].verdict = CheckStepVerdict::Failed;
    "it left".clone_into(&mut report.steps[0].summary);
    report.break_off("interrupted");
    assert_eq!(report.verdict(), "NOT READY: it left");
}

fn finding(message: &str) -> CheckFinding {
    CheckFinding {
        code: FaultCode::Crash,
        message: message.to_owned(),
        reason: message.to_owned(),
        seat: "white".into(),
        ply: Some(1),
        expected: "a process that plays until it receives `quit`",
        clause: "`crash` in `referee help faults`".to_owned(),
        exchange: Vec::new(),
        board: None,
        advice: None,
        stderr: vec!["Traceback".to_owned()],
        reproduce: Some("referee ask ant".to_owned()),
    }
}

fn failed(report: &mut CheckReport, step: usize, message: &str) {
    report.steps[step].verdict = CheckStepVerdict::Failed;
    report.steps[step].finding = Some(finding(message));
}

#[test]
fn a_sandbox_that_cannot_be_set_up_is_not_the_players_fault() {
    let containment = |ply| CheckFinding { code: FaultCode::Containment, ply, ..finding("no") };
    assert_eq!(CheckStepVerdict::of(Some(&containment(None))), CheckStepVerdict::Unfinished);
    assert_eq!(CheckStepVerdict::of(Some(&containment(Some(3)))), CheckStepVerdict::Failed);
    assert_eq!(CheckStepVerdict::of(Some(&finding("exit code 1"))), CheckStepVerdict::Failed);
    assert_eq!(CheckStepVerdict::of(None), CheckStepVerdict::Passed);
}

#[test]
fn repeated_findings_are_shown_once() {
    let mut report = report();
    failed(&mut report, 0, "exit code 1");
    failed(&mut report, 1, "exit code 1");
    failed(&mut report, 2, "exit code 2");
    assert_eq!(report.verdict(), "NOT READY: crash: exit code 1", "the first one decides");
    let text = report.describe(Colour::Plain, None);
    assert_eq!(text.matches("same as above").count(), 1, "{text}");
    assert_eq!(text.matches("crash: exit code 1 (as white, after 1 ply)").count(), 1);
    assert_eq!(text.matches("        again: referee ask ant").count(), 2, "{text}");
}

#[test]
fn measurements_keep_the_worst_and_the_mean() {
    let mut figures = CheckFigures::default();
    figures.start(Duration::from_millis(3));
    figures.start(Duration::from_millis(2));
    figures.time(&[1_000_000, 3_000_000], false);
    figures.time(&[8_000_000], false);
    figures.time(&[90_000_000], true);
    figures.time(&[], true);
    assert_eq!(
        figures,
        CheckFigures {
            startup_ms: Some(3.0),
            memory: None,
            turns: 3,
            move_ms: Some(4.0),
            slowest_ms: Some(8.0),
            slowest_under_load_ms: Some(90.0),
        }
    );
}

#[test]
fn a_ready_player_is_shown_with_its_figures_points_and_notes() {
    let mut report = report();
    for step in &mut report.steps {
        (step.verdict, step.summary) = (CheckStepVerdict::Passed, "fine".to_owned());
    }
    report.ready = true;
    report.figures = CheckFigures {
        startup_ms: Some(12.0),
        memory: Some(5 << 20 | 1),
        turns: 9,
        move_ms: Some(0.4),
        slowest_ms: Some(1500.0),
        slowest_under_load_ms: None,
    };
    let mut against = CheckOpponentScore::new("greedy");
    against.add(1.0);
    against.add(0.5);
    assert_eq!((against.wins, against.draws, against.games()), (1, 1, 2));
    report.against.push(against);
    report.warnings.insert("wrote after the end\u{1b}".to_owned());
    assert_eq!(
        report.describe(Colour::Plain, None),
        "ant (a-game)\n  ok    start  fine\n  ok    turns  fine\n  ok    long   fine\n  \
         start-up 0.012 s, memory 6 MiB, a turn under 1 ms (slowest 1.5 s, on a busy core not \
         measured)\n  points: greedy 1.5 of 2\n  note: wrote after the end\\u{1b}\n\
         ready: no problems found"
    );
    assert_eq!(report.outcome(), Readiness::Ready);
}

#[test]
fn an_argument_that_is_not_a_player_gets_a_report() {
    let report = CheckReport::refused("notes.txt", "a-game", "no player is recognised");
    assert_eq!(report.verdict(), "NOT READY: no player is recognised");
    assert_eq!(
        report.describe(Colour::Plain, None),
        "notes.txt (a-game)\n  FAIL  player  no player is recognised\n\
         NOT READY: no player is recognised"
    );
}

#[test]
fn a_terminal_shows_verdicts_in_colours() {
    let mut report = report();
    failed(&mut report, 0, "exit code 1");
    let text = report.describe(Colour::Ansi, None);
    assert!(text.contains("  \x1b[1;31mFAIL\x1b[0m  start"), "{text}");
    assert!(text.contains("  \x1b[33m-   \x1b[0m  turns"), "{text}");
    assert!(text.ends_with("\x1b[1;31mNOT READY: crash: exit code 1\x1b[0m"), "{text}");
}

#[test]
fn only_commands_are_wider_than_the_terminal() {
    let mut report = report();
    failed(&mut report, 0, &"many words ".repeat(20));
    let again = format!("referee ask {}", "ant ".repeat(20));
    report.steps[0].finding.as_mut().expect("one").reproduce = Some(again.clone());
    let text = report.describe(Colour::Plain, Some(40));
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 40).collect();
    assert_eq!(wide, [format!("        again: {again}")]);
}

#[test]
fn output_after_the_end_is_no_note_beside_a_finding_on_output() {
    let mut report = report();
    let wrote = PlayerWarning::WroteAfterEnd("bye".to_owned());
    report.warnings.insert(wrote.text(WarningWording::General));
    failed(&mut report, 0, "exit code 1");
    report.drop_repeated_notes();
    assert_eq!(report.warnings.len(), 1, "a crash is something else");
    failed(&mut report, 1, "\"hello\" is not an action; debug output belongs on stderr");
    report.drop_repeated_notes();
    assert!(report.warnings.is_empty());
}

#[test]
fn a_finding_shows_the_board_in_place_of_the_turn() {
    let mut report = report();
    failed(&mut report, 0, "exit code 1");
    let line = |way, text: &str| FaultTranscriptLine { way, text: text.to_owned() };
    let finding = report.steps[0].finding.as_mut().expect("one");
    finding.exchange = vec![
        line(LineDirection::ToPlayer, r#"{"type":"turn","id":1}"#),
        line(LineDirection::FromPlayer, "pass"),
    ];
    assert!(report.describe(Colour::Plain, None).contains("        > {\"type\":\"turn\""));
    let finding = report.steps[0].finding.as_mut().expect("one");
    let piece = Colour::Ansi.paint("W", "36");
    finding.board = Some(ColouredText::join(["    0 1\n  0 ".into(), piece, " B".into()], ""));
    finding.advice = Some("write it well".to_owned());
    let text = report.describe(Colour::Plain, None);
    let shown = "            0 1\n          0 W B\n        < pass\n        advice: write it well\n";
    assert!(text.contains(shown) && !text.contains("\"turn\""), "{text}");
    assert!(report.describe(Colour::Ansi, None).contains("0 \x1b[36mW\x1b[0m B"));
}
