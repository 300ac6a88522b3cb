//! Finds a skill by its name: in the catalog, or among the project's trusted templates.

use std::path::Path;

use super::super::args::verbs::VERBS;
use super::super::invocation::Invocation;
use super::runnable::Skill;
use super::{custom, text};
use crate::error::{Error, Result};
use crate::skill::generator;
use crate::skill::input::typed::nearest;
use crate::skill::runtime::catalog;

/// The skill with this name.
pub(super) fn find(invocation: &Invocation, word: &str) -> Result<Skill> {
    let name = word.to_lowercase();
    if let Some(skill) = generator::find(&name) {
        return Ok(Skill::BuiltIn(skill));
    }
    if let Some(skill) = custom::find(invocation, &name)? {
        return Ok(skill);
    }
    if custom::contents(invocation)?.foreign.contains(&name) {
        return Err(Error::Usage(text::foreign(&name)));
    }
    let known: Vec<&str> = catalog::names().chain(VERBS.iter().map(|verb| verb.name)).collect();
    let near = nearest(&name, &known).or_else(|| generator::similar(&name));
    Err(Error::Usage(text::unknown_skill(word, near)))
}

/// The skill with this name, or of the template at a given path.
pub(super) fn find_or_template(
    invocation: &Invocation,
    template: Option<&Path>,
    name: &str,
) -> Result<Skill> {
    match template {
        Some(path) => custom::explicit(name, path),
        None => find(invocation, name),
    }
}
