//! The machines that play for a run in progress, below its progress.

use maud::{Markup, html};

use super::{page_player_name, render_scrolling_table};
use referee_record::wording::pluralize;
use referee_tournament::folder::live_workers_file::{
    LiveWorker, LiveWorkers, live_games_per_minute,
};

/// How many machines play, how fast, what waits, and the time left; a table has each of them.
pub(super) fn render_live_workers(live: &LiveWorkers) -> Markup {
    html! {
        details #live-workers .table {
            summary { (summarise_live_workers(live)) }
            (render_scrolling_table("Workers", &render_live_workers_table(live)))
        }
    }
}

fn summarise_live_workers(live: &LiveWorkers) -> String {
    let mut parts = vec![
        format!(
            "{} with {}",
            pluralize(live.workers.len(), "worker"),
            pluralize(live.slots(), "slot")
        ),
        format!(
            "{} in the queue",
            pluralize(usize::try_from(live.queued).unwrap_or(usize::MAX), "job")
        ),
    ];
    parts.extend(live_games_per_minute(live.games, live.seconds).map(format_live_worker_rate));
    parts.extend(
        live.time_left()
            .map(|left| format!("about {} left", format_live_time_left(left.as_secs()))),
    );
    parts.join(" · ")
}

fn format_live_worker_rate(per_minute: f64) -> String {
    if per_minute < 10.0 {
        format!("{per_minute:.1} games per minute")
    } else {
        format!("{per_minute:.0} games per minute")
    }
}

fn format_live_time_left(seconds: u64) -> String {
    match seconds {
        ..90 => format!("{seconds} s"),
        90..5400 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h", (seconds + 1800) / 3600),
    }
}

fn render_live_workers_table(live: &LiveWorkers) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Worker" }
                    th.num scope="col" { "Games at once" }
                    th.num scope="col" { "Games" }
                    th.num scope="col" { "Games per minute" }
                    th.num scope="col" { "Calibration" }
                }
            }
            tbody { @for worker in &live.workers { (render_live_worker_row(worker)) } }
        }
    }
}

fn render_live_worker_row(worker: &LiveWorker) -> Markup {
    let rate = live_games_per_minute(worker.games, worker.seconds);
    html! {
        tr {
            th scope="row" { (page_player_name(&worker.name)) }
            td.num { (worker.slots) }
            td.num { (worker.games) }
            td.num { (super::page_text_or_dash(rate.map(|rate| format!("{rate:.1}")))) }
            td.num { (format!("{:.1} ms", worker.calibration_ms)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_who_plays_how_fast_and_how_long_still() {
        let worker = |name: &str| LiveWorker {
            name: name.to_owned(),
            slots: 2,
            games: 5,
            seconds: 60.0,
            calibration_ms: 5.25,
        };
        let workers = vec![worker("lab-1"), worker("<b>")];
        let live = LiveWorkers { workers, queued: 3, games: 10, due: 40, seconds: 120.0 };
        let expected = "2 workers with 4 slots · 3 jobs in the queue · 5.0 games per minute · \
                        about 8 min left";
        assert_eq!(summarise_live_workers(&live), expected);
        let begun =
            LiveWorkers { workers: vec![worker("a")], games: 0, seconds: 0.0, ..live.clone() };
        assert_eq!(summarise_live_workers(&begun), "1 worker with 2 slots · 3 jobs in the queue");
        let html = render_live_workers(&live).into_string();
        assert!(html.contains("lab-1") && !html.contains("<b>"), "{html}");
    }
}
