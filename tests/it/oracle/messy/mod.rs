//! Generators of irregular files, and of requests about them.

mod documents;
mod log;
mod queries;
mod selftest;
mod values;

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::{Duration, UNIX_EPOCH};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{File, Files};
use crate::tools::setting;
pub(crate) use queries::queries;

/// The four files, each of them irregular, broken, or missing.
pub(crate) fn files() -> impl Strategy<Value = Files> {
    let [status, sessions, tasks] =
        [documents::status(), documents::sessions(), documents::tasks()].map(stamped);
    (status, sessions, tasks, stamped(log::log())).prop_map(|(status, sessions, tasks, bus)| {
        // Few in about half of the cases.
        let names = bus.as_ref().map(|(bytes, _)| bytes.len() % 8).filter(|names| *names < 4);
        Files { status, sessions, tasks, bus, is_kept: false, names }
    })
}

/// Runs a property `PROPTEST_CASES` times. The cases are the same each time unless `FLOW_TEST_SEED` (a number) selects
/// others.
pub(crate) fn run<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value)) {
    let seed = setting("FLOW_TEST_SEED").unwrap_or(0);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let cases =
        if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { cases };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let result = TestRunner::new_with_rng(config, rng).run(strategy, |value| {
        test(value);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
}

/// A file of these bytes with a time, sometimes missing.
fn stamped(bytes: impl Strategy<Value = Vec<u8>> + 'static) -> BoxedStrategy<File> {
    let time = (1_772_000_000_000_000..1_773_000_000_000_000_u64)
        .prop_map(|micros| UNIX_EPOCH + Duration::from_micros(micros));
    prop_oneof![1 => Just(None), 9 => (bytes, time).prop_map(Some)].boxed()
}

/// A list of `words.txt`.
fn words(name: &str) -> &'static [&'static str] {
    static LISTS: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
        let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut last = "";
        for line in include_str!("words.txt").lines() {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                last = name;
            } else if let Some(word) = line.strip_prefix('"').and_then(|w| w.strip_suffix('"')) {
                lists.entry(last).or_default().push(word);
            }
        }
        lists
    });
    LISTS.get(name).unwrap_or_else(|| panic!("no list {name}"))
}

/// One of these words.
fn one_of(words: &'static [&'static str]) -> BoxedStrategy<String> {
    select(words).prop_map(str::to_owned).boxed()
}
