//! The line notations, by their own readers, by the recogniser and on the ways of the skills that take them: a text is
//! read, or refused with a line that it has, quickly and on a small stack.

use crate::{Call, choice, run, within_limits};
use flow_skills::input::content::ContentKind;
use flow_skills::input::recognise;
use flow_skills::notation::{Misfit, arrows, endpoints, entities, errors, list, split};
use flow_skills::story::bounds;

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
const ALL: [ContentKind; 5] = [
    ContentKind::Entities,
    ContentKind::Endpoints,
    ContentKind::Arrows,
    ContentKind::Errors,
    ContentKind::List,
];

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
    let _ = recognise::recognise(text, &ALL);
}

fn read(notation: ContentKind, text: &str) -> Result<(), Misfit> {
    match notation {
        ContentKind::Entities => entities::read(text).map(drop),
        ContentKind::Endpoints => endpoints::read(text).map(drop),
        ContentKind::Arrows => arrows::read(text).map(drop),
        ContentKind::Errors => errors::read(text).map(drop),
        _ => list::read(text).map(drop),
    }
}
