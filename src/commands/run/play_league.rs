//! Plays a league: the door sends the run instructions about who enters and leaves.

use tokio::sync::mpsc;

use super::game_gate::GameGate;
use super::hook_runner::HookEvent;
use super::planned_run::{Listening, PlannedRun, RunOutcome, Starters, finish_when_asked};
use crate::commands::Failure;
use crate::commands::check::{ExamTerms, exam};
use crate::commands::runtime::{interrupted, new_runtime};
use crate::commands::settings::Settings;
use crate::printer::Printer;
use crate::progress::Progress;
use referee_check::{Exam, drills};
use referee_league::control::Control;
use referee_league::intake_service::{Door, DoorPlan};
use referee_league::present_players::find_players;
use referee_league::{CHECK_LIMIT, LeagueBuilds, PlannedLeague};
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::player_spec::PlayerSpec;
use referee_tournament::run::resume::Prepared;
use referee_tournament::run::run_event::Listeners;

/// Plays until the organiser closes the league, or the run is interrupted.
pub(super) fn play(
    run: &PlannedRun<'_>,
    league: &LeagueSettings,
    settings: &Settings,
    prepared: Prepared,
    progress: &mut Progress,
    printer: Printer,
) -> Result<RunOutcome, Failure> {
    let Prepared { mut contents, log } = prepared;
    let request = &settings.base.containment;
    let builds = settings.builds.clone().map(|configured| LeagueBuilds::new(configured, request));
    let heard_by = run.bell.clone();
    let plan = DoorPlan {
        exam: entrance_exam(run, settings, printer)?,
        builds: builds.transpose()?,
        control: Control::read(run.folder.dir())?,
        hear: Box::new(move |event| heard_by.tell(&HookEvent::from(event.clone()))),
    };
    let league = PlannedLeague {
        settings: league,
        tournament: run.tournament,
        dir: run.folder.dir(),
        containment: run.containment,
        jobs: run.limits.workers.is_none().then_some(run.limits.jobs),
    };
    let state = &mut contents.state;
    let listening = Listening::new(run, log, run.limits.jobs, state, progress)?;
    let end = listening.with(progress, |listeners, heard| {
        new_runtime()?.block_on(async {
            let stop = interrupted()?;
            let (tell, instructions) = mpsc::unbounded_channel();
            // On other machines, the games in play are dropped, as in any tournament.
            if run.limits.workers.is_none() {
                finish_when_asked(tell.clone())?;
            }
            let roster = find_players(league, state, listeners)?;
            let players: Vec<(usize, &PlayerSpec)> =
                roster.iter().map(|(number, spec)| (*number, spec)).collect();
            for instruction in plan.control.instructions_after(&Control::default()) {
                // The run is about to begin.
                let _ = tell.send(instruction);
            }
            let mut hours = GameGate::begin(league.settings.bounds, league.dir, tell.clone())?;
            let door = Door::open(league, plan, state.header(), tell)?;
            let starters = Starters { players: &players, instructions };
            let mut all = Listeners(vec![listeners, &mut hours]);
            let end = run.play_between(starters, state, heard, &mut all, stop).await;
            // Nobody answers the door any more.
            door.close();
            end
        })
    })?;
    let games = contents.state.played();
    Ok(RunOutcome { end, games, unchanged: None })
}

/// What every submission to the league of `run` is tested for.
fn entrance_exam(
    run: &PlannedRun<'_>,
    settings: &Settings,
    printer: Printer,
) -> Result<Exam, Failure> {
    let terms = ExamTerms { within: CHECK_LIMIT, ..ExamTerms::default() };
    let exam = exam(&terms, settings, run.containment.clone(), printer)?;
    Ok(Exam { drills: drills(&exam.rules)?, ..exam })
}
