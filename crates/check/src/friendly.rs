//! A pair of games that count for nothing, between two players who are not checked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::error::ExamError;
use crate::examiner::{Exam, examiner_stop_or_timeout};
use referee_match::openings::OpeningBook;
use referee_match::pauses::watch_for_pauses;
use referee_match::player::PlayerSandbox;
use referee_record::model::fixture::{Fixture, Lineup};
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::GameRecord;
use referee_record::seeds::{TournamentSecret, derive_game_id};
use referee_tournament::run::entrant::Entrant;
use referee_tournament::run::job::{JobConditions, JobOutcome};
use referee_tournament::run::job_failure::JobFailure;
use referee_tournament::run::player_pool::PlayerPool;

/// The games of a pair that were played.
#[derive(Debug, Default)]
pub struct FriendlyPair {
    /// The records, at most two. In the first one, the first player has the first seat.
    pub records: Vec<GameRecord>,
    /// Whether time was up before both games were over.
    pub is_cut_short: bool,
}

/// Lets two players meet twice under the conditions of `exam`, each in either seat, until `stop`
/// becomes true or the time of the exam is up. Nobody can know the luck before.
///
/// # Errors
/// The referee itself failed, or the machine lacks resources.
pub fn play_friendly(
    exam: &Exam,
    players: &[PlayerSpec; 2],
    stop: watch::Receiver<bool>,
) -> Result<FriendlyPair, ExamError> {
    let secret = TournamentSecret::fresh()?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(ExamError::NoRuntime)?;
    // Nothing that a panic leaves behind is used again.
    let played = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(play_friendly_games(exam, (players, secret), stop))
    }));
    played.unwrap_or_else(|panic| Err(JobFailure::from_panic(panic.as_ref()).into()))
}

async fn play_friendly_games(
    exam: &Exam,
    (players, secret): (&[PlayerSpec; 2], TournamentSecret),
    stop: watch::Receiver<bool>,
) -> Result<FriendlyPair, ExamError> {
    watch_for_pauses().map_err(ExamError::NoThread)?;
    let mut over = examiner_stop_or_timeout(stop, exam.within);
    let sandbox: &Arc<PlayerSandbox> = &exam.containment;
    let entrant = |player| Entrant::from_spec(player, &*exam.rules.game, sandbox);
    let conditions = Arc::new(JobConditions {
        control: exam.control,
        policy: exam.policy,
        adjudication: None,
        players: players.iter().map(entrant).enumerate().collect(),
        secret,
        reads_memory: false,
        spectators: Arc::default(),
        closes: watch::Sender::default().subscribe(),
    });
    let mut pool = PlayerPool::new(OpeningBook::empty(exam.rules.clone()), conditions);
    let mut pair = FriendlyPair::default();
    let mut failed = None;
    for (game, order) in [(1, [0, 1]), (2, [1, 0])] {
        let names = order.map(|number: usize| &*players[number].name);
        let fixture = Fixture { players: Lineup::from_iter(order), pair: 1, game };
        match pool.play(derive_game_id(&names, 1, game), fixture, &mut over).await {
            JobOutcome::Played(games) => {
                pair.records.extend(games.into_iter().map(|finished| finished.record));
                continue;
            }
            JobOutcome::Shortage(shortage) => failed = Some(ExamError::Shortage(shortage)),
            JobOutcome::Failed(failure) => failed = Some(ExamError::Job(failure)),
            JobOutcome::Probed(_) | JobOutcome::Stopped => pair.is_cut_short = true,
        }
        break;
    }
    pool.dismiss().await;
    failed.map_or(Ok(pair), Err)
}
