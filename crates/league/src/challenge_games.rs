//! Plays the games that authors ask for, when no submission waits for its check.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::author_folder::AuthorFolder;
use super::challenge_records::{
    ChallengeRecords, MOST_PER_HOUR, PlayedChallenge, RefusedChallenge, WantedChallenge,
};
use super::hand_in_watch::AGAIN;
use super::intake_worker::{IntakeWorker, REMOVED, RunEnded};
use super::version::find_version_player;
use super::{unix_seconds_now, with_hand_ins_hidden};
use tokio::sync::watch;

use referee_check::{ExamError, FriendlyPair, play_friendly};
use referee_games::Seat;
use referee_protocol::escape::escape_line;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::GameRecord;
use referee_record::wording::pluralize;
use referee_tournament::analysis::pseudonyms::Pseudonyms;

/// Who meets in a challenge.
struct ChallengeMeeting {
    /// The author's version.
    version: u32,
    /// The author's player, and the opponent, which is called as its challenger calls it.
    players: [PlayerSpec; 2],
}

/// A challenge that is being played.
pub(crate) struct RunningChallenge {
    author: String,
    wanted: WantedChallenge,
    meeting: ChallengeMeeting,
    pub(crate) began: Instant,
    /// The same, in seconds since 1970.
    at: u64,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl RunningChallenge {
    /// Breaks it off, and waits for its end.
    pub(crate) fn end(self) {
        self.stop.send_replace(true);
        // It has caught its panics.
        let _ = self.thread.join();
    }
}

/// What became of the games of a challenge.
pub(crate) type PlayedPair = Result<FriendlyPair, ExamError>;

impl IntakeWorker {
    /// Queues what an author wants to play, if there is something.
    pub(crate) fn note_challenge(&mut self, author: &str, folder: &AuthorFolder) {
        if folder.challenge().is_some() && !self.challengers.iter().any(|other| other == author) {
            self.challengers.push_back(author.to_owned());
        }
    }

    /// When the next challenge may begin, if one waits: when nothing else is checked or waits for it.
    pub(crate) fn next_challenge_at(&self) -> Option<Instant> {
        let is_idle = self.waiting.is_empty() && self.busy().next().is_none();
        let is_next = is_idle && !self.challengers.is_empty() && !self.control.closed;
        is_next.then(Instant::now)
    }

    /// Begins the next challenge in the queue, if it may begin, or refuses it.
    pub(crate) fn begin_next_challenge_game(&mut self) -> Result<(), RunEnded> {
        if self.next_challenge_at().is_none() {
            return Ok(());
        }
        let Some(author) = self.challengers.pop_front() else { return Ok(()) };
        let opened = AuthorFolder::open(&self.league.hand_in.join(&author));
        let Ok(folder) = opened else { return Ok(()) };
        // Whoever may not hand in has no page that could tell it, either.
        if self.why_arrival_is_barred(&author).is_some_and(|why| why != REMOVED) {
            return Ok(());
        }
        // Its author may have changed it meanwhile.
        let Some(wanted) = folder.challenge() else { return Ok(()) };
        let past = match ChallengeRecords::read(&self.league.entrants, &author) {
            Ok(past) => past,
            Err(error) => return self.warn(&error.to_string()),
        };
        match self.prepare_challenge_game(&author, &wanted, &past) {
            Ok(meeting) => self.spawn_challenge_game(author, wanted, meeting),
            Err(why) => {
                let opponent = escape_line(&wanted.opponent);
                let refused = Some(RefusedChallenge { at: unix_seconds_now(), opponent, why });
                self.save_challenge_games(&author, &wanted, &ChallengeRecords { refused, ..past })
            }
        }
    }

    /// Plays both games in a thread of their own.
    fn spawn_challenge_game(
        &mut self,
        author: String,
        wanted: WantedChallenge,
        meeting: ChallengeMeeting,
    ) -> Result<(), RunEnded> {
        let (room, done) = (Arc::clone(&self.room), self.ended_challenges.0.clone());
        let (bell, players) = (self.watch.bell(), meeting.players.clone());
        let (stop, stopped) = watch::channel(false);
        let work = move || {
            // Once the intake has stopped, nobody waits for it.
            let _ = done.send(play_friendly(&room.exam, &players, stopped));
            bell.ended();
        };
        match thread::Builder::new().name("challenge".to_owned()).spawn(work) {
            Ok(thread) => {
                let (began, at) = (Instant::now(), unix_seconds_now());
                let running = RunningChallenge { author, wanted, meeting, began, at, stop, thread };
                self.challenge = Some(running);
                self.leave_places()
            }
            Err(error) => {
                self.watch.later(author, Instant::now() + AGAIN);
                self.warn(&format!("cannot start a thread: {error}"))
            }
        }
    }

    /// Breaks the challenge off if a submission waits. It is played again later.
    pub(crate) fn interrupt_challenge_game(&self) {
        if let Some(challenge) = self.challenge.as_ref().filter(|_| !self.waiting.is_empty()) {
            challenge.stop.send_replace(true);
        }
    }

    /// Keeps the games of the challenge, if they are over.
    pub(crate) fn conclude_challenge_game(&mut self) -> Result<(), RunEnded> {
        let Ok(played) = self.ended_challenges.1.try_recv() else { return Ok(()) };
        // Games that were broken off tell nothing.
        if *self.room.stop.borrow() {
            return Err(RunEnded);
        }
        let Some(over) = self.challenge.take() else { return Ok(()) };
        self.leave_places()?;
        let RunningChallenge { author, wanted, meeting, at, stop, thread, .. } = over;
        // It has caught its panics.
        let _ = thread.join();
        let (pair, problem) = match played {
            Ok(pair) if pair.is_cut_short && *stop.borrow() => {
                self.challengers.push_front(author);
                return Ok(());
            }
            Ok(pair) if pair.is_cut_short => {
                let minutes = self.room.exam.within.as_secs().div_ceil(60);
                (pair, Some(format!("time ran out after {}", pluralize(minutes, "minute"))))
            }
            Ok(pair) => (pair, None),
            Err(error) => {
                self.warn(&format!("a challenge by {author}: {error}"))?;
                if matches!(error, ExamError::Shortage(_)) {
                    self.watch.later(author, Instant::now() + AGAIN);
                    return Ok(());
                }
                let why = "it could not be played; the organiser can see why in the terminal";
                (FriendlyPair::default(), Some(why.to_owned()))
            }
        };
        let ChallengeMeeting { version, players } = meeting;
        let games = pair
            .records
            .iter()
            .map(|record| self.challenge_game_as_seen(record, &players))
            .collect();
        let opponent = wanted.opponent.clone();
        let mut all = match ChallengeRecords::read(&self.league.entrants, &author) {
            Ok(past) => past,
            Err(error) => return self.warn(&error.to_string()),
        };
        all.add(PlayedChallenge { number: 0, at, version, opponent, games, problem });
        self.save_challenge_games(&author, &wanted, &all)
    }

    /// Writes what became of an author's challenges, and removes the last one.
    fn save_challenge_games(
        &self,
        author: &str,
        done: &WantedChallenge,
        all: &ChallengeRecords,
    ) -> Result<(), RunEnded> {
        let folder = AuthorFolder::open(&self.league.hand_in.join(author));
        let written = all.write(&self.league.entrants, author);
        match written.and_then(|()| folder?.forget_challenge(done)) {
            Ok(()) => Ok(()),
            Err(error) => self.warn(&format!("cannot save a challenge by {author}: {error}")),
        }
    }

    /// The players of a challenge, or why it is not played.
    fn prepare_challenge_game(
        &self,
        author: &str,
        wanted: &WantedChallenge,
        past: &ChallengeRecords,
    ) -> Result<ChallengeMeeting, String> {
        if self.control.removed.contains(author) {
            return Err("the organiser has removed you".to_owned());
        }
        if self.control.paused {
            return Err("the league is paused; try again once it resumes".to_owned());
        }
        if self.room.exam.rules.seats().len() != 2 {
            return Err("a challenge needs a game for two seats".to_owned());
        }
        if let Some(seconds) = past.wait(unix_seconds_now()) {
            let wait = pluralize(seconds.div_ceil(60), "minute");
            return Err(format!(
                "at most {MOST_PER_HOUR} are played per hour; try again in {wait}"
            ));
        }
        let Some(own) = self.authors.get(author).filter(|own| own.is_there()) else {
            return Err("you have no active version; hand in a player first".to_owned());
        };
        let player = self.find_challenge_game_program(
            author,
            own.version(),
            &LeagueEntry::version_name(author, own.version()),
        )?;
        Ok(ChallengeMeeting {
            version: own.version(),
            players: [player, self.find_challenge_game_opponent(author, wanted)?],
        })
    }

    /// The program of a version that plays, as its challenger calls it.
    fn find_challenge_game_program(
        &self,
        author: &str,
        version: u32,
        called: &str,
    ) -> Result<PlayerSpec, String> {
        let dir = self.league.entrants.join(author).join(version.to_string());
        // The reason would show whose it is.
        let spec = find_version_player(&dir, called);
        let spec = spec.map_err(|_| {
            format!("`{called}` cannot be started at the moment; ask the organiser")
        })?;
        Ok(with_hand_ins_hidden(spec, &self.hidden))
    }

    /// The opponent that an author means, under the name that the author uses, if it plays now.
    fn find_challenge_game_opponent(
        &self,
        author: &str,
        wanted: &WantedChallenge,
    ) -> Result<PlayerSpec, String> {
        let called = &wanted.opponent;
        let gone = || {
            let called = escape_line(called);
            format!("no active player is called `{called}`; choose one on your page")
        };
        let pseudonyms = Pseudonyms::new(&self.identity, &self.names);
        let name = if self.league.pseudonyms {
            if wanted.among.is_some_and(|count| count != self.names.len()) {
                return Err(
                    "pseudonyms have changed, because a version has entered since; choose again"
                        .to_owned(),
                );
            }
            let mut names = pseudonyms.names().into_iter();
            names.find(|name| pseudonyms.shown_name(name) == called).ok_or_else(gone)?
        } else {
            called
        };
        if let Some(house) = self.room.template.players.iter().find(|house| house.name == name) {
            if !house.usage.is_none() {
                return Err("its use of a service is limited, so it only plays games that count; \
                     choose another player"
                    .to_owned());
            }
            let is_there = house.disqualified.is_none();
            let house = PlayerSpec { name: called.clone(), ..house.clone() };
            return is_there.then_some(house).ok_or_else(gone);
        }
        let mut present = self.authors.iter().filter(|(_, known)| known.is_there());
        let found = present
            .find(|(author, known)| LeagueEntry::version_name(author, known.version()) == name);
        let (whose, known) = found.ok_or_else(gone)?;
        if whose == author {
            return Err("this is your own version; choose another player".to_owned());
        }
        self.find_challenge_game_program(whose, known.version(), called)
    }

    /// A game as the first of the players may see it: of the other one, only the moves.
    fn challenge_game_as_seen(
        &self,
        record: &GameRecord,
        [own, other]: &[PlayerSpec; 2],
    ) -> GameRecord {
        let names = Pseudonyms::new(&self.identity, &[own.name.clone(), other.name.clone()]);
        let [seat, place] = match record.game {
            1 => [Seat::FIRST, Seat::SECOND],
            _ => [Seat::SECOND, Seat::FIRST],
        };
        let mut seen = names.packet_record(record, seat);
        seen.players.values[place].clone_from(&other.name);
        for fault in seen.fault.iter_mut().flat_map(|faults| faults.values_mut()) {
            fault.message = self.places.shorten(&fault.message);
        }
        seen
    }
}
