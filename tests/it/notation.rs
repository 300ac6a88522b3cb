//! Line notations: examples have their form. The cases of the skills show what is read, `fuzz/` that any text can be.

use flow::skill::input::content::ContentKind;
use flow::skill::story::sentence;

const ALL: [ContentKind; 5] = [
    ContentKind::Entities,
    ContentKind::Endpoints,
    ContentKind::Arrows,
    ContentKind::Errors,
    ContentKind::List,
];

#[test]
fn every_example_is_of_its_form_and_on_the_page() {
    let page = include_str!("../../docs/notation.md");
    for notation in ALL {
        let example = notation.example().unwrap();
        assert!(notation.is_unambiguous(example), "{notation:?}");
        assert!(page.contains(&format!("`{example}`")), "{notation:?}");
    }
    assert!(sentence::split(sentence::EXAMPLE).is_some());
    assert!(page.contains(&format!("`{}`", sentence::EXAMPLE)));
}
