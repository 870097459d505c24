//! Hostile players: each attack of `tests/players/hostile.py` is tried in real tournaments, beside
//! honest games. The attack must fail, the log must describe it correctly, honest games must not be
//! affected, and nothing may be left behind.
//!
//! Mechanisms that this machine does not have are skipped by name.
#![expect(clippy::print_stdout, reason = "what was measured is said")]

#[cfg(target_os = "linux")]
mod attacks;
#[cfg(target_os = "linux")]
mod builds;
#[cfg(target_os = "linux")]
pub(crate) mod cup;
#[cfg(target_os = "linux")]
mod rooms;
#[cfg(target_os = "linux")]
mod runs;
#[cfg(target_os = "linux")]
mod sight;

use libtest_mimic::Trial;

#[cfg(target_os = "linux")]
use crate::harness::{alone, quick, slow};

#[cfg(not(target_os = "linux"))]
pub(crate) fn tests() -> Vec<Trial> {
    Vec::new()
}

#[cfg(target_os = "linux")]
pub(crate) fn tests() -> Vec<Trial> {
    let mut tests = runs::tests();
    tests.extend(builds::tests());
    tests.extend(rooms::tests());
    tests.extend(sight::tests());
    for attack in attacks::all() {
        for way in ways(attack.ways) {
            let name = format!("{}: {}", way.name(), attack.cup.what);
            let (cup, expected, ways) = (attack.cup, attack.expected, attack.ways);
            let run = move || {
                let needed = match ways {
                    attacks::Ways::Groups(group) => vec![group],
                    attacks::Ways::Mounted | attacks::Ways::Unseen => vec!["mounts"],
                    _ => vec![],
                };
                let lacks = way.lacks(&needed);
                if lacks.is_none() {
                    fails(cup, way, &expected(way));
                }
                lacks
            };
            let is_quick = attack.is_quick && way == cup::STRICT;
            tests.push(if is_quick {
                quick(name, run)
            } else if name.ends_with(": wake") {
                // It counts the time between a thaw and its notice, which grows with the load.
                alone(name, run)
            } else {
                slow(name, run)
            });
        }
    }
    tests.extend(LEFT_OUT.iter().map(left_out));
    tests
}

#[cfg(target_os = "linux")]
fn ways(ways: attacks::Ways) -> Vec<cup::Way> {
    use attacks::Ways;
    use cup::Way;
    match ways {
        Ways::Levels => vec![cup::OFF, cup::BASIC, cup::STRICT],
        Ways::Contained => Way::CONTAINED.to_vec(),
        Ways::Off => vec![cup::OFF],
        Ways::Mounted => contained(|way| way.has("mounts")),
        Ways::Counted => contained(|way| way.has("mounts") || way.user.is_none()),
        Ways::Looked => contained(|way| !way.has("mounts") && way.user.is_some()),
        Ways::Unseen => contained(|way| way.has("mounts") && way.user.is_none()),
        Ways::Groups(group) => contained(|way| way.has(group)),
    }
}

#[cfg(target_os = "linux")]
fn contained(which: impl Fn(&cup::Way) -> bool) -> Vec<cup::Way> {
    cup::Way::CONTAINED.into_iter().filter(which).collect()
}

#[cfg(target_os = "linux")]
fn fails(cup: cup::Cup, way: cup::Way, expected: &attacks::Expected) {
    use attacks::Expected;
    let played = cup.play(way);
    match expected {
        Expected::Held => played.held(None),
        Expected::Warned(warning) => played.held(Some(warning)),
        Expected::Lost(code, sentence) => played.lost(code, sentence),
        Expected::HeldOrLost(code, sentence) => played.held_or_lost(code, sentence),
    }
}

/// A mechanism that is left out, an attack, and whether another layer stops it.
#[cfg(target_os = "linux")]
type LeftOut = (&'static str, &'static [&'static str], &'static str, bool);

#[cfg(target_os = "linux")]
const LEFT_OUT: &[LeftOut] = &[
    ("strict", &["landlock"], "read", true),
    ("strict", &["namespaces"], "read", true),
    ("strict", &["landlock", "namespaces"], "read", false),
    ("strict", &["landlock"], "read-opponent", true),
    ("strict", &["namespaces"], "read-opponent", true),
    ("strict", &["landlock", "namespaces"], "read-opponent", true),
    ("strict", &["landlock", "namespaces", "mounts"], "read-opponent", false),
    ("basic", &["mounts"], "results", false),
    ("basic", &["mounts"], "burst", false),
    ("basic", &["mounts"], "threads-of-others", false),
    ("basic", &["seccomp"], "cpu-of-others", false),
    ("strict", &["seccomp"], "timers", false),
    ("strict", &["seccomp"], "metadata", true),
    ("basic", &["seccomp"], "metadata", true),
    ("strict", &["seccomp"], "watch", false),
    ("strict", &["landlock"], "network", true),
    ("strict", &["seccomp"], "network", false),
    ("strict", &["landlock"], "write", true),
    ("basic", &["landlock"], "write", true),
    ("basic", &["landlock", "mounts"], "write", false),
    ("strict", &["seccomp"], "kill-all", true),
    ("strict", &["seccomp"], "namespaces", false),
    ("strict", &["seccomp"], "sockets", false),
    ("strict", &["seccomp"], "x32", true),
    ("basic", &["user"], "reach-referee", true),
    ("strict", &["rlimits"], "open-many", false),
    ("strict", &["user"], "reach-referee", true),
    ("strict", &["kill"], "daemon", true),
    ("basic", &["kill"], "daemon", true),
    ("strict", &["freeze"], "ponder", true),
    ("strict", &["memory"], "heap", true),
    // The first process of the sandbox reaps orphans, and its time is counted.
    ("strict", &["cpu"], "hide-cpu", true),
    ("strict", &["processes"], "fork", true),
    ("strict", &["processes", "rlimits"], "fork", false),
];

#[cfg(target_os = "linux")]
fn left_out(&(level, without, what, holds): &'static LeftOut) -> Trial {
    let way = cup::Way { level, user: None, without };
    let attacks = attacks::all();
    let attack = attacks.into_iter().find(|attack| attack.cup.what == what).expect("an attack");
    slow(format!("{}: {what}", way.name()), move || {
        let lacks = way.lacks(&[]);
        if lacks.is_none() {
            let played = attack.cup.play(way);
            let goes_unseen = what == "hide-cpu" && played.is_without_faults();
            assert_eq!(played.is_held() && !goes_unseen, holds);
        }
        lacks
    })
}
