//! What a skill depends on besides its input: the moment, the state, and the folders.

use std::path::PathBuf;
use std::time::SystemTime;

use super::super::args::SkillCall;
use super::super::invocation::Invocation;
use super::write;
use crate::error::{Error, Result};
use crate::model::time::{self, Edge};
use crate::skill::project_state::Context;
use crate::skill::project_state::state::State;

/// What a skill depends on besides its input.
pub(super) fn read(invocation: &Invocation, call: &SkillCall, state: State) -> Result<Context> {
    let now = match &call.now {
        None => time::format(SystemTime::now()),
        Some(text) if time::parse(text, Edge::Start).is_some() => moment(text),
        Some(text) => {
            return Err(Error::Usage(format!(
                "--now must be an RFC 3339 time such as 2026-03-10T09:00:00Z, or a date, not {text:?}"
            )));
        }
    };
    let folder = invocation.current.clone();
    // Without a project the current folder is the root for file access.
    let root = invocation.root().unwrap_or_else(|_| folder.clone());
    let is_file = |out: &&PathBuf| write::is_file(&folder, out);
    let out = call.out.as_ref().filter(is_file).map(|out| folder.join(out));
    Ok(Context { now, state, folder, root, out })
}

/// A time; a date alone means its beginning.
fn moment(text: &str) -> String {
    if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() }
}
