//! The first line of a message: its type, and its description in the form of the convention.

use super::super::conventional::{Message, TYPES};
use super::body::{self, TOO_LONG};
use crate::output::{self, Fault, Result, bad_text};

/// Width from which a first line is long, in columns; git and its hosts truncate it in lists.
const LONG: usize = 72;

/// The types of commits, each with the verbs that determine it.
const VERBS: [(&str, &[&str]); 9] = [
    ("feat", &["add", "introduce", "implement", "support", "allow"]),
    ("fix", &["fix", "correct", "repair", "prevent"]),
    ("docs", &["document"]),
    ("style", &["format", "reformat"]),
    ("refactor", &["refactor", "rename", "extract", "move", "simplify"]),
    ("test", &["test"]),
    ("chore", &["bump", "upgrade"]),
    ("revert", &["revert"]),
    ("perf", &["optimize"]),
];
/// Types that repeat a verb: `fix: fix the login`.
const SAID_BY_TYPE: [&str; 3] = ["fix", "refactor", "revert"];
/// Types that are nouns too, so that they may be the object of a commit: `add tests`.
const OBJECTS: [&str; 4] = ["test", "docs", "build", "ci"];
/// Prepositions behind an object.
const BEHIND_OBJECT: [&str; 8] = ["about", "for", "from", "in", "of", "on", "to", "with"];
/// Words that show that the word before them is a verb: in `tested the …` it is, in `tested paths` it may not be.
const AFTER: [&str; 12] =
    ["the", "a", "an", "all", "some", "our", "its", "two", "more", "missing", "how", "that"];
const ARTICLES: [&str; 3] = ["the", "a", "an"];

pub(super) fn missing() -> Fault {
    let what = "what the commit does, in the imperative, such as \"add a login form\"";
    output::missing("description", "text", what)
}

/// The description in the form of the convention: one line, without a full stop and without an initial capital.
pub(super) fn conventional(text: &str, notes: &mut Vec<String>) -> Result<String> {
    if text.chars().any(char::is_control) {
        return Err(bad_text("description", text, "one line without control characters"));
    }
    let mut line = text.trim();
    if line.ends_with('.') {
        let is_ellipsis = line.ends_with("...") && !line.ends_with("....");
        let end = if is_ellipsis { "dots" } else { "full stop" };
        notes.push(format!("removed the {end} at the end of the description"));
        line = line.trim_end_matches(['.', ' ']);
    }
    let Some(first) = line.chars().next() else { return Err(missing()) };
    let is_lower = |c: char| !c.is_alphabetic() || c.to_lowercase().eq(std::iter::once(c));
    if is_lower(first) {
        return Ok(line.to_owned());
    }
    let (word, rest) = line.split_at(line.find(' ').unwrap_or(line.len()));
    let is_plain = word.chars().skip(1).all(is_lower);
    // An acronym or a name keeps its case, as code, which commitlint accepts.
    let name = word.trim_end_matches([',', ':', ';']);
    let begun = if is_plain {
        word.to_lowercase()
    } else {
        format!("`{}`{}", name.replace('`', ""), &word[name.len()..])
    };
    notes.push(format!("wrote {begun} for {word}: a description does not begin with a capital"));
    if begun.starts_with(is_lower) {
        return Ok(begun + rest);
    }
    Err(bad_text("description", text, "a text that begins with a lower-case letter"))
}

/// Adds a missing type by the object of the first verb or by the verb, and removes a verb that repeats the type.
pub(super) fn complete(message: &mut Message, notes: &mut Vec<String>) -> Result<()> {
    let verb = known_verb(&message.description);
    let is_derived = message.kind.is_empty();
    if is_derived {
        let first = message.description.split(' ').next().unwrap_or_default();
        let object = verb.and_then(|_| object_type(&message.description));
        let found = object.or_else(|| Some((first, verb?.1)));
        let what = "the kind of change, since the first word of the description does not say it";
        let types = || format!("one of {}", TYPES.join(", "));
        let (word, kind) = found.ok_or_else(|| output::missing("type", &types(), what))?;
        notes.push(format!("took the type {kind} from the word {word:?}; type=… sets another"));
        kind.clone_into(&mut message.kind);
    }
    let is_own_type = verb.is_some_and(|(_, kind)| kind == message.kind);
    if let Some(description) = without_repetition(message, notes) {
        // The word after the verb begins the description now.
        message.description = conventional(&description, notes)?;
    } else if is_own_type || is_derived {
        message.description = imperative(&message.description, verb, is_derived, notes)?;
    }
    Ok(())
}

/// The type that the object of the first verb names: `tests` in `add unit tests for the parser`. The object ends at a
/// preposition.
fn object_type(description: &str) -> Option<(&str, &'static str)> {
    let mut words = description.split(' ').skip(1);
    let object = words.by_ref().take_while(|word| !BEHIND_OBJECT.contains(word)).last()?;
    let lower = object.to_lowercase();
    let kind = OBJECTS.iter().find(|kind| lower == **kind || lower.strip_suffix('s') == Some(kind));
    kind.map(|kind| (object, *kind))
}

/// The verb of the table at the beginning of a description, in any form, and its type.
fn known_verb(description: &str) -> Option<(&'static str, &'static str)> {
    let first = description.split(' ').next().unwrap_or_default();
    VERBS.iter().find_map(|(kind, verbs)| {
        let verb = verbs.iter().find(|verb| is_form(first, verb))?;
        Some((*verb, *kind))
    })
}

/// Whether a word is a form of a verb: add, adds, added, adding.
fn is_form(word: &str, verb: &str) -> bool {
    let stem = verb.strip_suffix('e').unwrap_or(verb);
    let doubled = format!("{verb}{}", verb.chars().last().unwrap_or_default());
    let ends =
        |stem: &str, ends: &[&str]| word.strip_prefix(stem).is_some_and(|end| ends.contains(&end));
    ends(verb, &["", "s", "es", "d", "ed", "ing"])
        || ends(stem, &["ed", "ing"])
        || ends(&doubled, &["ed", "ing"])
        || verb.strip_suffix('y').is_some_and(|stem| ends(stem, &["ied"]))
}

/// The imperative: `add a search` for `added a search`. `Tested paths are slow` is kept if its type is given, because
/// paths may be tested; else it is refused.
fn imperative(
    description: &str,
    verb: Option<(&str, &str)>,
    is_derived: bool,
    notes: &mut Vec<String>,
) -> Result<String> {
    let split = verb.zip(description.split_once(' '));
    let Some(((verb, _), (first, rest))) = split else { return Ok(description.to_owned()) };
    let next = rest.split(' ').next().unwrap_or_default();
    let is_past = first != verb && first.ends_with('d');
    let may_be_adjective = ["format", "test", "document"].contains(&verb);
    // A first word that gave the type is a verb, whatever its form; `tests` and `supports` may be nouns.
    let is_other_form = is_derived && first != verb && !may_be_adjective && verb != "support";
    let is_unclear = may_be_adjective && !AFTER.contains(&next);
    if is_past && is_unclear && is_derived {
        let wanted = format!("in the imperative, such as \"{verb} {rest}\", or with type=…");
        return Err(bad_text("description", description, &wanted));
    }
    if (!is_past || is_unclear) && !is_other_form {
        return Ok(description.to_owned());
    }
    notes.push(format!("wrote {verb} for {first}: a description is in the imperative"));
    Ok(format!("{verb} {rest}"))
}

/// A description without a repetition of its type: `fix: login` for `fix: fix the login`.
fn without_repetition(message: &Message, notes: &mut Vec<String>) -> Option<String> {
    let (first, rest) = message.description.split_once(' ')?;
    let verb = &message.kind;
    let next = rest.split(' ').next().unwrap_or_default();
    if !SAID_BY_TYPE.contains(&verb.as_str()) || !is_form(first, verb) {
        return None;
    }
    notes.push(format!("removed {first:?} from the description: the type says it"));
    let is_article = ARTICLES.contains(&next);
    Some(rest.split_once(' ').filter(|_| is_article).map_or(rest, |(_, rest)| rest).to_owned())
}

/// Refuses a first line that is too long, and adds a note on a long one.
pub(super) fn measure(header: &str, notes: &mut Vec<String>) -> Result<()> {
    let columns = body::width(header);
    if columns > TOO_LONG {
        let wanted = format!("a first line of at most {TOO_LONG} columns; it has {columns}");
        return Err(bad_text("description", header, &wanted));
    }
    if columns > LONG {
        notes.push(format!("the first line has {columns} columns; {LONG} are better"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_written(given: &str, kind: &str, expected: &str) {
        let mut notes = Vec::new();
        let description = conventional(given, &mut notes).unwrap();
        let mut message = Message { kind: kind.to_owned(), description, ..Message::default() };
        complete(&mut message, &mut notes).unwrap();
        assert_eq!(message.header(), expected, "{given}");
    }

    #[test]
    fn a_first_line_is_what_an_engineer_writes() {
        for (given, kind, expected) in [
            ("Fixed the crash on an empty list.", "", "fix: crash on an empty list"),
            ("fix login", "fix", "fix: login"),
            ("fixed header overlaps the menu", "fix", "fix: header overlaps the menu"),
            ("Fixed bug", "", "fix: bug"),
            ("Bumps lodash from 4.1 to 4.2.", "", "chore: bump lodash from 4.1 to 4.2"),
            ("Refactored UserService, added a cache", "", "refactor: `UserService`, added a cache"),
            ("tests fail on Windows", "", "test: tests fail on Windows"),
            ("added tests", "", "test: add tests"),
            ("Add unit tests for the parser", "", "test: add unit tests for the parser"),
            ("fix tests on Windows", "", "test: fix tests on Windows"),
            ("Add test button", "", "feat: add test button"),
            ("Fixed the CI", "", "ci: fix the CI"),
            ("tested paths are slow", "perf", "perf: tested paths are slow"),
            ("Added OAuth2 to the API", "", "feat: add OAuth2 to the API"),
            ("API returns 404", "fix", "fix: `API` returns 404"),
            ("OpenAPI is written", "docs", "docs: `OpenAPI` is written"),
            ("Refactored the parser", "", "refactor: parser"),
            ("Fixed the API", "", "fix: `API`"),
            ("fix", "", "fix: fix"),
            ("fixture is removed", "test", "test: fixture is removed"),
        ] {
            is_written(given, kind, expected);
        }
        for text in ["tested paths are slow", "formatted output is broken", "bug in the menu"] {
            let mut message = Message { description: text.to_owned(), ..Message::default() };
            complete(&mut message, &mut Vec::new()).unwrap_err();
        }
    }
}
