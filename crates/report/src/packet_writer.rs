//! Writes packets: one folder per player, for its authors.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::csv_tables::{self, ABSENT, KEY, PAGE};
use crate::game_files::game_file_script;
use crate::packet_page::{PacketPage, packet_page_transcript, render_packet_page_without_player};
use crate::replay_renderer::ReplayRenderer;
use crate::tournament_tables::TournamentTables;
use crate::{ReportError, Standings};
use referee_games::Seat;
use referee_record::log::{LOG, write_log_header, write_log_record};
use referee_record::model::grades::Grades;
use referee_record::model::record::{GameRecord, Header};
use referee_record::plain_files;
use referee_record::plain_files::read_plain_nofollow;
use referee_tournament::analysis::logged_game::LoggedGame;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::analysis::pseudonyms::Pseudonyms;
use referee_tournament::analysis::published_games::PublishedGames;
use referee_tournament::folder::EXCHANGES;

/// The most bytes of the list of those without a player.
const LARGEST: u64 = 4 << 20;
/// The most bytes of embedded replays per page.
const REPLAY_BYTES: usize = 256 << 10;

/// The most bytes of the stored lines of a game.
const LARGEST_EXCHANGES: u64 = 1 << 26;

/// What packets are made of.
pub struct PacketPlan<'a> {
    /// The results folder.
    pub dir: &'a Path,
    /// The tables under pseudonyms.
    pub tables: &'a TournamentTables,
    /// The rules of its games, and where they turned.
    pub renderer: ReplayRenderer,
    /// The rules for marks, if they are told.
    pub grades: Option<&'a Grades>,
}

/// Makes the new folder `out` for the packets of a tournament with this header.
///
/// # Errors
/// It cannot be made, for example because it exists.
pub fn make_packets_folder(out: &Path, header: &Header) -> io::Result<()> {
    // All packets together show what each player may not know.
    let mode = if header.is_hidden() { 0o700 } else { 0o777 };
    DirBuilder::new().mode(mode).create(out)
}

/// Writes all packets into the folder `out`. Returns how many sealed games were left out.
///
/// # Errors
/// The log cannot be read, or a packet cannot be written.
pub fn write_packets(out: &Path, plan: PacketPlan<'_>) -> Result<usize, ReportError> {
    let PacketPlan { dir, tables, renderer, grades } = plan;
    let header = &tables.analysis.header;
    let Some(published) = &tables.analysis.published else { return Ok(0) };
    let pseudonyms = &published.names;
    let names = pseudonyms.names();
    // Marks follow from the ranking under the players' names, as in the table of marks.
    let real = grades.map(|_| TournamentTables::read(dir, Faulted::Count)).transpose()?;
    let marked = grades.zip(real.as_ref()).map(|(grades, real)| real.grade_players(grades));
    let packet = |(number, &name): (usize, &&str)| {
        let shown = |opponent: &str| pseudonyms.shown_name(opponent).to_owned();
        let mut packet =
            PacketPage::new(number, name.to_owned(), pseudonyms.shown_name(name).to_owned());
        packet.marks = marked.as_ref().and_then(|marked| marked.describe_marks(name, shown));
        packet
    };
    let open = |((packet, folder), number): ((PacketPage, &String), u32)| {
        Ok((number, OpenPacket::new(out.join(folder), packet, published, header)?))
    };
    let absent = read_packet_absentees(dir)?;
    let everyone: Vec<&str> =
        names.iter().copied().chain(absent.keys().map(String::as_str)).collect();
    let folders = packet_folder_names(&everyone, pseudonyms);
    let (folders, of_absent) = folders.split_at(names.len());
    let packets = names.iter().enumerate().map(packet).zip(folders).zip(0..).map(open);
    let packets = packets.collect::<Result<_, ReportError>>()?;
    let mut writer = PacketWriter { exchanges: dir.join(EXCHANGES), packets, renderer, pseudonyms };
    let mut sealed = 0;
    published.each_game(dir, |game| {
        sealed += usize::from(game.is_sealed);
        writer.add_to_all(game)
    })?;
    writer.write_pages(tables)?;
    for ((name, reason), folder) in absent.iter().zip(of_absent) {
        let marks = marked.as_ref().and_then(|marked| marked.describe_marks(name, str::to_owned));
        let sentence = marks.unwrap_or_else(|| format!("You have no player: {reason}."));
        let folder = out.join(folder);
        fs::create_dir(&folder).map_err(ReportError::unwritable(&folder))?;
        write_packet_file(
            &folder.join(PAGE),
            &render_packet_page_without_player(header, name, &sentence),
        )?;
    }
    write_packets_key(out, pseudonyms, &tables.standings)?;
    Ok(sealed)
}

/// The people without a player in the results in `dir`, each with the reason.
fn read_packet_absentees(dir: &Path) -> Result<BTreeMap<String, String>, ReportError> {
    let path = dir.join(ABSENT);
    let read = read_plain_nofollow(&path, LARGEST)
        .and_then(|read_plain_text| Ok(serde_json::from_slice(&read_plain_text)?));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        read => read.map_err(|source| ReportError::Unreadable { path, source }),
    }
}

/// Writes the key, and the ranking under pseudonyms.
fn write_packets_key(
    out: &Path,
    pseudonyms: &Pseudonyms,
    public: &Standings,
) -> Result<(), ReportError> {
    for (name, table) in [
        (KEY, csv_tables::pseudonym_key_csv(pseudonyms)),
        ("public.csv", csv_tables::standings_csv(public)),
    ] {
        let path = out.join(name);
        table.and_then(|table| fs::write(&path, table)).map_err(ReportError::unwritable(&path))?;
    }
    Ok(())
}

/// A folder name for every player: its own name within the limits of the file system, with the
/// pseudonym, or for those without one the place in the list, added if the name would not be unique.
fn packet_folder_names(names: &[&str], pseudonyms: &Pseudonyms) -> Vec<String> {
    let plain = |name: &&str| -> String {
        let keep = |c: char| if c.is_alphanumeric() || "-_ .".contains(c) { c } else { '_' };
        name.chars().map(keep).collect()
    };
    let all: Vec<String> = names.iter().map(plain).collect();
    let is_taken = |folder: &String| {
        let same = |other: &&String| other.to_lowercase() == folder.to_lowercase();
        all.iter().filter(same).count() > 1
    };
    let reserved = |folder: &str| {
        folder.starts_with('.') || folder.to_lowercase().ends_with("csv") || folder.trim() != folder
    };
    let tag = |name: &str| match pseudonyms.shown_name(name) {
        "" => format!("N{:02}", names.iter().position(|other| *other == name).unwrap_or_default()),
        pseudonym => pseudonym.to_owned(),
    };
    let unique = |(name, folder): (&&str, &String)| {
        if is_taken(folder) || reserved(folder) {
            format!("{}-{}", tag(name), folder.trim_start_matches('.').trim())
        } else {
            folder.clone()
        }
    };
    names.iter().zip(&all).map(unique).collect()
}

/// Writes the packet of the player called `name` in the results in `dir` into the folder `out`, which
/// is empty. Returns whether there is such a player. `renderer` makes the replays of its games.
///
/// # Errors
/// The log cannot be read, or the packet cannot be written.
pub fn write_packet(
    dir: &Path,
    name: &str,
    out: &Path,
    renderer: ReplayRenderer,
) -> Result<bool, ReportError> {
    let tables = TournamentTables::read_under_pseudonyms(dir)?;
    let Some(published) = &tables.analysis.published else { return Ok(false) };
    let pseudonyms = &published.names;
    let Some(number) = pseudonyms.number(name) else { return Ok(false) };
    let packet =
        PacketPage::new(number as usize, name.to_owned(), pseudonyms.shown_name(name).to_owned());
    let header = &tables.analysis.header;
    let open = OpenPacket::new(out.to_owned(), packet, published, header)?;
    let packets = BTreeMap::from([(number, open)]);
    let mut writer = PacketWriter { exchanges: dir.join(EXCHANGES), packets, renderer, pseudonyms };
    published.each_game_of(name, dir, |game| writer.add_to_all(game))?;
    writer.write_pages(&tables)?;
    Ok(true)
}

/// A packet that is being written, and its folder.
struct OpenPacket {
    folder: PathBuf,
    packet: PacketPage,
    identity: String,
    /// The numbers of the deals in its log, which has its own, by players and number.
    deals: BTreeMap<(Vec<String>, u32), u32>,
}

impl OpenPacket {
    /// Makes the folders of a packet, and begins its log, so that commands can read it. `public` is
    /// the header that anyone may see.
    fn new(
        folder: PathBuf,
        packet: PacketPage,
        published: &PublishedGames,
        public: &Header,
    ) -> Result<Self, ReportError> {
        for part in ["games", "stderr"] {
            let path = folder.join(part);
            fs::create_dir_all(&path).map_err(ReportError::unwritable(&path))?;
        }
        let met = published.met_by(packet.number);
        let header = published.names.packet_header(public, &packet.name, &met);
        let log = folder.join(LOG);
        File::create(&log)
            .and_then(|mut file| write_log_header(&mut file, &header))
            .map_err(ReportError::unwritable(&log))?;
        Ok(Self { folder, packet, identity: header.identity, deals: BTreeMap::new() })
    }

    /// The number of a game's deal in the log of the packet. In a log of two seats, that of all its
    /// deals: an odd one, so that in the first game of a deal, the first of both has the first seat.
    fn deal_number(&mut self, record: &GameRecord) -> u32 {
        if record.players.len() > 2 {
            return record.pair;
        }
        let mut players = record.players.values.values().to_vec();
        players.sort_unstable();
        let next = u32::try_from(self.deals.len()).unwrap_or(u32::MAX);
        let number = *self.deals.entry((players, record.pair)).or_insert(next);
        number.saturating_mul(2).saturating_add(1)
    }
}

/// Writes packets while the games are read.
struct PacketWriter<'a> {
    exchanges: PathBuf,
    /// By the number of the player's pseudonym.
    packets: BTreeMap<u32, OpenPacket>,
    renderer: ReplayRenderer,
    pseudonyms: &'a Pseudonyms,
}

impl PacketWriter<'_> {
    /// Adds a game to the packets of its players, unless it is sealed.
    fn add_to_all(&mut self, game: &LoggedGame) -> Result<(), ReportError> {
        if game.is_sealed {
            return Ok(());
        }
        game.record.players.seats().try_for_each(|seat| self.add(game, seat))
    }

    /// Adds a game to the packet of the player at `seat`.
    fn add(&mut self, game: &LoggedGame, seat: Seat) -> Result<(), ReportError> {
        let record = &*game.record;
        let number = self.pseudonyms.number(&record.players[seat]);
        let open = number.and_then(|number| self.packets.get_mut(&number));
        let Some(open) = open else { return Ok(()) };
        let pair = open.deal_number(record);
        let seen = self.pseudonyms.packet_record(&GameRecord { pair, ..record.clone() }, seat);
        let OpenPacket { folder, packet, identity, .. } = open;
        let is_first_fault =
            game.counts && packet.faults.is_empty() && seen.fault_of(seat).is_some();
        if game.counts {
            packet.add_game(&seen, seat);
        } else {
            packet.add_uncounted(&seen);
        }
        if record.fault.is_some() {
            let (lines, stderr) = read_packet_exchange(&self.exchanges, record, seat)?;
            if is_first_fault {
                packet.exchange = lines;
            }
            if !stderr.is_empty() {
                write_packet_file(
                    &folder.join("stderr").join(format!("{}.txt", seen.id)),
                    &stderr,
                )?;
            }
        }
        let replay = self.renderer.json(&seen, &record.id)?;
        write_packet_file(
            &folder.join("games").join(format!("{}.js", seen.id)),
            &game_file_script(&replay),
        )?;
        if packet.replays.iter().map(String::len).sum::<usize>() < REPLAY_BYTES {
            packet.replays.push(replay);
        }
        append_packet_log(&folder.join(LOG), &seen, identity)
    }

    fn write_pages(&self, tables: &TournamentTables) -> Result<(), ReportError> {
        let analysis = &tables.analysis;
        for OpenPacket { folder, packet, .. } in self.packets.values() {
            let page =
                packet.render(&analysis.header, &tables.standings, &analysis.evaluation.results);
            write_packet_file(&folder.join(PAGE), &page)?;
        }
        Ok(())
    }
}

/// The player's own lines and stderr in a game with a fault; empty if they were not stored.
fn read_packet_exchange(
    exchanges: &Path,
    record: &GameRecord,
    seat: Seat,
) -> Result<(Vec<String>, String), ReportError> {
    let path = exchanges.join(format!("{}.jsonl", record.id));
    match plain_files::check_folder_nofollow(exchanges)
        .and_then(|()| read_plain_nofollow(&path, LARGEST_EXCHANGES))
    {
        Ok(read_plain_text) => Ok(packet_page_transcript(
            &String::from_utf8_lossy(&read_plain_text),
            &record.players[seat],
        )),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Default::default()),
        Err(source) => Err(ReportError::Unreadable { path, source }),
    }
}

fn write_packet_file(path: &Path, text: &str) -> Result<(), ReportError> {
    fs::write(path, text).map_err(ReportError::unwritable(path))
}

fn append_packet_log(path: &Path, record: &GameRecord, identity: &str) -> Result<(), ReportError> {
    let file = OpenOptions::new().append(true).open(path);
    file.and_then(|mut file| write_log_record(&mut file, record, identity))
        .map_err(ReportError::unwritable(path))
}
