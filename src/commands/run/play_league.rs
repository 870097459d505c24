//! Plays a league: the intake sends the run instructions about who enters and leaves.

use tokio::sync::mpsc;

use super::game_gate::GameGate;
use super::hook_runner::HookEvent;
use super::planned_run::{PlannedRun, RunOutcome, RunOutputs, Starters, finish_run_on_interrupt};
use crate::commands::Failure;
use crate::commands::check::{ExamTerms, prepare_check_exam};
use crate::commands::runtime::{new_runtime, watch_interruption};
use crate::commands::settings::Settings;
use crate::printer::Printer;
use crate::progress::ProgressDisplay;
use referee_check::{Exam, drills};
use referee_league::control::LeagueControl;
use referee_league::intake_service::{IntakePlan, IntakeService};
use referee_league::present_players::find_present_players;
use referee_league::{CHECK_LIMIT, PlannedLeague, SubmissionBuilds};
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::player_spec::PlayerSpec;
use referee_tournament::run::resume::PreparedRun;
use referee_tournament::run::run_event::RunListeners;

/// Plays until the organiser closes the league, or the run is interrupted.
pub(super) fn play_league(
    run: &PlannedRun<'_>,
    league: &LeagueSettings,
    settings: &Settings,
    prepared: PreparedRun,
    progress: &mut ProgressDisplay,
    printer: Printer,
) -> Result<RunOutcome, Failure> {
    let PreparedRun { mut contents, log } = prepared;
    let request = &settings.base.containment;
    let builds =
        settings.builds.clone().map(|configured| SubmissionBuilds::new(configured, request));
    let heard_by = run.bell.clone();
    let plan = IntakePlan {
        exam: prepare_entrance_exam(run, settings, printer)?,
        builds: builds.transpose()?,
        control: LeagueControl::read(run.folder.dir())?,
        hear: Box::new(move |event| heard_by.send(&HookEvent::from(event.clone()))),
    };
    let league = PlannedLeague {
        settings: league,
        tournament: run.tournament,
        dir: run.folder.dir(),
        containment: run.containment,
        jobs: run.limits.workers.is_none().then_some(run.limits.jobs),
    };
    let state = &mut contents.state;
    let listening = RunOutputs::new(run, log, run.limits.jobs, state, progress)?;
    let end = listening.with(progress, |listeners, heard| {
        new_runtime()?.block_on(async {
            let stop = watch_interruption()?;
            let (tell, instructions) = mpsc::unbounded_channel();
            // On other machines, the games in play are dropped, as in any tournament.
            if run.limits.workers.is_none() {
                finish_run_on_interrupt(tell.clone())?;
            }
            let roster = find_present_players(league, state, listeners)?;
            let players: Vec<(usize, &PlayerSpec)> =
                roster.iter().map(|(number, spec)| (*number, spec)).collect();
            for instruction in plan.control.instructions_after(&LeagueControl::default()) {
                // The run is about to begin.
                let _ = tell.send(instruction);
            }
            let mut hours = GameGate::begin(league.settings.bounds, league.dir, tell.clone())?;
            let intake = IntakeService::open(league, plan, state.header(), tell)?;
            let starters = Starters { players: &players, instructions };
            let mut all = RunListeners(vec![listeners, &mut hours]);
            let end = run.play_between(starters, state, heard, &mut all, stop).await;
            // Nobody answers the intake any more.
            intake.close();
            end
        })
    })?;
    let games = contents.state.played();
    Ok(RunOutcome { end, games, unchanged: None })
}

/// What every submission to the league of `run` is tested for.
fn prepare_entrance_exam(
    run: &PlannedRun<'_>,
    settings: &Settings,
    printer: Printer,
) -> Result<Exam, Failure> {
    let terms = ExamTerms { within: CHECK_LIMIT, ..ExamTerms::default() };
    let exam = prepare_check_exam(&terms, settings, run.containment.clone(), printer)?;
    Ok(Exam { drills: drills(&exam.rules)?, ..exam })
}
