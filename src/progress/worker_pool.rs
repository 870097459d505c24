//! Sentences about the machines that play.

use referee_record::wording::pluralize;
use referee_tournament::run::run_event::{WorkerPool, WorkerStatus};

/// The maximum number of workers that are named each time.
const NAMED: usize = 8;

/// The workers that came and went since `before`.
pub(super) fn describe_pool_changes(before: Option<&WorkerPool>, now: &WorkerPool) -> Vec<String> {
    let before = before.map_or(&[][..], |pool| &pool.members);
    let is_in = |members: &[WorkerStatus], name: &str| members.iter().any(|it| it.name == name);
    let come = now.members.iter().filter(|it| !is_in(before, &it.name)).map(describe_pool_worker);
    let gone = before.iter().filter(|it| !is_in(&now.members, &it.name));
    let gone = gone.map(|member| format!("worker {} has left", member.name));
    let mut lines = shorten_pool_changes(come, "joined");
    lines.extend(shorten_pool_changes(gone, "are gone"));
    lines
}

/// The first lines, and the number of the others.
fn shorten_pool_changes(lines: impl Iterator<Item = String>, what: &str) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(NAMED);
    lines.truncate(NAMED);
    if more > 0 {
        lines.push(format!("{more} more workers {what}"));
    }
    lines
}

fn describe_pool_worker(member: &WorkerStatus) -> String {
    let WorkerStatus { name, slots, cores, calibration, containment, .. } = member;
    let cores = pluralize(*cores, "core");
    let containment = referee_protocol::escape::escape_line(containment);
    let milliseconds = calibration.as_secs_f64() * 1e3;
    format!(
        "worker {name}: {slots} at once on {cores}, calibration {milliseconds:.1} ms; {containment}"
    )
}

/// The number of workers, of games that they play at once, and of jobs that wait.
pub(super) fn describe_worker_pool(pool: &WorkerPool) -> String {
    let workers = match pool.members.len() {
        0 => "no workers".to_owned(),
        workers => {
            format!("{} with {}", pluralize(workers, "worker"), pluralize(pool.slots(), "slot"))
        }
    };
    format!("{workers}, {} in the queue", pluralize(pool.queued, "job"))
}

/// The outcome of the spot checks, if there were any.
pub(super) fn describe_pool_spot_checks(pool: &WorkerPool) -> Option<String> {
    let WorkerPool { compared, different, .. } = pool;
    match (compared, different) {
        (0, _) => None,
        (_, 0) => {
            Some(format!("{compared} games were played again by another worker: all the same"))
        }
        _ => Some(format!(
            "{different} of {compared} games that were played again by another worker were different"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn pool(names: &[&str]) -> WorkerPool {
        let member = |name: &&str| WorkerStatus {
            name: (*name).to_owned(),
            slots: 2,
            cores: 4,
            calibration: Duration::from_micros(5250),
            containment: "containment: all".to_owned(),
        };
        let members = names.iter().map(member).collect();
        WorkerPool { members, most: 8, queued: 3, compared: 0, different: 0 }
    }

    #[test]
    fn those_who_come_and_go_are_named_once() {
        let (one, both) = (pool(&["ant"]), pool(&["ant", "bee"]));
        let joined = "worker bee: 2 at once on 4 cores, calibration 5.2 ms; containment: all";
        assert_eq!(describe_pool_changes(Some(&one), &both), [joined]);
        assert_eq!(describe_pool_changes(Some(&both), &one), ["worker bee has left"]);
        assert!(describe_pool_changes(Some(&both), &both).is_empty());
        assert_eq!(describe_pool_changes(None, &both).len(), 2);
        let names: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let many = pool(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(
            describe_pool_changes(None, &many).last().expect("a line"),
            "12 more workers joined"
        );
        assert_eq!(
            describe_pool_changes(Some(&many), &one).last().expect("a line"),
            "12 more workers are gone"
        );
        assert_eq!(describe_worker_pool(&both), "2 workers with 4 slots, 3 jobs in the queue");
    }

    #[test]
    fn spot_checks_are_summed_up() {
        let checked = |compared, different| {
            describe_pool_spot_checks(&WorkerPool { compared, different, ..WorkerPool::default() })
        };
        assert_eq!(checked(0, 0), None);
        assert!(checked(4, 0).is_some_and(|text| text.ends_with("all the same")));
        assert!(checked(4, 1).is_some_and(|text| text.starts_with("1 of 4 games")));
    }
}
