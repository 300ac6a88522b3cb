//! `flow skill add`: shows templates, asks for consent, and registers them.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use serde_json::json;

use super::super::args::SkillCall;
use super::super::command_output::CommandOutput;
use super::super::invocation::Invocation;
use super::custom::{
    FOLDER, Found, contents, failed, parse, project, state_folder, stored, template,
};
use super::text;
use crate::error::{Error, Result};
use crate::skill::runtime::catalog;
use crate::skill::runtime::custom::Custom;
use crate::skill::runtime::files::Folder;
use crate::skill::runtime::registry::{Trusted, sha256};

/// Longest answer that is read, in bytes.
const ANSWER_LIMIT: u64 = 100;

/// A template that can be trusted.
pub(super) struct Candidate {
    pub(super) found: Found,
    pub(super) text: String,
    pub(super) custom: Custom,
}

/// `flow skill add PATH`, or `add --all`.
pub(super) fn add(
    invocation: &Invocation,
    call: &SkillCall,
    words: &[String],
) -> Result<CommandOutput> {
    let project = project(invocation)?;
    let found = match (call.all, words) {
        (false, []) => return Err(Error::Usage(text::name_missing("add"))),
        (false, paths) => {
            paths.iter().map(|path| at(invocation, &project, path)).collect::<Result<Vec<_>>>()?
        }
        (true, _) => contents(invocation)?.templates,
    };
    if call.all && found.is_empty() {
        return Err(Error::Refused(text::no_templates(FOLDER)));
    }
    let candidates: Vec<Candidate> = found.into_iter().map(candidate).collect::<Result<_>>()?;
    if call.all && !call.yes && !candidates.is_empty() && !confirm(&candidates)? {
        return Err(Error::Refused("no template was added".to_owned()));
    }
    let (root, state) = (invocation.root()?, state_folder(invocation)?);
    let mut stored = stored(invocation)?;
    let mut result = String::new();
    for Candidate { found, text, custom } in &candidates {
        let trusted = Trusted { name: found.name.clone(), sha256: sha256(text) };
        stored.add(&root, &found.path, trusted);
        result.push_str(&text::added(&found.name, &custom.schema));
    }
    stored.save(&state).map_err(|fault| failed(&fault))?;
    let names: Vec<&str> =
        candidates.iter().map(|candidate| candidate.found.name.as_str()).collect();
    let facts = json!({"added": names});
    Ok(CommandOutput { facts, ..CommandOutput::shown(result) })
}

/// The template that an argument names.
fn at(invocation: &Invocation, project: &Folder, word: &str) -> Result<Found> {
    let mut path = invocation.current.join(word);
    if !word.contains('/') && !path.exists() {
        path = project.path().join(FOLDER).join(word);
    }
    let outside = || Error::Usage(text::not_in_folder(&path, FOLDER));
    // The path of the folder may contain a link; the template itself must not be one.
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok()).ok_or_else(outside)?;
    let name = path.file_name().ok_or_else(outside)?;
    let below = parent.strip_prefix(project.path()).map_err(|_| outside())?.join(name);
    if !below.starts_with(FOLDER) {
        return Err(outside());
    }
    let is_folder = project.entries(&below).is_ok();
    template(project, &below, is_folder).ok_or_else(|| Error::Usage(text::no_template(&path)))
}

fn candidate(found: Found) -> Result<Candidate> {
    if catalog::names().any(|name| name == found.name) {
        return Err(Error::Usage(text::name_is_taken(&found.name, &found.path)));
    }
    let text = found.text.clone().map_err(|error| Error::Usage(error.to_string()))?;
    let custom = parse(&found.path, &text)?;
    Ok(Candidate { found, text, custom })
}

/// Shows the templates and asks for consent; without a terminal, `--yes` is required.
fn confirm(candidates: &[Candidate]) -> Result<bool> {
    let (stdin, mut stderr) = (io::stdin(), io::stderr());
    let shown: String = candidates
        .iter()
        .map(|Candidate { found, text, custom }| {
            text::template_shown(&found.name, &found.path, custom, &sha256(text))
        })
        .collect();
    let failed = |error| Error::io("ask for consent", error);
    stderr.write_all(shown.as_bytes()).map_err(failed)?;
    if !stdin.is_terminal() || !stderr.is_terminal() {
        return Err(Error::Usage(text::needs_yes().to_owned()));
    }
    stderr.write_all(text::trust_question(candidates.len()).as_bytes()).map_err(failed)?;
    stderr.flush().map_err(failed)?;
    let mut answer = String::new();
    stdin.lock().take(ANSWER_LIMIT).read_line(&mut answer).map_err(failed)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}
