use super::*;
use crate::options::list::FileCheck;

/// The options of a sheet.
fn specs(text: &str) -> Vec<OptionSpec> {
    #[derive(Deserialize)]
    struct Sheet {
        options: Vec<OptionSpec>,
    }
    toml::from_str::<Sheet>(text).expect("a sheet").options
}

fn weather() -> Vec<OptionSpec> {
    specs(
        r#"
        [[options]]
        name = "wind"
        type = "choice"
        values = { calm = "none", storm = "much" }
        default = "calm"
        text = "the wind"

        [[options]]
        name = "waves"
        type = "integer"
        min = 0
        max = 9
        default_by = { words = "7 in a storm", option = "wind", values = { storm = "7" } }
        text = "their height"
        "#,
    )
}

fn json(given: &[(&str, &str)]) -> String {
    let options = Options::resolve(&weather(), given.iter().copied()).expect("values that fit");
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
    let options = Options::resolve(&weather(), [("wind", "storm")]).expect("values that fit");
    assert_eq!(options.given(), [("wind".into(), "storm".to_owned())]);
    assert_eq!(options.texts().len(), 2);
}

#[test]
#[should_panic(expected = "missing field `waves`")]
fn rules_that_do_not_fit_the_options_panic() {
    #[derive(Deserialize)]
    struct Rules {
        #[serde(rename = "waves")]
        _waves: u32,
    }
    Options::resolve(&weather(), []).expect("defaults").read::<Rules>();
}

#[test]
fn unknown_names_and_values_are_refused() {
    let refused = |name, text| Options::resolve(&weather(), [(name, text)]).expect_err("refused");
    assert_eq!(
        refused("moon", "full").to_string(),
        "unknown option `moon`; expected one of `wind`, `waves`"
    );
    let without = Options::resolve(&[], [("moon", "full")]).expect_err("refused");
    assert_eq!(without.to_string(), "unknown option `moon`; this game has no options");
    assert_eq!(
        refused("waves", "10").to_string(),
        "invalid value `10` for `waves`; expected a whole number from 0 to 9"
    );
}

fn boards(check: FileCheck) -> Vec<OptionSpec> {
    let mut specs = specs(
        r#"
        [[options]]
        name = "boards"
        type = "list"
        words = { all = "every board" }
        items = { lake = "a lake", hill = "a hill" }
        files = "board files"
        default = "lake"
        text = "the boards"
        "#,
    );
    if let OptionKind::List(list) = &mut specs[0].kind {
        list.check = check;
    }
    specs
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
    assert_eq!(options.load_files(read).expect("files"), ["old is old"]);
    let gone = |_: &str| -> Result<String, String> { Err("gone".to_owned()) };
    assert_eq!(options.load_files(gone).expect("they are not read again"), [""; 0]);
    let error = resolve("one").load_files(gone).expect_err("it cannot be read").to_string();
    assert!(error.contains("`one`") && error.contains("gone"), "{error}");
    let error = resolve("odd").load_files(read).expect_err("its contents are refused");
    assert_eq!((error.to_string().as_str(), error.name()), ("odd:2: odd", Some("boards")));
}
