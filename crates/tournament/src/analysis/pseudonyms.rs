//! Pseudonyms for players. Only those who have the log know who is who.

use std::collections::{BTreeMap, BTreeSet};

use referee_games::Seat;
use referee_record::model::fault::Fault;
use referee_record::model::record::{Anchor, GameRecord, Header, HeaderPlayer, RecordedOutages};
use referee_record::model::seat_usage::{SeatUsage, UsageLimit};
use referee_record::model::stage::{Format, Stage};
use referee_record::seeds::derive_game_id;

/// The number of seats of games in a league.
const SEATS_OF_A_LEAGUE: usize = 2;

/// A pseudonym for every player, `P001` and so on, in an order that follows from the tournament's
/// random identity.
#[derive(Debug, Clone)]
pub struct Pseudonyms {
    /// The number, from 0, and the pseudonym of each player.
    by_name: BTreeMap<String, (u32, String)>,
}

impl Pseudonyms {
    /// Assigns the pseudonyms of the tournament with this identity.
    pub fn new(identity: &str, names: &[String]) -> Self {
        let key = blake3::derive_key("referee 2026 pseudonyms", identity.as_bytes());
        let mut order: Vec<_> = names
            .iter()
            .map(|name| (*blake3::keyed_hash(&key, name.as_bytes()).as_bytes(), name))
            .collect();
        order.sort_unstable();
        let digits = names.len().to_string().len().max(2);
        let numbered = (0..).zip(order);
        let by_name = numbered
            .map(|(number, (_, name))| {
                (name.clone(), (number, format!("P{:0digits$}", number + 1)))
            })
            .collect();
        Self { by_name }
    }

    /// The pseudonym of a player; empty for a name that is not in the tournament.
    pub fn shown_name(&self, name: &str) -> &str {
        self.by_name.get(name).map_or("", |(_, pseudonym)| pseudonym)
    }

    /// The number of a player's pseudonym, from 0; `None` for a name that is not in the tournament.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).map(|(number, _)| *number)
    }

    /// The players' names in the order of their pseudonyms.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.by_name.iter().collect();
        names.sort_unstable_by_key(|(_, (number, _))| *number);
        names.into_iter().map(|(name, _)| name.as_str()).collect()
    }

    /// All pseudonyms in order. This order reveals nothing about that of the configuration.
    pub(crate) fn list_all(&self) -> Vec<String> {
        self.names().into_iter().map(|name| self.shown_name(name).to_owned()).collect()
    }

    /// The id of a game, built from the pseudonyms by seat. The real id could be computed from
    /// guessed names.
    pub(crate) fn game_id(&self, players: &[impl AsRef<str>], pair: u32, game: u8) -> String {
        let players: Vec<&str> =
            players.iter().map(|name| self.shown_name(name.as_ref())).collect();
        format!("{}-{pair}-{game}", players.join("-"))
    }

    /// The game as anyone may see it. Both players have pseudonyms, and everything that they wrote
    /// or received is left out, as are texts that may be about their programs. Moves and rolls stay
    /// unchanged.
    pub(crate) fn public_record(&self, record: &GameRecord) -> GameRecord {
        let mut seen = record.clone();
        seen.id = self.game_id(record.players.values.values(), record.pair, record.game);
        seen.seed.values.values_mut().fill(0);
        // What a program is written in shows in how long it takes to start.
        seen.clock.startup_ns.values.values_mut().fill(0);
        seen.clock.cpu_ns.values.values_mut().fill(None);
        for seat in record.players.seats() {
            self.shown_name(&record.players[seat]).clone_into(&mut seen.players.values[seat]);
        }
        for note in &mut seen.notes {
            note.note = None;
        }
        seen.notes.retain(|note| note.eval.is_some());
        seen.warnings.clear();
        seen.void.clear();
        seen.outages = RecordedOutages::default();
        seen.usage = SeatUsage::default();
        seen.worker = None;
        seen.reported = None;
        for fault in seen.fault.iter_mut().flat_map(|faults| faults.values_mut()) {
            let message = "only its author and the organiser see exactly what it did";
            *fault = Fault { clause: fault.clause.take(), ..Fault::new(fault.code, message) };
        }
        seen
    }

    /// The header as anyone may see it: players have only their pseudonyms, and everything is left
    /// out from which pseudonyms or dice could be computed.
    pub(crate) fn public_header(&self, header: &Header) -> Header {
        let anchor = |anchor: &Anchor| Anchor {
            player: self.shown_name(&anchor.player).to_owned(),
            rating: anchor.rating,
        };
        // It stays private which players cannot start from an opening, but not that there are some.
        let takes_openings = header.players.iter().all(|player| player.takes_openings);
        // Likewise which players call a service.
        let outages = header.players.iter().map(|player| player.outages).max().unwrap_or(0);
        let player = |info: &HeaderPlayer| HeaderPlayer {
            name: self.shown_name(&info.name).to_owned(),
            command: String::new(),
            hash: String::new(),
            tc: info.tc,
            takes_openings,
            restart: true,
            outages,
            usage: UsageLimit::default(),
            // The reason may name someone.
            disqualified: info.disqualified.as_ref().map(|_| String::new()),
            drawn_before: info.drawn_before,
            entry: None,
            left: None,
        };
        let stage = |stage: &Stage| {
            // Who came late may be known.
            let mut seen = stage.without_late();
            if let Format::Gauntlet { anchors, .. } = &mut seen.format {
                for anchor in &mut *anchors {
                    *anchor = self.shown_name(anchor).to_owned();
                }
                anchors.sort_unstable();
            }
            seen
        };
        // So may who met whom after a removal.
        let known = header.stages.iter().filter(|stage| !stage.format.is_listed());
        // In the order of the pseudonyms, which says nothing.
        let mut players: Vec<HeaderPlayer> = header.players.iter().map(player).collect();
        players.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let identity =
            blake3::derive_key("referee 2026 public identity", header.identity.as_bytes());
        let mut anchors: Vec<Anchor> = header.anchors.iter().map(anchor).collect();
        anchors.sort_unstable_by(|one, other| one.player.cmp(&other.player));
        Header {
            // This must be one-way: the pseudonyms follow from the real identity.
            identity: blake3::Hash::from_bytes(identity).to_hex()[..16].to_owned(),
            seed: None,
            anchors,
            stages: known.map(stage).collect(),
            players,
            changes: Vec::new(),
            ..header.clone()
        }
    }

    /// The header of the log in the packet of the player called `own`, from the one that anyone may
    /// see: it names that player, and of the others only those that it `met`. Two at a time, they
    /// meet as in a league: how often is not known before.
    pub fn packet_header(&self, public: &Header, own: &str, met: &BTreeSet<usize>) -> Header {
        let mut seen = public.clone();
        let name = |shown: &mut String| {
            if shown == self.shown_name(own) {
                own.clone_into(shown);
            }
        };
        let numbered = std::mem::take(&mut seen.players).into_iter().enumerate();
        let there = numbered.filter(|(number, _)| met.contains(number));
        seen.players = there.map(|(_, player)| player).collect();
        seen.players.iter_mut().for_each(|player| name(&mut player.name));
        seen.anchors.iter_mut().for_each(|anchor| name(&mut anchor.player));
        let players = &seen.players;
        seen.anchors.retain(|anchor| players.iter().any(|it| it.name == anchor.player));
        if seen.seats.len() == SEATS_OF_A_LEAGUE {
            seen.stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
        }
        // What happened to it in other games than these is not there to be found again.
        Header { quarantine: 0, openings: None, book: None, ..seen }
    }

    /// The game as the player at `seat` may see it. The others have pseudonyms, and what only they
    /// wrote or received is left out. The id is built from the names as shown, because the real one
    /// could be computed from a guessed name. So could the player's own seed by anyone who knows the
    /// secret.
    pub fn packet_record(&self, record: &GameRecord, seat: Seat) -> GameRecord {
        let own = &record.players.names[seat];
        let mut seen = record.clone();
        for other in record.players.values.others(seat) {
            self.shown_name(&record.players[other]).clone_into(&mut seen.players.values[other]);
            // What a program is written in shows in how long it takes to start.
            seen.clock.startup_ns.values[other] = 0;
            seen.clock.cpu_ns.values[other] = None;
        }
        let names: Vec<&str> = seen.players.values.values().iter().map(String::as_str).collect();
        seen.id = derive_game_id(&names, record.pair, record.game);
        seen.seed.values.values_mut().fill(0);
        // It would show two authors that they met.
        seen.clock.began = 0;
        seen.notes.retain(|note| note.by == **own);
        // Both may be about the opponent's program.
        seen.warnings.clear();
        seen.void.clear();
        seen.outages = RecordedOutages::default();
        // What a player paid is for the organiser.
        seen.usage = SeatUsage::default();
        seen.worker = None;
        if let Some(reported) = &mut seen.reported {
            for other in record.players.values.others(seat) {
                reported.values[other].clear();
            }
        }
        for (by, fault) in seen.fault.iter_mut().flatten() {
            if by != own.as_ref() {
                *fault = Fault::new(fault.code, "the opponent's program failed");
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_protocol::{SearchReport, Usage};
    use referee_record::model::fault::FaultCode;
    use referee_record::model::record::RecordedNote;
    use referee_record::model::record::examples::{faulty, game};

    #[test]
    fn packet_records_contain_nothing_private_about_the_opponent() {
        let names = ["ant", "a secret name"].map(str::to_owned);
        let pseudonyms = Pseudonyms::new("identity", &names);
        let mut record =
            faulty(game("ant", "a secret name", "white"), &[("black", FaultCode::Crash)]);
        record.fault.as_mut().expect("a fault").get_mut("black").expect("black's").stderr =
            vec!["secret trace".into()];
        let note = |by: &str, note: &str| RecordedNote {
            ply: 0,
            by: by.into(),
            note: Some(note.into()),
            eval: None,
            search: SearchReport::default(),
        };
        record.notes = vec![note("white", "mine"), note("black", "secret plan")];
        record.warnings = vec!["black at ply 3: secret".into()];
        let seen = pseudonyms.packet_record(&record, Seat::FIRST);
        let text = serde_json::to_string(&seen).expect("JSON");
        assert!(text.contains("mine") && text.contains("\"crash\""));
        assert!(!text.contains("secret"), "{text}");
        assert!(record.clock.began > 0 && seen.clock.began == 0, "{text}");
    }

    #[test]
    fn public_records_contain_nothing_private() {
        let names = ["a plain name", "a secret name"].map(str::to_owned);
        let pseudonyms = Pseudonyms::new("identity", &names);
        let both = [("white", FaultCode::Crash), ("black", FaultCode::Illegal)];
        let mut record = faulty(game("a plain name", "a secret name", "draw"), &both);
        for fault in record.fault.as_mut().expect("faults").values_mut() {
            *fault = Fault {
                clause: Some("W6".into()),
                raw: Some("secret reply".into()),
                stderr: vec!["secret trace".into()],
                ..Fault::new(fault.code, "/home/secret/player.py failed")
            };
        }
        let search = SearchReport::default();
        let note = |note: &str, eval| {
            let note = Some(note.into());
            RecordedNote { ply: 0, by: "white".into(), note, eval, search }
        };
        record.notes = vec![note("secret plan", Some(0.5)), note("secret plan", None)];
        record.warnings = vec!["secret".into()];
        record.void = vec!["secret".into()];
        record.usage.add("white", Usage { tokens: 98_765, ..Usage::default() });
        record.seed.values = [12_345, 67_890].into();
        record.clock.startup_ns.values = [5, 7].into();
        let seen = pseudonyms.public_record(&record);
        let text = serde_json::to_string(&seen).expect("JSON");
        for left in ["secret", "plain", "12345", "67890", "98765", "player.py"] {
            assert!(!text.contains(left), "{left}: {text}");
        }
        assert!(text.contains("\"crash\"") && text.contains("W6") && text.contains("\"eval\":0.5"));
        assert_eq!(seen.actions, record.actions);
        assert_eq!(seen.clock.startup_ns.values, [0, 0].into(), "it tells the language");
        let own = pseudonyms.packet_record(&record, Seat::FIRST);
        assert!(own.usage.0.is_empty() && seen.usage.0.is_empty());
        assert_eq!(own.clock.startup_ns.values, [5, 0].into());
    }

    #[test]
    fn pseudonyms_depend_on_the_tournament() {
        let names: Vec<String> = (0..100).map(|number| format!("team {number}")).collect();
        let (one, other) = (Pseudonyms::new("one", &names), Pseudonyms::new("other", &names));
        let all = |pseudonyms: &Pseudonyms| -> Vec<String> {
            names.iter().map(|name| pseudonyms.shown_name(name).to_owned()).collect()
        };
        assert_ne!(all(&one), all(&other));
        let mut sorted = all(&one);
        sorted.sort();
        assert_eq!((sorted[0].as_str(), sorted[99].as_str()), ("P001", "P100"));
        assert_eq!(one.shown_name("stranger"), "");
    }
}
