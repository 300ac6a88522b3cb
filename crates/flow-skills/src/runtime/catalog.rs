//! The built-in skills: the embedded folders under `skills/`.

use super::manifest;

/// Every file under `skills/`: its path and its text, sorted by path.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/skills.rs"));

/// The files of the demo project, which the examples of skills describe: path and text.
pub const DEMO: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/demo.rs"));
/// Modification time of the demo project's files.
pub const DEMO_WRITTEN: &str = "2026-03-10T16:45:00Z";

/// The current time in the examples of skills.
pub const EXAMPLES_NOW: &str = "2026-03-11T09:30:00Z";

/// The names of the skills, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().filter_map(|(path, _)| path.strip_suffix("/SKILL.md"))
}

/// The files of a skill: path below its folder, and text.
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
    let manifest = file(skill, "SKILL.md").and_then(manifest::read);
    let text = manifest.map(|manifest| manifest.description).unwrap_or_default();
    text.trim_end().split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned()
}

/// The first call with an input in a skill's documentation, such as `flow skill epic-planner EP-0002`.
pub fn example(skill: &str) -> Option<&'static str> {
    let call = format!("flow skill {skill} ");
    file(skill, "SKILL.md")?.lines().find(|line| line.starts_with(&call))
}
