//! Reads what acceptance criteria are made from: the Markdown of flow, a feature, a story, or one statement per line.

use super::gherkin::{self, Read};
use super::scenario::{Scenario, is_stated, with_steps};
use super::{Story, add, read};
use crate::input::forms::{is_document, is_feature};
use crate::output::Result;
use crate::text::fence::Fence;
use crate::text::{after, front_matter, item, line, plain, sentences};

/// The prefixes of the story's title in the heading of criteria.
const TITLES: [&str; 3] =
    ["Acceptance criteria of ", "Acceptance criteria: ", "Acceptance criteria for "];

/// Reads the text in `field`.
///
/// # Errors
/// When a label of a story does not fit, a feature is not Gherkin, or a limit is exceeded.
pub fn criteria(text: &str, field: &str) -> Result<Read> {
    let body = front_matter(text).map_or(text, |(_, body)| body);
    let mut read = Read::default();
    if is_feature(body.trim()) {
        read = placed(body, "", field)?;
    } else if let Some((features, rest)) = blocks(text) {
        read = placed(&features, &rest, field)?;
    } else if body.lines().any(|line| rule(line).is_some()) {
        read = placed("", text, field)?;
    } else if is_document(text) || read::sentence_in(text).is_some() {
        read::text(&mut read.story, text, field)?;
    } else {
        read = statements(text);
    }
    if front_matter(text).is_some() {
        read.notes.push("the front matter is left out".to_owned());
    }
    read.story.check()?;
    Ok(read)
}

/// A criterion per sentence, or per scenario. A line before bullets is the title; keywords of Gherkin state nothing.
fn statements(text: &str) -> Read {
    let mut read = Read::default();
    let filled = text.lines().filter(|line| !line.trim().is_empty());
    let (keywords, lines): (Vec<_>, Vec<_>) =
        filled.partition(|line| gherkin::keyword(line.trim()).is_some());
    read.notes.extend(keywords.iter().map(|line| format!("left out: {}", line.trim())));
    let is_titled = lines.len() > 1 && lines.iter().skip(1).all(|line| item(line).is_some());
    let mut lines = lines.into_iter().peekable();
    if let Some(first) = lines.next_if(|first| is_titled && item(first).is_none()) {
        read.story.set_title(first);
    }
    let bare = lines.map(|raw| line(item(raw).unwrap_or(raw))).filter(|bare| !bare.is_empty());
    let all = with_steps(bare).into_iter().flat_map(|text| several(&text));
    add(&mut read.story.criteria, all);
    read
}

/// The criteria of a line: sentences, and parts between semicolons, which the steps of a scenario may contain too.
fn several(text: &str) -> Vec<String> {
    let is_step = |part: &str| after(part, &["Given ", "When ", "Then ", "And ", "But "]).is_some();
    let mut parts: Vec<String> = Vec::new();
    for part in text.split("; ") {
        match parts.last_mut() {
            Some(last)
                if is_stated(last) && (is_step(part) || !part.starts_with(char::is_uppercase)) =>
            {
                *last = format!("{last}; {part}");
            }
            _ => parts.push(part.to_owned()),
        }
    }
    let read = |part: String| if is_stated(&part) { vec![part] } else { sentences(&part) };
    parts.into_iter().flat_map(read).collect()
}

/// Reads features, and the text around them, which has rules in lists; other text belongs to the story.
fn placed(features: &str, rest: &str, field: &str) -> Result<Read> {
    let Read { mut story, mut scenarios, notes } = gherkin::read(features, field)?;
    scenarios.extend(rest.lines().filter_map(rule));
    let rest: Vec<&str> = rest.lines().filter(|line| rule(line).is_none()).collect();
    let mut around = Story::default();
    read::text(&mut around, &rest.join("\n"), field)?;
    if let Some(title) = after(&around.title, &TITLES).map(str::to_owned) {
        around.set_title(&title);
    }
    story.complete(around);
    story.technical_notes.clear();
    Ok(Read { story, scenarios, notes })
}

/// The features in the blocks of code of a document, on their lines, and the text without them. The first line is the
/// keyword of a feature, if none has one.
pub(crate) fn blocks(text: &str) -> Option<(String, String)> {
    let mut fence = Fence::default();
    let (mut has_feature, mut is_feature) = (false, false);
    let (mut features, mut rest) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let was_open = fence.is_open();
        let is_code = fence.holds(line);
        if is_code && !was_open {
            is_feature = line.trim().trim_start_matches('`') == "gherkin";
            has_feature |= is_feature;
        }
        let is_mark = was_open != fence.is_open();
        features.push(if is_code && is_feature && !is_mark { line } else { "" });
        rest.push(if is_code && is_feature { "" } else { line });
    }
    if !features.iter().any(|line| line.trim().starts_with("Feature:"))
        && let Some(first) = features.first_mut()
    {
        *first = "Feature:";
    }
    has_feature.then(|| (features.join("\n"), rest.join("\n")))
}

/// The rule in an item: `- AC-R1: A link expires after 30 minutes`.
fn rule(raw: &str) -> Option<Scenario> {
    let text = plain(item(raw)?);
    let (id, text) =
        text.split_once(": ").filter(|(id, _)| id.starts_with("AC-") && !id.contains(' '))?;
    Some(Scenario::of(id.to_owned(), &line(text)))
}
