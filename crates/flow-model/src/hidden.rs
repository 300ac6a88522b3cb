//! Characters that a reader does not see and that change what is seen: they hide text, turn its direction, end its line or
//! control a terminal. The page has the same list (`web/text.js`). Joiners (U+200C, U+200D) are not among them: many scripts
//! and emoji need them.

use std::fmt::Write;

/// Whether a character is one of these. Tabs and line feeds are not; whoever shows one line replaces them too.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\t' | '\n' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

/// Writes a character as JSON escapes: one, or two outside of the basic plane.
pub fn json_escape(c: char) -> String {
    let mut escapes = String::with_capacity(12);
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(escapes, "\\u{unit:04x}");
    }
    escapes
}
