//! The page at `/`: its files as served, and the page itself in a real browser. The scenarios are in `tests/page`; they
//! need the judges and Chromium, and are skipped with a notice if these are missing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use flow::web::page::{FILES, File, LARGEST_FIRST_SCREEN, LARGEST_PAGES, LARGEST_PICTURES};
use flow::web::reply::Media;
use flow::web::serve::Limits;

use std::process::Command;

use serde_json::{Map, Value, json};

use crate::artifacts::judge;
use crate::support::{FLOW, Project, fed};
use crate::transcript::write_demo;
use crate::{raw, tools};

/// Where the sources of the page are.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("web")
}

#[test]
fn every_source_file_is_served_and_all_are_small() {
    let on_disk: BTreeSet<String> = fs::read_dir(sources())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let served = FILES.iter().map(|file| match file.path {
        "/" => "index.html".to_owned(),
        "/projects" => "projects.html".to_owned(),
        path => path.strip_prefix("/web/").unwrap().to_owned(),
    });
    assert_eq!(served.collect::<BTreeSet<_>>(), on_disk);
    let first = loaded_with("/");
    let of_projects = loaded_with("/projects");
    for (figure, screen) in [("first_screen_bytes", &first), ("projects_bytes", &of_projects)] {
        let bytes = size(screen);
        tools::figure(figure, bytes);
        assert!(bytes <= LARGEST_FIRST_SCREEN, "{bytes} bytes of at most {LARGEST_FIRST_SCREEN}");
    }
    let bytes = FILES.iter().map(|file| file.text.len()).sum::<usize>();
    tools::figure("page_bytes", bytes);
    assert!(bytes <= LARGEST_PAGES, "{bytes} bytes of at most {LARGEST_PAGES}");
    let is_picture = |file: &&File| file.text.contains("from \"./picture.js\"");
    let drawn = FILES.iter().filter(is_picture).flat_map(|file| loaded_with(file.path));
    let pictures: BTreeSet<&str> = drawn.filter(|path| !first.contains(path)).collect();
    assert!(pictures.contains("/web/pictures.css"), "{pictures:?}");
    let bytes = size(&pictures);
    tools::figure("pictures_bytes", bytes);
    assert!(bytes <= LARGEST_PICTURES, "{bytes} bytes of at most {LARGEST_PICTURES}");
    assert!(first.contains("/web/style.css") && first.contains("/web/dom.js"), "{first:?}");
}

/// The size of files of the page, in bytes.
fn size(paths: &BTreeSet<&str>) -> usize {
    FILES.iter().filter(|file| paths.contains(file.path)).map(|file| file.text.len()).sum()
}

/// The files that the browser loads with one before it draws: those that it names, and what they import.
fn loaded_with(path: &'static str) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::from([path]);
    loop {
        let names = |path: &str| {
            let (relative, absolute) =
                (format!("from \"{}\"", path.replace("/web/", "./")), format!("\"{path}\""));
            let texts = FILES.iter().filter(|file| found.contains(file.path));
            texts
                .into_iter()
                .any(|file| file.text.contains(&relative) || file.text.contains(&absolute))
        };
        // A page is opened by a link, not loaded with another one.
        let is_loaded = |file: &&File| !matches!(file.media, Media::Html | Media::ProjectsHtml);
        let more: Vec<&str> = FILES
            .iter()
            .filter(is_loaded)
            .map(|file| file.path)
            .filter(|path| names(path))
            .collect();
        let before = found.len();
        found.extend(more);
        if found.len() == before {
            return found;
        }
    }
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    for file in FILES {
        let addresses: Vec<&str> = file
            .text
            .match_indices("//")
            .filter(|(at, _)| *at > 0 && file.text.as_bytes()[at - 1] == b':')
            .map(|(at, _)| file.text[at..].split(['"', '\'', '`', ' ', '\n']).next().unwrap())
            .filter(|address| *address != "//www.w3.org/2000/svg")
            .collect();
        assert!(addresses.is_empty(), "{}: {addresses:?}", file.path);
    }
}

#[test]
fn files_of_the_page_have_their_type_a_strict_policy_and_a_validator() {
    let project = Project::new();
    let server = project.start();
    for file in FILES {
        let answer = server.get(file.path);
        assert_eq!((answer.status, &answer.body[..]), (200, file.text.as_bytes()), "{}", file.path);
        let media = match file.media {
            Media::Json | Media::Metrics => panic!("{} is no answer of the API", file.path),
            Media::Html | Media::ProjectsHtml => "text/html; charset=utf-8",
            Media::Css => "text/css; charset=utf-8",
            Media::Script => "text/javascript; charset=utf-8",
            Media::Svg => "image/svg+xml",
        };
        assert_eq!(answer.header("content-type"), Some(media));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
        let others = if file.path == "/projects" { " http://127.0.0.1:*" } else { "" };
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'{others}; \
             img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'"
        );
        assert_eq!(answer.header("content-security-policy"), Some(&*policy));
        let tag = answer.header("etag").unwrap().to_owned();
        assert!(tag.starts_with('"'), "a strong validator: {tag}");
        assert_eq!(server.get(&format!("{}?any=parameter", file.path)).header("etag"), Some(&*tag));
    }
}

#[test]
fn files_of_the_page_answer_every_method_as_the_api_does() {
    let project = raw::Project::open(Limits::default());
    for path in ["/", "/projects", "/projects/", "/web/app.js", "/web/app.js/"] {
        let whole = project.served.request("GET", path, "");
        assert_eq!(whole.status, 200, "{path}");
        let tag = whole.header("etag").unwrap().to_owned();
        let unchanged = project.served.request("GET", path, &format!("If-None-Match: {tag}\r\n"));
        assert_eq!((unchanged.status, unchanged.body.len()), (304, 0), "{path}");
        let head = project.served.request("HEAD", path, "");
        assert_eq!((head.status, head.header("etag")), (200, Some(&*tag)), "{path}");
        assert_eq!(head.header("content-type"), whole.header("content-type"));
        assert_eq!(project.served.request("POST", path, "").status, 405, "{path}");
        assert_eq!(project.served.request("OPTIONS", path, "").status, 204, "{path}");
    }
}

/// A copy of the demo project.
fn demo() -> Project {
    let project = Project::named("pageturner");
    write_demo(&project.root);
    project
}

/// Runs a scenario of `tests/page` in a browser on the demo project. Prints its figures.
fn scenario(name: &str) {
    scenario_beside(name, None);
}

/// The same while another project is served.
fn scenario_beside(name: &str, other: Option<&str>) {
    let modules = ["node_modules/playwright-core/package.json", "node_modules/axe-core/axe.min.js"];
    let (Some(chromium), true) = (judge::chromium(), judge::are_there(&modules)) else {
        return;
    };
    let project = demo();
    let server = project.start();
    let other = other.map(|name| {
        let mut other = Project::named(name);
        other.runtime.clone_from(&project.runtime);
        let port = other.start().port;
        (json!({"root": other.root, "port": port}), other)
    });
    let given = json!({
        "other": other.as_ref().map(|(facts, _)| facts),
        "judges": judge::folder(),
        "chromium": chromium,
        "flow": *FLOW,
        "root": project.root,
        "repository": env!("CARGO_MANIFEST_DIR"),
        "port": server.port,
    });
    let mut node = Command::new("node");
    node.args(["tests/page/run.mjs", name]).current_dir(env!("CARGO_MANIFEST_DIR"));
    node.env("FLOW_RUNTIME_DIR", &project.runtime).env("XDG_STATE_HOME", project.state());
    let output = fed(&mut node, given.to_string().as_bytes());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {said}");
    let figures: Map<String, Value> = serde_json::from_slice(&output.stdout).unwrap();
    for (name, value) in figures {
        tools::figure(&name, value);
    }
}

each! {
    every_view_shows_the_demo_without_a_finding_of_axe_and_fits_a_phone: scenario("views");
    changes_reach_every_tab_by_one_stream_and_a_restart_is_noticed: scenario("live");
    ten_thousand_stories_are_shown_and_updated: scenario("size");
    other_projects_are_links_in_a_menu: scenario_beside("projects", Some("bookshop \u{202e}<b>"));
    worktrees_are_a_view_where_there_are_several: scenario("worktrees");
    all_projects_are_on_one_page_which_asks_each_server: scenario("all");
    what_newly_needs_you_is_announced_marked_and_told_by_the_bell: scenario("bell");
    everything_works_by_keyboard: scenario("keys");
    empty_and_broken_states_say_what_to_do: scenario("states");
    what_may_not_be_read_as_meant_is_said_in_every_view: scenario("problems");
    the_last_hours_are_drawn_for_each_agent: scenario("lanes");
    what_waits_for_what_is_drawn_as_a_graph: scenario("graph");
    how_the_plan_moved_is_drawn_for_each_epic_and_day: scenario("progress");
    messages_are_counted_over_time_and_a_span_filters_them: scenario("histogram");
    hostile_texts_run_nothing_and_move_nothing: scenario("hostile");
    #[ignore = "writes docs/images"]
    pictures_of_the_documentation: scenario("pictures");
}
