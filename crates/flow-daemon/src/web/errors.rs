//! The error answers, each with the context that explains it.

use http::{Method, StatusCode};
use serde_json::{Map, Value};

use crate::project::Source;
use crate::routes;
use crate::store::snapshot::State;

use super::reply::Reply;
use super::view::View;

pub(super) fn context<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(super) fn not_found(noun: &str, id: &str) -> Reply {
    let sentence = format!("there is no {noun} with the id {id:?}");
    Reply::error(StatusCode::NOT_FOUND, "not_found", &sentence, context([("id", id.into())]))
}

/// There is no status.json, or none of its content was ever valid.
pub(super) fn no_status(view: &View<'_>) -> Reply {
    let health = &view.snapshot.health[Source::Status.index()];
    let path = health.path.as_str();
    if health.state == State::Missing {
        let formats = view.snapshot.plans.names();
        let mut sentence = format!("there is no {path}");
        let mut context = context([("file", path.into())]);
        if !formats.is_empty() {
            let names = formats.join(", ");
            sentence = format!(
                "{sentence}; the plan is read from {names}: use /api/stories and /api/tasks"
            );
            context.insert("formats".to_owned(), formats.into());
        }
        return Reply::error(StatusCode::NOT_FOUND, "state_missing", &sentence, context);
    }
    let reason = health.last_error.as_deref().unwrap_or("not read yet");
    let verb = if health.state == State::Unreadable { "cannot be read:" } else { "is" };
    let sentence = format!("{path} {verb} {reason}; no valid version read yet");
    let context = context([
        ("file", path.into()),
        ("state", health.state.name().into()),
        ("reason", reason.into()),
    ]);
    Reply::error(StatusCode::SERVICE_UNAVAILABLE, "state_invalid", &sentence, context)
}

/// No route has the path; `record` is the path of the record that it means.
pub(super) fn unknown_path(path: &str, record: Option<String>) -> Reply {
    let paths: Vec<&str> = routes::ROUTES.iter().map(|route| route.path).collect();
    let mut sentence = format!("no resource has the path {path:?}");
    let mut context = context([("path", path.into()), ("endpoints", paths.into())]);
    if let Some(record) = record {
        sentence = format!("{sentence}; the record has the path {record}");
        context.insert("record".to_owned(), record.into());
    }
    Reply::error(StatusCode::NOT_FOUND, "not_found", &sentence, context)
}

pub(super) fn invalid_id(raw: &str) -> Reply {
    let sentence =
        format!("the id {raw:?} must be percent-encoded UTF-8 without control characters");
    Reply::error(StatusCode::BAD_REQUEST, "invalid_id", &sentence, context([("id", raw.into())]))
}

pub(super) fn method_not_allowed(method: &Method) -> Reply {
    let sentence = format!("{method} is not allowed: this API is read-only");
    let context = context([
        ("method", method.as_str().into()),
        ("allowed", vec!["GET", "HEAD", "OPTIONS"].into()),
    ]);
    Reply::error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &sentence, context)
}

/// The answer to a request for a stream over the control socket, which has none.
pub(super) fn is_a_stream() -> Reply {
    let sentence = "/api/events is a stream; use /api/changes (long polling) instead";
    Reply::error(StatusCode::BAD_REQUEST, "is_a_stream", sentence, Map::new())
}
