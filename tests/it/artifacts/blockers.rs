//! `blocker-analysis`: every figure is recomputed from the raw file, and the output is drawn as a diagram.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use flow::skill::generator;
use flow::skill::generator::find;
use flow::skill::output::{Fault, Output};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::boards::{self, Chain, Plain, boards, project, row_ids};
use super::golden::example_output;
use super::making::{Input, context, make, make_in, run_once};
use crate::support::Project;
use crate::tools::{figure, milliseconds, scaled};

const SKILL: &str = "blocker-analysis";

/// The heaviest path that ends at a story, by trying all.
fn heaviest(plain: &Plain, id: &str, weight: &dyn Fn(&str) -> u64) -> u64 {
    let before = plain.unmet(id).into_iter().map(|need| heaviest(plain, &need, weight)).max();
    weight(id) + before.unwrap_or(0)
}

/// Compares all findings with the raw file.
fn recount(plain: &Plain, data: &Value) {
    let open = plain.open();
    assert_eq!(data["open"], open.len());
    let ready = |id: &&String| {
        plain.unmet(id).is_empty()
            && !plain.is_hindered(id)
            && plain.stories[*id]["status"] != "Waiting"
    };
    let (ready, blocked): (Vec<&String>, Vec<&String>) = open.iter().partition(ready);
    let named = row_ids(&data["blocked"]);
    assert_eq!(named.iter().collect::<Vec<_>>(), blocked);
    for row in data["blocked"]["rows"].as_array().unwrap() {
        let id = row["id"].as_str().unwrap();
        let needs: BTreeSet<&str> =
            row["needs"].as_array().unwrap().iter().map(|need| need.as_str().unwrap()).collect();
        assert_eq!(needs, plain.unmet(id).iter().map(String::as_str).collect());
        let is_waiting = plain.stories[id]["status"] == "Waiting";
        let waits = row["why"].as_str().unwrap();
        assert_eq!(waits.contains("a status that is ready (it is waiting)"), is_waiting);
        assert_eq!(row["reasons"], json!(plain.outside(id).into_iter().collect::<Vec<_>>()));
    }
    assert_eq!(holders(data), expected_holders(plain));
    let counts: Vec<u64> = data["blockers"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["holds_up"].as_u64().unwrap())
        .collect();
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
    let mut expected: Vec<(usize, &String)> =
        ready.iter().map(|id| (held(plain, id).len(), *id)).collect();
    expected.sort_by_key(|(holds, _)| std::cmp::Reverse(*holds));
    assert_eq!(
        row_ids(&data["ready"]),
        expected.iter().map(|(_, id)| (*id).clone()).collect::<Vec<_>>()
    );
    path(plain, &data["critical_path"]);
    cycles(plain, &data["cycles"]["rows"]);
}

/// The open stories that depend on one, directly or transitively.
fn held(plain: &Plain, id: &str) -> BTreeSet<String> {
    plain
        .open()
        .into_iter()
        .filter(|other| other != id && plain.before(other).contains(id))
        .collect()
}

type Holders = BTreeMap<(String, String), BTreeSet<String>>;

fn holders(data: &Value) -> Holders {
    let row = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let name = if text("kind") == "outside" { text("title") } else { text("id") };
        let stories: BTreeSet<String> = row["stories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_str().unwrap().to_owned())
            .collect();
        assert_eq!(row["holds_up"], stories.len());
        ((text("kind"), name), stories)
    };
    data["blockers"]["rows"].as_array().unwrap().iter().map(row).collect()
}

fn expected_holders(plain: &Plain) -> Holders {
    let mut all = Holders::new();
    for id in plain.open() {
        let behind = held(plain, &id);
        let with_it: BTreeSet<String> = behind.iter().cloned().chain([id.clone()]).collect();
        if let Some(words) = plain.outside(&id) {
            all.entry(("outside".into(), words.into())).or_default().extend(with_it.clone());
        }
        for need in plain.unknown(&id) {
            all.entry(("unknown".into(), need)).or_default().extend(with_it.clone());
        }
        if !behind.is_empty() {
            all.insert(("story".into(), id), behind);
        }
    }
    all
}

/// Asserts that the path is one, and that no other is longer.
fn path(plain: &Plain, path: &Value) {
    let ids = row_ids(&path["stories"]);
    for pair in ids.windows(2) {
        assert!(plain.unmet(&pair[1]).contains(&pair[0]), "{pair:?}");
    }
    let open = plain.open();
    let points = |id: &str| plain.stories[id]["points"].as_u64();
    let is_points = !open.is_empty() && open.iter().all(|id| points(id).is_some());
    let all_time = !open.is_empty() && open.iter().all(|id| plain.stories[id]["points"] == "1d");
    let weight = |id: &str| match () {
        () if is_points => points(id).unwrap() * 100,
        () if all_time => 480,
        () => 1,
    };
    let free = open.iter().filter(|id| !plain.is_stuck(id));
    let most = free.map(|id| heaviest(plain, id, &weight)).max().unwrap_or(0);
    assert_eq!(ids.iter().map(|id| weight(id)).sum::<u64>(), most);
    let stories = format!("{} {}", ids.len(), if ids.len() == 1 { "story" } else { "stories" });
    let length = match () {
        () if is_points && most == 100 => format!("1 point in {stories}"),
        () if is_points => format!("{} points in {stories}", most / 100),
        () if all_time => format!("{} h in {stories}", most / 60),
        () => stories,
    };
    assert_eq!(path["length"], length);
}

/// Asserts that each named cycle is one, and that every cycle contains a named story.
fn cycles(plain: &Plain, cycles: &Value) {
    let mut named = BTreeSet::new();
    for cycle in cycles.as_array().unwrap() {
        let ids: Vec<&str> =
            cycle["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        for (at, id) in ids.iter().enumerate() {
            assert!(plain.unmet(id).contains(ids[(at + 1) % ids.len()]), "{ids:?}");
            assert!(named.insert((*id).to_owned()), "{id} is in two circles");
        }
    }
    for id in plain.open().iter().filter(|id| plain.before(id).contains(*id)) {
        let mut ring = plain.before(id);
        ring.retain(|other| plain.before(other).contains(id));
        assert!(ring.iter().any(|id| named.contains(id)), "the circle of {id} is not named");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn every_figure_is_that_of_the_raw_file(status in boards(12)) {
        let folder = tempfile::tempdir().unwrap();
        let here = project(folder.path(), &status);
        let output = make_in(SKILL, json!({}), &here);
        prop_assert_eq!(output.is_err(), Plain::of(&status).ids.is_empty());
        let Ok(output) = output else { return Ok(()) };
        recount(&Plain::of(&status), &output.data);
    }
}

#[test]
fn the_demo_is_recounted() {
    recount(&Plain::demo(), &example_output(SKILL).data);
}

#[test]
fn around_a_story_or_an_epic_only_what_belongs_to_it_is_seen() {
    let plain = Plain::demo();
    let around = |ids: &[&String]| -> BTreeSet<String> {
        let is_near = |other: &&String| {
            ids.iter().any(|id| {
                *other == *id
                    || plain.before(id).contains(*other)
                    || plain.before(other).contains(*id)
            })
        };
        plain.open().iter().filter(is_near).cloned().collect()
    };
    let seen = |fields: Value| -> BTreeSet<String> {
        let data = make(SKILL, fields).unwrap().data;
        row_ids(&data["blocked"]).into_iter().chain(row_ids(&data["ready"])).collect()
    };
    assert_eq!(seen(json!({"story": "US-0009"})), around(&[&"US-0009".to_owned()]));
    let open = plain.open();
    let own: Vec<&String> =
        open.iter().filter(|id| plain.stories[*id]["epic_id"] == "EP-0003").collect();
    assert_eq!(seen(json!({"epic": "EP-0003"})), around(&own));
    let two = ["US-0009".to_owned(), "US-0004".to_owned()];
    assert_eq!(seen(json!({"story": "us-0009 and US-0004"})), around(&[&two[0], &two[1]]));
    let of_ui: Vec<&String> =
        open.iter().filter(|id| plain.stories[*id]["owner"] == "ui").collect();
    assert_eq!(seen(json!({"owner": "ui"})), around(&of_ui));
    let done = make(SKILL, json!({"story": "US-0001"})).unwrap();
    assert!(done.notes.iter().any(|note| note.contains("US-0001 is not open")), "{:?}", done.notes);
    for (field, id) in [("story", "US-0099"), ("epic", "EP-0009")] {
        let fault = make(SKILL, json!({field: id})).unwrap_err();
        assert!(matches!(&fault, Fault::Bad { field: named, .. } if named == field), "{fault}");
    }
}

/// The output of the next skill.
fn drawn(output: &Output) -> Result<Output, Fault> {
    let envelope = generator::envelope(find(SKILL).unwrap(), &Map::new(), output);
    let upstream = Some((SKILL.to_owned(), envelope["data"].clone()));
    let input = Input { upstream, ..Input::default() };
    run_once("diagram-generator", &input, &context(".".as_ref()))
}

#[test]
fn a_diagram_shows_every_open_story_and_every_need() {
    let plain = Plain::demo();
    let picture = drawn(&example_output(SKILL)).unwrap();
    let lines: Vec<&str> = picture.artifacts[0].text.lines().map(str::trim).collect();
    let needs: usize = plain.open().iter().map(|id| plain.unmet(id).len()).sum();
    let outside = plain.open().iter().filter(|id| plain.outside(id).is_some()).count();
    assert_eq!(lines.iter().filter(|line| line.contains(" --> ")).count(), needs);
    assert_eq!(lines.iter().filter(|line| line.contains(" -.-> ")).count(), outside);
    let nodes = picture.data["nodes"].as_array().unwrap().len();
    assert_eq!(nodes, plain.open().len() + outside);
    assert_eq!(picture.data["type"], "flowchart");
    let folder = tempfile::tempdir().unwrap();
    let done = json!({"stories": {"US-1": {"status": "done"}}});
    let nothing = make_in(SKILL, json!({}), &project(folder.path(), &done)).unwrap();
    assert!(nothing.artifacts[0].text.ends_with("No story is open.\n"));
    assert!(drawn(&nothing).unwrap_err().to_string().contains("nothing to draw"));
}

#[test]
fn dependencies_are_those_that_the_api_serves() {
    let stories = json!({
        "auth": {"status": "ready"},
        "US-1": {"status": "ready", "deps": ["auth", "US-9", 7, "the key"], "blockedBy": "US-2, BUG-3"},
        "US-2": {"status": "archived"},
    });
    let project = Project::new();
    project.write("docs/09-agents/status.json", &json!({"stories": stories}).to_string());
    let server = project.start();
    let answer: Value = serde_json::from_slice(&server.get("/api/stories/US-1").body).unwrap();
    let made = project.flow(&["skill", SKILL, "--json"]).expect(0).json();
    let rows = made["data"]["blocked"]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["id"] == "US-1").unwrap();
    assert_eq!(row["needs"], json!(["auth"]));
    assert_eq!(answer["waits_for"], json!(["auth", "US-9", "7", "BUG-3"]));
    assert_eq!(row["reasons"], json!(["the key"]));
    let unknown = made["data"]["blockers"]["rows"].as_array().unwrap().iter();
    let unknown = unknown.filter(|row| row["kind"] == "unknown");
    let unknown: Vec<&str> = unknown.map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(unknown, ["US-9", "7", "BUG-3"]);
}

#[test]
fn a_board_of_thousands_is_counted_and_not_all_listed() {
    for (length, kind, path, cycles) in [
        (3_000, Chain::Open, "3000 points in 3000 stories", 0),
        (1_000, Chain::Ring, "0 points in 0 stories", 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let here = project(folder.path(), &boards::chain(length, kind));
        let output = make_in(SKILL, json!({}), &here).unwrap();
        let first = &output.data["blockers"]["rows"][0];
        assert_eq!((&first["id"], &first["holds_up"]), (&json!("US-0001"), &json!(length - 1)));
        assert_eq!(output.data["critical_path"]["length"], path);
        assert_eq!(output.data["cycles"]["count"], cycles);
        assert!(output.artifacts[0].text.len() < 200_000, "{}", output.artifacts[0].text.len());
        assert_eq!(output.data["nodes"].as_array().unwrap().len(), 200);
        assert!(output.notes.iter().any(|note| note.contains("leaves out")), "{:?}", output.notes);
    }
}

#[test]
fn a_ring_of_300_000_stories_is_analysed() {
    let length = scaled(30_000, 300_000);
    let project = Project::new();
    project.write("docs/09-agents/status.json", &boards::chain(length, Chain::Ring).to_string());
    let began = Instant::now();
    let made = project.flow(&["skill", SKILL, "--json"]).expect(0).json();
    let thousand = u32::try_from(length / 1_000).unwrap();
    figure("blocker_analysis_ms_of_a_thousand", milliseconds(began.elapsed() / thousand));
    let (data, first) = (&made["data"], &made["data"]["blockers"]["rows"][0]);
    assert_eq!((&first["id"], &first["holds_up"]), (&json!("US-0001"), &json!(length - 1)));
    let cycle = &data["cycles"]["rows"][0];
    assert_eq!(cycle["ids"].as_array().unwrap().len(), 200);
    assert_eq!(cycle["count"], length);
}
