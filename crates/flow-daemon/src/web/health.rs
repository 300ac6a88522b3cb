//! `/api/health`: whether the files are readable and current. It depends on the time, so it has no validator.

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::model::time;
use crate::project::{ServedFrom, Source};
use crate::store::Snapshot;
use crate::store::snapshot::{Health, State, Watching};

use super::etag::VERSION;
use super::query::Query;
use super::reply::Reply;
use super::view::{About, View};

/// The report; 503 only if a condition in `require` does not hold.
pub(super) fn health(view: &View<'_>, query: &Query, about: &About) -> Reply {
    let snapshot = view.snapshot;
    let plans = snapshot.plans.formats.iter().map(|format| &format.health);
    let is_degraded = snapshot.health.iter().chain(plans).any(|health| health.state.is_degraded());
    let body = report(snapshot, about, if is_degraded { "degraded" } else { "ok" });
    let mut reply = Reply::json(Bytes::from(body.to_string()));
    let holds = |condition: &str| {
        let source = Source::ALL.into_iter().find(|source| source.check() == condition);
        let is_present = |source: Source| snapshot.health[source.index()].state == State::Present;
        source.map_or(!is_degraded, is_present)
    };
    if !query.values("require").iter().all(|condition| holds(condition)) {
        reply.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    reply
}

fn report(snapshot: &Snapshot, about: &About, status: &str) -> Value {
    let health = |source: Source| snapshot.health[source.index()].as_ref();
    let mut checks: Map<String, Value> = Source::ALL
        .iter()
        .map(|source| (source.check().into(), health(*source).state.name().into()))
        .collect();
    let mut sources: Map<String, Value> = Source::ALL
        .iter()
        .map(|source| {
            let suspicious = snapshot.suspicious(*source);
            (source.name().into(), describe(health(*source), suspicious))
        })
        .collect();
    for format in &snapshot.plans.formats {
        checks.insert(format.name.into(), format.health.state.name().into());
        let mut source = describe(&format.health, snapshot.suspicious_of(format));
        source["files"] = format.files.into();
        source["files_of_other_kinds"] = format.foreign.into();
        source["files_left_out"] = format.left_out.into();
        if let Some(exported_at) = format.exported_at {
            source["exported_at"] = time::format(exported_at).into();
        }
        sources.insert(format.name.into(), source);
    }
    let mut report = json!({
        "status": status,
        "timestamp": time::format(std::time::SystemTime::now()),
        "version": VERSION,
        "project": about.project,
        "pid": about.pid,
        "uptime_seconds": about.started.elapsed().as_secs(),
        "generation": snapshot.generation,
        "watcher": match snapshot.watcher {
            Watching::Native => "native",
            Watching::Poll => "poll",
        },
        "file_access": snapshot.restriction.name(),
        "checks": checks,
        "sources": sources,
    });
    if !snapshot.plans.beside.is_empty() {
        report["formats_not_read"] = json!(snapshot.plans.beside);
    }
    if let Some(history) = &about.history {
        let condition = history.condition().name();
        report["history"] = json!({"state": condition, "bytes": history.bytes()});
    }
    if about.served_from == ServedFrom::MainWorktree {
        report["served_from"] = "main_worktree".into();
    }
    report
}

fn describe(health: &Health, suspicious: u64) -> Value {
    json!({
        "path": health.path,
        "state": health.state.name(),
        "loaded_at": health.loaded_at.map(time::format),
        "bytes": health.bytes,
        "records": health.records,
        "skipped": health.skipped,
        "repaired": health.repaired,
        "suspicious": suspicious,
        "last_error": health.last_error,
    })
}
