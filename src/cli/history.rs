//! `flow history`: the known changes of the plan, newest first, and the past that git has.

use std::io::{self, IsTerminal, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::args::{History, HistoryAction};
use super::command_output::{CommandOutput, OutputFormat};
use super::explain::explain;
use super::invocation::Invocation;
use super::plan_table;
use super::text::{emphasis, escape};
use crate::daemon::{self, Probe};
use crate::error::{Error, Result};
use crate::git::revision::HeadAt;
use crate::history::{Kept, Origin};
use crate::model::time::{self, Edge};
use crate::past::{self, FoundPast, Reach};
use crate::project::{self, Project};
use crate::skill::project_state::when::{ALLOWED, When};
use crate::skill::runtime::limited;
use crate::store::activity::Change;
use crate::store::plan_change::PlanChange;
use crate::store::plan_rows::{Label, Row, Rows, Summary};

/// The word of the hidden command that imports the past after a start.
pub(super) const IMPORT: &str = "import-history";
/// What is imported after a start.
const AFTER_START: Reach = Reach { commits: 500, time: Duration::from_secs(30) };
/// What is imported on request.
const ALL: Reach = Reach { commits: 1_000_000, time: Duration::from_hours(1) };
/// Rows that are shown without `--all`.
const SHOWN: usize = 50;

/// Shows the changes, or imports the past.
pub(super) fn history(
    invocation: &Invocation,
    asked: &History,
    output: OutputFormat,
) -> Result<CommandOutput> {
    let project = invocation.project()?;
    if project.history() == project::History::Off {
        return Err(no_history());
    }
    match asked.action {
        Some(HistoryAction::Import) => imported(&project, output),
        None => show(invocation, &project, asked),
    }
}

/// The error where the user wants no history.
pub(super) fn no_history() -> Error {
    Error::Refused("history is turned off in your settings: \"history\": false".to_owned())
}

fn show(invocation: &Invocation, project: &Project, asked: &History) -> Result<CommandOutput> {
    // An id that neither a change nor a record has is a mistake.
    let is_of_a_record = || match asked.id.as_deref() {
        None | Some("") => Ok(()),
        Some(id) => explain(invocation, id).map(drop),
    };
    let since = asked.since.as_deref().map(since).transpose()?;
    let Some(kept) = daemon::kept(project) else {
        return is_of_a_record().map(|()| nothing(project));
    };
    let has_id = |change: &Change| {
        asked.id.as_ref().is_none_or(|id| change.plan.id.eq_ignore_ascii_case(id))
    };
    let matches = |change: &Change| {
        since.is_none_or(|since| change.at >= since)
            && (!asked.weakened || Label::of(&change.plan).is_weaker())
    };
    let (mut changes, mut total, mut is_known) = (Vec::new(), 0_usize, false);
    kept.each(&mut |change| {
        total += 1;
        if has_id(&change) {
            is_known = true;
            if matches(&change) {
                changes.push(change);
            }
        }
    })?;
    if !is_known {
        is_of_a_record()?;
    }
    if total == 0 && kept.origin().is_none() {
        return Ok(nothing(project));
    }
    // An id in another case counts only where no record has it as it was given.
    let is_exact = |change: &Change| asked.id.as_ref() == Some(&change.plan.id);
    if changes.iter().any(is_exact) {
        changes.retain(is_exact);
    }
    // Those of one write are in the order of their records.
    let writes: Vec<&[Change]> =
        changes.chunk_by(|one, other| one.at == other.at && one.commit == other.commit).collect();
    let plans: Vec<Vec<PlanChange>> = writes
        .iter()
        .map(|write| write.iter().map(|change| change.plan.clone()).collect())
        .collect();
    let summaries = plans.iter().map(|plans| Summary::of(plans, Rows::Few)).zip(&writes).rev();
    let summaries: Vec<(Summary<'_>, &&[Change])> = summaries.collect();
    let rows = summaries
        .iter()
        .flat_map(|(summary, write)| summary.rows.iter().map(|row| (before(write), row)));
    let rows: Vec<(String, &Row<'_>)> = rows.collect();
    let shown = if asked.all { rows.len() } else { rows.len().min(SHOWN) };
    let mut result = plan_table::lines(rows[..shown].iter().cloned());
    if rows.is_empty() {
        let id = asked.id.as_deref().map(|id| format!(" of \"{}\"", escape(id)));
        result = format!("No such change{} is known.\n", id.unwrap_or_default());
    }
    let more = (shown < rows.len()).then(|| {
        format!("{shown} of {} rows; to list them: {}", rows.len(), emphasis("flow history --all"))
    });
    let sources = [more, Some(recorded(&kept)), past_line(&kept, project)];
    result += &sources.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    result.push('\n');
    let facts = json!({
        "changes": changes.iter().rev().collect::<Vec<_>>(),
        "count": changes.len(),
        "total": total,
        "recorded_since": kept.began().map(time::format),
        "past": kept.origin(),
    });
    Ok(CommandOutput { facts, ..CommandOutput::shown(result) })
}

/// The time of a write, and its commit.
fn before(write: &[Change]) -> String {
    let Some(first) = write.first() else { return String::new() };
    let at = time::format(first.at);
    let minute = at.get(..16).unwrap_or(&at).replace('T', " ");
    let commit = first.commit.as_deref().and_then(|id| id.get(..8)).unwrap_or_default();
    format!("{minute}  {commit:8}")
}

fn recorded(kept: &Kept) -> String {
    match kept.began() {
        Some(began) => format!("times are UTC · recorded since {}", day(began)),
        None => "times are UTC".to_owned(),
    }
}

fn past_line(kept: &Kept, project: &Project) -> Option<String> {
    let import = emphasis("flow history import");
    let Some(origin) = kept.origin() else {
        return past::has_repository(project)
            .then(|| format!("what git has before that: {import}"));
    };
    let when = if kept.began().is_some() { " before that" } else { " read" };
    let commits = counted(origin.commits, "commit") + when;
    Some(if origin.is_whole {
        commits
    } else if past::is_shallow_clone(project) {
        let fetch = emphasis("git fetch --unshallow");
        format!("{commits}, of a shallow clone; all of them: {fetch}, then {import}")
    } else {
        format!("{commits}; all of them: {import}")
    })
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

fn day(at: SystemTime) -> String {
    let at = time::format(at);
    at.get(..10).unwrap_or(&at).to_owned()
}

fn nothing(project: &Project) -> CommandOutput {
    let import = past::has_repository(project)
        .then(|| format!("; to read what git has: {}", emphasis("flow history import")));
    let is_served = matches!(daemon::probe(project.root()), Ok(Probe::Running { .. }));
    let recorder = if is_served {
        "The server records them from now on".to_owned()
    } else {
        format!("A running server records them: {}", emphasis("flow api start"))
    };
    let sentence =
        format!("No changes are recorded yet. {recorder}{}\n", import.unwrap_or_default());
    let facts =
        json!({"changes": [], "count": 0, "total": 0, "recorded_since": null, "past": null});
    CommandOutput { facts, ..CommandOutput::shown(sentence) }
}

fn since(word: &str) -> Result<SystemTime> {
    let now = time::format(SystemTime::now());
    let when = When::read(word, &now)
        .ok_or_else(|| Error::Usage(format!("--since {word:?} is not {ALLOWED}")))?;
    let nanoseconds = time::parse(&when.first, Edge::Start).unwrap_or_default();
    Ok(UNIX_EPOCH + Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or_default()))
}

/// Imports all that git has.
fn imported(project: &Project, output: OutputFormat) -> Result<CommandOutput> {
    let kept = daemon::make_kept(project)?;
    let shows = output == OutputFormat::Text && io::stderr().is_terminal();
    let mut told = |commits: usize| {
        if shows {
            // A terminal that is gone ends nothing.
            let _ = write!(io::stderr(), "\r{}", counted(commits, "commit"));
        }
    };
    let past = import(project, &kept, ALL, &mut told)?;
    if shows {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    let since = past.since.map(|since| format!(" since {}", day(since))).unwrap_or_default();
    let result = format!(
        "{} in {}{since}; to see them: {}\n",
        counted(past.changes.len(), "change"),
        counted(past.commits, "commit"),
        emphasis("flow history")
    );
    let facts = json!({
        "changes": past.changes.len(),
        "commits": past.commits,
        "since": past.since.map(time::format),
        "is_whole": past.is_whole,
    });
    Ok(CommandOutput { facts, ..CommandOutput::shown(result) })
}

/// Starts a process that reads what git has of the time before the first start, unless that was done. Nobody waits for it. Only
/// after a server was started: the threads that git needs would hinder a fork.
pub(super) fn import_in_background(project: &Project) {
    let is_done = || {
        let origin = daemon::kept(project).and_then(|kept| kept.origin());
        origin.is_some_and(|origin| origin.is_final)
    };
    let is_kept = project.history() == project::History::Kept;
    if !is_kept || !past::has_repository(project) || is_done() {
        return;
    }
    let Ok(mut command) = limited::command(IMPORT) else { return };
    command.arg(project.root()).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Without it, `flow history` names the command that imports all.
    let Ok(mut child) = command.spawn() else { return };
    let _ = thread::Builder::new().spawn(move || child.wait());
}

/// Imports what a start imports.
///
/// # Errors
/// When git fails, or the history cannot be written.
pub(super) fn import_after_start(root: &Path) -> Result<()> {
    let project = Project::at(root)?;
    let kept = daemon::make_kept(&project)?;
    // One that was imported before the first start is read again to its end.
    let known = kept.origin().map_or(0, |origin| origin.commits);
    let reach = Reach { commits: AFTER_START.commits + known, ..AFTER_START };
    import(&project, &kept, reach, &mut |_| {}).map(drop)
}

fn import(
    project: &Project,
    kept: &Kept,
    reach: Reach,
    told: &mut dyn FnMut(usize),
) -> Result<FoundPast> {
    let began = kept.began();
    // What was committed or pulled since recording began was recorded when it was.
    let known = kept.origin().filter(|origin| origin.is_final);
    let known = known.filter(|origin| past::has_commit(project, &origin.head));
    let (head, until) = if let Some(origin) = known {
        (origin.head, None)
    } else {
        let moment = began.unwrap_or_else(SystemTime::now);
        let HeadAt { revision, is_logged } = past::head_at(project, moment)?;
        (revision.id, began.filter(|_| !is_logged))
    };
    let past = past::find(project, &head, until, reach, told)?;
    let origin = Origin::new(past.head.clone(), past.commits, past.is_whole, began.is_some());
    kept.replace_past(&origin, &past.changes)?;
    Ok(past)
}
