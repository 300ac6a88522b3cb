//! The line notations, by their own readers, by the recogniser and on the ways of the skills that take them: a text is
//! read, or refused with a line that it has, quickly and on a small stack.

use crate::{Call, choice, run, within_limits};
use flow_skills::input::notation::{
    Misfit, Notation, arrows, bounds, endpoints, entities, errors, list, split,
};
use flow_skills::input::recognise::{self, ContentKind};

const CALLS: &[Call] = &[
    Call { skill: "type-definitions", field: Some("source"), options: &[] },
    Call { skill: "sql-schema-generator", field: None, options: &[] },
    Call { skill: "api-documentation-generator", field: None, options: &[] },
    Call { skill: "diagram-generator", field: None, options: &[("format", "mermaid")] },
    Call { skill: "diagram-generator", field: None, options: &[("format", "ascii")] },
    Call { skill: "error-handler-template", field: None, options: &[] },
    Call { skill: "story-skeleton", field: None, options: &[] },
    Call { skill: "changelog-entry", field: None, options: &[] },
];
const ALL: [Notation; 5] =
    [Notation::Entities, Notation::Endpoints, Notation::Arrows, Notation::Errors, Notation::List];

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((first, text)) = choice(data) else { return };
    within_limits(|| match CALLS.get(first % (2 * CALLS.len())) {
        Some(call) => run(call, &text),
        None => drop(std::str::from_utf8(&text).map(notations)),
    });
}

fn notations(text: &str) {
    for notation in ALL {
        let _ = (notation.is_unambiguous(text), notation.is_likely(text));
        let Err(misfit) = read(notation, text) else { continue };
        assert!(
            (1..=text.lines().count().max(1)).contains(&misfit.line),
            "{notation:?}: {misfit:?}"
        );
        let _ = misfit.fault("field").to_string();
    }
    let _ = (bounds::find(text), split(text, ',').len());
    let _ = recognise::recognise(text, &ALL.map(ContentKind::Notation));
}

fn read(notation: Notation, text: &str) -> Result<(), Misfit> {
    match notation {
        Notation::Entities => entities::read(text).map(drop),
        Notation::Endpoints => endpoints::read(text).map(drop),
        Notation::Arrows => arrows::read(text).map(drop),
        Notation::Errors => errors::read(text).map(drop),
        Notation::List => list::read(text).map(drop),
    }
}
