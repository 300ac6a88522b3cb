//! Parses text that is not a conventional message: description, body and footers.

use super::Type;
use crate::generator::conventional::{self, Footer, Message};
use crate::text;

/// Parses git's revert message, or a first line, a body and footers. The sentences after the first one of the first line
/// begin the body.
pub(super) fn read(whole: &str, notes: &mut Vec<String>) -> Message {
    let (first, rest) = whole.split_once('\n').unwrap_or((whole, ""));
    let (body, footers) = conventional::split_footers(rest);
    let reverted = first.strip_prefix("Revert \"").and_then(|text| text.strip_suffix('"'));
    let (kind, description, more) = if let Some(reverted) = reverted {
        (Type::Revert.to_string(), reverted.trim().to_owned(), String::new())
    } else {
        let mut sentences = text::sentences(first.trim()).into_iter();
        let description = sentences.next().unwrap_or_default();
        (String::new(), description, sentences.collect::<Vec<_>>().join(" "))
    };
    if !more.is_empty() {
        notes.push("put the sentences after the first into the body".to_owned());
    }
    let body: Vec<String> = [more, body].into_iter().filter(|part| !part.is_empty()).collect();
    Message {
        kind,
        description,
        body: Some(body.join("\n\n")).filter(|body| !body.is_empty()),
        breaking: footers.iter().any(Footer::is_breaking),
        footers,
        ..Message::default()
    }
}
