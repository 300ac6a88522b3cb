//! The message log.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::values::{self, GAP};
use super::{one_of, words};

/// Names in long logs, see the documents.
const CROWD: &[&str] = &["form", "From", "by", "tpye", "event_type", "date", "stroy_id", "from"];

/// A log: lines of objects and of other text, the last of them complete or not.
pub(super) fn log() -> BoxedStrategy<Vec<u8>> {
    let crowd = values::crowd(CROWD).prop_map(|messages| {
        messages.into_iter().map(|message| message.replace(GAP, "").into_bytes()).collect()
    });
    let lines = prop_oneof![6 => vec(line(), 0..14), 1 => crowd];
    (lines, any::<bool>(), one_of(&["\n", "\n", "\r\n"]))
        .prop_map(|(lines, finished, end)| {
            let mut bytes = lines.join(end.as_bytes());
            if finished && !lines.is_empty() {
                bytes.extend(end.as_bytes());
            }
            bytes
        })
        .boxed()
}

fn line() -> BoxedStrategy<Vec<u8>> {
    let style = one_of(&["", "", " ", "\t", "\r "]);
    let parts = (vec(message(), 1..4), style.clone(), one_of(&["", "", "", "\u{feff}"]));
    let glued = parts.prop_map(|(parts, style, before)| {
        format!("{before}{}", parts.join(&style).replace(GAP, &style)).into_bytes()
    });
    let one = (message(), style).prop_map(|(one, style)| one.replace(GAP, &style).into_bytes());
    let broken =
        (glued.clone(), wrong(), any::<prop::sample::Index>()).prop_map(|(mut line, wrong, at)| {
            let at = at.index(line.len() + 1);
            match wrong {
                Some(bytes) => drop(line.splice(at..at, bytes.iter().copied())),
                None => line.truncate(at),
            }
            line
        });
    let strange: &'static [&'static [u8]] = &[
        b"",
        b"",
        b"   ",
        b"[]",
        b"7",
        b"null",
        b"garbage",
        b"\xef\xbb\xbf",
        b"{},{}",
        b"{\"a\":{}}}",
    ];
    let deep = (126..130_usize).prop_map(|levels| {
        let nest = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        format!("{{}}{{\"deep\":{nest}}}{{}}").into_bytes()
    });
    prop_oneof![
        14 => one,
        5 => glued,
        3 => broken,
        3 => select(strange).prop_map(<[u8]>::to_vec),
        1 => deep,
    ]
    .boxed()
}

/// Bytes to be inserted into a line; `None` truncates it.
fn wrong() -> BoxedStrategy<Option<&'static [u8]>> {
    let bytes: &'static [&'static [u8]] =
        &[b"\0", b"\xff", b"\xed\xa0\x80", b"{", b"}", b"\"", b",", b"\\ud800", b"1e999", b"\x0c"];
    prop_oneof![1 => Just(None), 4 => select(bytes).prop_map(Some)].boxed()
}

fn message() -> BoxedStrategy<String> {
    let member = select(words("members of a message"))
        .prop_flat_map(|name| (Just(values::quote(name, false)), values::value_of(name)));
    vec(member, 0..7).prop_map(|members| values::map(&members)).boxed()
}
