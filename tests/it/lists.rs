//! Common properties of all lists beyond the comparison with the plain model (`agree`): answers that must not change,
//! links between pages, cursors through a log that changes, and each limit.

mod cursors;

use std::fs;

use flow::project::Source;
use flow::routes::MOST_FACET_VALUES;
use flow::store::{Environment, Options};
use flow::web::Request;
use serde_json::{Value, json};

use crate::live::{self, Live};

const LOG: &str = "docs/09-agents/bus/log.jsonl";
const STATUS: &str = "docs/09-agents/status.json";

/// A project whose files are served without a server.
struct Served(Live);

impl Served {
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            live::write(&folder.path().join(path), text);
        }
        Self(Live::open(folder, &Options::default(), Environment::default()))
    }

    fn get(&self, target: &str) -> Value {
        self.refused(target, 200)
    }

    #[track_caller]
    fn refused(&self, target: &str, expected: u16) -> Value {
        let reply = self.0.get(target);
        let text = String::from_utf8_lossy(&reply.body);
        assert_eq!(reply.status.as_u16(), expected, "{target}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The relations of the `Link` header and their targets.
    fn links(&self, target: &str) -> Vec<(String, String)> {
        let Some(link) = self.0.get(target).link else { return Vec::new() };
        let links = link.to_str().unwrap().split(", ").map(|text| {
            let (to, relation) = text.strip_prefix('<').unwrap().split_once(">; rel=\"").unwrap();
            (relation.trim_end_matches('"').to_owned(), to.to_owned())
        });
        links.collect()
    }

    fn append(&self, text: &str) {
        live::append(&self.0.path(LOG), text);
        self.0.sync();
    }

    /// Shortens the log in place to the part that `keep` returns.
    fn rotate(&self, keep: impl FnOnce(&str) -> String) {
        let text = fs::read_to_string(self.0.path(LOG)).unwrap();
        self.0.write(Source::Bus, keep(&text));
        self.0.sync();
    }
}

fn numbers(page: &Value) -> Vec<u64> {
    page["messages"].as_array().unwrap().iter().map(|m| m["n"].as_u64().unwrap()).collect()
}

fn lines(range: std::ops::Range<u64>) -> String {
    let line = |n: u64| {
        format!("{{\"n\":{n},\"from\":\"{}\"}}", if n.is_multiple_of(2) { "a" } else { "b" })
    };
    range.map(line).fold(String::new(), |text, line| text + &line + "\n")
}

#[test]
fn links_lead_through_all_pages_and_keep_the_query() {
    let owner = "a,b <\u{fc}>";
    let stories: serde_json::Map<String, Value> =
        (0..7).map(|n| (format!("US-{n}"), json!({"owner": owner}))).collect();
    let served = Served::of(&[(STATUS, &json!({"stories": stories}).to_string())]);
    let first = "/api/stories?owner=a%2Cb%20%3C%C3%BC%3E&status!=done&limit=3&sort=-id&_=7";
    let mut seen = Vec::new();
    let mut next = Some(first.to_owned());
    while let Some(target) = next {
        let page = served.get(&target);
        assert_eq!(page["total"], 7);
        let ids = page["stories"].as_array().unwrap().iter();
        seen.extend(ids.map(|story| story["id"].as_str().unwrap().to_owned()));
        let links = served.links(&target);
        let lead = |name: &str| links.iter().find(|(relation, _)| relation == name);
        assert_eq!(served.get(&lead("first").unwrap().1)["offset"], 0);
        assert_eq!(served.get(&lead("last").unwrap().1)["offset"], 6);
        assert_eq!(lead("prev").is_some(), page["offset"] != 0);
        assert_eq!(lead("next").is_some(), page["next_offset"] != Value::Null);
        next = lead("next").map(|(_, to)| to.clone());
    }
    assert_eq!(seen, ["US-6", "US-5", "US-4", "US-3", "US-2", "US-1", "US-0"]);
    for unpaged in ["/api/stories?owner=x", "/api/stories?limit=0", "/api/bus/messages?order=desc"]
    {
        assert_eq!(served.links(unpaged), [], "{unpaged}");
    }
    assert_eq!(
        served.links("/api/stories?offset=90&limit=2")[1].1,
        "/api/stories?limit=2&offset=6"
    );
    let long = format!("/api/stories?limit=1&owner={}", "%2C".repeat(2_000) + "x");
    assert_eq!(served.links(&long).len(), 2);
    let longer = format!("/api/stories?limit=1&owner={}", "\u{fc}".repeat(3_000));
    assert_eq!(served.links(&longer), [], "a header of more than 16 KiB");
}

#[test]
fn facets_keep_the_most_frequent_values() {
    let from = |n: usize| format!("s{}", n % (MOST_FACET_VALUES + 50));
    let line = |n: usize| json!({"n": n, "from": from(n)}).to_string() + "\n";
    let text: String = (0..2 * MOST_FACET_VALUES).map(line).collect();
    let served = Served::of(&[(LOG, &text)]);
    let page = served.get("/api/bus/messages?limit=0&facets=from,type");
    let counts = page["facets"]["from"].as_object().unwrap();
    assert_eq!((counts.len(), page["facets_left_out"]["from"].as_u64()), (1_000, Some(50)));
    let in_order: Vec<u64> = counts.values().map(|count| count.as_u64().unwrap()).collect();
    assert!(
        in_order.is_sorted_by(|one, next| one >= next) && counts.keys().next().unwrap() == "s0"
    );
    assert_eq!(page["facets"]["type"], json!({"none": 2_000}));
}

#[test]
fn a_query_that_is_asked_again_gets_the_same_answer_until_the_file_changes() {
    let stories = |count: u64| {
        let stories: serde_json::Map<String, Value> =
            (0..count).map(|n| (format!("US-{n}"), json!({"owner": "a", "n": n}))).collect();
        json!({"stories": stories, "epics": {"EP-1": {"owner": "a"}}}).to_string()
    };
    let served = Served::of(&[(STATUS, &stories(3))]);
    let ask = |target: &str, if_none_match: Option<&str>| {
        let (path, query) = target.split_once('?').unwrap();
        let query = Some(query);
        served.0.app.answer(Request { path, query, if_none_match, ..Request::GET })
    };
    for target in
        ["/api/stories?owner=a&limit=2", "/api/epics?owner=a&limit=2", "/api/stories?_=1&owner=a"]
    {
        let first = ask(target, None);
        let tag = first.etag.clone().unwrap();
        for _ in 0..2 {
            let again = ask(target, None);
            assert_eq!(
                (again.status, &again.body, &again.link),
                (first.status, &first.body, &first.link)
            );
            let known = ask(target, Some(tag.to_str().unwrap()));
            assert_eq!(
                (known.status.as_u16(), known.link, known.etag),
                (304, None, Some(tag.clone()))
            );
        }
    }
    served.0.write(Source::Status, stories(9));
    served.0.sync();
    let now = served.get("/api/stories?owner=a&limit=2");
    assert_eq!((&now["total"], served.links("/api/stories?owner=a&limit=2").len()), (&json!(9), 3));
    let error = served.refused("/api/stories?nope=1", 400);
    assert_eq!(served.refused("/api/stories?nope=1", 400), error);
}
