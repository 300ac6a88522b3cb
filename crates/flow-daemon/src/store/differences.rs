//! The differences between the records of a collection in two states of a file, at a cost proportional to their number.
//!
//! Records are compared by a hash of id and text. Unchanged records in the same order cost one comparison of two
//! numbers; only added, removed, changed and moved records are looked up by id.

use super::records::Records;

/// How a record differs. Positions are those in the state that has the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// It is new.
    Added(usize),
    /// Its text differs.
    Changed {
        /// Its position before.
        before: usize,
        /// Its position now.
        after: usize,
    },
    /// It is no longer there.
    Removed(usize),
}

/// The differences, in the order of the records.
pub fn between(before: &Records, after: &Records) -> Vec<Difference> {
    let (old, new) = (before.hashes(), after.hashes());
    // Records that no document contains, such as undeclared epics, come last and have no hash.
    let position = |id: Option<&str>, records: &Records, hashes: &[u64]| {
        records.position(id?).filter(|position| *position < hashes.len())
    };
    let in_old = |at: usize| position(after.id_at(at), before, old);
    let in_new = |at: usize| position(before.id_at(at), after, new);
    let mut found = Vec::new();
    let (mut left, mut right) = (0, 0);
    while left < old.len() || right < new.len() {
        let pair = old.get(left).zip(new.get(right));
        if pair.is_some_and(|(old, new)| old == new) {
            (left, right) = (left + 1, right + 1);
            continue;
        }
        let earlier = if right < new.len() { in_old(right) } else { None };
        if right < new.len() && earlier.is_none() {
            found.push(Difference::Added(right));
            right += 1;
            continue;
        }
        if left < old.len() && in_new(left).is_none() {
            found.push(Difference::Removed(left));
            left += 1;
            continue;
        }
        if let Some(earlier) = earlier {
            if old.get(earlier) != new.get(right) {
                found.push(Difference::Changed { before: earlier, after: right });
            }
            right += 1;
        }
        left += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use bytes::Bytes;
    use flow_model::document::Document;
    use flow_model::record::Kind;
    use proptest::prelude::*;

    use super::*;
    use crate::store::joined_text::JoinedText;

    fn records(listed: &[(u8, u8)]) -> Records {
        let mut text = String::from("{\"tasks\":[");
        for (at, (id, value)) in listed.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(text, "{comma}{{\"id\":\"t{id}\",\"n\":{value}}}").unwrap();
        }
        text.push_str("]}");
        let text = Bytes::from(text);
        let document = Document::read(std::str::from_utf8(&text).unwrap(), usize::MAX).unwrap();
        Records::new(&JoinedText::of_file(&text), &document.collection(Kind::Task).unwrap())
    }

    /// How each id differs, computed from two maps: the plain model.
    fn plain(before: &[(u8, u8)], after: &[(u8, u8)]) -> Vec<String> {
        let (old, new): (BTreeMap<_, _>, BTreeMap<_, _>) =
            (before.iter().copied().collect(), after.iter().copied().collect());
        let mut found = Vec::new();
        found.extend(new.keys().filter(|id| !old.contains_key(id)).map(|id| format!("+t{id}")));
        found.extend(old.keys().filter(|id| !new.contains_key(id)).map(|id| format!("-t{id}")));
        let changed = new.iter().filter(|(id, value)| old.get(id).is_some_and(|old| old != *value));
        found.extend(changed.map(|(id, _)| format!("!t{id}")));
        found.sort();
        found
    }

    fn told(before: &Records, after: &Records) -> Vec<String> {
        let name = |difference: Difference| match difference {
            Difference::Added(at) => format!("+{}", after.id_at(at).unwrap()),
            Difference::Removed(at) => format!("-{}", before.id_at(at).unwrap()),
            Difference::Changed { before: old, after: new } => {
                assert_eq!(before.id_at(old), after.id_at(new));
                format!("!{}", after.id_at(new).unwrap())
            }
        };
        let mut found: Vec<String> = between(before, after).into_iter().map(name).collect();
        found.sort();
        found
    }

    proptest! {
        #[test]
        fn every_difference_is_found_once(
            before in proptest::collection::vec((0..12_u8, 0..3_u8), 0..14),
            after in proptest::collection::vec((0..12_u8, 0..3_u8), 0..14),
        ) {
            prop_assert_eq!(told(&records(&before), &records(&after)), plain(&before, &after));
        }

        #[test]
        fn a_state_with_few_changes_is_no_different(
            before in proptest::collection::vec((0..40_u8, 0..3_u8), 0..40),
            (at, how) in (0..40_usize, 0..4_u8),
        ) {
            let mut after = before.clone();
            let at = at.min(after.len());
            match how {
                0 => after.insert(at, (99, 0)),
                1 if at < after.len() => drop(after.remove(at)),
                2 if at < after.len() => after[at].1 = 9,
                _ => after.rotate_left(at),
            }
            prop_assert_eq!(told(&records(&before), &records(&after)), plain(&before, &after));
        }
    }
}
