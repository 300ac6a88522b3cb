//! The bullets and sentences of a story's text, with the headings of their sections.

use crate::text::{after, heading, item, line, sentences};

/// A bullet or a sentence of a text, and the heading of its section, which no field has.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) section: Option<String>,
    pub(super) text: String,
    pub(super) is_bullet: bool,
}

/// The bullets of a text, and the sentences of its paragraphs. A heading without text is a part.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut section: Option<String> = None;
    let mut is_bare = false;
    for raw in text.lines().chain([""]) {
        let (bullet, name) = (item(raw), section_name(raw));
        let mut texts = Vec::new();
        if bullet.is_some() || raw.trim().is_empty() || name.is_some() {
            texts = sentences(&line(&joined(&paragraph)));
            paragraph.clear();
        }
        let bullet = bullet.filter(|_| name.is_none()).map(line);
        if bullet.is_none() && name.is_none() {
            paragraph.push(raw);
        }
        let count = found.len();
        for (is_bullet, text) in
            texts.into_iter().map(|text| (false, text)).chain(bullet.map(|text| (true, text)))
        {
            if !text.is_empty() {
                found.push(Part { section: section.clone(), text, is_bullet });
            }
        }
        is_bare &= found.len() == count;
        if let Some(name) = name {
            let alone = section.replace(line(name)).filter(|_| is_bare);
            found.extend(alone.map(|text| Part { section: None, text, is_bullet: false }));
            is_bare = true;
        }
    }
    let alone = section.filter(|_| is_bare);
    found.extend(alone.map(|text| Part { section: None, text, is_bullet: false }));
    found
}

/// The lines of a paragraph as one text; steps on lines of their own are one criterion.
fn joined(paragraph: &[&str]) -> String {
    const STEPS: [&str; 5] = ["Given ", "When ", "Then ", "And ", "But "];
    let is_step = |line: &&str| after(line.trim(), &STEPS).is_some();
    if paragraph.len() < 2 || !paragraph.iter().all(is_step) {
        return paragraph.join(" ");
    }
    let bare = |line: &&str| line.trim().trim_end_matches([',', '.', ';']).to_owned();
    let steps: Vec<String> = paragraph.iter().map(bare).collect();
    let (first, rest) = steps.split_at(1);
    let lower = |step: &String| match step.split_once(' ') {
        Some((word, text)) => format!("{} {text}", word.to_lowercase()),
        None => step.clone(),
    };
    first.iter().cloned().chain(rest.iter().map(lower)).collect::<Vec<_>>().join(", ")
}

/// The text of a heading, or of a line of strong text.
fn section_name(raw: &str) -> Option<&str> {
    let strong = || raw.trim().strip_prefix("**")?.strip_suffix("**");
    let name = heading(raw.trim()).map(|(_, name)| name);
    let name = name.or_else(|| strong().filter(|name| !name.contains("**")));
    name.filter(|name| !name.trim().is_empty())
}
