//! Writers of state: appended lines, each of which is awaited, and a status.json that is rewritten all the time.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::client::Client;
use super::support::generate::{LOG, Random, STATUS, line, status};
use super::support::meter::percentile;

/// Numbers of appended lines start here, to differ from the log's own.
const FIRST: u64 = 1_000_000_000;
/// The time after which a line that is not served fails the measurement.
const PATIENCE: Duration = Duration::from_secs(10);
/// Stories of 3 MB.
const STORIES: u64 = 12_500;

/// Appends `count` lines, `rate` per second (0: each shortly after the previous one was served), and prints the time
/// until an answer contained them: p50, p99 and the maximum.
pub(crate) fn lag(port: u16, folder: &Path, (count, rate): (u64, u64)) {
    let mut log = OpenOptions::new().append(true).open(folder.join(LOG)).unwrap();
    let mut random = Random::new(4);
    let mut client = Client::connect(port);
    let (sender, written) = channel();
    let mut append = move |number| {
        let line = line(FIRST + number, &mut random);
        let at = Instant::now();
        log.write_all(line.as_bytes()).unwrap();
        sender.send((FIRST + number, at)).unwrap();
    };
    let mut lags = if rate == 0 {
        let one = |number| {
            std::thread::sleep(Duration::from_micros(500 + number * 7919 % 5000));
            append(number);
            watch(&mut client, &written, 1).pop().unwrap()
        };
        (0..count).map(one).collect()
    } else {
        let begun = Instant::now();
        let due = move |number: u64| begun + Duration::from_nanos(number * 1_000_000_000 / rate);
        let writer = std::thread::spawn(move || {
            for number in 0..count {
                std::thread::sleep(due(number).saturating_duration_since(Instant::now()));
                append(number);
            }
        });
        let lags = watch(&mut client, &written, count);
        writer.join().unwrap();
        lags
    };
    lags.sort_unstable();
    let [p50, p99] = [50, 99].map(|percent| percentile(&lags, percent));
    println!("{p50} {p99} {}", lags.last().unwrap());
}

/// Requests the newest message until `count` lines were served; returns the microseconds for each.
fn watch(client: &mut Client, written: &Receiver<(u64, Instant)>, count: u64) -> Vec<u64> {
    let mut waiting = VecDeque::new();
    let mut lags = Vec::new();
    while (lags.len() as u64) < count {
        let newest = newest(client.get("/api/bus/messages?order=desc&limit=1"));
        let seen = Instant::now();
        waiting.extend(written.try_iter());
        while let Some((_, at)) = waiting.front().filter(|(number, _)| *number <= newest) {
            lags.push(u64::try_from(seen.saturating_duration_since(*at).as_micros()).unwrap());
            waiting.pop_front();
        }
        let is_late = waiting.front().is_some_and(|(_, at)| at.elapsed() > PATIENCE);
        assert!(!is_late, "a line was not served within {PATIENCE:?}");
    }
    lags
}

/// The number of the message on a page of one.
fn newest(body: &[u8]) -> u64 {
    let text = std::str::from_utf8(body).unwrap();
    let Some((_, rest)) = text.split_once("\"id\":") else { return 0 };
    rest.split_once(',').unwrap().0.parse().unwrap()
}

/// Replaces status.json alternately by two others, `rate` times per second.
pub(crate) fn rewrite(folder: &Path, rate: u32, seconds: u32) {
    let documents = [status(STORIES), status(STORIES + 1)];
    let begun = Instant::now();
    for turn in 0..rate * seconds {
        let new = folder.join("status.new");
        fs::write(&new, &documents[turn as usize % 2]).unwrap();
        fs::rename(&new, folder.join(STATUS)).unwrap();
        let next = begun + Duration::from_secs(1) * (turn + 1) / rate;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}
