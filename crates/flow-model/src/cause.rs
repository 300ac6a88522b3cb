//! The usual cause of invalid JSON in plain words, from the characters around the place where the parser stopped. Writers
//! that know no JSON wrote the text, so the parser's own terms do not help them.

/// Longest piece of a text in a sentence, in characters.
const QUOTED: usize = 20;

/// Where a parser stopped.
#[derive(Debug, Clone, Copy)]
pub struct Stop<'a> {
    text: &'a str,
    /// The offset of the character that does not fit; the length of the text at its end.
    at: usize,
}

impl<'a> Stop<'a> {
    /// From a line and a column, both counted from 1, as `serde_json` reports them.
    pub fn new(text: &'a str, line: usize, column: usize) -> Self {
        let start = match line.saturating_sub(2) {
            _ if line <= 1 => 0,
            newlines => memchr::memchr_iter(b'\n', text.as_bytes())
                .nth(newlines)
                .map_or(text.len(), |newline| newline + 1),
        };
        // At column 0 the parser stopped before the first character of a line: at the newline before it.
        let mut at = (start + column.saturating_sub(1)).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        Self { text, at }
    }

    /// At the end of the text.
    pub fn at_end(text: &'a str) -> Self {
        Self { text, at: text.len() }
    }

    fn before(self) -> &'a str {
        self.text.get(..self.at).unwrap_or_default().trim_end()
    }

    fn after(self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default().trim_start()
    }

    /// The cause; `None` if it is not one of the usual ones.
    pub fn cause(self) -> Option<String> {
        if let Some(line) = conflict(self.text) {
            return Some(format!("a merge conflict in line {line} is not resolved"));
        }
        if self.text.contains('\0') {
            let what = "it contains NUL bytes: its writer did not finish, or it is not UTF-8";
            return Some(what.to_owned());
        }
        if self.text.trim().is_empty() {
            return Some("it is empty".to_owned());
        }
        let place = self.place();
        if place == Place::InString {
            return Some(self.in_string().to_owned());
        }
        let (before, after) = (self.before(), self.after());
        let first = after.chars().next();
        Some(match first {
            None => {
                "it ends in the middle: a closing } or ] is missing, or its writer was interrupted"
                    .to_owned()
            }
            Some('}' | ']') => closing(before, &after[..1])?,
            Some('\'') => "a text or key in single quotes: JSON needs double quotes".to_owned(),
            Some('“' | '”' | '„' | '‘' | '’') => {
                "a text in typographic quotes: JSON needs straight double quotes".to_owned()
            }
            Some('`') => "a text in backquotes: JSON needs double quotes".to_owned(),
            Some('/' | '#') => "a comment: JSON has none".to_owned(),
            _ if place == Place::AfterKey => "a colon is missing after a key".to_owned(),
            Some(',') => "a value is missing before a comma".to_owned(),
            Some('"' | '{' | '[') if ends_value(before) => between_items(before, after).to_owned(),
            _ => of_word(before, after, place)?,
        })
    }

    /// What the text before the place is part of.
    fn place(self) -> Place {
        let bytes = self.text.as_bytes();
        // The open brackets, and whether a key of the innermost object has been read.
        let (mut open, mut key): (Vec<u8>, bool) = (Vec::new(), false);
        let (mut at, mut inside) = (0, false);
        while at < self.at {
            match bytes[at] {
                b'\\' if inside => at += 1,
                b'"' => {
                    inside = !inside;
                    key |= !inside;
                }
                _ if inside => {}
                byte @ (b'{' | b'[') => {
                    open.push(byte);
                    key = false;
                }
                b'}' | b']' => {
                    open.pop();
                    key = false;
                }
                b',' | b':' => key = false,
                _ => {}
            }
            at += 1;
        }
        let is_key = key && open.last() == Some(&b'{') && self.is_key_position();
        match (inside, is_key) {
            (true, _) => Place::InString,
            (false, true) => Place::AfterKey,
            (false, false) => Place::Other,
        }
    }

    /// Whether the string before the place begins after `{` or a comma.
    fn is_key_position(self) -> bool {
        let before = self.before().trim_end_matches('"');
        let start = before.rfind('"').unwrap_or_default();
        before.get(..start).unwrap_or_default().trim_end().ends_with(['{', ','])
    }

    fn in_string(self) -> &'static str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return "it ends in the middle of a text: a closing quote is missing, or its writer was interrupted";
        }
        let last = self.text[..self.at].chars().next_back();
        let is_control = rest.starts_with(char::is_control) || last.is_some_and(char::is_control);
        if is_control {
            return "a line break or control character in a text: a closing quote is missing, or write \\n";
        }
        "a backslash in a text: write it twice"
    }
}

/// What a place is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A string that has not ended.
    InString,
    /// An object: a key without a colon comes before it.
    AfterKey,
    /// Anything else.
    Other,
}

/// Whether a text ends with a complete value.
fn ends_value(text: &str) -> bool {
    text.ends_with(['"', '}', ']']) || text.ends_with(char::is_alphanumeric)
}

/// A closing bracket that does not fit.
fn closing(before: &str, bracket: &str) -> Option<String> {
    match before.chars().next_back()? {
        ',' => Some(format!("a comma after the last item, before {bracket}")),
        ':' => Some("a value is missing after a colon".to_owned()),
        _ => Some(format!("a {bracket} that closes nothing, or a bracket of the wrong kind")),
    }
}

fn between_items(before: &str, after: &str) -> &'static str {
    if before.ends_with('"') && after.starts_with('"') {
        return "a comma is missing before this item, or a quote in the text before it is not written as \\\"";
    }
    if before.ends_with(['}', ']']) && !after.starts_with('"') {
        return "a comma is missing between two items, or there is more than one document";
    }
    "a comma is missing before this item"
}

/// A word that is no JSON value.
fn of_word(before: &str, after: &str, place: Place) -> Option<String> {
    let word = word(after);
    Some(match word {
        "" => return None,
        _ if before.ends_with('"') && place == Place::Other => {
            format!("a quote in a text is not written as \\\", before {word:?}")
        }
        "True" | "False" => format!("{word} is written in lower case in JSON"),
        "None" | "undefined" | "NaN" | "Infinity" | "nil" | "NULL" | "Null" => {
            format!("{word} is no JSON value: write null")
        }
        _ if before.ends_with(['{', ',']) && rest_is_key(after, word) => {
            format!("the key {word} needs double quotes")
        }
        _ if before.ends_with([':', '[', ',']) => format!("the text {word:?} needs double quotes"),
        _ => return None,
    })
}

/// The line of the first mark of a merge conflict, counted from 1.
fn conflict(text: &str) -> Option<usize> {
    let mark = memchr::memmem::find(text.as_bytes(), b"<<<<<<< ")?;
    let before = &text.as_bytes()[..mark];
    let is_line = before.last().is_none_or(|byte| *byte == b'\n');
    is_line.then(|| memchr::memchr_iter(b'\n', before).count() + 1)
}

/// The word at the beginning of a text, cut.
fn word(text: &str) -> &str {
    let is_end =
        |(at, c): &(usize, char)| !(c.is_alphanumeric() || matches!(c, '_' | '-')) || *at > QUOTED;
    let end = text.char_indices().find(is_end).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// Whether a word is followed by a colon.
fn rest_is_key(text: &str, word: &str) -> bool {
    !word.is_empty() && text[word.len()..].trim_start().starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::Stop;

    #[test]
    fn any_text_and_place_is_answered() {
        for text in ["", "é", "{\"é\": é", "\u{feff}{", "{\"a\"", "-", "01", "1.e", "\\", "\"\\u12"]
        {
            for line in 0..4 {
                for column in 0..8 {
                    let _ = Stop::new(text, line, column).cause();
                }
            }
        }
    }
}
