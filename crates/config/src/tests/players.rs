//! Players.

use super::*;
use referee_protocol::ReportedCost;
use referee_record::model::seat_usage::UsageLimit;

#[test]
fn a_player_may_have_its_own_clock() {
    let own = |lines: &str| about_player(&format!("bot = \"greedy\"\n{lines}"));
    let text =
        format!("{HEAD}{PLAYERS}[[players]]\nname = \"c\"\nbot = \"random\"\ntc = \"10+0.1\"\n");
    let tc: Vec<_> =
        Folder::new().check(&text).expect("a tournament").players.iter().map(|it| it.tc).collect();
    assert_eq!(tc, [None, None, Some("10+0.1".parse().expect("a clock"))]);
    let wrong = own("tc = \"0+1\"");
    starts(&wrong, "invalid value for `tc`");
    assert!(wrong.contains("^^^^^ expected seconds and an increment such as 10+0.1"), "{wrong}");
    let absent = about_player("absent = \"late\"\ntc = \"10\"");
    starts(&absent, "an `absent` player cannot have `tc`");
}

#[test]
fn a_player_may_be_without_its_service_as_often_as_its_table_says() {
    let text =
        format!("{HEAD}{PLAYERS}[[players]]\nname = \"c\"\ncommand = [\"/bin/sh\"]\noutages = 3\n");
    let players = Folder::new().check(&text).expect("a tournament").players;
    assert_eq!(players.iter().map(|it| it.outages).collect::<Vec<_>>(), [0, 0, 3]);
    let wrong = about_player("command = [\"/bin/sh\"]\noutages = 16");
    assert!(wrong.contains("expected a whole number from 0 to 15"), "{wrong}");
    let bot = about_player("bot = \"greedy\"\noutages = 1");
    starts(&bot, "a built-in player cannot have `outages`");
    let engine = about_player("uci = \"/bin/sh\"\noutages = 1");
    assert!(engine.contains("an engine cannot have `outages`"), "{engine}");
}

#[test]
fn a_player_may_have_a_budget_and_long_notes() {
    let keys = "command = [\"/bin/sh\"]\ntokens = 2_000_000\ncost = 5\nlong-notes = true\n";
    let text = format!("{HEAD}{PLAYERS}[[players]]\nname = \"c\"\n{keys}");
    let players = Folder::new().check(&text).expect("a tournament").players;
    let limit = UsageLimit { tokens: Some(2_000_000), cost: ReportedCost::from_units(5.0) };
    let found: Vec<_> = players.iter().map(|it| (it.usage, it.long_notes)).collect();
    let none = (UsageLimit::default(), false);
    assert_eq!(found, [none, none, (limit, true)]);
    let wrong = about_player("command = [\"/bin/sh\"]\ntokens = 0\ncost = -1.5");
    assert!(wrong.contains("expected a whole number from 1 to 1000000000000000"), "{wrong}");
    let zero = about_player("command = [\"/bin/sh\"]\ncost = 0");
    starts(&zero, "`cost` is out of range");
    assert!(zero.contains("expected a number from 0.000001 to 1000000000"), "{zero}");
    for key in ["tokens = 1", "cost = 1.0", "long-notes = true"] {
        let name = key.split(' ').next().expect("a word");
        let bot = about_player(&format!("bot = \"greedy\"\n{key}"));
        starts(&bot, &format!("a built-in player cannot have `{name}`"));
        for engine in ["uci", "gtp"] {
            let engine = about_player(&format!("{engine} = \"/bin/sh\"\n{key}"));
            assert!(engine.contains(&format!("an engine cannot have `{name}`")), "{engine}");
        }
    }
}

#[test]
fn a_duplicate_name() {
    assert_eq!(
        message(&format!("{HEAD}{PLAYERS}[[players]]\nname = \"a\"\nbot = \"random\"\n")),
        "\
two players are called `a`
  --> cup.toml:10:8
   |
 4 | name = \"a\"
   |        --- the first is here
...
10 | name = \"a\"
   |        ^^^ give this one another name"
    );
}

#[test]
fn unfit_names() {
    let named =
        |name: &str| message(&format!("name = {name}\ngame = \"watch-your-back\"\n{PLAYERS}"));
    starts(&named("\"\""), "the name is empty");
    starts(&named("\"../x\""), "`../x` cannot be a folder's name");
    starts(&named("\"..\""), "`..` cannot be a folder's name");
    starts(&named("\"a\\nb\""), "the name contains a control character");
    starts(&named(&format!("\"{}\"", "x".repeat(65))), "the name has 65 characters");
    let player = PLAYERS.replace("\"b\"", "\" \"");
    starts(&message(&format!("{HEAD}{player}")), "the name is empty\n --> cup.toml:7:8");
}

#[test]
fn a_player_needs_exactly_one_of_command_and_bot() {
    assert_eq!(
        about_player("command = [\"python3\"]\nbot = \"greedy\""),
        "\
this player has both `command` and `bot`
  --> cup.toml:12:1
   |
11 | command = [\"python3\"]
   | ------- `command` is here
12 | bot = \"greedy\"
   | ^^^
   |
   = help: remove one of them"
    );
    starts(
        &about_player(""),
        "this player has no `command`, `uci`, `gtp` or `bot`\n --> cup.toml:9:1\n",
    );
}

#[test]
fn programs_that_cannot_be_run() {
    assert_eq!(
        about_player("command = [\"./run\"]\ndir = \"players\""),
        "\
`./run` is not executable
  --> cup.toml:11:11
   |
11 | command = [\"./run\"]
   |           ^^^^^^^^^
   |
   = help: make it executable with `chmod +x`, or put its interpreter before it"
    );
    starts(&about_player("command = [\"./gone\"]"), "cannot find the program `./gone`\n");
    let gone = about_player("command = [\"python3\", \"gredy.py\"]\ndir = \"players\"");
    starts(&gone, "cannot find the file `gredy.py`\n");
    assert!(gone.ends_with("help: did you mean `greedy.py`?"), "{gone}");
    let gone = about_player("command = [\"python3\", \"bridge:comp30024\", \"gone.py\"]");
    starts(&gone, "cannot find the file `gone.py`\n");
    starts(&about_player("command = [\"./players\"]"), "`./players` is a folder, not a program");
    starts(&about_player("command = [\"pyhton3\"]"), "cannot find the program `pyhton3` in PATH");
    starts(&about_player("command = []"), "the command is empty");
    starts(&about_player("command = [\"\"]"), "the command is empty");
    starts(&about_player("command = [\"python3\", \"\\u0000\"]"), "the command contains a NUL");
    assert!(
        about_player("command = [\"run\"]\ndir = \"players\"")
            .ends_with("= help: for the program in the player's folder write `./run`")
    );
}

#[test]
fn players_that_lack_something() {
    starts(
        &about_player("command = [\"python3\"]\ndir = \"gone\""),
        "cannot find the folder `gone`",
    );
    starts(&about_player("command = [\"python3\"]\nfiles = [\"gone\"]"), "cannot read `gone`: ");
    starts(&about_player("command = [\"python3\"]\nenv = { \"A=\" = \"\" }"), "invalid environ");
    starts(&about_player("bot = \"greedy\"\ndir = \".\""), "a built-in player cannot have `dir`");
    assert_eq!(
        about_player("bot = \"gredy\""),
        "\
unknown built-in player `gredy`
  --> cup.toml:11:7
   |
11 | bot = \"gredy\"
   |       ^^^^^^^
   |
   = help: did you mean `greedy`?"
    );
}

#[test]
fn only_one_player() {
    assert_eq!(
        message(&format!("{HEAD}[[players]]\nname = \"a\"\nbot = \"greedy\"\n")),
        "\
only one player
 --> cup.toml:3:1
  |
3 | [[players]]
  | ^^^^^^^^^^^
  |
  = help: a tournament needs at least two; add a `[[players]]` table for each"
    );
}

#[test]
fn problems_of_single_players_leave_the_rest() {
    let broken = format!("{HEAD}{PLAYERS}[[players]]\nname = \"c\"\nbot = \"gone\"\n");
    let LoadedConfig { tournament, problems, .. } = Folder::new().read(&broken);
    let players = tournament.expect("the rest").players;
    assert!(players.iter().map(|player| player.name.as_str()).eq(["a", "b"]));
    starts(&problems.expect("a problem").to_string(), "unknown built-in player `gone`");
    for other in ["pairs = 0", "[options]\nmax-moves = 0\nrepetition = 0", "pairs = "] {
        let LoadedConfig { tournament, problems, .. } =
            Folder::new().read(&format!("{HEAD}{other}\n{PLAYERS}"));
        assert!(tournament.is_none() && problems.is_some(), "{other}");
    }
}

#[test]
fn a_network_is_the_list_of_all_that_a_player_may_reach() {
    let own = |lines: &str| {
        let python = "command = [\"python3\", \"players/greedy.py\"]";
        format!("{HEAD}{PLAYERS}[[players]]\nname = \"c\"\n{python}\n{lines}\n")
    };
    let folder = Folder::new();
    let check = |lines: &str| folder.check(&own(lines)).expect("a tournament");
    let (without, with) = (check(""), check("network = [\"api.example\", \"localhost:11434\"]"));
    let [without_c, with_c] = [&without, &with].map(|tournament| &tournament.players[2]);
    assert_eq!(without_c.network, []);
    let reached: Vec<String> = with_c.network.iter().map(ToString::to_string).collect();
    assert_eq!(reached, ["api.example:443", "localhost:11434"]);
    let shown = "python3 players/greedy.py (reaches api.example:443, localhost:11434)";
    assert_eq!(with_c.command, shown);
    assert_ne!(with_c.hash, without_c.hash, "with a network, it is another player");
    let mounts = Requirement::Mechanism(Mechanism::Mounts);
    assert_eq!(without.containment.require, []);
    assert_eq!(with.containment.require, [mounts]);
    let off = check("network = [\"api.example\"]\n[containment]\nlevel = \"off\"");
    assert_eq!(off.containment.require, [], "there, everyone reaches everything");
    let all = message(&own("network = true"));
    starts(&all, "invalid value for `network`");
    assert!(all.contains("expected a list of what the player may reach"), "{all}");
    let url = message(&own("network = [\"https://api.example/\"]"));
    starts(&url, "invalid host `https://api.example/`\n  --> cup.toml:12:12");
    let bot = about_player("bot = \"greedy\"\nnetwork = [\"api.example\"]");
    starts(&bot, "a built-in player cannot have `network`");
}
