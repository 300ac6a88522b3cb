//! A text as the parts of a document: its title and what follows it, paragraphs, and lists.

use crate::text::{heading, headline, line, sentences};

/// The title of a text and the rest: a heading on its first line, else its first sentence.
pub(crate) fn titled(text: &str) -> (String, String) {
    let (first, rest) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    let (title, more) = match heading(first) {
        Some((_, name)) => headline(&[line(name)]),
        None => headline(&sentences(&line(first))),
    };
    (title, paragraphs(&[&more, rest.trim_matches('\n')]))
}

/// The texts that are not blank, as paragraphs.
pub(crate) fn paragraphs(texts: &[&str]) -> String {
    let texts = texts.iter().copied().filter(|text| !text.trim().is_empty());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// The items of a list that are not blank, as Markdown.
pub(crate) fn bullets(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let items = items.into_iter().map(|item| item.as_ref().trim().to_owned());
    let items = items.filter(|item| !item.is_empty()).map(|item| format!("- {item}"));
    items.collect::<Vec<_>>().join("\n")
}

/// A text of one line as a list of the parts between marks; one of several lines as it is.
pub(crate) fn listed(text: &str, marks: &[char]) -> String {
    let is_list = !text.trim().contains('\n') && text.contains(marks);
    if is_list { bullets(text.split(marks)) } else { text.to_owned() }
}
