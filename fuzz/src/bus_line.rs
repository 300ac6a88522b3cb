//! Bytes of the message log: the served messages parse, are served unchanged when they are read again, and do not
//! depend on how the reading was split.

use flow_daemon::store::lines::Lines;
use flow_daemon::store::names::{MOST_NAMES, Names};
use flow_model::bus::{self, Form};
use serde::de::IgnoredAny;

/// The longest line and the bytes of a segment, small enough to be exceeded.
const LONGEST: u64 = 96;
const SEGMENT: u64 = 128;

type Told = (Vec<String>, Vec<String>, u64);

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((cut, text)) = data.split_first() else { return };
    for line in text.split(|byte| *byte == b'\n') {
        each_message_is_sound(line);
    }
    let at = usize::from(*cut).min(text.len());
    assert_eq!(read(&[text]), read(&[&text[..at], &text[at..]]), "cut at {at}");
}

fn each_message_is_sound(line: &[u8]) {
    // An invalid line is a problem; the valid objects on it are served all the same.
    let _ = bus::read_line(line, None, |message| {
        let served = written(message.text, message.form);
        serde_json::from_str::<IgnoredAny>(&served).expect("what is served is no JSON");
        assert!(!served.contains('\n'), "what is served is more than a line");
        assert_eq!(written(&served, Form::Rewritten), served, "rewriting again changes it");
        let mut again = Vec::new();
        bus::read_line(served.as_bytes(), None, |read| {
            again.push((read.form, read.time, read.words.clone()));
        })
        .expect("what is served is refused");
        assert_eq!(
            again,
            [(Form::Verbatim, message.time, message.words)],
            "it is read differently"
        );
    });
}

fn written(text: &str, form: Form) -> String {
    let mut out = Vec::new();
    bus::write(text, form, &mut out);
    String::from_utf8(out).expect("what is served is not UTF-8")
}

/// Reads piece by piece, like the tail.
fn read(pieces: &[&[u8]]) -> Told {
    let mut lines = Lines::new(0, LONGEST, SEGMENT, Names::new(MOST_NAMES));
    let mut pending = Vec::new();
    for piece in pieces {
        let from = pending.len();
        pending.extend_from_slice(piece);
        let taken = lines.take(&pending, from);
        pending.drain(..taken);
        lines.seal();
    }
    let (log, problems, hash) = lines.with_unfinished(&pending);
    let mut messages = Vec::new();
    for chunk in log.chunks() {
        for at in 0..u32::try_from(chunk.len()).expect("few messages") {
            let (text, form) = chunk.message(at);
            messages.push(written(text, form));
        }
    }
    assert_eq!(messages.len(), log.len());
    (messages, problems.others().map(|problem| format!("{problem:?}")).collect(), hash)
}
