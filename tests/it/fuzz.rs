//! The targets of `fuzz/` as property tests: every seed unchanged, and mutants of the seeds, the
//! same in every run.
#![cfg(target_os = "linux")]

#[path = "../../fuzz/bodies.rs"]
mod bodies;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bodies::{TARGETS, Target};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz");
/// The maximum length of a mutant, in bytes.
const LONGEST: usize = 32 * 1024;
/// Mutants of each seed in the quick tier.
const FEW: usize = 20;
/// Mutants of each target in the slow tier, in the order of [`TARGETS`]: about ten seconds each.
const MANY: [usize; 6] = [60_000, 1_500, 1_500, 20_000, 12_000, 3_000];

/// The seeds of a target, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(format!("{FUZZ}/seeds/{target}")).expect("seeds");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a seed").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a seed")).collect()
}

/// Runs a target on an input. If it panics, saves the input as a file and names it.
fn run((name, body): Target, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| body(input))).is_err() {
        let mut kept = tempfile::NamedTempFile::new().expect("a file");
        std::io::Write::write_all(&mut kept, input).expect("written");
        let (_, path) = kept.keep().expect("kept");
        panic!("{name} fails at {}: {}", path.display(), String::from_utf8_lossy(input));
    }
}

/// Mutates inputs in ways that often break parsers.
struct Mutator {
    luck: ChaCha20Rng,
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    fn new(seeds: Vec<Vec<u8>>) -> Self {
        let words = words(&seeds);
        Self { luck: ChaCha20Rng::from_seed([9; 32]), seeds, words }
    }

    /// A number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        let drawn = usize::try_from(self.luck.next_u32()).unwrap_or(0);
        drawn.checked_rem(end).unwrap_or(0)
    }

    /// A seed after one to eight changes.
    fn mutant(&mut self) -> Vec<u8> {
        let seed = self.below(self.seeds.len());
        let mut input = self.seeds[seed].clone();
        for _ in 0..=self.below(8) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        const NUMBERS: [&str; 6] =
            ["-1", "4294967296", "18446744073709551615", "1e400", "0.5", "99999999999999999999"];
        const BYTES: [u8; 9] = [0, 0x7f, 0x80, 0xff, b'"', b'\\', b'\n', b'#', b' '];
        let at = self.below(input.len() + 1);
        let most = 1 + self.below(64);
        let length = 1 + self.below(most);
        let end = (at + length).min(input.len());
        match self.below(9) {
            0 => input.truncate(at),
            1 => drop(input.drain(at..end)),
            2 => drop(input.splice(at..at, input[at..end].to_vec())),
            3 if at < input.len() => input[at] ^= 1 << self.below(8),
            4 if at < input.len() => input[at] = BYTES[self.below(BYTES.len())],
            5 => drop(input.splice(at..end, NUMBERS[self.below(6)].bytes())),
            6 => {
                let word = self.below(self.words.len());
                drop(input.splice(at..end, self.words[word].iter().copied()));
            }
            7 => {
                let seed = self.below(self.seeds.len());
                let from = self.below(self.seeds[seed].len());
                input.truncate(at);
                input.extend_from_slice(&self.seeds[seed][from..]);
            }
            _ => {
                let from = self.below(input.len());
                let to = (from + length).min(input.len());
                let piece = input[from..to].to_vec();
                drop(input.splice(at..end, piece));
            }
        }
    }
}

/// The words of the seeds: runs of letters, digits and the like.
fn words(seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let mut words: Vec<Vec<u8>> = seeds
        .iter()
        .flat_map(|seed| seed.split(|byte| !is_word(byte)))
        .filter(|word| (1..=32).contains(&word.len()))
        .map(<[u8]>::to_vec)
        .collect();
    words.sort();
    words.dedup();
    words
}

fn run_mutants(target: Target, mutants: usize) {
    let mut mutator = Mutator::new(seeds(target.0));
    (0..mutants).for_each(|_| run(target, &mutator.mutant()));
}

#[test]
fn seeds_do_not_break_the_parsers() {
    for target in TARGETS {
        let seeds = seeds(target.0);
        assert!(!seeds.is_empty(), "{}", target.0);
        for seed in &seeds {
            run(target, seed);
        }
        run_mutants(target, FEW * seeds.len());
    }
}

/// A substitute for `cargo fuzz`, which finds more.
#[test]
#[ignore = "slow: about a minute of mutants"]
fn mutated_seeds_do_not_break_the_parsers() {
    for (target, mutants) in TARGETS.into_iter().zip(MANY) {
        run_mutants(target, mutants);
    }
}
