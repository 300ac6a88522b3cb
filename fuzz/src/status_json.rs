//! status.json: every answer about it parses, and the served stories are served unchanged when they are a status.json
//! themselves.

use std::sync::Arc;

use bytes::Bytes;
use flow_daemon::store::joined_text::JoinedText;
use flow_daemon::store::publish::publisher;
use flow_daemon::store::snapshot::{Snapshot, Stamp, Status};
use flow_daemon::web::{About, App, Request};
use http::StatusCode;
use serde::de::IgnoredAny;

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some(app) = serving(data) else { return };
    for path in ["/api/epics", "/api/metrics", "/api/problems", "/api/stories?status=done,none"] {
        serde_json::from_str::<IgnoredAny>(&get(&app, path)).expect("an answer that is no JSON");
    }
    assert_eq!(get(&app, "/api/status").as_bytes(), data, "status.json is served as it is");
    let stories = get(&app, "/api/stories");
    serde_json::from_str::<IgnoredAny>(&stories).expect("stories that are no JSON");
    let again = serving(stories.as_bytes()).expect("what is served is refused");
    assert_eq!(get(&again, "/api/stories"), stories, "what is served is read differently");
}

/// A server of this document; `None` if it is refused.
fn serving(text: &[u8]) -> Option<App> {
    let stamp = Stamp { hash: 1, ..Stamp::default() };
    let text = JoinedText::of_file(&Bytes::copy_from_slice(text));
    let status = Status::read(&text, stamp, usize::MAX).ok()?;
    let snapshot = Snapshot { status: Arc::new(status), ..Snapshot::empty() };
    let about = About::new("p");
    Some(App { reader: publisher(snapshot).reader(), about })
}

fn get(app: &App, target: &str) -> String {
    let (path, query) =
        target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let reply = app.answer(Request { path, query, ..Request::GET });
    assert_eq!(reply.status, StatusCode::OK, "{target}");
    String::from_utf8(reply.body.to_vec()).expect("an answer that is not UTF-8")
}
