//! The line notations, by their own readers, by the recogniser and on the ways of the skills that take them: a text is
//! read or refused, quickly and on a small stack, and what counts as whole is read.
#![no_main]

use flow::skill::input::notation::{
    Misfit, Notation, arrows, bounds, endpoints, entities, errors, list, split,
};
use flow::skill::input::recognise::{self, ContentKind};
use flow_fuzz::{Call, choice, run, within_limits};
use libfuzzer_sys::fuzz_target;

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
const ALL: [Notation; 5] = [
    Notation::Entities,
    Notation::Endpoints,
    Notation::Arrows,
    Notation::Errors,
    Notation::List,
];

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = choice(data) else { return };
    within_limits(|| match CALLS.get(first % (2 * CALLS.len())) {
        Some(call) => run(call, &text),
        None => drop(std::str::from_utf8(&text).map(notations)),
    });
});

fn notations(text: &str) {
    for notation in ALL {
        let misfit = read(notation, text).err();
        if notation.is_whole(text) {
            assert_eq!(misfit, None, "{notation:?} is whole");
        }
        // A list is distinguished from prose by more than its form.
        let _ = (notation.is_likely(text), misfit.map(|misfit| misfit.fault("field").to_string()));
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
