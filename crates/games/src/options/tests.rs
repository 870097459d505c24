use super::*;

const SPECS: &[OptionSpec] = &[
    OptionSpec::new(
        "wind",
        "X1",
        OptionKind::choice(&[("calm", "none"), ("storm", "much")]),
        Preset::always("calm"),
        "the wind",
    ),
    OptionSpec::new(
        "waves",
        "X2",
        OptionKind::Number { min: 0, max: 9 },
        Preset::depends("7 in a storm, none otherwise", |others| {
            (others.word("wind") == "storm").then_some("7")
        }),
        "their height",
    ),
];

fn json(given: &[(&str, &str)]) -> String {
    let options = Options::resolve(SPECS, given.iter().copied()).expect("values that fit");
    serde_json::to_string(&options).expect("plain data")
}

#[test]
fn a_default_may_depend_on_the_options_before_it() {
    assert_eq!(json(&[]), r#"{"wind":"calm"}"#);
    assert_eq!(json(&[("wind", "storm")]), r#"{"wind":"storm","waves":7}"#);
    assert_eq!(json(&[("waves", "2"), ("wind", "storm")]), r#"{"wind":"storm","waves":2}"#);
    assert_eq!(json(&[("waves", "2")]), r#"{"wind":"calm","waves":2}"#);
}

#[test]
fn given_options_are_distinguished_from_defaults() {
    let options = Options::resolve(SPECS, [("wind", "storm")]).expect("values that fit");
    assert_eq!(options.given(), [("wind".into(), "storm".to_owned())]);
    assert_eq!(options.texts().len(), 2);
    assert!(options.has("waves"));
    assert!(!Options::resolve(SPECS, []).expect("defaults").has("waves"));
}

#[test]
#[should_panic(expected = "the game has no option `wavs`")]
fn a_misspelt_option_in_code_panics() {
    Options::resolve(SPECS, []).expect("defaults").number("wavs");
}

#[test]
fn unknown_names_and_values_are_refused() {
    let refused = |name, text| Options::resolve(SPECS, [(name, text)]).expect_err("refused");
    assert_eq!(
        refused("moon", "full").to_string(),
        "unknown option `moon`; expected one of `wind`, `waves`"
    );
    assert_eq!(
        refused("waves", "10").to_string(),
        "invalid value `10` for `waves`; expected a whole number from 0 to 9"
    );
}

const ITEMS: &[(&str, &str)] = &[("lake", "a lake"), ("hill", "a hill")];

fn boards(check: fn(&str, &str) -> Result<Option<String>, FileError>) -> Vec<OptionSpec> {
    let kind = ListKind {
        words: Words::Fixed(&[("all", "every board")]),
        items: Words::Fixed(ITEMS),
        files: "board files".into(),
        check,
    };
    let kind = OptionKind::List(Cow::Owned(kind));
    vec![OptionSpec::new("boards", "X3", kind, Preset::always("lake"), "the boards")]
}

fn listed(text: &str) -> Result<Options, OptionError> {
    Options::resolve(&boards(|_, _| Ok(None)), [("boards", text)])
}

#[test]
fn a_list_is_a_word_names_or_files() {
    let json =
        |text: &str| serde_json::to_string(&listed(text).expect("a list")).expect("plain data");
    assert_eq!(json("all"), r#"{"boards":"all"}"#);
    assert_eq!(json("lake,hill,lake"), r#"{"boards":"lake,hill,lake"}"#);
    assert_eq!(json("lake,my.txt"), r#"{"boards":["lake",{"file":"my.txt"}]}"#);
    let with_text = r#"["hill",{"file":"my.txt","text":"xx"}]"#;
    assert_eq!(json(with_text), format!(r#"{{"boards":{with_text}}}"#), "as it is written");
    let options = listed("lake,my.txt").expect("a list");
    assert_eq!((options.word("boards"), options.items("boards").len()), ("", 2));
    let all = listed("all").expect("a word");
    assert_eq!((all.word("boards"), all.items("boards")), ("all", &[][..]));
}

#[test]
fn a_list_that_is_none_is_refused() {
    let long = vec!["lake"; 101].join(",");
    for text in ["", "lake,", ",", "[]", "[1]", "[", r#"["sea"]"#, r#"[{"file":""}]"#, &long] {
        let error = listed(text).expect_err("refused").to_string();
        assert!(error.contains("`all`") && error.contains("`lake`, `hill`"), "{error}");
    }
    assert!(listed(&vec!["lake"; 100].join(",")).is_ok());
}

#[test]
fn files_are_read_once_and_kept() {
    let specs = boards(|file, text| match text {
        "odd" => Err(FileError { file: file.to_owned(), line: 2, reason: "odd".to_owned() }),
        text => Ok((text == "old").then(|| format!("{file} is old"))),
    });
    let resolve = |text: &str| Options::resolve(&specs, [("boards", text)]).expect("a list");
    let mut options = resolve(&list_of_files(&["one".to_owned(), "old".to_owned()]));
    let read = |file: &str| -> Result<String, String> { Ok(file.to_owned()) };
    assert_eq!(options.load(read).expect("files"), ["old is old"]);
    let gone = |_: &str| -> Result<String, String> { Err("gone".to_owned()) };
    assert_eq!(options.load(gone).expect("they are not read again"), [""; 0]);
    let error = resolve("one").load(gone).expect_err("it cannot be read").to_string();
    assert!(error.contains("`one`") && error.contains("gone"), "{error}");
    let error = resolve("odd").load(read).expect_err("its contents are refused");
    assert_eq!((error.to_string().as_str(), error.name()), ("odd:2: odd", Some("boards")));
}
