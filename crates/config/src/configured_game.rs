//! The game of a configuration with its options, and the players that can play it.

use referee_games::options::OptionKind;
use referee_games::{AnyGame, GameError, OptionError, OptionSpec, Options, SharedGame};
use referee_record::model::bounds;
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::game_rules::{GameRules, UnsuitedBot, refuse_engine};
use referee_record::plain_files::read_plain_text;

use super::LARGEST;
use super::game_file::GameFileValue;
use super::given_options::GivenOption;
use super::player_keys::{PlayerKeys, RunMethod};
use super::player_spec::LookupPaths;
use super::problem::{ByteSpan, Problem, Problems, suggest_similar_word};

/// The game and the options in force.
pub(super) struct ConfiguredGame {
    pub(super) game: SharedGame,
    pub(super) options: Options,
    /// Remarks about the files that options name.
    pub(super) remarks: Vec<String>,
}

impl ConfiguredGame {
    /// Refuses the players that cannot play it: built-in ones, if it hides something, and engines
    /// whose protocol is for another game.
    pub(super) fn refuse_unsuited(&self, players: &[PlayerKeys], problems: &mut Problems) {
        if self.game.is_hidden() {
            self.refuse_bots(players, problems);
        }
        for keys in players {
            let RunMethod::Engine(protocol, Some(engine)) = &keys.run else { continue };
            if let Err(why) = refuse_engine(*protocol, &*self.game) {
                let problem = Problem::new(engine.span(), why.to_string());
                problems.add(problem.label("give this player a `command`"));
            }
        }
    }

    fn refuse_bots(&self, players: &[PlayerKeys], problems: &mut Problems) {
        let Self { game, options, .. } = self;
        let suited = |bot: &str| GameRules::new(game.clone(), options.clone())?.suits(bot);
        for keys in players {
            let RunMethod::Bot(Some(bot)) = &keys.run else { continue };
            match suited(bot.get_ref()) {
                Ok(true) => {}
                Ok(false) => {
                    let title = "this built-in player cannot play the game";
                    let why = UnsuitedBot(bot.get_ref().clone(), game.name().to_owned());
                    problems.add(Problem::new(bot.span(), title).help(why.to_string()));
                }
                Err(error) => problems.fail(error),
            }
        }
    }
}

/// The game that `value` names, with the options `given`; `None` if a problem was noted.
pub(super) fn read_configured_game(
    value: Option<&GameFileValue>,
    given: &[GivenOption],
    (place, request): (LookupPaths<'_>, &ContainmentRequest),
    problems: &mut Problems,
) -> Option<ConfiguredGame> {
    let value = value?;
    let game = value.open(place, request, problems)?;
    let at = value.span();
    let (options, remarks) = check_configured_game_options(&*game, at, (given, place), problems)?;
    Some(ConfiguredGame { game, options, remarks })
}

/// The options in force, each checked alone and then all together, with remarks about the files
/// that they name.
fn check_configured_game_options(
    game: &dyn AnyGame,
    game_at: ByteSpan,
    (given, place): (&[GivenOption], LookupPaths<'_>),
    problems: &mut Problems,
) -> Option<(Options, Vec<String>)> {
    let refused: Vec<_> = given
        .iter()
        .filter_map(|option| find_configured_option_problem(option, game.name(), game.options()))
        .collect();
    if !refused.is_empty() {
        problems.extend(refused);
        return None;
    }
    let (name, refusal) =
        match Options::resolve(game.options(), given.iter().map(GivenOption::texts)) {
            Ok(mut options) => {
                let remarks = load_configured_game_files(&mut options, given, place, problems)?;
                match find_configured_option_conflict(game, &options) {
                    Ok(None) => {
                        refuse_large_configured_options(&options, given, game_at, problems)?;
                        return Some((options, remarks));
                    }
                    Ok(Some(refusal)) => (None, refusal),
                    Err(failed @ GameError::Program(_)) => {
                        problems.fail(failed);
                        return None;
                    }
                    Err(GameError::Options(error)) => describe_configured_option_error(&error),
                    Err(error) => (None, error.to_string()),
                }
            }
            Err(error) => describe_configured_option_error(&error),
        };
    let alone = name.and_then(|name| given.iter().find(|option| *option.name.get_ref() == name));
    if let Some(option) = alone {
        let title = format!("invalid value for `{}`", option.name.get_ref().escape_debug());
        problems.add(Problem::new(option.value.span(), title).help(refusal));
        return None;
    }
    let first = given.iter().map(|option| option.name.span()).min_by_key(|at| at.start);
    let at = first.unwrap_or(game_at);
    problems.add(Problem::new(at, "these options contradict each other").help(refusal));
    None
}

/// The option that is wrong, if it is a single one, and the reason.
fn describe_configured_option_error(error: &OptionError) -> (Option<String>, String) {
    (error.name().map(str::to_owned), error.to_string())
}

/// Refuses options that, with the files that they name, are longer than a log may have them.
fn refuse_large_configured_options(
    options: &Options,
    given: &[GivenOption],
    game_at: ByteSpan,
    problems: &mut Problems,
) -> Option<()> {
    let all = options.to_json();
    let size = bounds::size_of_options(&all);
    if size <= bounds::LONGEST_OPTIONS {
        return Some(());
    }
    let longest = given.iter().max_by_key(|option| {
        all.get(option.name.get_ref()).map_or(0, |value| value.to_string().len())
    });
    let at = longest.map_or(game_at, |option| option.value.span());
    let label = format!(
        "{size} bytes with the files that they name; expected at most {}",
        bounds::LONGEST_OPTIONS
    );
    problems.add(Problem::new(at, "the game's options are too long").label(label));
    None
}

/// Reads the files that options name, relative to the folder of the configuration.
fn load_configured_game_files(
    options: &mut Options,
    given: &[GivenOption],
    place: LookupPaths<'_>,
    problems: &mut Problems,
) -> Option<Vec<String>> {
    let read = |name: &str| {
        read_plain_text(&place.base.join(name), LARGEST).map_err(|why| why.to_string())
    };
    let error = match options.load_files(read) {
        Ok(remarks) => return Some(remarks),
        Err(error) => error,
    };
    let name = error.name().unwrap_or_default();
    let option = given.iter().find(|option| *option.name.get_ref() == name);
    let at = option.map_or(0..0, |option| option.value.span());
    let title = format!("invalid value for `{name}`");
    problems.add(Problem::new(at, title).label(error.to_string()));
    None
}

/// Why options that are valid one by one do not make a playable game, if so.
fn find_configured_option_conflict(
    game: &dyn AnyGame,
    options: &Options,
) -> Result<Option<String>, GameError> {
    match game.endless(options)? {
        None if game.program().is_some() => game.start(options).map(|_| None),
        reason => Ok(reason),
    }
}

/// The problem with one option, if any.
fn find_configured_option_problem(
    option: &GivenOption,
    game: &str,
    specs: &[OptionSpec],
) -> Option<Problem> {
    let name = option.name.get_ref();
    let Some(spec) = specs.iter().find(|spec| spec.name == *name) else {
        let title = format!("{game} has no option `{}`", name.escape_debug());
        let label = suggest_similar_word(name, specs.iter().map(|spec| &*spec.name));
        return Some(Problem::new(option.name.span(), title).label(label));
    };
    let unquoted = match spec.kind {
        OptionKind::Number { .. } => "a number",
        OptionKind::Boolean => "true or false",
        OptionKind::Choice { .. } | OptionKind::List(_) | OptionKind::Text => "",
    };
    let expected = match spec.parse(option.value.get_ref()) {
        Ok(_) if option.quoted && !unquoted.is_empty() => {
            format!("expected {unquoted} without quotes")
        }
        Ok(_) => return None,
        Err(expected) => expected.to_string(),
    };
    let problem = Problem::new(option.value.span(), format!("invalid value for `{name}`"));
    let clause = spec.clause.as_ref().map(|id| format!(" (clause {id})")).unwrap_or_default();
    Some(problem.label(expected).help(format!("{}{clause}", spec.help)))
}
