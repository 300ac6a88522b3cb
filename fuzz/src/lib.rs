//! What the fuzz targets check, one module each, and what they share: a parser runs on a small stack and must terminate quickly,
//! and a skill runs on bytes through the catalog's table, as the command line runs it. `cargo test --test fuzz` checks the seeds
//! and changed copies of them, without a fuzzer.

#![allow(clippy::expect_used, clippy::missing_panics_doc, reason = "a panic is how a check fails")]

pub mod bus_line;
pub mod config_registry_git;
pub mod control_line;
pub mod ddl;
pub mod document;
pub mod host;
pub mod notation;
pub mod plan;
pub mod query;
pub mod schema;
pub mod status_json;

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use flow_skills::generator;
use flow_skills::input::definition::Request;
use flow_skills::project_state::Context;
use flow_skills::project_state::state::State;
use nix::time::{ClockId, clock_gettime};

/// Stack of a reader, in bytes.
const STACK: usize = 1 << 20;
/// Longest time that a reader may need, in processor time of its thread.
const LONGEST: Duration = Duration::from_secs(1);
/// How many times more of both a reader may need under the address sanitizer, whose frames are larger.
const UNDER_SANITIZER: u32 = 5;
/// If the first byte is at least this, the text is repeated, to detect readers that take longer than linear time.
const REPEATED: u8 = 0xf0;
/// Length of a repeated text, in bytes.
const REPEATED_LENGTH: usize = 32 << 10;

/// A call of a skill that uses a reader.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// The skill.
    pub skill: &'static str,
    /// The field for the text; if none is named, the skill recognises the text.
    pub field: Option<&'static str>,
    /// Other fields, with their texts.
    pub options: &'static [(&'static str, &'static str)],
}

/// Runs a reader on a small stack.
///
/// # Panics
/// When it takes too long. A stack overflow ends the process.
pub fn within_limits(read: impl FnOnce() + Send) {
    let is_sanitized = !cfg!(test) && std::env::var("SANITIZER").as_deref() != Ok("none");
    let times = if is_sanitized { UNDER_SANITIZER } else { 1 };
    let run = || {
        let begin = Duration::from(now());
        read();
        Duration::from(now()).saturating_sub(begin)
    };
    let taken = thread::scope(|scope| {
        let reader =
            thread::Builder::new().stack_size(STACK * times as usize).spawn_scoped(scope, run);
        reader.expect("no thread").join().expect("the reader panicked")
    });
    assert!(taken <= LONGEST * times, "the reader took {taken:?} of processor time");
}

fn now() -> nix::sys::time::TimeSpec {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("no clock")
}

/// The first byte, which chooses among the readers, and the text.
pub fn choice(data: &[u8]) -> Option<(usize, Vec<u8>)> {
    let (&first, text) = data.split_first()?;
    let times = if first < REPEATED { 1 } else { REPEATED_LENGTH / text.len().max(1) };
    Some((usize::from(first), text.repeat(times)))
}

/// Runs a skill on a text; the skill may refuse it.
pub fn run(call: &Call, text: &[u8]) {
    let skill = generator::find(call.skill).expect("no such skill");
    let mut request = Request::default();
    let pairs = call.options.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    request.pairs.extend(pairs);
    match (call.field, std::str::from_utf8(text)) {
        (Some(field), Ok(text)) => request.pairs.push((field.to_owned(), text.to_owned())),
        (Some(_), Err(_)) => return,
        (None, _) => request.contents.push(text.to_owned()),
    }
    // A refusal has a reason; the tests check which one.
    let _ = skill.place(&request).and_then(|given| skill.run(&given, &context()));
}

/// The folder of the project that skills read: this process's own.
pub fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("flow-fuzz-{}", std::process::id()))
}

/// A fixed time, and no project.
pub fn context() -> Context {
    Context {
        now: "2026-01-31T09:30:00Z".to_owned(),
        state: State::none("no project".to_owned()),
        folder: folder(),
        root: folder(),
        out: None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// How many changed copies of each seed are checked, unless `FLOW_FUZZ_COPIES` is set.
    const COPIES: usize = 8;

    /// Numbers that look random and are the same in each run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 % end.max(1) as u64).unwrap()
        }
    }

    /// Checks the seeds of a target and changed copies of them. A failure prints its input.
    fn check_seeds(target: &str, check: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
        let mut paths: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|one| one.unwrap().path()).collect();
        paths.sort();
        let seeds: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
        assert!(!seeds.is_empty(), "no seeds in {}", folder.display());
        let copies = std::env::var("FLOW_FUZZ_COPIES").map_or(COPIES, |text| text.parse().unwrap());
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        for seed in &seeds {
            let mut input = seed.clone();
            for _ in 0..=copies {
                let has_failed = std::panic::catch_unwind(|| check(&input)).is_err();
                assert!(!has_failed, "{target} fails on {:?}", String::from_utf8_lossy(&input));
                input = changed(seed, &seeds, &mut numbers);
            }
        }
    }

    /// A copy with one to four changes: a byte replaced or put in, a part removed or doubled, or a part of another seed put in.
    fn changed(seed: &[u8], seeds: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
        let mut copy = seed.to_owned();
        for _ in 0..=numbers.below(4) {
            let at = numbers.below(copy.len() + 1);
            let end = (at + numbers.below(16)).min(copy.len());
            let other = &seeds[numbers.below(seeds.len())];
            let from = numbers.below(other.len() + 1);
            let (range, with) = match numbers.below(4) {
                0 => (at..end.min(at + 1), vec![u8::try_from(numbers.below(256)).unwrap()]),
                1 => (at..end, Vec::new()),
                2 => (at..at, copy[at..end].to_owned()),
                _ => (at..at, other[from..(from + numbers.below(64)).min(other.len())].to_owned()),
            };
            copy.splice(range, with);
        }
        copy
    }

    macro_rules! targets {
        ($($target:ident)*) => {
            $(
                #[test]
                fn $target() {
                    check_seeds(stringify!($target), super::$target::check);
                }
            )*
        };
    }

    targets! {
        bus_line config_registry_git control_line ddl document host notation plan query schema status_json
    }
}
