//! Line notations: examples have their form. The cases of the skills show what is read, `fuzz/` that any text can be.

use flow::skill::input::notation::Notation;
use flow::skill::story::sentence;

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
