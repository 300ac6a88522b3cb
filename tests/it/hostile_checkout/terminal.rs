//! The page and the terminal escape the same characters. `tests/cases/hostile-checkout` shows text from files on a terminal.

use std::fs;
use std::path::Path;

use flow::model::hidden::is_hidden;

/// The ranges of a character class of JavaScript.
fn ranges(class: &str) -> Vec<(u32, u32)> {
    let mut codes = class.split('\\').skip(1).map(|part| {
        let (part, goes_on) = part.strip_suffix('-').map_or((part, false), |part| (part, true));
        let digits = part.trim_start_matches(['x', 'u', '{']).trim_end_matches('}');
        (u32::from_str_radix(digits, 16).unwrap(), goes_on)
    });
    let mut all = Vec::new();
    while let Some((first, goes_on)) = codes.next() {
        all.push((first, if goes_on { codes.next().unwrap().0 } else { first }));
    }
    all
}

#[test]
fn the_page_and_the_terminal_escape_the_same_characters() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/text.js");
    let script = fs::read_to_string(script).unwrap();
    let class = script.split("const HIDDEN = /[").nth(1).unwrap().split("]/gu").next().unwrap();
    let ranges = ranges(class);
    assert!(ranges.contains(&(0x202e - 6, 0x202e)), "{ranges:?}");
    for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
        let on_page = ranges.iter().any(|(a, b)| (*a..=*b).contains(&u32::from(c)));
        assert_eq!(is_hidden(c), on_page, "{c:?}");
    }
}
