//! The built-in skills: the folders under `skills/`, embedded, walked as data.

use super::manifest;

/// Every file under `skills/`, its path there and its text, sorted by path.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/skills.rs"));

/// The names of the skills, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().filter_map(|(path, _)| path.strip_suffix("/SKILL.md"))
}

/// The files of a skill: path under its folder, and text.
pub fn files(skill: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().filter_map(move |(path, text)| {
        let below = path.strip_prefix(skill)?.strip_prefix('/')?;
        Some((below, *text))
    })
}

/// One file of a skill, such as `assets/input.schema.json`.
pub fn file(skill: &str, path: &str) -> Option<&'static str> {
    files(skill).find(|(below, _)| *below == path).map(|(_, text)| text)
}

/// The first sentence of a skill's description.
pub fn summary(skill: &str) -> String {
    let text = file(skill, "SKILL.md")
        .and_then(|text| manifest::read(text).ok())
        .map(|manifest| manifest.description);
    let text = text.unwrap_or_default();
    text.split_inclusive(". ")
        .next()
        .unwrap_or_default()
        .trim_end()
        .trim_end_matches('.')
        .to_owned()
}
