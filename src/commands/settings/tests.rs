//! Tests of the order in which settings are decided.

use super::*;
use referee_record::model::opening_source::OpeningSource;

/// A configuration of Backdraughts that sets everything that a command can override.
fn configured() -> Tournament {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("cup.toml");
    let text = r#"
        name = "cup"
        game = "backdraughts"
        seed = 7
        jobs = 3
        results = "out"
        fault-policy = { retry = 2 }
        [options]
        max-plies = 190
        [openings]
        plies = 2
        [adjudication]
        length = 150
        [clock]
        move = "3s"
        [containment]
        level = "basic"
        [[players]]
        name = "one"
        bot = "random"
        [[players]]
        name = "two"
        bot = "greedy"
    "#;
    std::fs::write(&file, text).expect("written");
    let file = Configuration::read(&file, crate::printer::Colour::Plain).expect("a file");
    file.tournament().into_result().expect("a configuration")
}

#[test]
fn without_a_configuration_everything_has_its_default() {
    let settings = Settings::resolve(GivenSettings::default(), None, Path::new(CONFIG));
    assert_eq!(settings.base.game.name(), "watch-your-back");
    assert_eq!(settings.base.clock.per_move, Some(referee_config::DEFAULT_MOVE));
    assert_eq!(settings.base.containment.level, None);
    assert_eq!(settings.base.seed, None);
    assert_eq!(settings.base.results, Path::new(DEFAULT_RESULTS));
    assert!(settings.base.players.is_empty());
}

#[test]
fn the_configuration_comes_before_the_defaults() {
    let cup = configured();
    let settings =
        Settings::resolve(GivenSettings::default(), Some(cup.clone()), Path::new("cup.toml"));
    assert_eq!(settings.base.game.name(), "backdraughts");
    assert_eq!(settings.base.clock, cup.clock);
    assert_eq!(settings.base.containment.level, Some(Level::Basic));
    assert_eq!(settings.base.seed, Some(7));
    assert_eq!(settings.jobs(), 3);
    assert_eq!(settings.base.results, cup.results);
    assert_eq!(settings.base.fault_policy, FaultPolicy::Retry(2));
    assert!(matches!(settings.base.openings, Some(OpeningSource::Random { plies: 2 })));
    assert_eq!(settings.base.adjudication.expect("rules").length, Some(150));
    assert_eq!(settings.base.players, cup.players);
    let rules = settings.rules(Printer::new(true)).expect("rules");
    assert_eq!(rules.options, cup.options);
}

#[test]
fn the_command_line_comes_first() {
    let given = GivenSettings {
        options: GameOptionArgs {
            options: vec![("max-plies".to_owned(), "150".to_owned())],
            boards: Vec::new(),
        },
        containment: Some(Level::Off),
        seed: Some(9),
        jobs: NonZeroUsize::new(5),
        results: Some("elsewhere".into()),
        ..GivenSettings::default()
    };
    let settings = Settings::resolve(given, Some(configured()), Path::new("cup.toml"));
    assert_eq!(settings.base.containment.level, Some(Level::Off));
    assert_eq!(settings.base.seed, Some(9));
    assert_eq!(settings.jobs(), 5);
    assert_eq!(settings.base.results, Path::new("elsewhere"));
    let rules = settings.rules(Printer::new(true)).expect("rules");
    assert_eq!(rules.options.to_json()["max-plies"], 150);
}

#[test]
fn options_openings_and_adjudication_hold_for_the_game_of_the_configuration_only() {
    let given =
        GivenSettings { game: Some(GameKind::WatchYourBack.shared()), ..GivenSettings::default() };
    let settings = Settings::resolve(given, Some(configured()), Path::new("cup.toml"));
    assert!(settings.base.openings.is_none());
    assert_eq!(settings.base.adjudication, None);
    let rules = settings.rules(Printer::new(true)).expect("rules");
    assert!(rules.options.given().is_empty(), "{:?}", rules.options.given());
    assert_eq!(settings.jobs(), 3, "the rest holds");
}

#[test]
fn the_name_of_a_player_with_a_problem_is_no_program() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("cup.toml");
    let text = "name = \"cup\"\ngame = \"watch-your-back\"\n\
                [[players]]\nname = \"sh\"\ncommand = [\"./gone\"]\n\
                [[players]]\nname = \"one\"\nbot = \"random\"\n\
                [[players]]\nname = \"two\"\nbot = \"random\"\n";
    std::fs::write(&file, text).expect("written");
    let args = GameSettingsArgs { config: Some(file), ..given_nothing() };
    let printer = Printer::new(true);
    let opened = args.open(&[], printer).expect("a configuration").expect("no interruption");
    let settings = opened.resolve(GivenSettings::default(), printer).expect("settings");
    settings.player("one").expect("the problem of another does not matter");
    let problem = settings.player("sh").expect_err("not the shell").to_string();
    assert!(problem.contains("gone"), "{problem}");
}

fn given_nothing() -> GameSettingsArgs {
    let options = GameOptionArgs { options: Vec::new(), boards: Vec::new() };
    GameSettingsArgs { game: None, options, config: None, tc: None, containment: None }
}
