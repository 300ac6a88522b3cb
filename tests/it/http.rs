//! The answers of every route over HTTP: methods, paths, ids, parameters, validators. Other tests cover the bodies.

use flow::routes::ROUTES;
use flow::web::serve::Limits;

use crate::raw::Project;

fn real() -> Project {
    Project::open(Limits::default())
}

/// Every route, with an id if it needs one.
fn paths() -> impl Iterator<Item = String> {
    ROUTES.iter().map(|route| route.path.replace(":id", "some"))
}

#[test]
fn other_methods_are_not_allowed() {
    let project = real();
    for path in paths() {
        for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW", "get"] {
            let reply = project.served.request(method, &path, "");
            assert_eq!(
                (reply.status, reply.code().as_str()),
                (405, "method_not_allowed"),
                "{method} {path}"
            );
            assert_eq!(reply.is_ours().header("allow"), Some("GET, HEAD, OPTIONS"));
        }
        let with_body = project.served.request("POST", &path, "Content-Length: 2\r\n");
        assert_eq!((with_body.status, with_body.header("connection")), (405, Some("close")));
    }
    assert_eq!(project.served.get("/api").status, 200);
}

#[test]
fn the_path_decides_before_the_method() {
    let project = real();
    for method in ["GET", "POST", "BREW"] {
        let reply = project.served.request(method, "/nowhere", "");
        assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"), "{method}");
    }
}

#[test]
fn unknown_paths_are_told_what_there_is() {
    let project = real();
    for path in [
        "//",
        "/web",
        "/web/nowhere.js",
        "/api//",
        "/apis",
        "/API",
        "/nowhere",
        "/api/tasks/1/2",
        "/api/bus",
        "/api/status/x",
    ] {
        let reply = project.served.get(path);
        assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"), "{path}");
        let body = reply.is_ours().json();
        assert_eq!(body["path"], path);
        let told = body["endpoints"].to_string();
        assert!(ROUTES.iter().all(|route| told.contains(route.path)), "{told}");
    }
}

#[test]
fn head_is_get_without_its_body() {
    let project = real();
    // Health and metrics contain the time and count requests, and a stream never ends.
    let changing = ["/api/health", "/metrics", "/api/events"];
    for path in paths().filter(|path| !changing.contains(&path.as_str())) {
        let (head, get) = (project.served.request("HEAD", &path, ""), project.served.get(&path));
        assert_eq!(head.is_ours().status, get.status, "{path}");
        assert_eq!(
            head.header("content-length"),
            Some(get.body.len().to_string().as_str()),
            "{path}"
        );
        for name in ["etag", "content-type"] {
            assert_eq!(head.header(name), get.header(name), "{path}");
        }
    }
}

#[test]
fn options_answers_a_preflight() {
    let project = real();
    for path in paths() {
        let reply = project.served.request("OPTIONS", &path, "Origin: http://localhost:1\r\n");
        assert_eq!((reply.is_ours().status, reply.body.len()), (204, 0), "{path}");
        assert_eq!(reply.header("allow"), Some("GET, HEAD, OPTIONS"));
        assert_eq!(reply.header("access-control-allow-methods"), Some("GET, HEAD, OPTIONS"));
    }
}

#[test]
fn a_trailing_slash_is_the_same_resource() {
    let project = real();
    for path in paths().filter(|path| path != "/api/health") {
        let (plain, slashed) = (project.served.get(&path), project.served.get(&format!("{path}/")));
        assert_eq!(
            (plain.status, plain.header("etag")),
            (slashed.status, slashed.header("etag")),
            "{path}"
        );
    }
}

#[test]
fn ids_are_never_paths() {
    let project = real();
    let long = "a".repeat(4096);
    for collection in ["sessions", "tasks", "epics", "stories"] {
        for (id, status, code) in [
            ("..%2f..%2fetc%2fpasswd", 404, "not_found"),
            ("..", 404, "not_found"),
            ("%2e%2e", 404, "not_found"),
            (long.as_str(), 404, "not_found"),
            ("constructor", 404, "not_found"),
            ("__proto__", 404, "not_found"),
            ("%F0%9F%90%A2", 404, "not_found"),
            ("%00", 400, "invalid_id"),
            ("a%0Ab", 400, "invalid_id"),
            ("%7F", 400, "invalid_id"),
            ("%ff", 400, "invalid_id"),
            ("%zz", 400, "invalid_id"),
            ("a%2", 400, "invalid_id"),
        ] {
            let reply = project.served.get(&format!("/api/{collection}/{id}"));
            assert_eq!(
                (reply.is_ours().status, reply.code().as_str()),
                (status, code),
                "{collection} {id}"
            );
        }
        let reply = project.served.get(&format!("/api/{collection}/a%20%C3%A9"));
        assert_eq!(reply.json()["id"], "a \u{e9}");
    }
}

#[test]
fn bad_parameters_are_named() {
    let project = real();
    for (path, query, parameter) in [
        ("/api/bus/messages", "limit=abc", "limit"),
        ("/api/bus/messages", "limit=-1", "limit"),
        ("/api/bus/messages", "limit=1.5", "limit"),
        ("/api/bus/messages", "limit=1000000000000", "limit"),
        ("/api/bus/messages", "limit=1&limit=2", "limit"),
        ("/api/bus/messages", "offset=18446744073709551616", "offset"),
        ("/api/bus/messages", "since=yesterday", "since"),
        ("/api/bus/messages", "until=2024-02-30", "until"),
        ("/api/bus/messages", "order=up", "order"),
        ("/api/tasks", "state=sleeping", "state"),
        ("/api/sessions", "active=perhaps", "active"),
        ("/api/tasks", "colour=red", "colour"),
        ("/api/metrics", "limit=1", "limit"),
        ("/api/epics", "limit=many", "limit"),
        ("/api/epics", "state=ready", "state"),
        ("/api/stories", "sort=no_such_field", "no_such_field"),
        ("/api/health", "colour=red", "colour"),
        ("/api/health", "requir=ok", "requir"),
        ("/api/health", "require=OK", "require"),
        ("/api/health", "require=true", "require"),
        ("/api/health", "require=", "require"),
        ("/api/health", "require", "require"),
        ("/api/health", "require=,", "require"),
        ("/api/health", "require=ok,bus", "require"),
        ("/api/tasks", "state=queued,sleeping", "state"),
    ] {
        let reply = project.served.get(&format!("{path}?{query}"));
        assert_eq!(
            (reply.is_ours().status, reply.code().as_str()),
            (400, "invalid_parameter"),
            "{query}"
        );
        assert!(reply.json().to_string().contains(parameter), "{query}");
    }
    assert_eq!(project.served.get("/api/tasks?_=1732158000&state=").status, 200);
    assert_eq!(project.served.get("/api/health?_=1732158000").status, 200);
}

#[test]
fn an_unchanged_resource_is_not_sent_again() {
    let project = real();
    for path in ["/api", "/api/tasks", "/api/metrics", "/api/bus/messages?limit=1"] {
        let first = project.served.get(path);
        let etag = first.header("etag").unwrap_or_else(|| panic!("no ETag on {path}"));
        for tags in [
            etag.to_owned(),
            format!("\"x\", W/{etag}"),
            "*".into(),
            format!("\"x\"\r\nIf-None-Match: {etag}"),
        ] {
            let again = project.served.request("GET", path, &format!("If-None-Match: {tags}\r\n"));
            assert_eq!((again.is_ours().status, again.body.len()), (304, 0), "{path} {tags}");
            assert_eq!((again.header("etag"), again.header("content-type")), (Some(etag), None));
        }
        let other = project.served.request("GET", path, "If-None-Match: \"x\"\r\n");
        assert_eq!(other.body, first.body);
    }
    assert_eq!(project.served.get("/api/health").header("etag"), None);
}
