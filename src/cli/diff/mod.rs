//! `flow diff`: what changed in the plan between two states, what was taken back first.

mod facts;
mod markdown;
mod states;
mod text;

use super::args::Diff;
use super::command_output::{CommandOutput, Exit};
use super::invocation::Invocation;
use super::text::{note, warning};
use crate::store::plan_changes::{self, LeftOut};
use crate::store::plan_rows::{Rows, Summary};
use states::States;

/// Compares two states of the plan. Each error has the exit code 2: 1 says that the plan was weakened.
pub(super) fn diff(invocation: &Invocation, asked: &Diff) -> CommandOutput {
    let states = match States::of(invocation, asked) {
        Ok(states) => states,
        Err(error) => return CommandOutput { exit: Exit::Usage, ..CommandOutput::failed(&error) },
    };
    let States { from, to, left_out, .. } = &states;
    let (mut files, unread) = plan_changes::unread(&from.snapshot, &to.snapshot);
    files.extend(plan_changes::of_one_side(&from.snapshot, &to.snapshot));
    let left_out = LeftOut { sources: left_out.clone(), files };
    let mut found = plan_changes::compare(&from.snapshot, &to.snapshot, &left_out);
    found.not_compared.extend(unread);
    found.not_compared.sort();
    found.not_compared.dedup();
    let summary = Summary::of(&found.changes, Rows::Few);
    // The next comparison begins with the current files, so that nothing can be listed later.
    let all = asked.all || asked.since_last;
    let result = if asked.markdown {
        markdown::document(&states, &found, &summary, all)
    } else {
        text::report(&states, &found, &summary, all)
    };
    let mut message: String = states.notes().iter().map(|sentence| note(sentence)).collect();
    for one in &found.not_compared {
        message += &warning(&format!("not compared: {}: {}", one.file, one.reason));
    }
    // What cannot be read now may hide what was in it.
    let is_hidden = found.not_compared.iter().any(|one| one.is_now);
    let exit = match () {
        () if !asked.exit_code => Exit::Fine,
        () if is_hidden => Exit::Usage,
        () if summary.is_weaker() => Exit::Refused,
        () => Exit::Fine,
    };
    let facts = facts::facts(&states, &found);
    CommandOutput { exit, facts, message, ..CommandOutput::shown(result) }
}
