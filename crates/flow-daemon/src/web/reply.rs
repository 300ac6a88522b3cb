//! An answer before it is sent: status, body, `ETag`. It knows neither routes nor requests.

use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, LINK,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use serde_json::{Map, Value};

use crate::store::prepared::{Compressed, InFlight};

use super::gzip;
use super::live::Live;

/// The methods that every path supports.
pub const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
const GZIP: HeaderValue = HeaderValue::from_static("gzip");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
/// The policy of answers that are opened directly: they load and run nothing, and no page may frame them.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
/// On every answer, even without an `Origin`: a cache must not serve an answer without `Access-Control-Allow-Origin` to
/// a page that may read it, nor one page's answer to another page.
/// A compressed answer is another one.
const BY_REQUEST: HeaderValue = HeaderValue::from_static("Origin, Accept-Encoding");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// No page of another origin gets a handle to the window of this one, by opening it or being opened.
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Bodies over this size, in bytes, are large: their memory while they are sent is limited separately.
pub const LARGE: usize = 1 << 20;

/// The policy of the page at `/`: it may run and fetch what this server serves, and nothing else.
/// `require-trusted-types-for` makes every assignment of text as markup fail, so that text from files is only ever
/// shown as text.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types 'none'",
);
/// The policy of the page at `/projects`, which shows the other projects of this user too: it may also fetch from the
/// other servers of this machine, each of which decides about that itself ([`super::guard`]).
const PROJECTS_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' http://127.0.0.1:*; \
     img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types 'none'",
);
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// The media type of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// An answer of the API.
    Json,
    /// The text format of Prometheus.
    Metrics,
    /// The page itself.
    Html,
    /// The page of all projects.
    ProjectsHtml,
    /// The style sheet of a page.
    Css,
    /// A module of a page.
    Script,
    /// The icon of the pages.
    Svg,
}

impl Media {
    /// Value of `Content-Type`.
    fn content_type(self) -> HeaderValue {
        match self {
            Media::Json => JSON,
            Media::Metrics => HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"),
            Media::Html | Media::ProjectsHtml => {
                HeaderValue::from_static("text/html; charset=utf-8")
            }
            Media::Css => HeaderValue::from_static("text/css; charset=utf-8"),
            Media::Script => HeaderValue::from_static("text/javascript; charset=utf-8"),
            Media::Svg => HeaderValue::from_static("image/svg+xml"),
        }
    }
}

/// Who owns the memory of a body.
#[derive(Debug, Clone, Default)]
pub enum BodyOwner {
    /// This answer alone.
    #[default]
    Answer,
    /// All requests for the same resource: the body is a part of a shared one.
    Shared {
        /// Number of answers with the shared body that are being sent.
        with: InFlight,
        /// Size of the whole shared body, in bytes.
        bytes: usize,
    },
}

/// An answer to a request.
#[derive(Debug, Clone)]
pub struct Reply {
    /// HTTP status.
    pub status: StatusCode,
    /// The complete body, in UTF-8; empty for 204 and 304.
    pub body: Bytes,
    /// Media type of the body.
    pub media: Media,
    /// The strong validator, if the resource has one.
    pub etag: Option<HeaderValue>,
    /// `Link`: the other pages of a list. Boxed, since it would enlarge every error and few answers have one.
    pub link: Option<Box<HeaderValue>>,
    /// Who owns the memory of the body. Only set for large bodies.
    pub owner: BodyOwner,
    /// The compressed form of the body, if it is kept with it.
    pub compressed: Option<Compressed>,
    /// Whether the body is compressed.
    pub is_compressed: bool,
    /// A streamed body in place of `body`.
    pub live: Option<Box<Live>>,
}

impl Reply {
    /// 200 with a body.
    pub fn json(body: Bytes) -> Self {
        Self { body, ..Self::empty(StatusCode::OK) }
    }

    /// No body.
    pub fn empty(status: StatusCode) -> Self {
        Self {
            status,
            body: Bytes::new(),
            media: Media::Json,
            etag: None,
            link: None,
            owner: BodyOwner::Answer,
            compressed: None,
            is_compressed: false,
            live: None,
        }
    }

    /// An error: one sentence, a stable code, and context that helps to correct the request.
    pub fn error(
        status: StatusCode,
        code: &str,
        sentence: &str,
        context: Map<String, Value>,
    ) -> Self {
        let mut body = Map::new();
        body.insert("error".into(), sentence.into());
        body.insert("code".into(), code.into());
        body.extend(context);
        Self { body: Value::Object(body).to_string().into(), ..Self::empty(status) }
    }

    /// Records that a large body is a part of `bytes` that all its requests share.
    #[must_use]
    pub fn shared_with(self, in_flight: &InFlight, bytes: usize) -> Self {
        if self.body.len() <= LARGE {
            return self;
        }
        Self { owner: BodyOwner::Shared { with: InFlight::clone(in_flight), bytes }, ..self }
    }

    /// Whether it is to be compressed for a client that accepts that.
    pub(super) fn is_compressible(&self) -> bool {
        self.status == StatusCode::OK && self.live.is_none() && gzip::is_worthwhile(self.body.len())
    }

    /// The compressed answer, if it was made before.
    pub(super) fn compressed_before(&self) -> Option<Bytes> {
        self.compressed.as_ref()?.get().cloned()
    }

    /// Makes the compressed body, and keeps it with the body.
    pub(super) fn compress(&self) -> Bytes {
        let make = || gzip::compressed(&self.body);
        self.compressed.as_ref().map_or_else(make, |kept| kept.get_or_init(make).clone())
    }

    /// The answer with its compressed body, which has a validator of its own.
    #[must_use]
    pub(super) fn with_compressed(self, body: Bytes) -> Self {
        let own =
            |tag: &HeaderValue| HeaderValue::from_maybe_shared(gzip::tag(tag.as_bytes())).ok();
        let etag = self.etag.as_ref().and_then(own);
        Self { body, etag, owner: BodyOwner::Answer, is_compressed: true, ..self }
    }

    /// The response with all headers that do not depend on the connection.
    pub fn into_response(self) -> Response<Bytes> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        *headers = prepared(self.etag);
        if self.media != Media::Json {
            headers.insert(CONTENT_TYPE, self.media.content_type());
        }
        if !matches!(self.media, Media::Json | Media::Metrics) {
            let of_projects = self.media == Media::ProjectsHtml;
            let policy = if of_projects { PROJECTS_POLICY } else { PAGE_POLICY };
            headers.insert(CONTENT_SECURITY_POLICY, policy);
            headers.insert(REFERRER_POLICY, NO_REFERRER);
        }
        if self.is_compressed {
            headers.insert(CONTENT_ENCODING, GZIP);
        }
        if let Some(link) = self.link {
            headers.insert(LINK, *link);
        }
        if self.status == StatusCode::METHOD_NOT_ALLOWED || self.status == StatusCode::NO_CONTENT {
            headers.insert(ALLOW, METHODS);
        }
        if self.status == StatusCode::NO_CONTENT || self.status == StatusCode::NOT_MODIFIED {
            headers.remove(CONTENT_TYPE);
        }
        response
    }
}

/// The headers of most answers. Copying a whole map costs a fraction of filling one.
fn prepared(etag: Option<HeaderValue>) -> HeaderMap {
    static WITHOUT_TAG: LazyLock<HeaderMap> = LazyLock::new(|| {
        HeaderMap::from_iter([
            (X_CONTENT_TYPE_OPTIONS, NOSNIFF),
            (RESOURCE_POLICY, SAME_ORIGIN),
            (OPENER_POLICY, SAME_ORIGIN),
            (CONTENT_SECURITY_POLICY, NOTHING),
            (CACHE_CONTROL, NO_CACHE),
            (VARY, BY_REQUEST),
            (CONTENT_TYPE, JSON),
        ])
    });
    static WITH_TAG: LazyLock<HeaderMap> = LazyLock::new(|| {
        let mut headers = WITHOUT_TAG.clone();
        headers.insert(ETAG, HeaderValue::from_static(""));
        headers
    });
    let Some(etag) = etag else { return WITHOUT_TAG.clone() };
    let mut headers = WITH_TAG.clone();
    if let Some(value) = headers.get_mut(ETAG) {
        *value = etag;
    }
    headers
}
