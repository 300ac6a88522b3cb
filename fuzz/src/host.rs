//! The Host, Origin and Sec-Fetch-Site headers and the target: nothing is accepted that a simple implementation of the
//! rule refuses.

use flow_daemon::project::ReadFrom;
use flow_daemon::web::guard;
use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(4, |byte| *byte == b'\n');
    let [host, origin, target, site] = [(); 4].map(|()| parts.next());
    let uri = target.map_or(Ok(Uri::from_static("/api")), Uri::try_from);
    let Ok(uri) = uri else { return };
    let mut headers = HeaderMap::new();
    let site_name = HeaderName::from_static("sec-fetch-site");
    for (name, value) in [(HOST, host), (ORIGIN, given(origin)), (site_name, given(site))] {
        match value.map(HeaderValue::from_bytes) {
            Some(Ok(value)) => drop(headers.insert(name, value)),
            Some(Err(_)) => return,
            None => {}
        }
    }
    match guard::check(&Method::GET, &uri, &headers, &ReadFrom::Any) {
        Ok(passed) => {
            assert!(is_local(host.unwrap_or_default()), "the host {host:?} passed");
            assert!(
                uri.authority().is_none_or(|at| is_local(at.as_str().as_bytes())),
                "{uri} passed"
            );
            let allowed = passed.origin.map(HeaderValue::as_bytes);
            assert_eq!(allowed, headers.get(ORIGIN).map(HeaderValue::as_bytes));
            assert!(allowed.is_none_or(is_local_origin), "the origin {origin:?} passed");
            let site = String::from_utf8_lossy(given(site).unwrap_or_default()).to_lowercase();
            let is_foreign = ["cross-site", "same-site"].contains(&site.as_str());
            assert!(allowed.is_some() || !is_foreign, "the site {site} passed");
        }
        Err(refusal) => {
            let told: serde_json::Value =
                serde_json::from_slice(&refusal.reply.body).expect("no JSON");
            assert!(told["error"].is_string() && told["code"].is_string(), "{told}");
            assert!([400, 403, 414].contains(&refusal.reply.status.as_u16()));
        }
    }
}

/// A part of the input as a header; an empty one for a missing header.
fn given(value: Option<&[u8]>) -> Option<&[u8]> {
    value.filter(|value| !value.is_empty())
}

fn is_local_origin(origin: &[u8]) -> bool {
    let text = String::from_utf8_lossy(origin).to_ascii_lowercase();
    let host = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    host.is_some_and(|host| is_local(host.as_bytes()))
}

/// The rule: one of three names, and optionally a port.
fn is_local(host: &[u8]) -> bool {
    let text = String::from_utf8_lossy(host).to_ascii_lowercase();
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        text == *name
            || text.strip_prefix(&format!("{name}:")).is_some_and(|port| {
                !port.starts_with('+') && port.len() <= 5 && port.parse::<u16>().is_ok()
            })
    })
}
