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
    /// Its id as it is on disk.
    id_raw: &'a str,
    /// The id, as it is on disk, of the epic whose record contains it.
    pub(super) epic: Option<&'a str>,
}

/// The records of these kinds, in the order of the document within each kind.
///
/// # Errors
/// Why it is not a valid document.
pub(super) fn occurrences<'a>(text: &'a str, kinds: &[Kind]) -> Result<Vec<Occurrence<'a>>, Fault> {
    let top = json::members(text)?.list;
    let mut found = Vec::new();
    for kind in kinds {
        for member in top.iter().filter(|member| member.name == kind.collection()) {
            found.extend(nested(text, *kind, kind.collection(), member.value)?);
        }
        let is_stray =
            |member: &&Member<'a>| kind.prefixes().iter().any(|p| member.name.starts_with(p));
        found.extend(top.iter().filter(is_stray).map(|member| Occurrence {
            kind: *kind,
            id: member.name.clone(),
            place: format!("{} at the top level", member.name),
            raw: member.value,
            begins: offset(text, member.key),
            id_raw: member.key,
            epic: None,
        }));
    }
    if kinds.contains(&Kind::Story) {
        let epics = occurrences_of_epics(text)?;
        for epic in &epics {
            found.extend(of_epic(text, epic)?);
        }
    }
    Ok(found)
}

fn occurrences_of_epics(text: &str) -> Result<Vec<Occurrence<'_>>, Fault> {
    occurrences(text, &[Kind::Epic])
}

/// The stories in the record of an epic.
fn of_epic<'a>(text: &'a str, epic: &Occurrence<'a>) -> Result<Vec<Occurrence<'a>>, Fault> {
    let Ok(record) = Record::read(Kind::Epic, epic.raw) else { return Ok(Vec::new()) };
    let Some(member) = record.members().iter().find(|member| member.name == "stories") else {
        return Ok(Vec::new());
    };
    let stories = nested(text, Kind::Story, &format!("{}.stories", epic.id), member.value)?;
    let is_story = |one: &Occurrence<'_>| json::is_object(one.raw);
    let within = |one: Occurrence<'a>| Occurrence { epic: Some(epic.id_raw), ..one };
    Ok(stories.into_iter().filter(is_story).map(within).collect())
}

fn nested<'a>(
    text: &'a str,
    kind: Kind,
    name: &str,
    raw: &'a str,
) -> Result<Vec<Occurrence<'a>>, Fault> {
    Ok(match raw.as_bytes().first() {
        Some(b'{') => {
            let of_member = |member: Member<'a>| Occurrence {
                kind,
                place: format!("{name}.{}", member.name),
                id: member.name,
                raw: member.value,
                begins: offset(text, member.key),
                id_raw: member.key,
                epic: None,
            };
            json::members(raw)?.list.into_iter().map(of_member).collect()
        }
        Some(b'[') => {
            let of_element = |(at, raw): (usize, &'a str)| {
                let id_raw = json::is_object(raw)
                    .then(|| Record::read(kind, raw).ok()?.field("id"))
                    .flatten()
                    .unwrap_or_default();
                Occurrence {
                    kind,
                    id: json::word(id_raw).unwrap_or_default(),
                    place: format!("{name}[{at}]"),
                    raw,
                    begins: offset(text, raw),
                    id_raw,
                    epic: None,
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
