//! `epic-planner`: waves and sums are recomputed from the raw file.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::boards::{Plain, boards, project, row_ids};
use super::making::make_in;

const SKILL: &str = "epic-planner";

/// Only the stories of one epic.
fn own(plain: &Plain, epic: &str) -> Plain {
    let mut own = plain.clone();
    own.stories.retain(|_, story| story["epic_id"] == epic);
    own.ids.retain(|id| own.stories.contains_key(id));
    own
}

/// The number of stories in the longest chain that ends at one.
fn depth(own: &Plain, id: &str) -> usize {
    1 + own.unmet(id).iter().map(|need| depth(own, need)).max().unwrap_or(0)
}

fn recount(plain: &Plain, epic: &str, data: &Value) {
    let own = own(plain, epic);
    let mut seen = BTreeSet::new();
    for (number, wave) in (1..).zip(data["waves"].as_array().unwrap()) {
        for id in row_ids(wave) {
            assert_eq!(number, depth(&own, &id), "{id}");
            assert!(seen.insert(id));
        }
    }
    let (stuck, free): (BTreeSet<String>, BTreeSet<String>) =
        own.open().into_iter().partition(|id| own.is_stuck(id));
    assert_eq!(seen, free);
    assert_eq!(row_ids(&data["stuck"]).into_iter().collect::<BTreeSet<_>>(), stuck);
    let is_deferred = |id: &str| plain.stories[id]["status"] == "deferred";
    // An archived story without a time of its completion may have been given up.
    let is_put_off = |id: &str| is_deferred(id) || plain.stories[id]["status"] == "archived";
    let deferred: Vec<&String> = own.ids.iter().filter(|id| is_put_off(id)).collect();
    assert_eq!(row_ids(&data["put_off"]).iter().collect::<Vec<_>>(), deferred);
    for (name, is_open) in [("sum_open", true), ("sum_done", false)] {
        let meant: Vec<&Value> = own
            .ids
            .iter()
            .filter(|id| own.is_open(id) == is_open && !is_put_off(id))
            .map(|id| &own.stories[id])
            .collect();
        let points: u64 = meant.iter().filter_map(|story| story["points"].as_u64()).sum();
        let days = meant.iter().filter(|story| story["points"] == "1d").count();
        let none = meant.iter().filter(|story| story["points"].is_null()).count();
        let parts = [
            format!("{} {}", meant.len(), if meant.len() == 1 { "story" } else { "stories" }),
            format!("{points} {}", if points == 1 { "point" } else { "points" }),
            format!("{} h", days * 8),
            format!("{none} without a size"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .enumerate()
            .filter(|(at, part)| *at == 0 || !part.starts_with("0 "))
            .map(|(_, part)| part)
            .collect();
        assert_eq!(data[name], parts.join(", "));
    }
    let waves = data["waves"].as_array().unwrap().iter().chain([&data["stuck"]]);
    for row in waves.flat_map(|rows| rows["rows"].as_array().unwrap()) {
        let id = row["id"].as_str().unwrap();
        let is_left = |need: &String| {
            plain.is_open(need) || !plain.stories.contains_key(need) || is_deferred(need)
        };
        let expected: BTreeSet<String> = plain.needs(id).into_iter().filter(is_left).collect();
        let named = row["after"].as_str().unwrap().split(", ").filter(|need| !need.is_empty());
        // Behind a story of another epic stands that one.
        let named = named.map(|need| need.split(' ').next().unwrap().to_owned());
        assert_eq!(named.collect::<BTreeSet<_>>(), expected, "{id}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn waves_and_sums_are_those_of_the_raw_file(status in boards(12)) {
        let plain = Plain::of(&status);
        prop_assume!(!own(&plain, "EP-0001").ids.is_empty());
        let folder = tempfile::tempdir().unwrap();
        let here = project(folder.path(), &status);
        let output = make_in(SKILL, json!({"epic": "EP-0001"}), &here).unwrap();
        recount(&plain, "EP-0001", &output.data);
        let asked = output.open.join(" ");
        let own = own(&plain, "EP-0001");
        prop_assert_eq!(own.open().is_empty(), !asked.contains("criteria: not given"));
    }
}
