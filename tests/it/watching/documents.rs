//! The JSON documents.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flow::project::Source;
use flow::store::snapshot::State;
use flow::store::{Environment, Options};

use super::{in_each_way, long_status, status};
use crate::live::{self, Live};
use crate::support::wait_until;

/// Truncates a file and writes it in pieces of 512 bytes.
fn write_in_pieces(path: &Path, text: &str) {
    let mut file = File::create(path).unwrap();
    for piece in text.as_bytes().chunks(512) {
        file.write_all(piece).unwrap();
    }
}

#[test]
fn what_is_broken_and_repaired() {
    in_each_way(|case| {
        case.live.write(Source::Status, status("good"));
        case.settles();
        let broken: [&[u8]; 7] = [
            b"",
            b"{",
            b"{\"stories\":{",
            b"garbage",
            b"[]",
            b"{}{}",
            b"{\"stories\":{\"\xff\":1}}",
        ];
        for (n, broken) in broken.iter().enumerate() {
            case.live.write(Source::Status, broken);
            case.settles();
            case.live.write(Source::Status, status(&n.to_string()));
            case.settles();
            assert!(case.live.is_ok());
        }
    });
}

#[test]
fn invalid_counts_after_a_second_and_is_changing_before() {
    let live = Live::new();
    live.write(Source::Status, status("good"));
    live.agrees();
    let good = live.files();
    live.write(Source::Status, "{\"stories\":");
    let written = Instant::now();
    live.sync();
    if written.elapsed() < Duration::from_millis(900) {
        assert_eq!(live.state(Source::Status), State::Changing);
        assert!(live.is_ok());
    }
    wait_until("it counts as invalid", || live.state(Source::Status) == State::Invalid);
    assert!(written.elapsed() >= Duration::from_millis(900), "too early");
    assert!(!live.is_ok());
    let health = live.health(Source::Status);
    assert!(health.last_error.is_some_and(|why| why.contains("it ends in the middle")));
    assert_eq!(health.bytes, good.status.as_ref().unwrap().0.len() as u64, "of what is served");
    live.serves(&good);
    live.write(Source::Status, "also wrong");
    live.sync();
    assert_eq!(live.state(Source::Status), State::Invalid, "it was never valid in between");
    live.write(Source::Status, status("better"));
    live.agrees();
    assert_eq!((live.state(Source::Status), live.is_ok()), (State::Present, true));
    assert_eq!(live.health(Source::Status).last_error, None);
}

#[test]
fn the_first_load_was_invalid() {
    let live = Live::new();
    live.write(Source::Status, "{");
    live.write(Source::Tasks, "[1]");
    live.sync();
    live.serves(&live.files());
    assert!(live.text("/api/status").contains("state_invalid"));
    wait_until("it counts as invalid", || !live.is_ok());
    fs::remove_file(live.file(Source::Status)).unwrap();
    fs::remove_file(live.file(Source::Tasks)).unwrap();
    live.agrees();
    assert_eq!((live.state(Source::Status), live.is_ok()), (State::Missing, true));
}

#[test]
fn a_writer_in_pieces_never_turns_health_red_and_shows_no_half() {
    let live = Live::new();
    let path = live.file(Source::Status);
    let texts = ["a", "b"].map(long_status);
    live::write(&path, &texts[0]);
    live.agrees();
    let bodies = texts.each_ref().map(String::as_bytes);
    let (done, seen) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let body = live.get("/api/status").body;
                assert!(bodies.contains(&body.as_ref()), "a mixture of {} bytes", body.len());
                assert!(live.is_ok(), "{}", live.text("/api/health"));
                seen.fetch_add(1, Ordering::Relaxed);
            }
        });
        let end = Instant::now() + Duration::from_millis(crate::tools::scaled(1_000, 2_500));
        for text in texts.iter().cycle().take_while(|_| Instant::now() < end) {
            write_in_pieces(&path, text);
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(seen.load(Ordering::Relaxed) > 0);
    live.comes_to_agree();
}

#[test]
fn the_second_place_of_a_registry_counts_while_the_first_is_empty() {
    in_each_way(|case| {
        let old = case.live.path(".agileflow/sessions/registry.json");
        let new = case.live.path(".flow/sessions/registry.json");
        live::write(&old, r#"{"sessions":{"old":{}}}"#);
        case.settles();
        live::write(&new, r#"{"sessions":{"new":{}}}"#);
        case.settles();
        assert!(case.live.text("/api/sessions").contains("new"));
        fs::remove_file(&new).unwrap();
        case.settles();
        fs::remove_file(&old).unwrap();
        case.settles();
    });
}

#[test]
fn looking_once_more_publishes_nothing_new() {
    let live = Live::new();
    live.write(Source::Status, status("good"));
    live.write(Source::Bus, "{}\n");
    live.agrees();
    let (generation, loaded) = (live.sync(), live.health(Source::Status).loaded_at);
    // Past the second look at what was just written, and past a sweep.
    live::comes_true(Duration::from_millis(400), || false);
    assert_eq!((live.sync(), live.health(Source::Status).loaded_at), (generation, loaded));
}

#[test]
fn marks_digits_and_doubled_keys() {
    in_each_way(|case| {
        let text = "\u{feff}{\"stories\":{\"US-1\":{\"n\":123456789012345678901234567890,\
                    \"title\":\"a\",\"title\":\"b\"}}}";
        case.live.write(Source::Status, text);
        let log = "\u{feff}{\"a\":1}\r\n\r\n\0\n{\"b\":\"\u{1}\"}\n{\"c\":\"\\ud800\"}\n\u{feff}{\"d\":2,\"d\":3}\r\n";
        case.live.write(Source::Bus, log);
        case.settles();
        let stories = case.live.text("/api/stories");
        assert!(
            stories.contains(r#""n":123456789012345678901234567890,"title":"b"}"#),
            "{stories}"
        );
        assert_eq!(case.live.health(Source::Bus).skipped, 3);
    });
}

#[test]
fn too_deep_or_too_large_is_refused_and_the_last_good_kept() {
    let folder = tempfile::tempdir().unwrap();
    live::write(&folder.path().join(".flow/config.json"), r#"{"limits":{"json_bytes":300000}}"#);
    let live = Live::open(folder, &Options::default(), Environment::default());
    live.write(Source::Tasks, r#"{"tasks":{"t":{}}}"#);
    live.write(Source::Status, status("good"));
    live.agrees();
    let good = live.files();
    let deep = format!(r#"{{"tasks":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    live.write(Source::Tasks, deep);
    live.write(Source::Status, format!("{}{}", " ".repeat(300_000), status("large")));
    live.sync();
    live.serves(&good);
    assert_eq!(live.state(Source::Status), State::TooLarge);
    wait_until("too deep counts as invalid", || live.state(Source::Tasks) == State::Invalid);
    let why = live.health(Source::Status).last_error.unwrap();
    assert!(why.contains("300000"), "{why}");
    live.serves(&good);
    live.write(Source::Tasks, r#"{"tasks":{"t":{"n":2}}}"#);
    live.write(Source::Status, status("small"));
    live.agrees();
    assert!(live.is_ok());
}
