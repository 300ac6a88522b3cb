//! One request on a connection: the guard, then warp, then the headers that depend on the client.
//!
//! [`App::answer`] decides about paths, parameters and bodies; this module makes it an HTTP service.

use std::any::Any;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, Either};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CONNECTION, CONTENT_TYPE, IF_NONE_MATCH,
    RETRY_AFTER,
};
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use http_body_util::Empty;
use hyper::body::{Body, Bytes, Incoming};
use hyper::service::{Service, service_fn};
use hyper_util::service::TowerToHyperService;
use serde_json::Map;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use warp::path::FullPath;
use warp::{Filter, Reply as _};

use crate::project::ReadFrom;

use super::app::App;
use super::guard::{self, After, Lines};
use super::inflight_budget::InflightBudget;
use super::live::Live;
use super::reply::{METHODS, Reply};
use super::timeout_stream::Progress;
use super::view::Request;
use super::{etag, gzip};

/// Number of queries that examine a large collection at a time, and how long another one waits for its turn.
pub(super) const POOL: usize = 2;
const POOL_WAIT: Duration = Duration::from_secs(1);
/// When a client may ask again for a large answer.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");
const CLOSE: HeaderValue = HeaderValue::from_static("close");
/// The header beyond the CORS-safelisted ones that a page of another origin may send.
const ALLOWED_HEADERS: HeaderValue = HeaderValue::from_static("If-None-Match");
/// The headers beyond the safelisted ones that such a page may read: for `If-None-Match`, and the pages of a list.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static("ETag, Link");
/// Seconds for which a browser remembers the answer to a preflight.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("600");

/// Asks nginx not to collect a stream until its buffer is full.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// The header with a browser's position in a stream, and the path that uses it.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const STREAM: &str = "/api/events";

/// Answers requests. [`App`] does; tests use others.
pub trait Answer: Send + Sync + 'static {
    /// Answers a request that came from this machine. It must not block.
    fn answer(&self, request: Request<'_>) -> Reply;

    /// Whether that may take long enough to hold up others.
    fn is_expensive(&self, _path: &str, _query: Option<&str>) -> bool {
        false
    }

    /// Which pages of this machine may read the answers.
    fn read_from(&self) -> &ReadFrom {
        &ReadFrom::Any
    }

    /// Counts the status of an answer.
    fn note(&self, _status: StatusCode) {}
}

impl Answer for App {
    fn answer(&self, request: Request<'_>) -> Reply {
        App::answer(self, request)
    }

    fn is_expensive(&self, path: &str, query: Option<&str>) -> bool {
        App::is_expensive(self, path, query)
    }

    fn read_from(&self) -> &ReadFrom {
        &self.about.read_from
    }

    fn note(&self, status: StatusCode) {
        self.about.requests.note(status);
    }
}

/// The parts of a request for which warp's filters would copy or reject. Most requests have none of them.
#[derive(Debug, Clone)]
struct Extras {
    target: Option<PathAndQuery>,
    if_none_match: Option<HeaderValue>,
    last_event_id: Option<HeaderValue>,
    accepts_gzip: bool,
}

/// A request as warp's filters give it.
struct Asked {
    method: Method,
    path: FullPath,
    extras: Option<Extras>,
}

/// An answer, or one that is still to be compressed.
enum Made {
    Whole(warp::reply::Response),
    ToCompress(Box<Reply>),
}

impl Asked {
    fn query(&self) -> Option<&str> {
        self.extras.as_ref()?.target.as_ref()?.query()
    }

    fn accepts_gzip(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.accepts_gzip)
    }

    fn request(&self) -> Request<'_> {
        let extras = self.extras.as_ref();
        Request {
            method: &self.method,
            path: self.path.as_str(),
            query: self.query(),
            if_none_match: extras.and_then(|extras| extras.if_none_match.as_ref()?.to_str().ok()),
            last_event_id: extras.and_then(|extras| extras.last_event_id.as_ref()?.to_str().ok()),
        }
    }
}

/// The application, and what all connections share.
#[derive(Debug)]
pub(super) struct Serving<A> {
    pub(super) app: Arc<A>,
    pub(super) budget: InflightBudget,
    /// Permits for queries that examine a large collection.
    pub(super) expensive: Arc<Semaphore>,
    /// Permits for streams and waiting polls.
    pub(super) streams: Arc<Semaphore>,
    /// Ends the streams.
    pub(super) stop: watch::Receiver<bool>,
}

impl<A: Answer> Serving<A> {
    /// Answers a request: at once, but for an expensive query, which gets a thread of the pool.
    fn respond(
        self: &Arc<Self>,
        asked: Asked,
    ) -> Either<Ready<warp::reply::Response>, BoxFuture<'static, warp::reply::Response>> {
        let serving = Arc::clone(self);
        if !self.app.is_expensive(asked.path.as_str(), asked.query()) {
            let reply = match self.answer(&asked) {
                Made::Whole(response) => return Either::Left(ready(response)),
                Made::ToCompress(reply) => reply,
            };
            return Either::Right(Box::pin(async move {
                // Where all permits are taken, it is sent as it is: that holds up nobody.
                let Ok(permit) = Arc::clone(&serving.expensive).try_acquire_owned() else {
                    return serving.send(*reply);
                };
                let compressing = Arc::clone(&serving);
                let compress = move || {
                    let _permit = permit;
                    compressing.compress(*reply)
                };
                let sent = tokio::task::spawn_blocking(compress).await;
                sent.unwrap_or_else(|_| later(too_many_queries()))
            }));
        }
        // Boxed, so that the future of the usual answer stays small: it is moved several times.
        Either::Right(Box::pin(async move {
            let permit = Arc::clone(&serving.expensive).acquire_owned();
            let Ok(Ok(permit)) = timeout(POOL_WAIT, permit).await else {
                return later(too_many_queries());
            };
            let answer = move || {
                let _permit = permit;
                match serving.answer(&asked) {
                    Made::Whole(response) => response,
                    Made::ToCompress(reply) => serving.compress(*reply),
                }
            };
            let answered = tokio::task::spawn_blocking(answer).await;
            answered.unwrap_or_else(|_| later(too_many_queries()))
        }))
    }

    fn answer(&self, asked: &Asked) -> Made {
        let request = asked.request();
        let if_none_match = request.if_none_match;
        let mut reply = etag::as_named(guarded(|| self.app.answer(request)), if_none_match);
        if let Some(live) = reply.live.take() {
            return Made::Whole(self.follow(*live));
        }
        if !asked.accepts_gzip() || !reply.is_compressible() {
            return Made::Whole(self.send(reply));
        }
        match reply.compressed_before() {
            Some(body) => Made::Whole(self.send(reply.with_compressed(body))),
            None => Made::ToCompress(Box::new(reply)),
        }
    }

    fn compress(&self, reply: Reply) -> warp::reply::Response {
        let body = reply.compress();
        self.send(reply.with_compressed(body))
    }

    fn send(&self, reply: Reply) -> warp::reply::Response {
        match self.budget.admit(reply) {
            Ok(reply) => reply.into_response().into_response(),
            Err(refusal) => later(refusal),
        }
    }

    /// Sends a streamed answer.
    fn follow(&self, live: Live) -> warp::reply::Response {
        let Ok(permit) = Arc::clone(&self.streams).try_acquire_owned() else {
            return later(too_many_streams());
        };
        let mut head = Reply::empty(StatusCode::OK).into_response();
        head.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(live.content_type()));
        head.headers_mut().insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
        let mut response =
            warp::reply::stream(live.stream(self.stop.clone(), permit)).into_response();
        *response.headers_mut() = std::mem::take(head.headers_mut());
        response
    }
}

/// A refusal that says when to try again.
fn later(refusal: Reply) -> warp::reply::Response {
    let mut response = refusal.into_response();
    response.headers_mut().insert(RETRY_AFTER, RETRY_SECONDS);
    response.into_response()
}

fn too_many_queries() -> Reply {
    Reply::error(
        StatusCode::SERVICE_UNAVAILABLE,
        "busy",
        "other queries that examine many records are running; try again, or narrow this one",
        Map::new(),
    )
}

fn too_many_streams() -> Reply {
    Reply::error(
        StatusCode::SERVICE_UNAVAILABLE,
        "too_many_streams",
        "too many change streams are open; close one, or request /api/changes without wait",
        Map::new(),
    )
}

/// The service of one connection.
pub(super) fn service<A: Answer>(
    serving: Arc<Serving<A>>,
    progress: Arc<Progress>,
) -> impl Service<
    http::Request<Incoming>,
    Response = warp::reply::Response,
    Error = Infallible,
    Future: Send,
> + Send {
    let app = Arc::clone(&serving.app);
    let routes = TowerToHyperService::new(warp::service(everything(serving)));
    service_fn(move |request: http::Request<Incoming>| {
        progress.note_request();
        let mut after = After::Keep;
        if !request.body().is_end_stream() {
            progress.note_sending();
            after = After::Close;
        }
        let preflight = request.method() == Method::OPTIONS;
        // The body is dropped here: nothing reads it, and the answer does not wait for it.
        let mut request = request.map(|_| Empty::<Bytes>::new());
        let checked =
            guard::check(request.method(), request.uri(), request.headers(), app.read_from());
        let (answer, origin, after) = match checked {
            Ok(passed) => {
                let origin = passed.origin.cloned();
                if let Some(extras) = extras(&request, passed.if_none_match) {
                    request.extensions_mut().insert(extras);
                }
                (Ok(routes.call(request)), origin, after)
            }
            Err(refusal) => {
                let after = if after == After::Close { after } else { refusal.after };
                (Err(refusal.reply), refusal.origin, after)
            }
        };
        let app = Arc::clone(&app);
        async move {
            let mut response = match answer {
                Ok(answer) => answer.await?,
                Err(reply) => reply.into_response().into_response(),
            };
            app.note(response.status());
            if let Some(origin) = origin {
                share(&mut response, origin, preflight);
            }
            Ok(closing(response, after))
        }
    })
}

/// The response, with `Connection: close` if the connection is to be closed.
fn closing(mut response: warp::reply::Response, after: After) -> warp::reply::Response {
    if after == After::Close {
        response.headers_mut().insert(CONNECTION, CLOSE);
    }
    response
}

/// The one filter. It cannot reject: [`App::answer`] answers unknown paths too.
fn everything<A: Answer>(
    serving: Arc<Serving<A>>,
) -> impl Filter<Extract = (warp::reply::Response,), Error = Infallible> + Clone {
    warp::method().and(warp::path::full()).and(warp::ext::optional()).then(
        move |method: Method, path: FullPath, extras: Option<Extras>| {
            serving.respond(Asked { method, path, extras })
        },
    )
}

fn extras<B>(request: &http::Request<B>, if_none_match: Lines<'_>) -> Option<Extras> {
    let if_none_match = match if_none_match {
        Lines::None => None,
        Lines::One(value) if value.to_str().is_ok() => Some(value.clone()),
        Lines::One(_) | Lines::Several => joined(request.headers()),
    };
    let target = request.uri().query().and(request.uri().path_and_query()).cloned();
    let is_stream = request.uri().path().starts_with(STREAM);
    let last_event_id =
        if is_stream { request.headers().get(LAST_EVENT_ID).cloned() } else { None };
    let accepts_gzip = gzip::is_accepted(request.headers());
    let has_some =
        target.is_some() || if_none_match.is_some() || last_event_id.is_some() || accepts_gzip;
    has_some.then_some(Extras { target, if_none_match, last_event_id, accepts_gzip })
}

/// All lines of `If-None-Match` as one. No validator of ours has a byte that is not ASCII, so another character may
/// replace it.
fn joined(headers: &HeaderMap) -> Option<HeaderValue> {
    let lines: Vec<&[u8]> =
        headers.get_all(IF_NONE_MATCH).iter().map(HeaderValue::as_bytes).collect();
    let ascii: Vec<u8> = lines
        .join(&b", "[..])
        .into_iter()
        .map(|byte| if byte.is_ascii() { byte } else { b'?' })
        .collect();
    HeaderValue::from_maybe_shared(Bytes::from(ascii)).ok()
}

/// Lets a page of this machine read the answer.
fn share<B>(response: &mut Response<B>, origin: HeaderValue, preflight: bool) {
    let preflight = preflight && response.status() == StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if preflight {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS);
        headers.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
    } else {
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
    }
}

/// Turns a panic into an answer without its details.
fn guarded(answer: impl FnOnce() -> Reply) -> Reply {
    // The state is immutable, so that a panic cannot leave it inconsistent.
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|panic| {
        tracing::error!(panic = ?message(panic.as_ref()), "a request could not be answered");
        Reply::error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "internal error; see the server's log",
            Map::new(),
        )
    })
}

/// The message of a panic.
pub(super) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
