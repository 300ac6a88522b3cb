//! Checks a request before any work is done for it: its target, `Host`, `Origin` and fetch metadata. It prevents pages
//! of other sites, also by DNS rebinding, from reading the state and from timing queries.
//!
//! Pure functions of a request's head. It knows no routes, and writes nothing to a connection.

use http::header::{HOST, IF_NONE_MATCH, ORIGIN};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use serde_json::Map;

use crate::project::ReadFrom;

use super::reply::Reply;

/// Longest request target that is accepted, in bytes.
const LONGEST_URI: usize = 8 * 1024;
/// Longest part of a refused value that the answer repeats, in characters.
const LONGEST_ECHO: usize = 200;
/// The host names that are accepted. Any other may be a foreign name that resolves to this machine.
const HOSTS: [&[u8]; 3] = [b"localhost", b"127.0.0.1", b"[::1]"];

/// The pages, to which other sites may link.
const PAGES: [&str; 2] = ["/", "/projects"];

/// The fetch metadata that browsers send (<https://www.w3.org/TR/fetch-metadata/>).
const SEC_FETCH: &str = "sec-fetch-";

/// What happens to the connection after the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// It waits for the next request.
    Keep,
    /// It is closed: the following bytes may belong to the body of this request.
    Close,
}

/// A request that passed: the headers on which its answer depends.
#[derive(Debug, Clone, Copy)]
pub struct Passed<'a> {
    /// The origin of the page, which may read the answer.
    pub origin: Option<&'a HeaderValue>,
    /// The validators of the client.
    pub if_none_match: Lines<'a>,
}

/// A refused request.
#[derive(Debug)]
pub struct Refusal {
    /// The error answer.
    pub reply: Box<Reply>,
    /// What happens to the connection.
    pub after: After,
    /// The origin of the page, if it may read the answer.
    pub origin: Option<HeaderValue>,
}

/// The lines of one header.
#[derive(Debug, Clone, Copy, Default)]
pub enum Lines<'a> {
    /// The header is absent.
    #[default]
    None,
    /// It occurs once.
    One(&'a HeaderValue),
    /// It occurs more than once.
    Several,
}

impl<'a> Lines<'a> {
    fn add(&mut self, value: &'a HeaderValue) {
        *self = match self {
            Lines::None => Lines::One(value),
            Lines::One(_) | Lines::Several => Lines::Several,
        };
    }
}

/// Checks whether a request may be answered.
///
/// # Errors
/// The answer to a refused request.
pub fn check<'a>(
    method: &Method,
    uri: &Uri,
    headers: &'a HeaderMap,
    read_from: &ReadFrom,
) -> Result<Passed<'a>, Refusal> {
    // One pass is cheaper than a lookup of each name, as requests to this server have few headers.
    let mut seen = Seen::default();
    for (name, value) in headers {
        match *name {
            HOST => seen.host.add(value),
            ORIGIN => seen.origin.add(value),
            IF_NONE_MATCH => seen.if_none_match.add(value),
            _ => {
                if let Some(rest) = name.as_str().strip_prefix(SEC_FETCH) {
                    seen.fetch.add(rest, value);
                }
            }
        }
    }
    check_target(method, uri)?;
    check_host(seen.host)?;
    check_authority(uri)?;
    let origin = check_origin(seen.origin, read_from)?;
    if origin.is_none() {
        check_site(method, uri, seen.fetch)?;
    }
    check_length(uri, origin)?;
    Ok(Passed { origin, if_none_match: seen.if_none_match })
}

/// The headers that are checked.
#[derive(Default)]
struct Seen<'a> {
    host: Lines<'a>,
    origin: Lines<'a>,
    if_none_match: Lines<'a>,
    fetch: FetchMetadata<'a>,
}

/// Origin and purpose of a request, according to the browser.
#[derive(Debug, Clone, Copy, Default)]
struct FetchMetadata<'a> {
    site: Lines<'a>,
    mode: Lines<'a>,
    dest: Lines<'a>,
}

impl<'a> FetchMetadata<'a> {
    fn add(&mut self, name: &str, value: &'a HeaderValue) {
        match name {
            "site" => self.site.add(value),
            "mode" => self.mode.add(value),
            "dest" => self.dest.add(value),
            _ => {}
        }
    }
}

/// Refuses a target without a path, which is for proxies.
fn check_target(method: &Method, uri: &Uri) -> Result<(), Refusal> {
    if *method == Method::CONNECT {
        return Err(malformed("CONNECT is not supported: this server is not a proxy"));
    }
    if uri.path_and_query().is_none() {
        return Err(malformed("the request target must be a path"));
    }
    Ok(())
}

fn check_host(host: Lines<'_>) -> Result<(), Refusal> {
    match host {
        Lines::One(value) if is_loopback(value.as_bytes()) => Ok(()),
        Lines::One(value) => Err(foreign_host(value.as_bytes())),
        Lines::None => Err(malformed("the request has no Host header; exactly one is required")),
        Lines::Several => {
            Err(malformed("the request has more than one Host header; exactly one is required"))
        }
    }
}

/// Checks the host of the absolute form (`GET http://localhost/api`) too.
fn check_authority(uri: &Uri) -> Result<(), Refusal> {
    match uri.authority() {
        Some(authority) if !is_loopback(authority.as_str().as_bytes()) => {
            Err(foreign_host(authority.as_str().as_bytes()))
        }
        _ => Ok(()),
    }
}

fn check_origin<'a>(
    origin: Lines<'a>,
    read_from: &ReadFrom,
) -> Result<Option<&'a HeaderValue>, Refusal> {
    let value = match origin {
        Lines::None => return Ok(None),
        Lines::One(value) => value,
        Lines::Several => return Err(foreign_origin("more than one")),
    };
    match loopback_port(value.as_bytes()) {
        Some(port) if read_from.allows(port) => Ok(Some(value)),
        Some(_) => Err(other_port(&seen(value.as_bytes()))),
        None => Err(foreign_origin(&seen(value.as_bytes()))),
    }
}

/// Refuses a request that another site caused, except for a link to a page: that site could not read the answer, but
/// could measure its time.
fn check_site(method: &Method, uri: &Uri, fetch: FetchMetadata<'_>) -> Result<(), Refusal> {
    let site = match fetch.site {
        Lines::One(value) if is_one_of(value, &[b"cross-site", b"same-site"]) => {
            seen(value.as_bytes())
        }
        Lines::None | Lines::One(_) => return Ok(()),
        Lines::Several => return Err(foreign_site("more than one")),
    };
    let is = |lines, word| matches!(lines, Lines::One(value) if is_one_of(value, &[word]));
    let is_link = matches!(*method, Method::GET | Method::HEAD)
        && PAGES.contains(&uri.path())
        && is(fetch.mode, b"navigate")
        && is(fetch.dest, b"document");
    if is_link { Ok(()) } else { Err(foreign_site(&site)) }
}

fn is_one_of(value: &HeaderValue, words: &[&[u8]]) -> bool {
    words.iter().any(|word| value.as_bytes().eq_ignore_ascii_case(word))
}

fn check_length(uri: &Uri, origin: Option<&HeaderValue>) -> Result<(), Refusal> {
    let target = uri.path_and_query().map_or(0, |target| target.as_str().len());
    let authority = uri.authority().map_or(0, |authority| authority.as_str().len());
    if target + authority <= LONGEST_URI {
        return Ok(());
    }
    let sentence = format!("the URI is longer than {LONGEST_URI} bytes");
    let reply = Reply::error(StatusCode::URI_TOO_LONG, "uri_too_long", &sentence, Map::new());
    Err(Refusal { reply: Box::new(reply), after: After::Close, origin: origin.cloned() })
}

fn malformed(sentence: &str) -> Refusal {
    let reply = Reply::error(StatusCode::BAD_REQUEST, "bad_request", sentence, Map::new());
    Refusal { reply: Box::new(reply), after: After::Close, origin: None }
}

fn foreign_host(value: &[u8]) -> Refusal {
    let host = seen(value);
    let sentence = "the Host must be localhost, 127.0.0.1 or [::1]";
    let context = Map::from_iter([("host".to_owned(), host.into())]);
    let reply = Reply::error(StatusCode::FORBIDDEN, "host_not_allowed", sentence, context);
    Refusal { reply: Box::new(reply), after: After::Keep, origin: None }
}

fn foreign_origin(origin: &str) -> Refusal {
    refused_origin(origin, "only pages served from this machine may read this API")
}

fn other_port(origin: &str) -> Refusal {
    refused_origin(origin, "read_from_ports in the settings does not list the port of this page")
}

fn refused_origin(origin: &str, sentence: &str) -> Refusal {
    let context = Map::from_iter([("origin".to_owned(), origin.into())]);
    let reply = Reply::error(StatusCode::FORBIDDEN, "origin_not_allowed", sentence, context);
    Refusal { reply: Box::new(reply), after: After::Keep, origin: None }
}

fn foreign_site(site: &str) -> Refusal {
    let sentence = "a page of another site caused this request; only pages that are served from this machine may \
                    read from this server";
    let context = Map::from_iter([("sec_fetch_site".to_owned(), site.into())]);
    let reply = Reply::error(StatusCode::FORBIDDEN, "origin_not_allowed", sentence, context);
    Refusal { reply: Box::new(reply), after: After::Keep, origin: None }
}

/// A refused value as the answer repeats it.
fn seen(value: &[u8]) -> String {
    String::from_utf8_lossy(value).chars().take(LONGEST_ECHO).collect()
}

/// The port of an origin on this machine.
fn loopback_port(origin: &[u8]) -> Option<u16> {
    let mut schemes = [(&b"http://"[..], 80), (b"https://", 443)].into_iter();
    schemes.find_map(|(scheme, port)| port_of(after_prefix(origin, scheme)?, port))
}

/// Whether this is one of [`HOSTS`], with or without a port.
fn is_loopback(authority: &[u8]) -> bool {
    port_of(authority, 0).is_some()
}

/// The port of one of [`HOSTS`]; `default` if none is given.
fn port_of(authority: &[u8], default: u16) -> Option<u16> {
    let rest = HOSTS.into_iter().find_map(|host| after_prefix(authority, host))?;
    match rest {
        [] => Some(default),
        [b':', digits @ ..] if (1..=5).contains(&digits.len()) => {
            let number = digits.iter().try_fold(0, |number: u32, digit| {
                digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'))
            });
            u16::try_from(number?).ok()
        }
        _ => None,
    }
}

/// The text after a prefix that is compared without case.
fn after_prefix<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}
