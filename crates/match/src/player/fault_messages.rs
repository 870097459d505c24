//! Messages that explain the failure of a player.

use std::process::ExitStatus;
use std::time::Duration;

use referee_protocol::{LINE_LIMIT, reply_error_excerpt};
use referee_record::model::clock::{Measure, format_clock_seconds};
use referee_record::model::fault::{Fault, FaultCode};
use referee_sandbox::{Overrun, ProcessState, resource_limits};

/// The diagnosis of a player that waits although it was asked.
pub const MISSING_FLUSH: &str = "waiting for input: a missing flush, or it waits for a second line";
/// The diagnosis of a player that thinks for too long.
pub const COMPUTING: &str = "still computing";
/// The diagnosis of a player that lets time pass.
pub const SLEEPING: &str = "sleeping";
/// The end of the diagnosis of a player that printed text for people.
pub const DEBUG_OUTPUT: &str = "debug output belongs on stderr";
/// The middle of the diagnosis of a player whose reply is not the text of an action.
pub const NOT_AN_ACTION: &str = "is not an action";
/// The end of the diagnosis of a player that printed only part of a line.
pub const NO_NEWLINE: &str = "but no newline";

/// The state of a player when its time was up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Late<'a> {
    /// What it was asked for.
    pub(super) awaited: &'static str,
    /// The wall time it was allowed.
    pub(super) allowance: Duration,
    /// The time over it that is forgiven.
    pub(super) margin: Duration,
    /// The whole budget, if its rest was used up.
    pub(super) budget: Option<Duration>,
    /// The kind of time that is limited.
    pub(super) measure: Measure,
    /// The CPU time of its process tree since it was asked, if it could be measured.
    pub(super) cpu: Option<Duration>,
    /// The wall time since it was asked.
    pub(super) wall: Duration,
    /// The part of an unfinished line that it had written.
    pub(super) partial: &'a [u8],
    /// The state of its processes.
    pub(super) state: ProcessState,
    /// Whether part of the request was still unread.
    pub(super) unread: bool,
}

/// A `timeout`, with the state of the player.
pub(super) fn timeout_fault(late: Late<'_>) -> Fault {
    let limit = format_clock_seconds(late.allowance);
    let which = match late.measure {
        Measure::Wall => describe_budget_rest(late.budget),
        Measure::Cpu => " of wall time".to_owned(),
    };
    let margin = describe_fault_margin(late.margin);
    let did = describe_late_player(late);
    Fault::new(
        FaultCode::Timeout,
        format!("no {} within {limit}{which}{margin}: {did}", late.awaited),
    )
}

fn describe_late_player(late: Late<'_>) -> String {
    if !late.partial.is_empty() {
        return format!("you printed \"{}\" {NO_NEWLINE}", reply_error_excerpt(late.partial));
    }
    if late.state == ProcessState::Stopped {
        return "the process was stopped by a signal".to_owned();
    }
    if late.unread {
        return "it did not read its input".to_owned();
    }
    match late.cpu {
        Some(cpu) if late.state == ProcessState::Running || cpu >= late.wall / 2 => {
            format!("{COMPUTING}, with {} of CPU time used", format_clock_seconds(cpu))
        }
        _ if late.state == ProcessState::ReadingInput => MISSING_FLUSH.to_owned(),
        Some(cpu) => format!("{SLEEPING}, with {} of CPU time used", format_clock_seconds(cpu)),
        None => "no output".to_owned(),
    }
}

/// Text to add to a time that was the rest of a budget.
pub(super) fn describe_budget_rest(budget: Option<Duration>) -> String {
    budget.map_or_else(String::new, |budget| {
        format!(", the rest of its budget of {}", format_clock_seconds(budget))
    })
}

/// Text to add to a limit that has a margin.
fn describe_fault_margin(margin: Duration) -> String {
    if margin.is_zero() {
        String::new()
    } else {
        format!(" and a margin of {}", format_clock_seconds(margin))
    }
}

/// The text that a reply took longer than its limit and the margin.
pub(crate) fn describe_time_beyond_limit(
    used: Duration,
    allowance: Duration,
    margin: Duration,
) -> String {
    let text =
        format!("used {} of {}", format_clock_seconds(used), format_clock_seconds(allowance));
    let over = format_clock_seconds(used.saturating_sub(allowance + margin));
    if margin.is_zero() {
        return format!("{text}, {over} too much");
    }
    format!("{text}, {over} beyond the margin of {}", format_clock_seconds(margin))
}

/// The fault of a process that ended too early.
pub(super) fn early_end_fault(status: ExitStatus, partial: &[u8]) -> Fault {
    let how = describe_process_end(status);
    if !partial.is_empty() {
        let shown = reply_error_excerpt(partial);
        let message = format!("the last line has no newline: \"{shown}\", then it {how}");
        return Fault { raw: Some(shown), ..Fault::new(FaultCode::Malformed, message) };
    }
    let code = if status.success() { FaultCode::Exit } else { FaultCode::Crash };
    Fault::new(code, format!("it {how}"))
}

pub(super) fn describe_process_end(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    if let Some(code) = status.code() {
        return format!("exited with code {code}");
    }
    let number = status.signal().unwrap_or_default();
    match nix::sys::signal::Signal::try_from(number) {
        Ok(signal) => format!("was killed by {signal}"),
        Err(_) => format!("was killed by signal {number}"),
    }
}

/// CPU time on the opponent's turns of a player that was frozen.
pub(super) fn defied_freezing_fault(used: Duration) -> Fault {
    let used = format_clock_seconds(used);
    let message = format!("it computed for {used} on its opponent's turns although it was frozen");
    Fault::new(FaultCode::Cpu, message)
}

/// Output without a request.
pub(super) fn unexpected_output_fault(extra: &[u8]) -> Fault {
    let shown = reply_error_excerpt(extra);
    let message = format!("output when no reply was due: \"{shown}\"; {DEBUG_OUTPUT}");
    Fault { raw: Some(shown), ..Fault::new(FaultCode::UnexpectedOutput, message) }
}

/// A line that exceeds the limit.
pub(super) fn oversize_line_fault(start: &[u8]) -> Fault {
    let shown = reply_error_excerpt(start);
    let limit = LINE_LIMIT / 1024;
    let message = format!("more than {limit} KiB without a newline, beginning \"{shown}\"");
    Fault { raw: Some(shown), ..Fault::new(FaultCode::Oversize, message) }
}

/// Output that exceeds the limit of a game, or of what an engine was asked for.
pub(super) fn oversize_output_fault(limit: u64, awaited: Option<&str>) -> Fault {
    let limit = resource_limits::format_bytes(limit);
    let of_what = awaited.map_or("in one game".to_owned(), |what| format!("and no {what}"));
    Fault::new(FaultCode::Oversize, format!("more than {limit} of output {of_what}"))
}

/// The fault of a player that reached a limit before it failed.
pub(super) fn overrun_fault(overrun: Overrun, fault: Fault) -> Fault {
    let message = format!("{overrun}, then {}", fault.message);
    Fault { code: FaultCode::from(overrun), message, ..fault }
}

/// A process closed its stdout but kept running.
pub(super) fn closed_output_fault() -> Fault {
    Fault::new(FaultCode::ClosedOutput, "it closed its stdout and kept running")
}

/// The supervisor of the player ended.
pub(super) fn supervisor_gone_fault() -> Fault {
    Fault::new(FaultCode::Containment, "its supervisor ended, and the player with it")
}

/// A reply that arrived after the time was up.
pub(super) fn late_reply_fault(awaited: &str, used: [Duration; 2], margin: Duration) -> Fault {
    let [wall, bound] = used;
    let message =
        format!("the {awaited} came late: {}", describe_time_beyond_limit(wall, bound, margin));
    Fault::new(FaultCode::Timeout, message)
}

/// CPU time over the allowance `of_what`.
pub(super) fn cpu_limit_fault(used: Duration, allowance: Duration, of_what: &str) -> Fault {
    let [used, limit] = [used, allowance].map(format_clock_seconds);
    let message = format!("used {used} of CPU time; the limit is {limit}{of_what}");
    Fault::new(FaultCode::Cpu, message)
}

/// CPU time over an allowance before the reply arrived.
pub(super) fn no_reply_fault(awaited: &str, over_cpu: Fault) -> Fault {
    Fault { message: format!("no {awaited}: {}", over_cpu.message), ..over_cpu }
}

/// Whether a refused text looks like output for people, not like a reply.
pub fn looks_like_a_log(text: &str) -> bool {
    let is_spoken = |word: &&str| word.len() > 1 && word.contains(char::is_alphabetic);
    let spoken = text.split_whitespace().filter(is_spoken).count();
    let more = text.split_whitespace().count() > 1 || text.contains(['[', ':', '=']);
    spoken >= 1 && more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_lines_are_recognised() {
        assert!(looks_like_a_log("thinking about move 3"));
        assert!(looks_like_a_log("DEBUG: depth 3"));
        assert!(looks_like_a_log("best 0 46"));
        assert!(looks_like_a_log("depth=3"));
        assert!(!looks_like_a_log("3;4"));
        assert!(!looks_like_a_log("R U 3,3"));
        assert!(!looks_like_a_log("e2e4"));
    }

    const LATE: Late<'static> = Late {
        awaited: "reply",
        allowance: Duration::from_secs(5),
        margin: Duration::ZERO,
        budget: None,
        measure: Measure::Wall,
        cpu: Some(Duration::from_millis(20)),
        wall: Duration::from_secs(5),
        partial: b"",
        state: ProcessState::Other,
        unread: false,
    };

    #[test]
    fn a_timeout_describes_the_state_of_the_player() {
        let said = |late| timeout_fault(late).message;
        assert_eq!(
            said(Late { partial: b"3,4", ..LATE }),
            "no reply within 5 s: you printed \"3,4\" but no newline"
        );
        assert_eq!(
            said(Late { state: ProcessState::ReadingInput, ..LATE }),
            "no reply within 5 s: waiting for input: a missing flush, or it waits for a second line"
        );
        assert_eq!(
            said(Late { state: ProcessState::Stopped, ..LATE }),
            "no reply within 5 s: the process was stopped by a signal"
        );
        assert_eq!(
            said(Late { cpu: Some(Duration::from_millis(4900)), ..LATE }),
            "no reply within 5 s: still computing, with 4.9 s of CPU time used"
        );
        assert_eq!(
            said(Late { state: ProcessState::Running, measure: Measure::Cpu, ..LATE }),
            "no reply within 5 s of wall time: still computing, with 0.02 s of CPU time used"
        );
        assert_eq!(
            said(Late { unread: true, ..LATE }),
            "no reply within 5 s: it did not read its input"
        );
        assert_eq!(said(Late { cpu: None, ..LATE }), "no reply within 5 s: no output");
        let rest = Late { budget: Some(Duration::from_secs(60)), cpu: None, ..LATE };
        assert_eq!(said(rest), "no reply within 5 s, the rest of its budget of 60 s: no output");
        assert_eq!(said(LATE), "no reply within 5 s: sleeping, with 0.02 s of CPU time used");
    }

    #[test]
    fn a_margin_is_named() {
        let margin = Duration::from_millis(20);
        let late = timeout_fault(Late { margin, cpu: None, ..LATE });
        assert_eq!(late.message, "no reply within 5 s and a margin of 0.02 s: no output");
        let [used, allowed] = [1034, 1000].map(Duration::from_millis);
        let text = "used 1.034 s of 1 s, 0.014 s beyond the margin of 0.02 s";
        assert_eq!(describe_time_beyond_limit(used, allowed, margin), text);
        let text = "used 1.034 s of 1 s, 0.034 s too much";
        assert_eq!(describe_time_beyond_limit(used, allowed, Duration::ZERO), text);
    }

    #[test]
    fn cpu_time_over_the_rest_of_a_budget_names_the_budget() {
        let [used, left] = [513, 509].map(Duration::from_millis);
        let fault =
            cpu_limit_fault(used, left, &describe_budget_rest(Some(Duration::from_secs(1))));
        let message =
            "used 0.513 s of CPU time; the limit is 0.509 s, the rest of its budget of 1 s";
        assert_eq!(fault.message, message);
        assert_eq!(no_reply_fault("reply", fault).message, format!("no reply: {message}"));
    }
}
