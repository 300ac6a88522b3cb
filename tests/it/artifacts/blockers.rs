//! `blocker-analysis`: every figure is recomputed from the raw file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::boards::{Plain, boards, chain, project, row_ids};
use super::making::make_in;
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
        let why = row["why"].as_str().unwrap();
        let is_waiting = plain.stories[id]["status"] == "Waiting";
        assert_eq!(why.contains("a status that is ready (it is waiting)"), is_waiting);
        assert!(plain.unmet(id).iter().all(|need| why.contains(&format!("needs {need} ("))));
        assert!(plain.outside(id).is_none_or(|words| why.contains(words)), "{why}");
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
        let is_outside = row["id"].is_null();
        let (kind, name) = match () {
            () if is_outside => ("outside", text("title")),
            () if text("status") == "unknown" => ("unknown", text("id")),
            () => ("story", text("id")),
        };
        let stories: BTreeSet<String> = text("which").split(", ").map(str::to_owned).collect();
        assert_eq!(row["holds_up"], stories.len());
        ((kind.to_owned(), name), stories)
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
fn a_ring_of_300_000_stories_is_analysed() {
    let length = scaled(5_000, 300_000);
    let project = Project::new();
    project.write("docs/09-agents/status.json", &chain(length, Some(length - 1)).to_string());
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
