//! Parses text that is not a conventional message: description, body, and the footers that its sentences contain.

use super::Type;
use crate::generator::conventional::{self, Footer, Message};
use crate::text;

/// The words before the number of an issue that GitHub and GitLab both read in a commit message.
const CLOSING: [&str; 9] =
    ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];
/// The beginnings of a sentence that describes a breaking change, in lower case.
const BREAKING: [&str; 3] = ["breaking: ", "breaking change: ", "breaking-change: "];

/// Parses a message whose type has capitals or no blank behind its colon: `FEAT(ui): add a map`, `feat:add a map`.
pub(super) fn misspelt(text: &str, notes: &mut Vec<String>) -> Option<Message> {
    let (start, rest) = text.split_once(':')?;
    let (kind, scope) = start.split_at(start.find(['(', '!']).unwrap_or(start.len()));
    let header = format!("{}{scope}:", kind.to_ascii_lowercase());
    let message = conventional::parse(&format!("{header} {}", rest.trim_start_matches(' ')))?;
    notes.push(format!(
        "wrote \"{header} \" for {start}: a type has no capitals, and a blank follows it"
    ));
    Some(message)
}

/// Parses git's revert message, or a first line, a body and footers. The sentences after the first one of the first line
/// begin the body.
pub(super) fn read(whole: &str, notes: &mut Vec<String>) -> Message {
    let (first, rest) = whole.split_once('\n').unwrap_or((whole, ""));
    let (body, footers) = conventional::split_footers(rest);
    if let Some(reverted) = first.strip_prefix("Revert \"").and_then(|text| text.strip_suffix('"'))
    {
        let kind = Type::Revert.to_string();
        return with(kind, reverted.trim().to_owned(), vec![body], footers);
    }
    let mut named = Vec::new();
    let description = without_closing(first.trim(), &mut named);
    let mut sentences = text::sentences(description).into_iter();
    let description = sentences.next().unwrap_or_default();
    let description = without_closing(&description, &mut named).to_owned();
    let mut reasons = Vec::new();
    for sentence in sentences {
        match text::after(&sentence, &BREAKING) {
            Some(what) => {
                named.push(Footer { token: "BREAKING CHANGE".into(), value: what.to_owned() });
            }
            None => reasons.push(sentence),
        }
    }
    if !reasons.is_empty() {
        notes.push("put the sentences after the first into the body".to_owned());
    }
    for Footer { token, value } in &named {
        notes.push(format!("made a footer of the text: {token}: {value}"));
    }
    named.extend(footers);
    with(String::new(), description, vec![reasons.join(" "), body], named)
}

fn with(kind: String, description: String, body: Vec<String>, footers: Vec<Footer>) -> Message {
    let body: Vec<String> = body.into_iter().filter(|part| !part.is_empty()).collect();
    Message {
        kind,
        description,
        body: Some(body.join("\n\n")).filter(|body| !body.is_empty()),
        breaking: footers.iter().any(Footer::is_breaking),
        footers,
        ..Message::default()
    }
}

/// The text before the issues that it closes (`, closes #42`), which become footers.
fn without_closing<'t>(text: &'t str, footers: &mut Vec<Footer>) -> &'t str {
    let at = footers.len();
    let mut rest = text;
    while let Some((before, footer)) = closing(rest) {
        footers.push(footer);
        rest = before;
    }
    footers[at..].reverse();
    rest
}

fn closing(text: &str) -> Option<(&str, Footer)> {
    let (before, issue) = text.trim_end_matches(['.', ')', ' ']).rsplit_once(' ')?;
    let (_, number) = issue.split_once('#')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let (before, word) = before.rsplit_once([' ', '('])?;
    let word = word.trim_end_matches(':');
    let is_closing = CLOSING.contains(&word.to_ascii_lowercase().as_str());
    let before = before.trim_end_matches([' ', ',', ';', '(', '.', '-']);
    let footer = Footer { token: text::capital(word), value: issue.to_owned() };
    (is_number && is_closing && !before.is_empty()).then_some((before, footer))
}
