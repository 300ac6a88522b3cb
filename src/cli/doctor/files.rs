//! Faults of the four files, as the server or a reading of them reports.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::finding::{Area, Finding};
use super::records;
use crate::cli::invocation::Invocation;
use crate::cli::text;
use crate::control::client;
use crate::daemon::Probe;
use crate::files::Files;
use crate::project::{Project, Source};
use crate::skill::project_state::state::Answers;
use crate::store::plans::{FormatHealth, NOTE, PlanProblem};

/// The source of the files' states.
enum Answering<'a> {
    Server(&'a Path),
    Files(&'a Files),
}

impl Answering<'_> {
    fn get(&self, path: &str) -> Option<String> {
        match self {
            Self::Server(socket) => client::get(socket, path).ok().map(|got| got.body),
            Self::Files(files) => files.get(path).ok().map(|(_, body)| body),
        }
    }
}

/// The findings. If a server responds, its view of the files counts; records are always those on disk, which have lines.
pub(super) fn findings(
    invocation: &Invocation,
    probe: Option<&Probe>,
    project: &Project,
) -> Vec<Finding> {
    let files = Files::read_at_rest(project);
    let reads_plans = !files.snapshot().plans.formats.is_empty();
    let mut found: Vec<Finding> =
        none_at_all(project).filter(|_| !reads_plans).into_iter().collect();
    for source in Source::ALL {
        found.extend(absent(project, source));
        found.extend(several(project, source));
    }
    let source = match probe {
        Some(Probe::Running { socket, .. }) => Answering::Server(socket),
        _ => Answering::Files(&files),
    };
    let ask = |path: &str| -> Value {
        source.get(path).and_then(|body| serde_json::from_str(&body).ok()).unwrap_or_default()
    };
    let health = ask("/api/health");
    for source in Source::ALL {
        let facts = &health["sources"][source.name()];
        found.extend(not_served(invocation, source, facts));
    }
    found.extend(notes(&ask("/api/problems")));
    found.extend(broken_plans(&files));
    found.extend(left_out(invocation, &ask("/api/bus/messages?limit=0")));
    found.extend(records::findings(project, &files));
    found
}

fn none_at_all(project: &Project) -> Option<Finding> {
    if Source::ALL.into_iter().any(|source| project.has_file(source)) {
        return None;
    }
    let looked_for: Vec<String> = Source::ALL
        .into_iter()
        .flat_map(|source| project.files(source))
        .map(|file| file.display().to_string())
        .collect();
    Some(Finding::new(
        Area::Files,
        format!(
            "none of the files exists; searched in {} for {}",
            project.state_root().display(),
            looked_for.join(", ")
        ),
        "give the project's folder with --project DIR, or set the paths in .flow/config.json under \"files\"; agents write these files as they work",
    ))
}

/// A file that the settings name and that does not exist, or a dangling link.
fn absent(project: &Project, source: Source) -> Option<Finding> {
    let at = |file: &PathBuf| project.state_root().join(file);
    let is_link_to_nowhere = |path: &PathBuf| {
        path.symlink_metadata().is_ok_and(|found| found.is_symlink()) && !path.exists()
    };
    if let Some(link) = project.files(source).iter().map(at).find(is_link_to_nowhere) {
        return Some(Finding::new(
            Area::Files,
            format!("{} is a dangling symlink", link.display()),
            format!("remove it, or point it to the {} file", source.name()),
        ));
    }
    let file = project.files(source).first().filter(|_| project.names_file(source))?;
    (!at(file).exists()).then(|| {
        Finding::new(
            Area::Settings,
            format!(
                "the settings give {} as files.{}, which does not exist",
                file.display(),
                source.name()
            ),
            format!(
                "correct files.{0} in .flow/config.json, or remove it to use the default path",
                source.name()
            ),
        )
    })
}

/// Several files at the possible paths of one source: only the first is served.
fn several(project: &Project, source: Source) -> Option<Finding> {
    let root = project.state_root();
    let there: Vec<&Path> = project
        .files(source)
        .iter()
        .map(PathBuf::as_path)
        .filter(|file| root.join(file).exists())
        .collect();
    let [served, other, ..] = there.as_slice() else { return None };
    let real = |file: &Path| root.join(file).canonicalize().ok();
    if real(served) == real(other) {
        return None;
    }
    Some(Finding::new(
        Area::Files,
        format!("{} is served; {} exists too and is not served", served.display(), other.display()),
        format!(
            "remove the unused one, or set the other: {{\"files\": {{\"{}\": \"{}\"}}}} in .flow/config.json",
            source.name(),
            other.display()
        ),
    ))
}

/// A file whose current content is not served.
fn not_served(invocation: &Invocation, source: Source, facts: &Value) -> Option<Finding> {
    let path = facts["path"].as_str().unwrap_or_default();
    let reason = facts["last_error"].as_str().unwrap_or_default();
    let settings = settings(invocation);
    let (what, remedy) = match facts["state"].as_str()? {
        "invalid" => (
            format!("{path} is {reason}"),
            "correct it there; until then the last good version is served, if there is one".to_owned(),
        ),
        "unreadable" => (
            format!("{path} cannot be read: {reason}"),
            format!("grant this user read permission for it and its folders: chmod u+r {path}"),
        ),
        "refused" => (
            format!("{path} is {reason}"),
            "replace it with the file itself, or with a symlink to a path inside the project".to_owned(),
        ),
        "too_large" => (
            format!("{path} is {reason}"),
            format!("raise the limit in {settings} (limits.{}), or remove old records", limit(source)),
        ),
        "changing" => (
            format!("{path} is being written and incomplete"),
            "run flow doctor again; if this persists, its writer was interrupted: write the file again".to_owned(),
        ),
        _ => return None,
    };
    Some(Finding::new(Area::Files, what, remedy))
}

/// Files that are not read, or will not be after a restart, though no record is affected now.
fn notes(problems: &Value) -> Vec<Finding> {
    let rows = problems["problems"].as_array().map(Vec::as_slice).unwrap_or_default();
    let finding = |row: &Value| {
        let remedy = if row["file"].is_null() {
            "set \"formats\" in .flow/config.json to keep the plan, or remove the file if it is not wanted"
        } else {
            "remove it if it is not used; the tool's configuration names the other"
        };
        Some(Finding::new(Area::Files, row["reason"].as_str()?, remedy))
    };
    rows.iter().filter(|row| row["level"] == NOTE).filter_map(finding).collect()
}

/// Files of other tools that are not served as they are, and those that are left out.
fn broken_plans(files: &Files) -> Vec<Finding> {
    let snapshot = files.snapshot();
    let broken = snapshot.plans.problems.iter().filter(|problem| problem.is_invalid());
    let mut found: Vec<Finding> = broken
        .map(|problem| {
            let PlanProblem { format, file, reason, .. } = problem;
            let remedy = "correct it there; its last valid content is served, if there is one";
            Finding::new(Area::Files, format!("{file} ({format}) is not read: {reason}"), remedy)
        })
        .collect();
    let left_out = snapshot.plans.formats.iter().filter(|format| format.left_out > 0);
    found.extend(left_out.map(|format| {
        let FormatHealth { name, left_out, .. } = format;
        let what =
            format!("{left_out} files or folders of {name} are left out: there are too many");
        Finding::new(Area::Files, what, "move finished work out of these folders")
    }));
    found
}

/// The plans of other tools: which are read, and which are not, as a note.
pub(super) fn plans(project: &Project) -> Option<String> {
    let snapshot = Files::read_at_rest(project).snapshot();
    let read = snapshot.plans.formats.iter();
    let read: Vec<String> = read
        .map(|format| {
            let (files, records) = (format.files, format.health.records);
            let noun = if files == 1 { "file" } else { "files" };
            format!("{} ({files} {noun}, {records} records)", format.name)
        })
        .collect();
    let read = (!read.is_empty()).then(|| format!("the plan is read from {}", read.join(", ")));
    let beside = text::formats_beside(&snapshot.plans.beside);
    match (read, beside) {
        (None, beside) => beside,
        (read, None) => read,
        (Some(read), Some(beside)) => Some(format!("{read}; {beside}")),
    }
}

/// The file in which limits are raised.
fn settings(invocation: &Invocation) -> String {
    let path = invocation.settings.as_deref();
    path.map_or_else(|| "your own settings".to_owned(), |path| path.display().to_string())
}

fn limit(source: Source) -> &'static str {
    match source {
        Source::Bus => "bus_bytes",
        Source::Status | Source::Sessions | Source::Tasks => "json_bytes, limits.records",
    }
}

/// The oldest part of a log that exceeds its limit.
fn left_out(invocation: &Invocation, messages: &Value) -> Option<Finding> {
    let bytes = messages["left_out_bytes"].as_u64().filter(|bytes| *bytes > 0)?;
    let settings = settings(invocation);
    Some(Finding::new(
        Area::Files,
        format!("the log is over its limit: its oldest {bytes} bytes are not served"),
        format!(
            "raise limits.bus_bytes in {settings} and in .flow/config.json, or remove old lines from the log"
        ),
    ))
}
