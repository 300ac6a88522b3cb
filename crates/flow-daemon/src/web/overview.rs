//! The resources about everything: `/api` itself, the metrics, the problems.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::model::problem::{KEPT, Position, Problem};
use crate::project::Source;
use crate::routes::ROUTES;
use crate::store::plans::{NOTE, Place, PlanProblem};
use crate::store::{Snapshot, metrics};

use super::body::Object;
use super::etag::VERSION;
use super::view::{About, View};

/// `/api`: a description of the server, and the list of endpoints.
pub(super) fn index(snapshot: &Snapshot, about: &About) -> Bytes {
    let mut body = json!({
        "name": "flow",
        "version": VERSION,
        "description": "Read-only API over the state of this project's coding agents",
        "project": about.project,
        "endpoints": endpoints(),
        "note": "GET and HEAD only. Lists take filters: several parameters mean AND, several values OR. \
                 Every answer but health, attention, activity, history, events, changes, projects, worktrees and /metrics has an ETag.",
    });
    let formats = snapshot.plans.names();
    if !formats.is_empty() {
        body["formats"] = formats.into();
    }
    body.to_string().into()
}

/// Every path with its purpose.
pub(super) fn endpoints() -> Map<String, Value> {
    ROUTES.iter().map(|route| (route.path.to_owned(), route.gives.into())).collect()
}

/// `/api/metrics`.
pub(super) fn metrics(view: &View<'_>) -> Bytes {
    let text = serde_json::to_vec(&metrics::metrics(view.snapshot)).unwrap_or_default();
    let members =
        text.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")).unwrap_or_default();
    Object::with_capacity(text.len() + 64)
        .members(members)
        .time("timestamp", view.modified())
        .finish()
}

/// `/api/problems`: first the files that are not served as they are, then the newest problems of each file, in the order
/// status, sessions, tasks, bus, and of the formats.
pub(super) fn problems(view: &View<'_>) -> Bytes {
    let snapshot = view.snapshot;
    let of = |source: Source| {
        snapshot.kept_problems(source).map(move |problem| {
            match snapshot.place_of(source, problem) {
                Some(place) => describe_planned(place, problem),
                None => describe(source, problem),
            }
        })
    };
    let mut problems: Vec<Value> = Source::ALL.into_iter().flat_map(of).collect();
    problems
        .extend(snapshot.plans.problems.iter().filter(|one| !one.is_invalid()).map(describe_plan));
    let mut unread: Vec<Value> =
        Source::ALL.into_iter().filter_map(|source| not_read(snapshot, source)).collect();
    unread.extend(snapshot.plans.problems.iter().filter(|one| one.is_invalid()).map(describe_plan));
    unread.extend(snapshot.appeared().map(|source| appeared(snapshot, source)));
    let surplus = problems.len().saturating_sub(KEPT);
    problems.splice(..surplus, unread);
    Object::with_capacity(problems.len() * 128 + 128)
        .value("problems", &problems)
        .value("count", &problems.len())
        .time("timestamp", view.modified())
        .finish()
}

/// A file whose content is not served as it is.
fn not_read(snapshot: &Snapshot, source: Source) -> Option<Value> {
    let (line, reason) = snapshot.health[source.index()].degraded()?;
    let source = source.name();
    Some(match line {
        Some(line) => json!({"source": source, "line": line, "level": "invalid", "reason": reason}),
        None => json!({"source": source, "level": "invalid", "reason": reason}),
    })
}

/// One of the four files that appeared beside a plan.
fn appeared(snapshot: &Snapshot, source: Source) -> Value {
    let path = &snapshot.health[source.index()].path;
    let formats = snapshot.plans.alone.join(", ");
    let reason = format!(
        "{path} did not exist when the server started; after a restart {formats} is read only if the setting formats names it"
    );
    json!({"source": source.name(), "level": NOTE, "reason": reason})
}

/// A problem of a record of a format, which is that of its documents.
fn describe_planned(place: Place<'_>, problem: &Problem) -> Value {
    let mut value = json!({"source": place.format, "file": place.file, "line": place.line});
    if let Position::Id(id) = &problem.place {
        value["id"] = id.as_str().into();
    }
    value["level"] = problem.effect.name().into();
    value["reason"] = problem.reason.as_str().into();
    value
}

fn describe_plan(problem: &PlanProblem) -> Value {
    let PlanProblem { format, file, line, level, reason } = problem;
    let mut value = json!({"source": format, "file": file.as_ref()});
    if let Some(line) = line {
        value["line"] = (*line).into();
    }
    value["level"] = (*level).into();
    value["reason"] = reason.as_str().into();
    value
}

fn describe(source: Source, problem: &Problem) -> Value {
    let (source, level) = (source.name(), problem.effect.name());
    let reason = &problem.reason;
    match &problem.place {
        Position::Line(line) => {
            json!({"source": source, "line": line, "level": level, "reason": reason})
        }
        Position::Id(id) => json!({"source": source, "id": id, "level": level, "reason": reason}),
    }
}
