//! The attacks, and their expected outcomes in every kind of containment.

use super::cup::{Cup, Way};

/// The expected outcome of an attack.
pub(crate) enum Expected {
    /// It fails, and the player continues to play.
    Held,
    /// The same, with this warning in the record.
    Warned(&'static str),
    /// The player loses by this fault with this message; `…` matches anything.
    Lost(&'static str, String),
    /// One or the other: it has to be lucky to come that far.
    HeldOrLost(&'static str, String),
}

use Expected::{Held, HeldOrLost, Lost, Warned};

/// The kinds of containment in which an attack is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ways {
    /// At every level, because the referee itself stops it.
    Levels,
    /// Wherever players are contained.
    Contained,
    /// Only at `off`.
    Off,
    /// With private mounts.
    Mounted,
    /// Only polling counts processes.
    Looked,
    /// Players cannot see other processes.
    Unseen,
    /// With this control group, because nothing else limits it.
    Groups(&'static str),
    /// A player's processes are counted separately from those of the referee's user.
    Counted,
}

pub(crate) struct Attack {
    pub(crate) cup: Cup,
    pub(crate) ways: Ways,
    /// Whether the quick tests try it, at the strongest level.
    pub(crate) is_quick: bool,
    pub(crate) expected: fn(Way) -> Expected,
}

/// Enough time for attacks that are not about time.
const LONG: &str = "move = \"20s\"";
/// For attacks that are late on purpose.
const SHORT: &str = "move = \"2s\"";

impl Attack {
    fn new(what: &'static str, expected: fn(Way) -> Expected) -> Self {
        let cup = Cup { what, limits: "", clock: LONG, others: &[], network: false };
        Self { cup, ways: Ways::Contained, is_quick: false, expected }
    }

    fn quick(self) -> Self {
        Self { is_quick: true, ..self }
    }

    fn ways(self, ways: Ways) -> Self {
        Self { ways, ..self }
    }

    /// Where a player can have a network.
    fn with_network(mut self) -> Self {
        self.cup.network = true;
        self.ways(Ways::Mounted)
    }

    fn limits(mut self, limits: &'static str) -> Self {
        self.cup.limits = limits;
        self
    }

    fn late(mut self) -> Self {
        self.cup.clock = SHORT;
        self.ways(Ways::Levels)
    }

    fn against(mut self, others: &'static [&'static str]) -> Self {
        self.cup.others = others;
        self
    }
}

fn held(_: Way) -> Expected {
    Held
}

/// It filled its scratch folder of 8 MiB; `used` is the measured size.
fn full(way: Way, used: &str) -> Expected {
    let (used, end) = if way.mounts() {
        ("8 MiB", "exited with code 1")
    } else {
        (used, "was killed by SIGKILL")
    };
    lost("disk", &format!("used {used} of 8 MiB of scratch space, then it {end}"))
}

fn lost(code: &'static str, sentence: &str) -> Expected {
    Lost(code, sentence.to_owned())
}

fn out_of_memory(way: Way) -> Expected {
    if way.groups("memory") {
        lost("memory", "used 64 MiB of 64 MiB, then …")
    } else {
        // At the time of polling, it was more.
        lost("memory", "used … MiB of 64 MiB, then it was killed by SIGKILL")
    }
}

/// It used memory that only a control group counts; without one, that kind of memory is refused.
fn uncounted(way: Way, refused: Expected) -> Expected {
    if way.groups("memory") { out_of_memory(way) } else { refused }
}

const SMALL_MEMORY: &str = "memory = \"64MiB\"\nprocesses = 64\nfile-size = \"1GiB\"";

pub(crate) fn all() -> Vec<Attack> {
    [others(), limits(), speech()].into_iter().flatten().collect()
}

/// Attacks on others: files, processes, the network, the kernel.
fn others() -> Vec<Attack> {
    let quick = ["read", "write", "reach-referee", "kill-all", "sockets", "namespaces", "secrets"];
    let quick = quick.map(|what| Attack::new(what, held).quick());
    let slow = [
        "asynchronous",
        "clock",
        "core-dumps",
        "cores",
        "deaf",
        "descriptors",
        "keep",
        "kernel",
        "links",
        "open-many",
        "reaching-pairs",
        "setuid",
        "sysv",
        "terminal",
        "x32",
    ];
    let slow = slow.map(|what| Attack::new(what, held));
    let accomplice = &["hostile.py", "covert"];
    let more = [
        Attack::new("covert", held).against(accomplice),
        Attack::new("modules-beside", held).against(&["naps.py", "0"]),
        Attack::new("import-opponent", |_| {
            lost(
                "crash",
                "it exited with code 1; the referee hides naps.py from it, because it belongs to another player: if this one needs it too, list it in `files = [\"naps.py\"]`",
            )
        })
        .against(&["naps.py", "0"]),
        // Its children stay behind, or keep it from exiting.
        Attack::new("spin", |_| Warned("…")),
        Attack::new("read-opponent", held).against(&["naps.py", "0"]),
        Attack::new("daemon", |_| Warned("left processes behind: 1 killed")).ways(Ways::Levels),
        Attack::new("odd-name", |_| Warned("left processes behind: 1 killed")).ways(Ways::Levels),
        Attack::new("daemon-holds-output", |_| lost("crash", "it exited with code 3"))
            .ways(Ways::Levels),
        Attack::new("pool", |way| {
            if way.mounts() {
                return Held;
            }
            lost(
                "crash",
                "it exited with code 1; it needs /dev/shm, which players have only with \
                 `mounts` or at `strict`: see `referee probe`",
            )
        }),
        Attack::new("stay-behind", held),
        Attack::new("cpu-of-others", held),
        Attack::new("watch", held),
        Attack::new("metadata", held),
        Attack::new("requests", held),
        Attack::new("marks", held),
        Attack::new("core-options", held),
        Attack::new("timers", held),
        Attack::new("threads-of-others", held).ways(Ways::Unseen),
        Attack::new("results", held).ways(Ways::Mounted),
        Attack::new("network", held).with_network(),
        Attack::new("kill-supervisor", |_| {
            lost("containment", "its supervisor ended, and the player with it")
        })
        .ways(Ways::Off),
        Attack::new("stop-supervisor", |_| Warned("left processes behind: 1 killed"))
            .ways(Ways::Off),
        Attack::new("never-leave", |_| {
            Warned("did not exit within 1 s of `quit`, and was killed")
        })
        .ways(Ways::Levels),
        Attack::new("ponder", held).against(&["naps.py", "0.2"]).ways(Ways::Levels),
        Attack::new("populate", |_| {
            lost("cpu", "it computed for … s on its opponent's turns although it was frozen")
        })
        .against(&["naps.py", "1"]),
        Attack::new("orphan", |_| {
            let sentence = "it computed for … s on its opponent's turns although it was frozen";
            HeldOrLost("cpu", sentence.to_owned())
        })
        .against(&["naps.py", "0.5"]),
        // Its children stay behind.
        Attack::new("wake", |_| Warned("…")).against(&["naps.py", "0.2"]),
    ];
    quick.into_iter().chain(slow).chain(more).collect()
}

/// Attacks on the machine's memory, disk, processes and CPU time.
fn limits() -> Vec<Attack> {
    let memory = |what, expected| Attack::new(what, expected).limits(SMALL_MEMORY);
    vec![
        memory("heap", out_of_memory).quick(),
        memory("family", out_of_memory),
        memory("unreadable", out_of_memory),
        memory("memfd", |way| uncounted(way, lost("crash", "it exited with code 1"))),
        memory("shared-mapping", |way| uncounted(way, lost("crash", "it exited with code 1"))),
        // Without mounts, no file goes through a socket.
        memory("memory-in-flight", |way| if way.mounts() { uncounted(way, Held) } else { Held }),
        memory("memory-unmapped", |way| uncounted(way, Held)),
        memory("full-sockets", out_of_memory),
        memory("page-tables", out_of_memory),
        Attack::new("fork", |_| Warned("left processes behind: … killed"))
            .limits("processes = 32")
            .ways(Ways::Counted),
        Attack::new("threads", |way| {
            if way.groups("processes") {
                Warned("hit its process limit (more than 32 processes and threads)")
            } else {
                Held
            }
        })
        .limits("processes = 32")
        .ways(Ways::Counted),
        Attack::new("fork-and-fail", |way| {
            if way.groups("processes") {
                lost("processes", "more than 16 processes and threads, then it exited with code 1")
            } else {
                lost("crash", "it exited with code 1")
            }
        })
        .limits("processes = 16")
        .ways(Ways::Counted)
        .quick(),
        Attack::new("big-file", |_| {
            lost("disk", "a file larger than 4 MiB, then it was killed by SIGXFSZ")
        })
        .limits("scratch = \"8MiB\"\nfile-size = \"4MiB\"")
        .quick(),
        Attack::new("fill-scratch", |way| full(way, "8 MiB")).limits("scratch = \"8MiB\"").quick(),
        Attack::new("nameless", |way| {
            if way.mounts() {
                // Refused at the limit; nameless files disappear with the player.
                lost("crash", "it exited with code 1")
            } else {
                full(way, "… MiB")
            }
        })
        .limits("scratch = \"8MiB\"")
        .quick(),
        Attack::new("many-folders", |way| full(way, "8 MiB")).limits("scratch = \"8MiB\""),
        Attack::new("burst", held).limits("scratch = \"8MiB\"").ways(Ways::Mounted),
        Attack::new("fork-and-wait", |_| {
            lost("processes", "more than 32 processes and threads, then it was killed by SIGKILL")
        })
        .limits("processes = 32")
        .ways(Ways::Looked),
        Attack::new("inodes", |way| {
            if way.mounts() {
                Warned("hit its disk limit (10000 files in its scratch folder)")
            } else {
                lost("disk", "10000 files in its scratch folder, then it was killed by SIGKILL")
            }
        }),
        Attack::new("shm", |_| Warned("hit its disk limit (used 8 MiB of 8 MiB of scratch space)"))
            .ways(Ways::Mounted)
            .limits("scratch = \"8MiB\""),
        Attack::new("abort", |_| lost("crash", "it was killed by SIGABRT")),
        Attack::new("recurse", |_| lost("crash", "it was killed by SIGSEGV…")),
        Attack::new("output", |_| lost("oversize", "more than 64 KiB of output in one game"))
            .limits("output = \"64KiB\""),
        Attack::new("chatter", |_| {
            Warned("wrote 2995909 bytes too many to stderr; the middle was left out")
        })
        .limits("stderr = \"4KiB\""),
        Attack::new("burn", |_| lost("cpu", "…used … s of CPU time; the limit is 0.3 s…"))
            .limits("cpu-move = \"300ms\"")
            .quick(),
        Attack::new("burn-a-little", |_| lost("cpu", "…used … s of CPU time; the limit is 1 s…"))
            .limits("cpu-game = \"1s\""),
        Attack::new("hide-cpu", |_| lost("cpu", "…used … s of CPU time; the limit is 0.5 s…"))
            .limits("cpu-move = \"500ms\"")
            .ways(Ways::Groups("cpu"))
            .quick(),
    ]
}

/// Attacks on the referee by output.
fn speech() -> Vec<Attack> {
    vec![
        Attack::new("flood", |_| {
            lost("oversize", "more than 64 KiB without a newline, beginning \"yyyy…")
        })
        .ways(Ways::Levels),
        Attack::new("never-read", |_| {
            lost("timeout", "no reply within 2 s and a margin of 0.02 s: it did not read its input")
        })
        .late(),
        Attack::new("close-output", |_| {
            lost("closed-output", "it closed its stdout and kept running")
        })
        .ways(Ways::Levels),
        Attack::new("stop-itself", |_| {
            lost(
                "timeout",
                "no reply within 2 s and a margin of 0.02 s: the process was stopped by a signal",
            )
        })
        .late(),
        Attack::new("drip", |_| {
            lost(
                "timeout",
                "no reply within 2 s and a margin of 0.02 s: you printed \"33…3\" but no newline",
            )
        })
        .late(),
        Attack::new("two-lines", |_| {
            lost(
                "unexpected-output",
                "output when no reply was due: \"and more\"; debug output belongs on stderr",
            )
        })
        .ways(Ways::Levels),
        Attack::new("odd-bytes", |_| lost("malformed", "…")).ways(Ways::Levels),
        Attack::new("leave-after-its-move", |_| lost("exit", "it exited with code 0"))
            .ways(Ways::Levels),
        Attack::new("no-newline", |_| {
            lost("malformed", "the last line has no newline: \"3,3\", then it exited with code 4")
        })
        .ways(Ways::Levels),
        Attack::new("wrong-remarks", |_| {
            Warned("at ply …: a note that is not a string was dropped")
        })
        .ways(Ways::Levels),
        Attack::new("name", held).ways(Ways::Levels),
    ]
}
