//! The message log.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use flow::project::Source;
use flow::store::{Environment, Options};
use serde_json::{Value, json};

use super::{Way, in_each_way};
use crate::live::{self, Live, append};

/// Keeps the last bytes of a log in place: the same file, shorter.
fn rotate(path: &Path, keep: usize) {
    let old = fs::read(path).unwrap();
    let kept = &old[old.len() - keep.min(old.len())..];
    // Writes through the one file, as a script does that reads, truncates and writes.
    fs::write(path, kept).unwrap();
}

fn lines(from: usize, to: usize) -> String {
    let lines: Vec<String> =
        (from..to).map(|n| format!("{{\"n\":{n},\"from\":\"writer\"}}\n")).collect();
    lines.concat()
}

/// So many bytes that the ends of the log do not tell of its middle.
fn long_lines() -> String {
    let padding = "x".repeat(400);
    let lines: Vec<String> =
        (1000..1150).map(|n| format!("{{\"n\":{n},\"text\":\"{padding}\"}}\n")).collect();
    lines.concat()
}

#[test]
fn half_a_line_is_hidden_and_then_there_once() {
    in_each_way(|case| {
        let path = case.live.file(Source::Bus);
        live::write(&path, "{\"n\":1}\n{\"n\":");
        case.settles();
        append(&path, "2");
        case.settles();
        append(&path, "}");
        case.settles();
        append(&path, "\n");
        case.settles();
        let counted = case.live.text("/api/bus/messages").matches("\"n\":2").count();
        assert_eq!(counted, 1);
    });
}

#[test]
fn a_writer_killed_in_its_line() {
    in_each_way(|case| {
        let path = case.live.file(Source::Bus);
        live::write(&path, "{\"n\":1}\n");
        case.settles();
        for rest in ["\n{\"n\":2}\n", "{\"n\":3}\n", "\"}\n{\"n\":4}"] {
            append(&path, "{\"killed\":\"in the mid");
            case.settles();
            append(&path, rest);
            case.settles();
            append(&path, "\n");
            case.settles();
        }
        assert!(case.live.health(Source::Bus).skipped >= 2);
    });
}

#[test]
fn a_line_in_the_middle_written_over_while_the_log_grows() {
    in_each_way(|case| {
        let path = case.live.file(Source::Bus);
        let mut text = long_lines();
        live::write(&path, &text);
        case.settles();
        for n in 1070..1074 {
            text = text.replace(&format!("\"n\":{n},"), "\"n\":9999,") + "{\"more\":1}\n";
            // In place, in one call, so that nobody sees it shrink.
            let file = File::options().write(true).open(&path).unwrap();
            file.write_all_at(text.as_bytes(), 0).unwrap();
            if case.way != Way::Asked || n % 2 == 0 {
                case.settles();
            }
        }
    });
}

#[test]
fn a_log_over_its_limit_is_served_as_its_newest_part() {
    let folder = tempfile::tempdir().unwrap();
    let limits = r#"{"limits":{"bus_bytes":4096,"json_bytes":200}}"#;
    live::write(&folder.path().join(".flow/config.json"), limits);
    let live = Live::open(folder, &Options::default(), Environment::default());
    let path = live.file(Source::Bus);
    live::write(&path, "");
    for n in 0..40 {
        append(&path, lines(n * 11, n * 11 + 11));
        live.agrees();
        let answer: Value = serde_json::from_str(&live.text("/api/bus/messages?limit=1")).unwrap();
        let (left_out, first, total) = newest_part(&fs::read(&path).unwrap(), 4096);
        assert_eq!(answer["left_out_bytes"].as_u64().unwrap_or_default(), left_out as u64);
        assert_eq!((&answer["messages"][0], &answer["total"]), (&first, &json!(total)));
    }
    assert!(live.text("/api/bus/messages").contains("left_out_bytes"));
    let again = Live::open(copy(&live), &Options::default(), Environment::default());
    let tag = |live: &Live| live.get("/api/bus/messages").etag;
    assert_eq!(tag(&again), tag(&live), "after a restart");
    rotate(&path, 2000);
    live.agrees();
    assert!(!live.text("/api/bus/messages").contains("left_out_bytes"));
    assert!(live.is_ok());
}

/// What is served of a log with such a limit: the bytes before it, its first message, and how many there are. It begins
/// with the first line behind a sixteenth of the limit, counted from the beginning of the file.
fn newest_part(log: &[u8], limit: usize) -> (usize, Value, usize) {
    let border = log.len().saturating_sub(limit).div_ceil(limit / 16) * (limit / 16);
    let ends = (1..).zip(log).filter(|(_, byte)| **byte == b'\n').map(|(end, _)| end);
    let begin = if border == 0 { 0 } else { ends.into_iter().find(|end| *end >= border).unwrap() };
    let served = std::str::from_utf8(&log[begin..]).unwrap();
    let first = serde_json::from_str(served.lines().next().unwrap()).unwrap();
    (begin, first, served.lines().count())
}

/// The project in another folder, its log as it is, its time too.
fn copy(live: &Live) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in [live.path(".flow/config.json"), live.file(Source::Bus)] {
        let other = folder.path().join(path.strip_prefix(live.project.root()).unwrap());
        live::write(&other, fs::read(&path).unwrap());
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    }
    folder
}

#[test]
fn lines_that_are_repeated_are_messages_each() {
    let live = Live::new();
    let lines = [
        "{\"from\":\"a\",\"type\":\"alive\",\"ts\":\"2026-01-02T03:04:05Z\"}",
        "{ \"sender\":\"b\" }",
        "{}",
        "",
        "{\"n\":1}{\"n\":2}",
        "{broken",
        "{\"n\":1}",
    ];
    let mut text = String::new();
    for line in lines.iter().cycle().take(40) {
        text.push_str(&format!("{line}\n").repeat(3));
    }
    live.write(Source::Bus, &text);
    live.agrees();
    // Beyond one run, so that the last line of a run is the first of the next.
    live.write(Source::Bus, "{\"from\":\"a\"}\n".repeat(70_000));
    live.sync();
    assert_eq!(live.app.reader.snapshot().bus.log.len(), 70_000);
    assert!(live.text("/api/metrics").contains("\"by_sender\":{\"a\":70000}"));
}
