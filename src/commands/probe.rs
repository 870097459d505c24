//! `probe`: what this machine can enforce.

use clap::Args;

use super::{Failure, Format, Status};
use crate::containment::{self, Finding};
use crate::printer::Printer;

/// Arguments of `probe`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 everything works; 1 something does not.")]
pub struct ProbeArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Prints what holds.
pub fn run(args: &ProbeArgs, printer: Printer) -> Result<Status, Failure> {
    let findings = containment::probe();
    match args.format {
        Format::Json => {
            let text = serde_json::to_string(&findings)
                .map_err(|error| Failure::system(error.to_string()))?;
            printer.line(&text)?;
        }
        Format::Text => {
            for finding in &findings {
                printer.line(&in_words(finding))?;
            }
        }
    }
    let all = findings.iter().all(|finding| finding.holds);
    Ok(if all { Status::Done } else { Status::Found })
}

fn in_words(finding: &Finding) -> String {
    let Finding { name, purpose, .. } = finding;
    let verdict = if finding.holds { "holds" } else { "does not hold" };
    let mut text = format!("{name:<12} {verdict:<14} {purpose}");
    for (label, more) in [("why", finding.why.as_deref()), ("do", finding.advice)] {
        if let Some(more) = more {
            text = format!("{text}\n{:13}{label}: {more}", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_hold_is_explained() {
        let finding = Finding {
            name: "landlock",
            purpose: "files",
            holds: false,
            why: Some("not there".to_owned()),
            advice: Some("get it"),
        };
        let indent = " ".repeat(13);
        assert_eq!(
            in_words(&finding),
            format!(
                "landlock     does not hold  files\n{indent}why: not there\n{indent}do: get it"
            )
        );
    }
}
