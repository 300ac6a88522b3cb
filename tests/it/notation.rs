//! Line notations: no text causes a panic, and examples have their form. The cases of the skills show what is read.

use flow::skill::input::notation::{Notation, arrows, bounds, endpoints, entities, errors, list};
use flow::skill::story::sentence;
use proptest::prelude::*;

/// Parts of the notations, beside any other text.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        2 => prop::sample::select(vec![
            "User:", "id uuid pk", "-> Order.id[]", "GET /a/{b}?c=d", "<- {e, f int}", "404", "--> b [g]", ": label",
            "- feat(x)!: y", "between 3 and 5 MB", "As a user I want x so that y", ", ", "; ", "\n",
        ]).prop_map(str::to_owned),
        3 => "[a-zA-Z0-9 :;,>\\[\\]{}()/|#.\n-]{0,12}",
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in text()) {
        let _ = (arrows::read(&text), endpoints::read(&text), entities::read(&text), errors::read(&text));
        let _ = (list::read(&text), sentence::split(&text), bounds::find(&text));
    }
}

const ALL: [Notation; 5] =
    [Notation::Entities, Notation::Endpoints, Notation::Arrows, Notation::Errors, Notation::List];

#[test]
fn every_example_is_of_its_form_and_on_the_page() {
    let page = include_str!("../../docs/notation.md");
    for notation in ALL {
        assert!(notation.is_unambiguous(notation.example()), "{notation:?}");
        assert!(page.contains(&format!("`{}`", notation.example())), "{notation:?}");
    }
    assert!(sentence::split(sentence::EXAMPLE).is_some());
    assert!(page.contains(&format!("`{}`", sentence::EXAMPLE)));
}
