//! Answers requests from the newest snapshot.
//!
//! [`App::answer`] is the only entry point. It decides in this order: path, method, parameters, existence, validator,
//! body. It opens no file and waits for nothing.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode};

use crate::derived::progress;
use crate::project::Source;
use crate::routes::{self, Match, Parameter, Resource};
use crate::store::answers::Answers;
use crate::store::collection::Collection;
use crate::store::prepared::{Cell, Prepared};
use crate::store::{Reader, Snapshot};

use super::errors::{
    invalid_id, is_a_stream, method_not_allowed, no_status, not_found, unknown_path,
};
use super::examined::{LARGE_COLLECTION, TooExpensive};
use super::list::Answer;
use super::live::Live;
use super::query::Query;
use super::reply::{LARGE, Reply};
use super::view::{About, Request, View};
use super::{
    bus, derived, etag, examined, health, openapi, origins, overview, page, records, scrape,
};

/// Everything that answers are made from.
#[derive(Debug)]
pub struct App {
    /// Reads the newest snapshot.
    pub reader: Reader,
    /// Facts about the server.
    pub about: About,
}

impl App {
    /// The status and body of `GET` for a path with its query.
    pub fn get(&self, target: &str) -> (u16, Bytes) {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        let reply = self.answer(Request { path, query, ..Request::GET });
        let reply = match reply.live {
            Some(live) => live.without_waiting().map_or_else(is_a_stream, Reply::json),
            None => reply,
        };
        (reply.status.as_u16(), reply.body)
    }

    /// Answers a request. Never fails: an invalid request gets an error answer.
    pub fn answer(&self, request: Request<'_>) -> Reply {
        let (route, id) = match routes::find(request.path) {
            Match::Whole(route) => (route, Cow::Borrowed("")),
            Match::One(route, id) => (route, id),
            Match::BadId(raw) => return invalid_id(raw),
            Match::Unknown => {
                let record = || meant(&self.reader.snapshot(), request.path);
                let unknown = || unknown_path(request.path, record());
                return page::answer(request).unwrap_or_else(unknown);
            }
        };
        match *request.method {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return Reply::empty(StatusCode::NO_CONTENT),
            _ => return method_not_allowed(request.method),
        }
        let snapshot = self.reader.snapshot();
        let view = View { snapshot: &snapshot, route, id: &id };
        let kept = answers(&snapshot, route.resource);
        if let (Some(answers), Some(query)) = (kept, request.query)
            && let Some(answer) = answers.get(route.path, query)
        {
            let reply = prepared_reply(&answer.prepared, request.if_none_match);
            return linked(reply, answer.link.clone());
        }
        let is_known =
            |parameter: &Parameter, value: &str| records::is_known(&view, parameter, value);
        match Query::read(route, request.query.unwrap_or_default(), is_known) {
            Ok(query) => self.show(&view, &query, request).unwrap_or_else(|reply| reply),
            Err(reply) => reply,
        }
    }

    fn show(&self, view: &View<'_>, query: &Query, request: Request<'_>) -> Result<Reply, Reply> {
        let Request { if_none_match, last_event_id, .. } = request;
        let resource = view.route.resource;
        if let Some(reply) = self.unvalidated(view, query, last_event_id) {
            return reply;
        }
        let position = existing(view)?;
        if resource == Resource::Messages {
            bus::check(view, query)?;
        }
        let cell = cell(view.snapshot, resource).filter(|_| query.is_empty());
        if let Some(prepared) = cell.and_then(Cell::get) {
            return Ok(prepared_reply(prepared, if_none_match));
        }
        let about = match resource {
            Resource::Index => {
                format!("{}\n{}", self.about.project, view.snapshot.plans.names().join(","))
            }
            _ => String::new(),
        };
        let tag = etag::tag(view.snapshot, view, query, &about);
        if etag::is_named(&tag, if_none_match) {
            return Ok(etag::not_modified(&tag));
        }
        if let Some(cell) = cell {
            let prepare = || {
                // Only a query can be too expensive.
                let answer = self.body(view, query, position);
                Prepared::new(answer.map(|answer| answer.body).unwrap_or_default(), tag)
            };
            return Ok(prepared_reply(cell.get_or_init(prepare), None));
        }
        let answer = self.body(view, query, position);
        let Answer { body, link } = answer.map_err(|TooExpensive| TooExpensive::reply(query))?;
        // A query with a cache buster is not asked again.
        let asked = request.query.filter(|_| !query.is_unique());
        if let (Some(answers), Some(asked)) = (answers(view.snapshot, resource), asked) {
            let prepared = Prepared::new(body.clone(), tag.clone());
            answers.keep(view.route.path, asked, prepared, link.clone());
        }
        let reply = Reply { etag: etag::header(tag), ..Reply::json(body) };
        Ok(noted(linked(reply, link), view))
    }

    /// The answer of a resource without a validator: its content depends on more than the files.
    fn unvalidated(
        &self,
        view: &View<'_>,
        query: &Query,
        last_event_id: Option<&str>,
    ) -> Option<Result<Reply, Reply>> {
        let resource = view.route.resource;
        Some(match resource {
            Resource::Health => Ok(health::health(view, query, &self.about)),
            Resource::Attention => Ok(derived::attention(view, query)),
            Resource::Scrape => Ok(scrape::scrape(view, &self.about)),
            Resource::Worktrees => Ok(derived::worktrees(view)),
            Resource::Projects => Ok(self.about.other_projects.answer()),
            Resource::Activity => derived::activity(view, query),
            Resource::History => Ok(derived::history(view, query)),
            Resource::TaskHistory => derived::record_history(view, Collection::Tasks),
            Resource::EpicHistory => derived::record_history(view, Collection::Epics),
            Resource::StoryHistory => derived::record_history(view, Collection::Stories),
            Resource::Events | Resource::Changes => {
                let since = query.value("since").or(last_event_id);
                let wait = query.number("wait", 0);
                let mut live = Live::new(self.reader.clone(), resource, since, wait);
                Ok(match live.at_once() {
                    Some(body) => Reply::json(body),
                    None => Reply { live: Some(Box::new(live)), ..Reply::empty(StatusCode::OK) },
                })
            }
            _ => return None,
        })
    }

    /// Whether the answer to a request may take long enough to hold up others.
    pub fn is_expensive(&self, path: &str, query: Option<&str>) -> bool {
        let snapshot = self.reader.snapshot();
        let route = routes::find(path);
        if matches!(route, Match::Whole(route) if route.resource == Resource::History) {
            return progress::is_expensive(&snapshot);
        }
        let Some(query) = query else { return false };
        let is_large = |source: &Source| snapshot.health[source.index()].bytes > LARGE_COLLECTION;
        let is_large_plan = snapshot.plans.bytes() > LARGE_COLLECTION;
        let is_large = |source: &Source| {
            is_large(source) || is_large_plan && matches!(source, Source::Status | Source::Tasks)
        };
        if !Source::ALL.iter().any(is_large) {
            return false;
        }
        let examines = examined::examines(query);
        let scans = snapshot.bus.log.has_rest() && examined::filters_messages(query);
        let Match::Whole(route) = route else { return false };
        let is_list = match route.resource {
            Resource::Messages => examines || scans,
            Resource::Sessions | Resource::Tasks | Resource::Epics | Resource::Stories => examines,
            _ => false,
        };
        is_list && route.sources.iter().any(is_large)
    }

    fn body(
        &self,
        view: &View<'_>,
        query: &Query,
        position: usize,
    ) -> Result<Answer, TooExpensive> {
        let body = match view.route.resource {
            Resource::Sessions => return records::sessions(view, query),
            Resource::Tasks => return records::tasks(view, query),
            Resource::Epics => return records::epics(view, query),
            Resource::Stories => return records::stories(view, query),
            Resource::Messages => return bus::messages(view, query),
            Resource::Agents => derived::agents(view),
            Resource::Epic => records::epic(view, position),
            Resource::Session | Resource::Task | Resource::Story => {
                records::behind(view.snapshot, view.route.resource).one(position)
            }
            Resource::Status => view.snapshot.status.text.clone().unwrap_or_default(),
            Resource::OpenApi => openapi::document(),
            Resource::Origins => origins::origins(view),
            Resource::Metrics => overview::metrics(view),
            Resource::Problems => overview::problems(view),
            // The others have been answered before.
            _ => overview::index(view.snapshot, &self.about),
        };
        Ok(body.into())
    }
}

/// The path of the record that a path without a route means, if there is such a record.
fn meant(snapshot: &Snapshot, path: &str) -> Option<String> {
    let exists = |(route, id): &(&'static routes::Route, Cow<'_, str>)| {
        existing(&View { snapshot, route, id }).is_ok()
    };
    routes::meant(path).find(exists).map(|(route, id)| route.path_of(&id))
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

/// The cached answers to queries about a list.
fn answers(snapshot: &Snapshot, resource: Resource) -> Option<&Answers> {
    match resource {
        Resource::Sessions => Some(&snapshot.sessions.answers),
        Resource::Tasks => Some(&snapshot.tasks.answers),
        Resource::Stories | Resource::Epics => Some(&snapshot.status.answers),
        Resource::Messages => Some(&snapshot.bus.answers),
        _ => None,
    }
}

/// The answer with its `Link` header, unless it is a 304.
fn linked(reply: Reply, link: Option<Bytes>) -> Reply {
    let link = link.filter(|_| reply.status == StatusCode::OK);
    let link = link.and_then(|link| HeaderValue::from_maybe_shared(link).ok());
    Reply { link: link.map(Box::new), ..reply }
}

/// The answer with a body that all requests share.
fn prepared_reply(prepared: &Prepared, if_none_match: Option<&str>) -> Reply {
    let Prepared { body, tag, in_flight, compressed } = prepared;
    let reply = etag::validated(tag, etag::is_named(tag, if_none_match), || body.clone());
    let reply = Reply { compressed: Some(Arc::clone(compressed)), ..reply };
    reply.shared_with(in_flight, body.len())
}

/// Records who owns the memory of a large body: a file's text and rendered records are shared by all requests.
fn noted(reply: Reply, view: &View<'_>) -> Reply {
    if reply.body.len() <= LARGE {
        return reply;
    }
    match view.route.resource {
        Resource::Status => {
            let whole = reply.body.len();
            reply.shared_with(&view.snapshot.status.in_flight, whole)
        }
        resource @ (Resource::Session | Resource::Task | Resource::Story) => {
            let records = records::behind(view.snapshot, resource);
            reply.shared_with(records.in_flight(), records.text().len())
        }
        _ => reply,
    }
}

/// The position of the requested record; 0 if the resource is not a single record.
fn existing(view: &View<'_>) -> Result<usize, Reply> {
    match view.route.resource {
        Resource::Status if view.snapshot.status.text.is_none() => Err(no_status(view)),
        Resource::Session | Resource::Task | Resource::Epic | Resource::Story => {
            let records = records::behind(view.snapshot, view.route.resource);
            records.position(view.id).ok_or_else(|| not_found(records.kind().noun(), view.id))
        }
        Resource::Origins if !origins::is_known(view) => Err(not_found("record", view.id)),
        _ => Ok(0),
    }
}
