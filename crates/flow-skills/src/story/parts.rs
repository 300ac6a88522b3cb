//! The bullets and sentences of a story's text, with the headings of their sections.

use crate::text::{heading, item, line, sentences};

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
        if bullet.is_some() || raw.trim().is_empty() || name.is_some() || is_labelled(raw) {
            let is_step =
                |line: &&str| STEPS.contains(&line.trim().split(' ').next().unwrap_or(""));
            texts = if paragraph.len() > 1 && paragraph.iter().all(is_step) {
                with_steps(paragraph.iter().map(|text| line(text)))
            } else {
                sentences(&line(&paragraph.join(" ")))
            };
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

/// Whether a line begins with a label that no field has: `Labels: auth, sso`.
fn is_labelled(raw: &str) -> bool {
    raw.split_once(": ").is_some_and(|(name, _)| {
        name.starts_with(char::is_uppercase)
            && name.chars().all(|c| c.is_alphabetic() || c == ' ')
            && name.split(' ').count() <= 3
    })
}

const STEPS: [&str; 5] = ["Given", "When", "Then", "And", "But"];

/// Texts, of which steps of one scenario are a criterion: `Given …, when …, then …`.
pub(super) fn with_steps(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // The keyword of the last step, if others may follow.
    let mut last = "";
    for text in texts {
        let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let follows = match word {
            "When" => last == "Given",
            "Then" | "And" | "But" => !last.is_empty(),
            _ => false,
        };
        let is_whole = text.contains(", then ") || text.contains(", when ");
        match found.last_mut().filter(|_| follows) {
            Some(before) => {
                before.truncate(before.trim_end_matches([',', '.', ';']).len());
                before.extend([", ", &word.to_lowercase(), " ", rest]);
            }
            None => found.push(text.clone()),
        }
        last = match (word, follows) {
            ("Given", _) if !is_whole => "Given",
            ("When", _) if !is_whole => "When",
            ("Then", true) => "Then",
            ("And" | "But", true) => last,
            _ => "",
        };
    }
    found
}

/// The text of a heading, or of a line of strong text.
fn section_name(raw: &str) -> Option<&str> {
    let strong = || raw.trim().strip_prefix("**")?.strip_suffix("**");
    let name = heading(raw.trim()).map(|(_, name)| name);
    let name = name.or_else(|| strong().filter(|name| !name.contains("**")));
    name.filter(|name| !name.trim().is_empty())
}
