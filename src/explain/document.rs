//! The positions of the records of a JSON document: each one that has an id, whether served or not.

use std::borrow::Cow;

use crate::model::fault::Fault;
use crate::model::json::{self, Member};
use crate::model::record::{Kind, Record};

/// A record of a document.
#[derive(Debug)]
pub(super) struct Occurrence<'a> {
    pub(super) kind: Kind,
    pub(super) id: Cow<'a, str>,
    /// Its position in words: `stories.US-1`, `stories[3]`, or `US-1 at the top level`.
    pub(super) place: String,
    /// Its text in the document.
    pub(super) raw: &'a str,
    /// Its offset in the document, including its key.
    pub(super) begins: usize,
}

/// A collection of a document.
struct Shape {
    kind: Kind,
    name: &'static str,
    /// The prefixes of the ids of its records at the top level.
    strays: &'static [&'static str],
}

const SHAPES: [Shape; 4] = [
    Shape { kind: Kind::Story, name: "stories", strays: &["US-", "TECH-", "BUG-"] },
    Shape { kind: Kind::Epic, name: "epics", strays: &["EP-"] },
    Shape { kind: Kind::Session, name: "sessions", strays: &[] },
    Shape { kind: Kind::Task, name: "tasks", strays: &[] },
];

/// The records of these kinds, in the order of the document within each kind.
///
/// # Errors
/// Why it is not a valid document.
pub(super) fn occurrences<'a>(text: &'a str, kinds: &[Kind]) -> Result<Vec<Occurrence<'a>>, Fault> {
    let top = json::members(text)?.list;
    let mut found = Vec::new();
    for shape in SHAPES.iter().filter(|shape| kinds.contains(&shape.kind)) {
        for member in top.iter().filter(|member| member.name == shape.name) {
            found.extend(nested(text, shape, member)?);
        }
        let is_stray =
            |member: &&Member<'a>| shape.strays.iter().any(|p| member.name.starts_with(p));
        found.extend(top.iter().filter(is_stray).map(|member| Occurrence {
            kind: shape.kind,
            id: member.name.clone(),
            place: format!("{} at the top level", member.name),
            raw: member.value,
            begins: offset(text, member.key),
        }));
    }
    Ok(found)
}

fn nested<'a>(
    text: &'a str,
    shape: &Shape,
    collection: &Member<'a>,
) -> Result<Vec<Occurrence<'a>>, Fault> {
    let raw = collection.value;
    Ok(match raw.as_bytes().first() {
        Some(b'{') => {
            let of_member = |member: Member<'a>| Occurrence {
                kind: shape.kind,
                place: format!("{}.{}", shape.name, member.name),
                id: member.name,
                raw: member.value,
                begins: offset(text, member.key),
            };
            json::members(raw)?.list.into_iter().map(of_member).collect()
        }
        Some(b'[') => {
            let of_element = |(at, raw): (usize, &'a str)| {
                let id = json::is_object(raw)
                    .then(|| Record::read(shape.kind, raw).ok()?.field("id").and_then(json::word))
                    .flatten();
                Occurrence {
                    kind: shape.kind,
                    id: id.unwrap_or_default(),
                    place: format!("{}[{at}]", shape.name),
                    raw,
                    begins: offset(text, raw),
                }
            };
            json::elements(raw)?.into_iter().enumerate().map(of_element).collect()
        }
        _ => Vec::new(),
    })
}

/// The offset of a subslice in its text.
pub(super) fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// The offsets of line ends, so that the line of an offset is found without scanning the text.
#[derive(Debug)]
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.bytes().enumerate();
        Self(bytes.filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// The line of an offset, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_has_its_place_and_line() {
        let text = "{\n\"stories\": {\n\"US-1\": {},\n \"US-1\": {\"a\":1}},\n\"US-2\":\n {},\n\"epics\": [\n{\"id\": 7},\n{}]}";
        let found = occurrences(text, &[Kind::Story, Kind::Epic, Kind::Task]).unwrap();
        let lines = Lines::of(text);
        let shown: Vec<String> = found
            .iter()
            .map(|one| format!("{} {} {}", one.id, one.place, lines.line(one.begins)))
            .collect();
        assert_eq!(
            shown,
            [
                "US-1 stories.US-1 3",
                "US-1 stories.US-1 4",
                "US-2 US-2 at the top level 5",
                "7 epics[0] 8",
                " epics[1] 9"
            ]
        );
    }
}
