//! Requests that a browser can send, also for a page of another origin: the fetch metadata of a request, and the
//! headers that protect an answer from other pages.

use std::fs;

use flow::web::serve::Limits;

use crate::raw::{Project, Reply};

/// Sends a request with these header lines.
fn ask(project: &Project, method: &str, path: &str, lines: &[&str]) -> Reply {
    let lines: String = lines.iter().flat_map(|line| [line, "\r\n"]).collect();
    project.served.request(method, path, &lines)
}

#[track_caller]
fn refused(project: &Project, method: &str, path: &str, lines: &[&str]) {
    let reply = ask(project, method, path, lines);
    assert_eq!(reply.is_ours().status, 403, "{method} {path} {lines:?}");
    assert_eq!(reply.header("access-control-allow-origin"), None);
    if method != "HEAD" {
        assert_eq!(reply.code(), "origin_not_allowed");
        let seen = reply.json()["sec_fetch_site"].as_str().unwrap().to_ascii_lowercase();
        assert!(["cross-site", "same-site", "more than one"].contains(&seen.as_str()), "{seen}");
    }
}

#[test]
fn requests_that_another_site_causes_are_refused() {
    let project = Project::open(Limits::default());
    for site in ["Sec-Fetch-Site: cross-site", "sec-fetch-site: SAME-SITE"] {
        for path in ["/api", "/api/bus/messages?from=AG-3", "/nowhere", "/api/stories/%ff", "/"] {
            for method in ["GET", "HEAD", "OPTIONS", "POST"] {
                refused(&project, method, path, &[site]);
            }
            let image = ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image", site];
            refused(&project, "GET", path, &image);
            let frame = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe", site];
            refused(&project, "GET", path, &frame);
        }
        let link = [site, "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
        for path in ["/api", "/api/", "//", "/index.html", "/projects.html", "/api/projects"] {
            refused(&project, "GET", path, &link);
        }
        refused(&project, "POST", "/", &link);
        refused(&project, "GET", "/", &[site, "Sec-Fetch-Site: none", link[1], link[2]]);
        refused(&project, "GET", "/", &[site, link[1], link[1], link[2]]);
    }
}

#[test]
fn a_link_to_the_page_and_requests_of_this_machine_are_answered() {
    let project = Project::open(Limits::default());
    let link =
        ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    for method in ["GET", "HEAD"] {
        for path in ["/", "/projects"] {
            assert_eq!(ask(&project, method, path, &link).status, 200, "{method} {path}");
        }
    }
    for site in ["none", "same-origin"] {
        let site = format!("Sec-Fetch-Site: {site}");
        assert_eq!(ask(&project, "GET", "/api", &[&site]).status, 200, "{site}");
    }
    // To the browser, a page of a development server is another site, and it sends its origin.
    for site in ["cross-site", "same-site"] {
        let lines = [&format!("Sec-Fetch-Site: {site}")[..], "Origin: http://localhost:5173"];
        let reply = ask(&project, "GET", "/api", &lines);
        assert_eq!(reply.is_ours().status, 200, "{site}");
        assert_eq!(reply.header("access-control-allow-origin"), Some("http://localhost:5173"));
        let preflight = ask(&project, "OPTIONS", "/api/tasks", &lines);
        assert_eq!(preflight.is_ours().status, 204);
        refused(&project, "GET", "/api", &lines[..1]);
    }
}

#[test]
fn no_answer_may_be_framed_or_run_anything() {
    let project = Project::open(Limits::default());
    for (method, path, lines) in [
        ("GET", "/api", &[][..]),
        ("GET", "/api", &["If-None-Match: *"]),
        ("GET", "/api/health", &[]),
        ("GET", "/api/status", &[]),
        ("GET", "/nowhere", &[]),
        ("GET", "/api/tasks?x=1", &[]),
        ("HEAD", "/api/tasks", &[]),
        ("POST", "/api", &[]),
        ("OPTIONS", "/api", &["Origin: http://localhost"]),
        ("GET", "/api", &["Origin: http://evil"]),
    ] {
        ask(&project, method, path, lines).is_ours();
    }
    let page = fs::read_to_string("docs/api.md").unwrap();
    assert!(
        page.contains("default-src 'none'; frame-ancestors 'none'"),
        "the docs name the policy"
    );
}
