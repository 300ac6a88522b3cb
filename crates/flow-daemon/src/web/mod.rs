//! Requests and answers: pure functions of a snapshot and a request, and the server around them.
//!
//! [`App::answer`] is the only entry point. It decides in this order: path, method, parameters, existence, validator,
//! body. It opens no file and waits for nothing. Around it are the [`serve`] loop, the limits of each connection and
//! the checks of Host and Origin, which know no resource.

pub mod serve;
mod connections;
mod inflight_budget;
mod timeout_stream;
mod service;
pub mod guard;
pub mod reply;
pub mod query;
pub mod etag;
mod body;
mod records;
mod bus;
mod health;
mod overview;
mod derived;
pub mod live;
pub mod page;

use std::borrow::Cow;
use std::time::Instant;

use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::{Map, Value};

use crate::model::time;
use crate::project::{ServedFrom, Source};
use crate::routes::{self, Match, Parameter, Resource, Route};
use crate::store::prepared::{Cell, InFlight, Prepared};
use crate::store::snapshot::State;
use crate::store::{Reader, Snapshot};
use live::Live;
use query::Query;
use reply::{LARGE, Reply};

/// What the answers say about the server itself.
#[derive(Debug, Clone)]
pub struct About {
    /// The project folder's name (never its path).
    pub project: String,
    /// The process.
    pub pid: u32,
    /// When it started, on a clock that never goes back.
    pub started: Instant,
    /// Whose files it serves.
    pub served_from: ServedFrom,
}

impl About {
    /// A server of a project in this process, started now.
    pub fn new(project: impl Into<String>) -> Self {
        let (pid, started) = (std::process::id(), Instant::now());
        Self { project: project.into(), pid, started, served_from: ServedFrom::default() }
    }
}

/// What it takes to answer a request.
#[derive(Debug)]
pub struct App {
    /// The state.
    pub reader: Reader,
    /// The server.
    pub about: About,
}

/// A request, reduced to what an answer depends on.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path, still percent-encoded.
    pub path: &'a str,
    /// The query without its question mark.
    pub query: Option<&'a str>,
    /// `If-None-Match`, all its lines joined by commas.
    pub if_none_match: Option<&'a str>,
    /// `Last-Event-ID`, as a browser sends it when it opens a stream again.
    pub last_event_id: Option<&'a str>,
}

impl Request<'_> {
    /// A plain `GET` of nothing.
    pub const GET: Self = Self {
        method: &Method::GET,
        path: "",
        query: None,
        if_none_match: None,
        last_event_id: None,
    };
}

/// What a resource is shown of.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    snapshot: &'a Snapshot,
    route: &'static Route,
    /// The decoded id; empty where the route has none.
    id: &'a str,
}

impl View<'_> {
    /// When the newest of the files behind it was written.
    fn timestamp(&self) -> Option<String> {
        self.snapshot.modified(self.route.sources).map(time::format)
    }
}

impl App {
    /// The status and body of a path with its query, as `GET` gives them.
    pub fn get(&self, target: &str) -> (u16, Bytes) {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        let reply = self.answer(Request { path, query, ..Request::GET });
        let reply = match reply.live {
            Some(live) => live.without_waiting(),
            None => reply,
        };
        (reply.status.as_u16(), reply.body)
    }

    /// Answers a request. Never fails: a bad request is an answer too.
    pub fn answer(&self, request: Request<'_>) -> Reply {
        let (route, id) = match routes::find(request.path) {
            Match::Whole(route) => (route, Cow::Borrowed("")),
            Match::One(route, id) => (route, id),
            Match::BadId(raw) => return invalid_id(raw),
            Match::Unknown => {
                return page::answer(request).unwrap_or_else(|| unknown_path(request.path));
            }
        };
        match *request.method {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return Reply::empty(StatusCode::NO_CONTENT),
            _ => return method_not_allowed(request.method),
        }
        let snapshot = self.reader.snapshot();
        let view = View { snapshot: &snapshot, route, id: &id };
        let is_known =
            |parameter: &Parameter, value: &str| records::is_known(&view, parameter.name, value);
        match Query::read(route, request.query.unwrap_or_default(), is_known) {
            Ok(query) => self.show(&view, &query, request).unwrap_or_else(|reply| reply),
            Err(reply) => reply,
        }
    }

    fn show(&self, view: &View<'_>, query: &Query, request: Request<'_>) -> Result<Reply, Reply> {
        let Request { if_none_match, last_event_id, .. } = request;
        let resource = view.route.resource;
        match resource {
            Resource::Health => return Ok(health::health(view, query, &self.about)),
            Resource::Attention => return Ok(derived::attention(view, query)),
            Resource::Activity => return derived::activity(view, query),
            Resource::Events | Resource::Changes => {
                let since = query.value("since").or(last_event_id);
                let wait = query.number("wait", 0);
                let mut live = Live::new(self.reader.clone(), resource, since, wait);
                if let Some(body) = live.at_once() {
                    return Ok(Reply::json(body));
                }
                return Ok(Reply { live: Some(Box::new(live)), ..Reply::empty(StatusCode::OK) });
            }
            _ => {}
        }
        let position = existing(view)?;
        let cell = cell(view.snapshot, resource).filter(|_| query.is_empty());
        if let Some(Prepared { body, tag, sharers }) = cell.and_then(Cell::get) {
            let is_known = etag::is_named(tag, if_none_match);
            let reply = validated(tag, is_known, || body.clone());
            return Ok(reply.shared_with(sharers, body.len()));
        }
        let about = if resource == Resource::Index { self.about.project.as_str() } else { "" };
        let tag = etag::tag(view.snapshot, view, query, about);
        let is_known = etag::is_named(&tag, if_none_match);
        let reply = validated(&tag, is_known, || {
            let make = || self.body(view, query, position);
            let prepare =
                || Prepared { body: make(), tag: tag.clone(), sharers: InFlight::default() };
            cell.map_or_else(make, |cell| cell.get_or_init(prepare).body.clone())
        });
        Ok(noted(reply, view, cell))
    }

    fn body(&self, view: &View<'_>, query: &Query, position: usize) -> Bytes {
        match view.route.resource {
            Resource::Agents => derived::agents(view),
            Resource::Sessions => records::sessions(view, query),
            Resource::Tasks => records::tasks(view, query),
            Resource::Epics => records::epics(view),
            Resource::Stories => records::stories(view, query),
            Resource::Epic => records::epic(view, position),
            Resource::Session | Resource::Task | Resource::Story => {
                records::behind(view.snapshot, view.route.resource).one(position)
            }
            Resource::Status => view.snapshot.status.text.clone().unwrap_or_default(),
            Resource::Messages => bus::messages(view, query),
            Resource::Metrics => overview::metrics(view),
            Resource::Problems => overview::problems(view),
            // The others have been answered before.
            _ => overview::index(&self.about),
        }
    }
}

/// The cache cell of the unfiltered body of a resource.
fn cell(snapshot: &Snapshot, resource: Resource) -> Option<&Cell> {
    match resource {
        Resource::Sessions => Some(&snapshot.sessions.prepared),
        Resource::Tasks => Some(&snapshot.tasks.prepared),
        Resource::Stories => Some(&snapshot.status.prepared.stories),
        Resource::Epics => Some(&snapshot.status.prepared.epics),
        Resource::Messages => Some(&snapshot.bus.prepared),
        Resource::Metrics => Some(&snapshot.prepared.metrics),
        Resource::Problems => Some(&snapshot.prepared.problems),
        Resource::Agents => Some(&snapshot.agents),
        _ => None,
    }
}

/// Records who owns the memory of a large body: prepared bodies, a file's text and rendered records exist once for all
/// requests.
fn noted(reply: Reply, view: &View<'_>, cell: Option<&Cell>) -> Reply {
    if reply.body.len() <= LARGE {
        return reply;
    }
    if let Some(prepared) = cell.and_then(Cell::get) {
        return reply.shared_with(&prepared.sharers, prepared.body.len());
    }
    match view.route.resource {
        Resource::Status => {
            let whole = reply.body.len();
            reply.shared_with(&view.snapshot.status.sharers, whole)
        }
        resource @ (Resource::Session | Resource::Task | Resource::Story) => {
            let records = records::behind(view.snapshot, resource);
            reply.shared_with(records.sharers(), records.text().len())
        }
        _ => reply,
    }
}

/// The position of the record that is asked for; 0 where the resource is not one record.
fn existing(view: &View<'_>) -> Result<usize, Reply> {
    match view.route.resource {
        Resource::Status if view.snapshot.status.text.is_none() => Err(no_status(view)),
        Resource::Session | Resource::Task | Resource::Epic | Resource::Story => {
            let records = records::behind(view.snapshot, view.route.resource);
            records.position(view.id).ok_or_else(|| not_found(records.kind().noun(), view.id))
        }
        _ => Ok(0),
    }
}

fn validated(tag: &Bytes, is_known: bool, body: impl FnOnce() -> Bytes) -> Reply {
    let reply = if is_known { Reply::empty(StatusCode::NOT_MODIFIED) } else { Reply::json(body()) };
    Reply { etag: etag::header(tag), ..reply }
}

fn context<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn not_found(noun: &str, id: &str) -> Reply {
    let sentence = format!("there is no {noun} with the id {id:?}");
    Reply::error(StatusCode::NOT_FOUND, "not_found", &sentence, context([("id", id.into())]))
}

/// There is no status.json, or it never had content that could be served.
fn no_status(view: &View<'_>) -> Reply {
    let health = &view.snapshot.health[Source::Status.index()];
    let path = health.path.as_str();
    if health.state == State::Missing {
        let sentence = format!("there is no {path}");
        let context = context([("file", path.into())]);
        return Reply::error(StatusCode::NOT_FOUND, "state_missing", &sentence, context);
    }
    let reason = health.last_error.as_deref().unwrap_or("not read yet");
    let verb = if health.state == State::Unreadable { "cannot be read:" } else { "is" };
    let sentence = format!("{path} {verb} {reason}; no good version seen yet");
    let context = context([
        ("file", path.into()),
        ("state", health.state.name().into()),
        ("reason", reason.into()),
    ]);
    Reply::error(StatusCode::SERVICE_UNAVAILABLE, "state_invalid", &sentence, context)
}

fn unknown_path(path: &str) -> Reply {
    let paths: Vec<&str> = routes::ROUTES.iter().map(|route| route.path).collect();
    let sentence = format!("there is nothing at {path:?}");
    let context = context([("path", path.into()), ("endpoints", paths.into())]);
    Reply::error(StatusCode::NOT_FOUND, "not_found", &sentence, context)
}

fn invalid_id(raw: &str) -> Reply {
    let sentence =
        format!("the id {raw:?} is not percent-encoded UTF-8 without control characters");
    Reply::error(StatusCode::BAD_REQUEST, "invalid_id", &sentence, context([("id", raw.into())]))
}

fn method_not_allowed(method: &Method) -> Reply {
    let sentence = format!("{method} is not allowed: this API only reads");
    let context = context([
        ("method", method.as_str().into()),
        ("allowed", vec!["GET", "HEAD", "OPTIONS"].into()),
    ]);
    Reply::error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &sentence, context)
}
