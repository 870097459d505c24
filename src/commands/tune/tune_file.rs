//! The file of `tune`: a player, its parameters with their ranges, and the schedule.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::Failure;
use referee_ratings::{SpsaParameter, SpsaSchedule};
use referee_record::model::player_spec::{EngineProtocol, EngineSettings, PlayerKind, PlayerSpec};
use referee_record::model::stage::MOST_PAIRS;

/// The place of the value in an argument.
const VALUE: &str = "{}";
/// The most steps.
const MOST_STEPS: u32 = 9999;

/// The contents of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TuneFile {
    /// The player, as on a command line.
    pub(super) player: String,
    steps: u32,
    /// The pairs of games of each step.
    #[serde(default = "four")]
    pub(super) pairs: u32,
    #[serde(default = "rate")]
    rate: f64,
    #[serde(rename = "A")]
    stability: Option<f64>,
    #[serde(default = "alpha")]
    alpha: f64,
    #[serde(default = "gamma")]
    gamma: f64,
    #[serde(default)]
    parameters: Vec<TuneParameter>,
}

/// A parameter: how the player is told its value, and what values it may have.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of a parameter")]
pub(super) struct TuneParameter {
    option: Option<String>,
    env: Option<String>,
    argument: Option<String>,
    start: f64,
    min: f64,
    max: f64,
    step: f64,
    #[serde(default)]
    whole: bool,
}

fn four() -> u32 {
    4
}

fn rate() -> f64 {
    0.05
}

fn alpha() -> f64 {
    0.602
}

fn gamma() -> f64 {
    0.101
}

/// The share of the steps that slows down the start, unless the file says otherwise.
const STABILITY: f64 = 0.1;

impl TuneFile {
    /// Reads and checks the file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::input(format!("cannot read `{shown}`: {error}")))?;
        Self::parse(&text).map_err(|problem| Failure::input(format!("{shown}: {problem}")))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if !(1..=MOST_STEPS).contains(&file.steps) {
            return Err(invalid_tune_value("steps", file.steps, &format!("1 to {MOST_STEPS}")));
        }
        if !(1..=MOST_PAIRS).contains(&file.pairs) {
            return Err(invalid_tune_value("pairs", file.pairs, &format!("1 to {MOST_PAIRS}")));
        }
        let schedule = file.schedule();
        let is_share = |value: f64| (0.0..=1.0).contains(&value);
        if !(schedule.rate > 0.0 && schedule.rate <= 1.0) {
            return Err(invalid_tune_value("rate", schedule.rate, "a number above 0, at most 1"));
        }
        for (key, value) in [("alpha", schedule.alpha), ("gamma", schedule.gamma)] {
            if !is_share(value) {
                return Err(invalid_tune_value(key, value, "a number from 0 to 1"));
            }
        }
        if !(schedule.stability >= 0.0 && schedule.stability.is_finite()) {
            return Err(invalid_tune_value("A", schedule.stability, "a number of steps"));
        }
        if file.parameters.is_empty() {
            return Err("no parameter found; add `[[parameters]]`".to_owned());
        }
        file.parameters.iter().try_for_each(TuneParameter::check)?;
        Ok(file)
    }

    pub(super) fn schedule(&self) -> SpsaSchedule {
        SpsaSchedule {
            steps: self.steps,
            rate: self.rate,
            stability: self.stability.unwrap_or(STABILITY * f64::from(self.steps)),
            alpha: self.alpha,
            gamma: self.gamma,
        }
    }

    pub(super) fn tunables(&self) -> Vec<SpsaParameter> {
        let of = |it: &TuneParameter| SpsaParameter {
            start: it.start,
            min: it.min,
            max: it.max,
            step: it.step,
            whole: it.whole,
        };
        self.parameters.iter().map(of).collect()
    }

    /// The values at the start.
    pub(super) fn starts(&self) -> Vec<f64> {
        self.parameters.iter().map(|it| it.start).collect()
    }

    /// The values as a player gets them.
    pub(super) fn played_values(&self, values: &[f64]) -> Vec<f64> {
        self.tunables().iter().zip(values).map(|(it, &value)| it.value_to_play(value)).collect()
    }

    /// The parameters' names.
    pub(super) fn names(&self) -> Vec<String> {
        self.parameters.iter().map(|it| it.name().to_owned()).collect()
    }

    /// The parameters with these values, for people.
    pub(super) fn format_values(&self, values: &[f64]) -> String {
        let each = self.parameters.iter().zip(values);
        let shown = each.map(|(it, value)| match &it.argument {
            Some(argument) => argument.replace(VALUE, &format!("{value:.4}")),
            None => format!("{}={value:.4}", it.name()),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// The parameters with these values, and the results folder, for programs.
    pub(super) fn json(&self, values: &[f64], results: &Path) -> Value {
        let named: Map<String, Value> =
            self.names().into_iter().zip(values.iter().map(|&it| it.into())).collect();
        serde_json::json!({ "values": named, "results": results })
    }

    /// Everything that affects the steps but the player. The results folder is named after its hash, so
    /// this text stays as it is, whatever the types are called.
    pub(super) fn conditions(&self) -> String {
        let parameters = self.parameters.iter().map(|parameter| {
            let TuneParameter { option, env, argument, start, min, max, step, whole } = parameter;
            format!(
                "Parameter {{ option: {option:?}, env: {env:?}, argument: {argument:?}, \
                 start: {start:?}, min: {min:?}, max: {max:?}, step: {step:?}, whole: {whole} }}"
            )
        });
        let parameters: Vec<String> = parameters.collect();
        format!("[{}] {:?} {}", parameters.join(", "), self.schedule(), self.pairs)
    }

    /// The player with these values, which become part of its hash.
    pub(super) fn with_values(
        &self,
        mut player: PlayerSpec,
        values: &[f64],
    ) -> Result<PlayerSpec, Failure> {
        let mut said = Vec::new();
        for (parameter, value) in self.parameters.iter().zip(values) {
            let value = format_tune_value(*value);
            parameter.give(&mut player, &value)?;
            said.push(format!("{}={value}", parameter.name()));
        }
        let said = said.join(", ");
        player.command = format!("{} ({said})", player.command);
        player.hash = player.fingerprint.vary(&player.hash, &said);
        Ok(player)
    }
}

impl TuneParameter {
    fn name(&self) -> &str {
        [&self.option, &self.env, &self.argument].into_iter().flatten().next().map_or("", |it| it)
    }

    fn check(&self) -> Result<(), String> {
        let name = self.name();
        let ways = [&self.option, &self.env, &self.argument].into_iter().flatten().count();
        if ways != 1 || name.is_empty() {
            return Err("a parameter needs one of `option`, `env` and `argument`".to_owned());
        }
        if self.argument.as_ref().is_some_and(|argument| !argument.contains(VALUE)) {
            return Err(format!("the argument {name:?} needs `{VALUE}` in place of the value"));
        }
        let finite = [self.start, self.min, self.max, self.step].iter().all(|it| it.is_finite());
        if !(finite && self.min < self.max && (self.min..=self.max).contains(&self.start)) {
            return Err(format!("{name}: expected `min` < `max` and a `start` between them"));
        }
        // Values are written with six digits behind the point.
        let least = if self.whole { 0.5 } else { 1e-4 };
        if !(least..=self.max - self.min).contains(&self.step) {
            return Err(format!(
                "{name}: expected a `step` of at least 0.0001 (0.5 for whole numbers), and at most \
                 `max` − `min`"
            ));
        }
        Ok(())
    }

    fn give(&self, player: &mut PlayerSpec, value: &str) -> Result<(), Failure> {
        let PlayerKind::Command { args, .. } = &mut player.kind else {
            return Err(Failure::input(format!("`{}` has no parameters", player.command)));
        };
        if let Some(argument) = &self.argument {
            args.push(argument.replace(VALUE, value));
        }
        if let Some(name) = &self.env {
            player.env.insert(name.clone(), value.to_owned());
        }
        if let Some(name) = &self.option {
            let is_uci = |engine: &&mut EngineSettings| engine.protocol == EngineProtocol::Uci;
            let Some(engine) = player.engine.as_mut().filter(is_uci) else {
                return Err(Failure::input(format!(
                    "`option` is for UCI engines, such as `uci:stockfish`; for other programs, pass {name} in \
                     `env` or `argument`"
                )));
            };
            engine.options.retain(|(known, _)| known != name);
            engine.options.push((name.clone(), value.to_owned()));
        }
        Ok(())
    }
}

fn invalid_tune_value(key: &str, value: impl Display, expected: &str) -> String {
    format!("invalid value `{value}` for `{key}`: expected {expected}")
}

/// A value as text: whole numbers without a point, others with six digits behind it.
fn format_tune_value(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::player_spec::examples::bot;

    const FILE: &str = "player = \"p\"\nsteps = 50\n[[parameters]]\n";

    fn refusal(parameter: &str) -> String {
        TuneFile::parse(&format!("{FILE}{parameter}")).expect_err("an error")
    }

    #[test]
    fn an_unfinished_tuning_is_found_again() {
        let text = format!("{FILE}option = \"Hash\"\nstart = 2\nmin = 1\nmax = 9\nstep = 0.5");
        let conditions = TuneFile::parse(&text).expect("valid").conditions();
        assert_eq!(
            conditions,
            "[Parameter { option: Some(\"Hash\"), env: None, argument: None, start: 2.0, min: 1.0, \
             max: 9.0, step: 0.5, whole: false }] SpsaSchedule { steps: 50, rate: 0.05, \
             stability: 5.0, alpha: 0.602, gamma: 0.101 } 4"
        );
    }

    #[test]
    fn values_reach_the_player_in_its_own_way() {
        let text = format!(
            "{FILE}argument = \"--depth={{}}\"\nstart = 2\nmin = 1\nmax = 9\nstep = 1\nwhole = true\n\
             [[parameters]]\nenv = \"SPEED\"\nstart = 0.5\nmin = 0\nmax = 1\nstep = 0.1"
        );
        let file = TuneFile::parse(&text).expect("valid");
        let program = PlayerKind::Command { program: "/p".into(), args: vec!["x".to_owned()] };
        let player = PlayerSpec { kind: program.clone(), ..bot("p") };
        let given = file.with_values(player.clone(), &[3.0, 0.25]).expect("a program");
        let PlayerKind::Command { args, .. } = &given.kind else { panic!("a program") };
        assert_eq!(
            (&args[..], &*given.env["SPEED"]),
            (&["x".to_owned(), "--depth=3".to_owned()][..], "0.25")
        );
        let other = file.with_values(player, &[4.0, 0.25]).expect("a program");
        assert_ne!(given.hash, other.hash);
        assert!(file.with_values(bot("greedy"), &[3.0, 0.25]).is_err());
        assert_eq!((file.schedule().stability, file.schedule().rate), (5.0, 0.05));
    }

    #[test]
    fn what_cannot_be_tuned_is_refused() {
        assert!(refusal("start = 1\nmin = 0\nmax = 2\nstep = 1").contains("needs one of"));
        let valid = "env = \"X\"\nmin = 0\nmax = 2\n";
        assert!(refusal(&format!("{valid}start = 3\nstep = 1")).contains("between them"));
        for step in ["0", "0.00009"] {
            let refused = refusal(&format!("{valid}start = 1\nstep = {step}"));
            assert!(refused.contains("a `step` of at least 0.0001"), "{refused}");
        }
        assert!(refusal(&format!("{valid}start = 1\nstep = 0.2\nwhole = true")).contains("0.5"));
        assert!(
            refusal("argument = \"--x\"\nstart = 1\nmin = 0\nmax = 2\nstep = 1").contains("{}")
        );
        assert!(refusal("speed = 1").contains("speed"));
    }

    #[test]
    fn numbers_are_written_as_people_do() {
        let values = [3.0, 0.25, -20.0, 100.0, 0.0, -1e-7];
        assert_eq!(values.map(format_tune_value), ["3", "0.25", "-20", "100", "0", "0"]);
    }
}
