//! A log that is read while it changes must have the same result as a complete reading, and that must equal the plain
//! model.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use flow::project::Limits;
use flow::store::disk::{Open, Stat};
use flow::store::names::MOST_NAMES;
use flow::store::publish;
use flow::store::snapshot::{Bus, Snapshot};
use flow::store::tail::{Extent, Reading, Tail};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::live;
use crate::oracle::{Files, answers, compare, messy};
use crate::tools::scaled;

/// A file in memory.
struct Memory {
    bytes: Vec<u8>,
    inode: u64,
    /// Counts the changes, instead of a clock.
    changes: i128,
    /// The maximum of one reading.
    piece: usize,
}

impl Memory {
    fn look(&self) -> Stat {
        Stat {
            identity: (1, self.inode),
            size: self.bytes.len() as u64,
            modified: self.changes,
            changed: self.changes,
            mode: 0o100_644,
        }
    }
}

impl Open for Memory {
    fn stat(&self) -> io::Result<Stat> {
        Ok(self.look())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = &self.bytes[self.bytes.len().min(usize::try_from(offset).unwrap())..];
        let length = rest.len().min(buffer.len()).min(self.piece);
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}

/// Bytes that are shown as text in a failure.
#[derive(Clone)]
struct Text(Vec<u8>);

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

/// A change of a log by a careless writer.
#[derive(Debug, Clone)]
enum Change {
    Append(Text),
    Truncate(Index),
    /// Other bytes of the same length in place.
    Rewrite(Index, Text),
    /// The last part moves to the front, in place.
    Rotate(Index),
    /// A new file.
    Replace(Text),
    /// The same bytes in a new file.
    Copy,
    /// Truncated and rewritten, up to and past the old size.
    Regrow(Text),
    /// Only its modification time.
    Touch,
}

impl Change {
    fn apply(&self, file: &mut Memory) {
        file.changes += 1;
        let old = std::mem::take(&mut file.bytes);
        file.bytes = match self {
            Self::Append(Text(more)) => [&old[..], more].concat(),
            Self::Truncate(at) => old[..at.index(old.len() + 1)].to_vec(),
            Self::Rotate(at) => old[at.index(old.len() + 1)..].to_vec(),
            Self::Rewrite(at, Text(other)) => {
                let mut bytes = old;
                let at = at.index(bytes.len() + 1);
                bytes.iter_mut().skip(at).zip(other).for_each(|(byte, other)| *byte = *other);
                bytes
            }
            Self::Regrow(Text(more)) => {
                let length = (old.len() + 1).max(more.len());
                if more.is_empty() { vec![b'\n'; length] } else { cycle(more, length) }
            }
            Self::Replace(Text(bytes)) => bytes.clone(),
            Self::Copy | Self::Touch => old,
        };
        if matches!(self, Self::Replace(_) | Self::Copy) {
            file.inode += 1;
        }
    }
}

fn cycle(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes.iter().copied().cycle().take(length).collect()
}

/// Bytes to append: usually complete lines, and all kinds of others.
fn bytes() -> BoxedStrategy<Text> {
    let pieces: &'static [&'static [u8]] = &[
        b"{\"id\":\"a\",\"from\":\"api\"}\n",
        b"{\"id\":\"b\",\"ts\":\"2026-03-01T10:00:00Z\"}\n",
        b"{\"n\":1,\"type\":\"x\",\"to\":\"y\"}\r\n",
        b"{\"id\":1}{\"id\":2}\n",
        b"{\"from\":\"web\"}\n",
        b"{\"from\":\"api\",\"to\":\"api\",\"type\":\"x\",\"ts\":\"2026-03-02T10:00:00Z\"}\n",
        b"{\"from\":\"ci\",\"ts\":\"2026-03-01T09:00:00Z\"}\n",
        b"{\"from\":\"ci\",\"to\":\"api\"}\n",
        b"{\"from\":\"none\"}{\"from\":\"qa\"}",
        b"{\"story\":\"US-1\"} {\"half\":",
        b"{\"half\":",
        b"\"rest\"}",
        b"{\"whole\":1}",
        b"\n",
        b"\n\n  \n",
        b"garbage\n",
        b"{\"bad\":\xff}\n",
        b"\xef\xbb\xbf{\"bom\":1}\n",
        b"[]\n",
        b"{\"long\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}\n",
        b"0123456789012345678901234567890123456789012345678901234567890123456789",
    ];
    vec(select(pieces), 0..7).prop_map(|pieces| Text(pieces.concat())).boxed()
}

fn change() -> BoxedStrategy<Change> {
    let at = any::<Index>;
    prop_oneof![
        12 => bytes().prop_map(Change::Append),
        2 => at().prop_map(Change::Truncate),
        2 => (at(), bytes()).prop_map(|(at, bytes)| Change::Rewrite(at, bytes)),
        2 => at().prop_map(Change::Rotate),
        1 => bytes().prop_map(Change::Replace),
        1 => Just(Change::Copy),
        1 => bytes().prop_map(Change::Regrow),
        1 => Just(Change::Touch),
    ]
    .boxed()
}

fn limits() -> impl Strategy<Value = Limits> {
    let sizes = (
        prop_oneof![Just(1 << 20), 64..4096_u64, 1..64_u64],
        prop_oneof![Just(1 << 20), 1..100_u64],
    );
    sizes.prop_map(|(bus_bytes, json_bytes)| Limits { json_bytes, bus_bytes, ..Limits::default() })
}

/// The log as the plain model must read it: its newest part, in which a line that is too long is invalid, complete or
/// not.
fn as_served(log: &[u8], limits: Limits) -> Vec<u8> {
    let start = live::newest_part(log, limits.bus_bytes);
    let mut served = Vec::new();
    for line in log[start..].split_inclusive(|byte| *byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if text.len() as u64 > limits.json_bytes {
            served.extend(b"too long\n");
        } else {
            served.extend(line);
        }
    }
    served
}

/// Asserts that a reading of a file equals the plain model of its bytes.
fn check(reading: Reading, file: &Memory, (limits, names): (Limits, usize)) {
    let start = live::newest_part(&file.bytes, limits.bus_bytes);
    assert_eq!(reading.left_out, start as u64, "left out of {}", file.bytes.escape_ascii());
    let mut snapshot = Snapshot::empty();
    snapshot.bus = Arc::new(Bus::new(reading, UNIX_EPOCH));
    let app = live::app(publish::publisher(snapshot).reader());
    let bus = Some((as_served(&file.bytes, limits), UNIX_EPOCH));
    let files = Files { bus, names: Some(names), ..Files::default() };
    let asked = [
        live::MESSAGES,
        "/api/bus/messages?order=desc&limit=3&offset=1",
        "/api/bus/messages?from=ci,qa&facets=from",
        "/api/bus/messages?from=api,ci&type=x,none&to=api,none&limit=2&offset=1",
        "/api/bus/messages?from!=ci,none&order=desc&limit=3&offset=1",
        "/api/bus/messages?from!=api&type!=none,x&limit=2",
        "/api/bus/messages?since=2026-03-01T09:30:00Z&until=2026-03-01T23:00:00Z",
        "/api/bus/messages?since=2026-03-01T10:00:00Z&from=api,none&order=desc&limit=2",
        "/api/bus/messages?until=2026-03-01T10:00:00Z&from!=ci",
        "/api/metrics",
        "/api/problems",
    ];
    for (asked, expected) in answers(&files, &asked) {
        let (body, left_out) = live::without_left_out(&live::ask(&app, asked).body);
        let wrong = compare::difference(&expected, 200, &body);
        assert_eq!(wrong, None, "{asked} of {}", file.bytes.escape_ascii());
        let is_list = asked.starts_with("/api/bus");
        assert_eq!(left_out, if is_list { start } else { 0 });
    }
}

/// Reads after each change incrementally, and completely.
fn run((limits, names): (Limits, usize), piece: usize, changes: &[Change]) {
    let mut file = Memory { bytes: Vec::new(), inode: 1, changes: 0, piece };
    let mut tail = Tail::new(limits, names);
    let mut known: HashMap<u64, Vec<u8>> = HashMap::new();
    let mut seen: Option<Stat> = None;
    for change in changes {
        change.apply(&mut file);
        let stat = file.look();
        let grew = seen.is_some_and(|seen| stat.size > seen.size);
        let extent = if grew { Extent::Appended } else { Extent::Whole };
        let reading = tail.read(&file, &stat, extent).unwrap();
        let again = tail.read(&file, &stat, Extent::Checked).unwrap();
        let fresh = Tail::new(limits, names).read(&file, &stat, Extent::Whole).unwrap();
        assert_eq!(reading.hash, fresh.hash, "of {}", file.bytes.escape_ascii());
        assert_eq!(again.hash, fresh.hash);
        assert_eq!(reading.log.len(), fresh.log.len());
        let from = live::newest_part(&file.bytes, limits.bus_bytes);
        let content = [&from.to_le_bytes()[..], &file.bytes[from..]].concat();
        assert_eq!(*known.entry(fresh.hash).or_insert_with(|| content.clone()), content);
        check(reading, &file, (limits, names));
        check(again, &file, (limits, names));
        seen = Some(stat);
    }
}

#[test]
fn a_log_read_as_it_changes_is_the_log_read_as_a_whole() {
    let piece = prop_oneof![Just(usize::MAX), 1..7_usize];
    let names = prop_oneof![Just(MOST_NAMES), 0..4_usize];
    let changes = ((limits(), names), piece, vec(change(), 1..14));
    messy::run(scaled(64, 256), &changes, |(limits, piece, changes)| {
        run(limits, piece, &changes);
    });
}

#[test]
fn a_change_in_the_middle_of_a_long_log_is_found_by_comparing_all_of_it() {
    let limits = Limits { json_bytes: 1 << 20, bus_bytes: 1 << 20, ..Limits::default() };
    let line = |n: usize| format!("{{\"n\":{n:07}}}\n");
    let mut bytes: Vec<u8> = (0..200_000).flat_map(|n| line(n).into_bytes()).collect();
    let mut tail = Tail::new(limits, MOST_NAMES);
    let mut file = Memory { bytes: bytes.clone(), inode: 1, changes: 0, piece: usize::MAX };
    let first = tail.read(&file, &file.look(), Extent::Whole).unwrap().hash;
    for (at, is_served) in
        [(bytes.len() - 100_000, true), (bytes.len() - 1_000_000, true), (40, false)]
    {
        bytes[at - at % 14 + 5] ^= 1;
        file.bytes.clone_from(&bytes);
        let reading = tail.read(&file, &file.look(), Extent::Checked).unwrap();
        let fresh = Tail::new(limits, MOST_NAMES).read(&file, &file.look(), Extent::Whole).unwrap();
        assert_eq!(reading.hash, fresh.hash, "at {at}");
        assert_eq!(reading.log.len(), fresh.log.len());
        assert!(!is_served || reading.hash != first);
    }
}

#[test]
fn a_change_in_the_middle_is_found_piece_by_piece_whenever_it_comes() {
    let limits = Limits { json_bytes: 1 << 20, bus_bytes: 64 << 20, ..Limits::default() };
    let line = |n: usize| format!("{{\"n\":{n:07}}}\n");
    let text: String = (1_000_000..1_300_000).map(line).collect();
    let mut file = Memory { bytes: text.into_bytes(), inode: 1, changes: 0, piece: usize::MAX };
    let mut tail = Tail::new(limits, MOST_NAMES);
    let first = tail.read(&file, &file.look(), Extent::Whole).unwrap();
    assert!(first.certain);
    let looks = |tail: &mut Tail, file: &Memory, most: usize| {
        let look = |_| tail.read(file, &file.look(), Extent::Compared).unwrap();
        (1..=most).map(look).take_while(|reading| !reading.certain).count() + 1
    };
    // 4 MB are more than one piece, and every byte is compared.
    let pieces = looks(&mut tail, &file, 100);
    assert!((2..=8).contains(&pieces), "{pieces}");
    // An append during a comparison starts another one.
    assert!(!tail.read(&file, &file.look(), Extent::Compared).unwrap().certain);
    file.bytes.extend(line(1_000_000).into_bytes());
    assert!(!tail.read(&file, &file.look(), Extent::Appended).unwrap().certain);
    file.bytes[14 * 100_000 + 8] ^= 1;
    assert!(looks(&mut tail, &file, 100) > pieces - 1);
    let reading = tail.read(&file, &file.look(), Extent::Compared).unwrap();
    let fresh = Tail::new(limits, MOST_NAMES).read(&file, &file.look(), Extent::Whole).unwrap();
    assert_eq!((reading.hash, reading.log.len()), (fresh.hash, 300_001));
}

/// Runs a few appends to a log that mostly exceeds its limit.
fn run_appends(limits: Limits, appends: &[&str]) {
    let append = |text: &&str| Change::Append(Text(text.as_bytes().to_vec()));
    run((limits, MOST_NAMES), usize::MAX, &appends.iter().map(append).collect::<Vec<_>>());
}

#[test]
fn the_hash_of_a_line_that_is_too_long_does_not_depend_on_its_pieces() {
    let limits = Limits { json_bytes: 8, bus_bytes: 1 << 20, ..Limits::default() };
    run_appends(limits, &["{\"a\":\"123", "456", "789", "\"}\n{\"b\":1}\n"]);
}

#[test]
fn a_line_behind_a_left_out_one_that_was_too_long_is_whole() {
    let limits = Limits { json_bytes: 8, bus_bytes: 24, ..Limits::default() };
    run_appends(limits, &["{\"story\":\"US-1\"} {\"half\":", "\n{\"i\":1}\n{\"i\":2}\n"]);
}

#[test]
fn a_log_regrown_behind_a_left_out_line_is_read_anew() {
    let limits = Limits { json_bytes: 1 << 20, bus_bytes: 32, ..Limits::default() };
    let long = Change::Append(Text(vec![b'x'; 100]));
    let short = Change::Regrow(Text(b"{\"i\":1}\n".to_vec()));
    run((limits, MOST_NAMES), usize::MAX, &[long, short]);
}
