//! Measures a function by the clock, or, under callgrind, by instructions.
//!
//! Instructions are counted between two external commands to callgrind: "reset the counters" and "write them to a
//! file". The cost of the commands in this process is measured once and subtracted.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::option;

/// The method of measurement.
pub(crate) enum Meter {
    /// Nanoseconds, the median of rounds.
    Clock,
    /// Instructions, repeatable.
    Callgrind(Callgrind),
}

/// A running callgrind around this process.
pub(crate) struct Callgrind {
    /// The argument of `--callgrind-out-file`.
    files: PathBuf,
    dumps: u32,
    commands: u64,
}

impl Meter {
    /// Uses callgrind if `--callgrind FILE` is given, else the clock.
    pub(crate) fn new() -> Self {
        let Some(files) = option("--callgrind") else { return Self::Clock };
        control("--instr=on");
        let mut meter = Callgrind { files: files.into(), dumps: 0, commands: 0 };
        meter.count(|| ());
        meter.commands = meter.count(|| ());
        Self::Callgrind(meter)
    }

    /// The unit of the results.
    pub(crate) fn unit(&self) -> &'static str {
        match self {
            Self::Clock => "ns",
            Self::Callgrind(_) => "instructions",
        }
    }

    /// Measures one call of `work`, which is repeated.
    pub(crate) fn measure<T>(&mut self, times: u32, mut work: impl FnMut() -> T) -> u64 {
        for _ in 0..times.div_ceil(4) {
            std::hint::black_box(work());
        }
        let mut all = || {
            for _ in 0..times {
                std::hint::black_box(work());
            }
        };
        match self {
            Self::Clock => median((0..9).map(|_| clock(&mut all)).collect()) / u64::from(times),
            Self::Callgrind(callgrind) => {
                let counted = callgrind.count(all);
                counted.saturating_sub(callgrind.commands) / u64::from(times)
            }
        }
    }
}

impl Callgrind {
    fn count(&mut self, work: impl FnOnce()) -> u64 {
        control("--zero");
        work();
        control("--dump");
        self.dumps += 1;
        let dump = self.files.with_added_extension(self.dumps.to_string());
        let text = fs::read_to_string(&dump).unwrap();
        let _ = fs::remove_file(dump);
        let line = text.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap();
        line.trim().parse().unwrap()
    }
}

fn control(command: &str) {
    let id = std::process::id().to_string();
    let done = Command::new("callgrind_control")
        .args([command, &id])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(done.unwrap().success(), "callgrind_control {command}");
}

fn clock(work: &mut impl FnMut()) -> u64 {
    let begun = Instant::now();
    work();
    u64::try_from(begun.elapsed().as_nanos()).unwrap()
}

/// The median.
pub(crate) fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The percentile.
pub(crate) fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}
