//! The steps of `tune`: a table, and a page with a chart of the parameters.

use maud::{DOCTYPE, PreEscaped, html};
use referee_protocol::escape::escape_line;
use referee_ratings::SpsaParameter;

use super::page_template::STYLE;
use crate::charts::{ChartLine, render_line_chart};

/// The parameters after a step.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningStep {
    /// How many games more the player of the drawn directions won than it lost; none at the start.
    pub lead: Option<f64>,
    /// The values after it.
    pub values: Vec<f64>,
}

/// The steps as CSV: a line each, from the start.
pub fn tuning_csv(names: &[String], steps: &[TuningStep]) -> String {
    let quoted = |name: &String| format!("\"{}\"", escape_line(name).replace('"', "\"\""));
    let header: Vec<String> = ["step".to_owned(), "lead".to_owned()]
        .into_iter()
        .chain(names.iter().map(quoted))
        .collect();
    let mut text = header.join(",") + "\n";
    for (number, step) in steps.iter().enumerate() {
        let lead = step.lead.map(|lead| lead.to_string()).unwrap_or_default();
        let values = step.values.iter().map(|value| format!("{value:.6}"));
        let cells: Vec<String> = [number.to_string(), lead].into_iter().chain(values).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

/// The page: the parameters over the steps, as percentages of their ranges, and their last values.
#[expect(clippy::cast_precision_loss, reason = "a few steps")]
pub fn render_tuning_page(
    player: &str,
    names: &[String],
    tunables: &[SpsaParameter],
    steps: &[TuningStep],
) -> String {
    let title = format!("Tuning {}", escape_line(player));
    let share = |at: usize, step: &TuningStep| {
        let SpsaParameter { min, max, .. } = tunables[at];
        100.0 * (step.values[at] - min) / (max - min)
    };
    let line = |(at, name): (usize, &String)| ChartLine {
        label: escape_line(name),
        points: steps.iter().enumerate().map(|(x, step)| (x as f64, share(at, step))).collect(),
    };
    let chart: Vec<ChartLine> = names.iter().enumerate().map(line).collect();
    let label = "parameters over the steps, as percentages of their ranges";
    let last = steps.last();
    html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) } style { (PreEscaped(STYLE)) } }
            body {
                main {
                    h1 { (title) }
                    p.lead { (steps.len().saturating_sub(1)) " steps. Each parameter as a percentage of its range." }
                    (PreEscaped(render_line_chart(&chart, "step", label)))
                    table {
                        thead { tr { th { "parameter" } th { "start" } th { "now" } th { "range" } } }
                        tbody {
                            @for (at, name) in names.iter().enumerate() {
                                tr {
                                    td { (escape_line(name)) }
                                    td { (tunables[at].start) }
                                    td { (last.map(|step| format!("{:.4}", step.values[at])).unwrap_or_default()) }
                                    td { (tunables[at].min) " … " (tunables[at].max) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    .into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_page_have_every_parameter() {
        let names = ["Contempt".to_owned(), "<b>".to_owned()];
        let tunable = SpsaParameter { start: 0.0, min: -10.0, max: 10.0, step: 1.0, whole: true };
        let steps = [
            TuningStep { lead: None, values: vec![0.0, 5.0] },
            TuningStep { lead: Some(-2.0), values: vec![1.5, 4.0] },
        ];
        assert_eq!(
            tuning_csv(&names, &steps),
            "step,lead,\"Contempt\",\"<b>\"\n0,,0.000000,5.000000\n1,-2,1.500000,4.000000\n"
        );
        let page = render_tuning_page("ant", &names, &[tunable; 2], &steps);
        assert!(page.contains("<svg ") && page.contains("1.5000") && !page.contains("<b>"));
    }
}
