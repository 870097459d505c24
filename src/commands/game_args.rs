//! Arguments that name a game and its options.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args};

use super::Failure;
use crate::printer::Printer;
use referee_config::{LARGEST, open_game_file};
use referee_entrants::relative_path::{absolute_path, relative_path};
use referee_games::options::{OptionKind, list_of_files};
use referee_games::{AnyGame, GameError, GameKind, OptionSpec, Options, SharedGame, Text};
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::game_rules::GameRules;
use referee_record::plain_files::read_plain_text;

/// A game on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GameArgument {
    /// A built-in game.
    BuiltIn(GameKind),
    /// The file of a game whose rules are a program.
    File(PathBuf),
}

impl GameArgument {
    /// The word that names the game in a folder, which may not exist yet: its name, or the path of
    /// its file from there.
    pub(super) fn word_in(&self, folder: &Path) -> Result<String, Failure> {
        let path = match self {
            Self::BuiltIn(kind) => return Ok(kind.name().to_owned()),
            Self::File(path) => path,
        };
        let failed = |error: io::Error| Failure::system(format!("{}: {error}", path.display()));
        let file = path.canonicalize().map_err(failed)?;
        let way = relative_path(&absolute_game_folder(folder)?, &file);
        // A path needs a `/` or ends in `.toml`; this one always has a `/`.
        let way = if way.components().count() == 1 { Path::new(".").join(way) } else { way };
        way.into_os_string().into_string().map_err(|way| {
            Failure::input(format!("{} is not valid UTF-8; rename it", way.display()))
        })
    }

    /// The game itself. A rules program is started, contained as `request` asks.
    pub(crate) fn open(
        &self,
        request: &ContainmentRequest,
        printer: Printer,
    ) -> Result<SharedGame, Failure> {
        match self {
            Self::BuiltIn(kind) => Ok(kind.shared()),
            Self::File(path) => Ok(open_game_file(path, request, printer.colour_err)?),
        }
    }
}

/// The absolute path of a folder without links. It may not exist.
pub(super) fn absolute_game_folder(folder: &Path) -> Result<PathBuf, Failure> {
    absolute_path(folder).map_err(|error| Failure::system(format!("{}: {error}", folder.display())))
}

/// Parses the name of a built-in game; `--help` lists all names with their titles.
pub(crate) fn built_in_game_parser() -> impl TypedValueParser<Value = GameKind> {
    PossibleValuesParser::new(game_argument_names())
        .try_map(|name| GameKind::named(&name).ok_or_else(|| format!("unknown game `{name}`")))
}

/// Parses the name of a built-in game or the path of a game file, which has a `/` or ends in
/// `.toml`.
pub(crate) fn game_argument_parser() -> impl TypedValueParser<Value = GameArgument> {
    GameParser
}

fn game_argument_names() -> impl Iterator<Item = PossibleValue> {
    GameKind::all().iter().map(|game| PossibleValue::new(game.name()).help(game.title()))
}

/// The parser of [`game_argument_parser`].
#[derive(Debug, Clone)]
struct GameParser;

impl TypedValueParser for GameParser {
    type Value = GameArgument;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<GameArgument, clap::Error> {
        let path = Path::new(value);
        if path.extension() == Some(OsStr::new("toml")) || value.as_encoded_bytes().contains(&b'/')
        {
            return Ok(GameArgument::File(path.to_owned()));
        }
        built_in_game_parser().parse_ref(command, arg, value).map(GameArgument::BuiltIn)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let file =
            PossibleValue::new("FILE").help("A game.toml, for a game whose rules are a program");
        Some(Box::new(game_argument_names().chain([file])))
    }
}

/// A game and the options it is played by.
#[derive(Debug, Clone, Args)]
pub(crate) struct GameArgs {
    /// The game
    #[arg(value_parser = game_argument_parser())]
    pub(crate) game: GameArgument,

    #[command(flatten)]
    pub(crate) options: GameOptionArgs,
}

/// Options of the rules.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GameOptionArgs {
    /// Set an option of the rules (repeatable; `referee rules GAME` lists them)
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = parse_game_option)]
    pub(crate) options: Vec<(String, String)>,

    /// Play on the board in this file (repeatable; only for games with boards)
    #[arg(long = "board", value_name = "FILE")]
    pub(crate) boards: Vec<String>,
}

impl GameArgs {
    /// The rules of the game, with the given options and defaults for the others.
    pub(crate) fn rules(&self, printer: Printer) -> Result<GameRules, Failure> {
        let game = self.game.open(&ContainmentRequest::default(), printer)?;
        self.options.rules(&game, &[], printer)
    }
}

impl GameOptionArgs {
    /// The options in force: the command line's first, then the `configured` ones, then the
    /// defaults. Reads the files that they name, and prints notes about these files.
    pub(crate) fn resolve(
        &self,
        game: &dyn AnyGame,
        configured: &[(Text, String)],
        printer: Printer,
    ) -> Result<Options, Failure> {
        let boards = self.boards(game)?;
        let configured = configured.iter().map(|(name, value)| (&**name, value.as_str()));
        let given = self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let boards = boards.iter().map(|(name, value)| (&**name, value.as_str()));
        let mut options = Options::resolve(game.options(), configured.chain(given).chain(boards))
            .map_err(|error| Failure::input(format!("--option: {error}")))?;
        for remark in &options.load_files(|name| read_plain_text(Path::new(name), LARGEST))? {
            printer.note(remark);
        }
        Ok(options)
    }

    /// The rules of the game with these options.
    fn rules(
        &self,
        game: &SharedGame,
        configured: &[(Text, String)],
        printer: Printer,
    ) -> Result<GameRules, Failure> {
        let options = self.resolve(&**game, configured, printer)?;
        GameRules::new(game.clone(), options).map_err(|error| match error {
            failed @ GameError::Program(_) => failed.into(),
            // The game itself refuses to be played: no option is wrong.
            error if self.options.is_empty() => Failure::from(error),
            error => Failure::input(format!("--option: {error}")),
        })
    }

    /// The same, but refuses options that allow endless games.
    pub(crate) fn finite_rules(
        &self,
        game: &SharedGame,
        configured: &[(Text, String)],
        printer: Printer,
    ) -> Result<GameRules, Failure> {
        let rules = self.rules(game, configured, printer)?;
        match game.endless(&rules.options)? {
            Some(why) => Err(Failure::input(why)),
            None => Ok(rules),
        }
    }

    /// The boards, as the option that they set.
    fn boards(&self, game: &dyn AnyGame) -> Result<Option<(Text, String)>, Failure> {
        if self.boards.is_empty() {
            return Ok(None);
        }
        let takes_files = |spec: &&OptionSpec| matches!(spec.kind, OptionKind::List(_));
        let Some(spec) = game.options().iter().find(takes_files) else {
            return Err(Failure::input(format!(
                "{} has no board files; leave out --board",
                game.name()
            )));
        };
        if self.options.iter().any(|(name, _)| *name == spec.name) {
            let name = &spec.name;
            return Err(Failure::input(format!(
                "--board and --option {name} both set the boards; leave out one of them"
            )));
        }
        Ok(Some((spec.name.clone(), list_of_files(&self.boards))))
    }
}

/// Splits `name=value`.
fn parse_game_option(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err("expected NAME=VALUE"),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::command_failure::FailureKind;

    #[derive(Debug, Parser)]
    struct Given {
        #[command(flatten)]
        game: GameArgs,
    }

    fn parsed(words: &[&str]) -> Result<GameArgs, clap::Error> {
        Given::try_parse_from(["x"].iter().chain(words)).map(|given| given.game)
    }

    fn refused(words: &[&str]) -> Failure {
        let args = parsed(words).expect("words");
        args.rules(Printer::new(true)).expect_err("refused")
    }

    #[test]
    fn a_game_is_a_name_or_a_file() {
        let game = |word: &str| parsed(&[word]).map(|args| args.game);
        assert_eq!(
            game("backdraughts").expect("a game"),
            GameArgument::BuiltIn(GameKind::Backdraughts)
        );
        for file in ["game.toml", "./game", "hex/game.toml", "/tmp/x"] {
            assert_eq!(game(file).expect("a file"), GameArgument::File(PathBuf::from(file)));
        }
        let error = game("shogi").expect_err("no game").to_string();
        assert!(error.contains("watch-your-back"), "it lists the games: {error}");
    }

    #[test]
    fn the_help_lists_the_games() {
        let help = Given::command().render_long_help().to_string();
        assert!(GameKind::all().iter().all(|game| help.contains(game.name())), "{help}");
    }

    #[test]
    fn an_option_has_a_name_and_a_value() {
        let args = parsed(&["watch-your-back", "--option", "max-moves=7", "--option", "a=b=c"]);
        let options = args.expect("words").options.options;
        assert_eq!(options[0], ("max-moves".to_owned(), "7".to_owned()));
        assert_eq!(options[1], ("a".to_owned(), "b=c".to_owned()));
        assert!(parsed(&["watch-your-back", "--option", "max-moves"]).is_err());
    }

    #[test]
    fn options_are_those_of_the_game() {
        let args = parsed(&["watch-your-back", "--option", "max-moves=7"]).expect("words");
        let rules = args.rules(Printer::new(true)).expect("a value that fits");
        assert_eq!(rules.options.to_json()["max-moves"], 7);
        for option in ["max-mows=7", "max-moves=many"] {
            let failure = refused(&["watch-your-back", "--option", option]);
            assert_eq!(failure.kind, FailureKind::Input);
            assert!(failure.message.starts_with("--option: "), "{failure}");
        }
    }

    #[test]
    fn only_games_with_boards_take_board_files() {
        let failure = refused(&["watch-your-back", "--board", "lake.txt"]);
        assert!(failure.message.contains("leave out --board"), "{failure}");
        let failure = refused(&["back-to-the-wall", "--board", "/nowhere/lake.txt"]);
        assert!(failure.message.contains("/nowhere/lake.txt"), "{failure}");
    }

    #[test]
    fn the_command_line_overrides_the_configuration() {
        let args = parsed(&["watch-your-back", "--option", "max-moves=7"]).expect("words");
        let configured =
            [("max-moves".into(), "9".to_owned()), ("repetition".into(), "0".to_owned())];
        let game = GameKind::WatchYourBack.game();
        let options = args.options.resolve(game, &configured, Printer::new(true)).expect("fine");
        let options = options.to_json();
        assert_eq!((&options["max-moves"], &options["repetition"]), (&7.into(), &0.into()));
    }
}
