//! `sprint-planner`: its plans are those that a search over all plans finds by the documented rule.

use std::collections::BTreeSet;

use flow::skill::output::Fault;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::boards::{self, Chain, Plain, boards, project, row_ids};
use super::golden::example_output;
use super::judge::markdown;
use super::making::{make, make_in, nowhere, place};

const SKILL: &str = "sprint-planner";

/// A story's points; none if it has no size, or one in another unit.
fn points(plain: &Plain, id: &str) -> Option<u64> {
    plain.stories[id]["points"].as_u64()
}

/// Whether something that is not recorded comes before it.
fn waits(plain: &Plain, id: &str) -> bool {
    plain.stories[id]["status"] == "Waiting" && plain.unmet(id).is_empty()
}

fn may_be_planned(plain: &Plain, id: &str) -> bool {
    let is_free =
        |id: &String| !plain.is_hindered(id) && !waits(plain, id) && points(plain, id).is_some();
    is_free(&id.to_owned()) && plain.before(id).iter().all(is_free)
}

/// The selected stories, in the order of the rule.
fn candidates(plain: &Plain, epic: Option<&str>) -> Vec<String> {
    let mut all = plain.open();
    all.retain(|id| epic.is_none_or(|epic| plain.stories[id]["epic_id"] == epic));
    let priority = |id: &String| match plain.stories[id]["priority"].as_str() {
        Some("P0") => 0,
        Some("P1" | "high") => 1,
        Some("low") => 3,
        _ => 9,
    };
    let begun = |id: &String| {
        ["in-progress", "in-review"].contains(&plain.stories[id]["status"].as_str().unwrap())
    };
    all.sort_by_key(|id| (!begun(id), priority(id)));
    all
}

/// Of all closed sets that fit, the one with the first candidate if any has it, then the second, and so on; without
/// stories that no candidate in it depends on.
fn by_trying_all(plain: &Plain, epic: Option<&str>, capacity: u64) -> BTreeSet<String> {
    let asked = candidates(plain, epic);
    let free: Vec<String> =
        plain.open().into_iter().filter(|id| may_be_planned(plain, id)).collect();
    let mut best: Option<(Vec<bool>, std::cmp::Reverse<usize>, BTreeSet<String>)> = None;
    for mask in 0..1_u32 << free.len() {
        let taken: BTreeSet<String> = free
            .iter()
            .enumerate()
            .filter(|(at, _)| mask >> at & 1 == 1)
            .map(|(_, id)| id.clone())
            .collect();
        let is_closed = taken.iter().all(|id| plain.unmet(id).is_subset(&taken));
        let sum: u64 = taken.iter().filter_map(|id| points(plain, id)).sum();
        if is_closed && sum <= capacity {
            let has = asked.iter().map(|id| taken.contains(id)).collect();
            best = best.max(Some((has, std::cmp::Reverse(taken.len()), taken)));
        }
    }
    best.unwrap().2
}

/// Checks the properties that a plan guarantees, whatever the rule.
fn holds(plain: &Plain, data: &Value, capacity: u64) {
    let planned = row_ids(&data["plan"]);
    let sum: u64 = planned.iter().map(|id| points(plain, id).unwrap()).sum();
    assert!(sum <= capacity);
    let said = data["planned"].as_str().unwrap();
    assert_eq!(said.split(' ').next().unwrap(), sum.to_string());
    for (at, id) in planned.iter().enumerate() {
        let before: BTreeSet<String> = planned[..at].iter().cloned().collect();
        assert!(plain.unmet(id).is_subset(&before), "{id} comes before what it needs: {planned:?}");
    }
    let all: BTreeSet<String> = planned.into_iter().collect();
    for id in row_ids(&data["left_out"]) {
        let more: BTreeSet<String> = plain.before(&id).into_iter().chain([id.clone()]).collect();
        let more: u64 = more.difference(&all).filter_map(|id| points(plain, id)).sum();
        assert!(!may_be_planned(plain, &id) || sum + more > capacity, "{id} would still fit");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn the_plan_is_the_one_that_trying_all_finds(status in boards(11), capacity in 1..18_u64, is_narrow: bool) {
        let plain = Plain::of(&status);
        let epic = Some("EP-0001").filter(|epic| {
            is_narrow && plain.stories.values().any(|story| story["epic_id"] == **epic)
        });
        let folder = tempfile::tempdir().unwrap();
        let here = project(folder.path(), &status);
        let output = make_in(SKILL, json!({"capacity": capacity, "epic": epic}), &here);
        let asked = candidates(&plain, epic);
        let sizes: Vec<&Value> = asked.iter().map(|id| &plain.stories[id]["points"]).filter(|size| !size.is_null()).collect();
        let is_all_time = !sizes.is_empty() && sizes.iter().all(|size| size.is_string());
        prop_assert_eq!(output.is_err(), plain.ids.is_empty() || is_all_time);
        let Ok(output) = output else { return Ok(()) };
        let plan: BTreeSet<String> = row_ids(&output.data["plan"]).into_iter().collect();
        holds(&plain, &output.data, capacity);
        let mut seen = plan.clone();
        prop_assert_eq!(plan, by_trying_all(&plain, epic, capacity));
        seen.extend(row_ids(&output.data["left_out"]));
        prop_assert!(candidates(&plain, epic).iter().all(|id| seen.contains(id)));
        let question = output.open.join(" ");
        for id in candidates(&plain, epic).iter().filter(|id| points(&plain, id).is_none() && !plain.is_hindered(id) && !waits(&plain, id)) {
            let is_time = plain.stories[id]["points"].is_string();
            let hint = output.artifacts[0].text.contains(" sized in hours (plan them with a capacity in hours)");
            prop_assert!(if is_time { hint } else { question.contains(id.as_str()) }, "{} is not asked about: {}", id, question);
        }
    }
}

#[test]
fn the_demo_is_planned_by_the_rule() {
    let plain = Plain::demo();
    let output = example_output(SKILL);
    holds(&plain, &output.data, 30);
    let taken: BTreeSet<String> = row_ids(&output.data["plan"]).into_iter().collect();
    assert_eq!(taken, by_trying_all(&plain, None, 30));
    let narrow = make(SKILL, json!({"capacity": 20, "epic": "EP-0003"})).unwrap();
    let taken: BTreeSet<String> = row_ids(&narrow.data["plan"]).into_iter().collect();
    assert_eq!(taken, by_trying_all(&plain, Some("EP-0003"), 20));
    assert!(narrow.data["needed"].as_str().unwrap().contains("US-0006"));
}

#[test]
fn time_and_points_are_never_turned_into_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let status = json!({"stories": {
        "US-0001": {"status": "ready", "estimate": "2-3d"},
        "US-0002": {"status": "ready", "estimate": "4h"},
        "US-0003": {"status": "ready", "points": 1},
        "US-0004": {"status": "ready"},
    }});
    let here = project(folder.path(), &status);
    let plan = |capacity: &str| {
        let data = make_in(SKILL, json!({"capacity": capacity}), &here).unwrap().data;
        (row_ids(&data["plan"]), data["left"].as_str().unwrap().to_owned())
    };
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    assert_eq!(plan("3d"), (ids(&["US-0001"]), "0 h".to_owned()));
    assert_eq!(plan("23h"), (ids(&["US-0002"]), "19 h".to_owned()));
    assert_eq!(plan("28 h"), (ids(&["US-0001", "US-0002"]), "0 h".to_owned()));
    assert_eq!(plan("28"), (ids(&["US-0003"]), "27 points".to_owned()));
    let output = make_in(SKILL, json!({"capacity": "28"}), &here).unwrap();
    assert_eq!(output.open, ["estimate: not recorded for US-0004 (add estimate to its record)"]);
    let hint = "- Not planned: 2 stories sized in hours (plan them with a capacity in hours).\n";
    assert_eq!(output.artifacts[0].text.matches(hint).count(), 1);
}

#[test]
fn a_capacity_of_the_other_unit_states_the_sizes_and_what_to_add() {
    let folder = tempfile::tempdir().unwrap();
    let stories: serde_json::Map<_, _> = (0..40)
        .map(|at| (format!("US-{at}"), json!({"status": "ready", "estimate": "4h"})))
        .collect();
    let here = project(folder.path(), &json!({"stories": stories}));
    let fault = make_in(SKILL, json!({"capacity": 40}), &here).unwrap_err().to_string();
    assert_eq!(
        fault,
        "the field \"capacity\" is \"40\", but must be in hours: the 40 stories to plan are sized in hours, 160 h in all (add capacity=\"160 h\" to plan all of them, or less)"
    );
    let fault = make(SKILL, json!({"capacity": "5d"})).unwrap_err().to_string();
    let facts = "are sized in points, 61 points in all (add capacity=\"61 points\" to plan all of them, or less)";
    assert!(fault.ends_with(facts), "{fault}");
    let all = make(SKILL, json!({"capacity": "61 points"})).unwrap();
    assert!(!all.artifacts[0].text.contains("for a later sprint"), "{}", all.artifacts[0].text);
}

#[test]
fn stories_on_hold_are_named_and_not_planned() {
    let folder = tempfile::tempdir().unwrap();
    let status = json!({"stories": {
        "US-1": {"status": "deferred", "points": 1}, "US-2": {"status": "ready", "points": 1, "depends_on": ["US-1"]},
        "US-3": {"status": "rejected", "points": 1}, "US-4": {"status": "ready", "points": 1},
    }});
    let output = make_in(SKILL, json!({"capacity": 5}), &project(folder.path(), &status)).unwrap();
    assert_eq!(row_ids(&output.data["plan"]), ["US-4"]);
    assert_eq!(row_ids(&output.data["left_out"]), ["US-2"]);
    assert_eq!(output.data["left_out"]["rows"][0]["why"], "needs US-1 (deferred)");
    let text = &output.artifacts[0].text;
    assert!(text.contains(" On hold: US-1.\n") && !text.contains("US-3"), "{text}");
    assert!(text.contains(" Order: begun work first, then by priority, "), "{text}");
}

#[test]
fn drafts_are_not_planned_and_what_begun_work_displaces_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let status = json!({"stories": {
        "US-1": {"status": "draft", "points": 1, "depends_on": ["US-3"]},
        "US-2": {"status": "ready", "points": 4, "priority": "P0"},
        "US-3": {"status": "in-progress", "points": 3, "priority": "P2"},
        "US-4": {"status": "ready", "points": 1, "priority": "P3"},
    }});
    let output = make_in(SKILL, json!({"capacity": 5}), &project(folder.path(), &status)).unwrap();
    assert_eq!(row_ids(&output.data["plan"]), ["US-3", "US-4"]);
    assert_eq!(output.data["displaced"], json!(["US-2"]));
    let why = output.data["left_out"]["rows"].as_array().unwrap().iter();
    let why: Vec<&Value> = why.map(|row| &row["why"]).collect();
    assert_eq!(why, ["takes 4 points", "needs US-3 (in-progress)"]);
}

#[test]
fn the_capacity_may_be_content_a_label_or_a_field() {
    let by_field = make(SKILL, json!({"capacity": "20 points", "owner": "api"})).unwrap();
    let owner = [("owner", "api")];
    for text in ["20 points", "20", "Capacity: 20", "{\"capacity\": 20}"] {
        assert_eq!(place(SKILL, text, &owner).unwrap().artifacts, by_field.artifacts, "{text}");
    }
    let fault = place(SKILL, "We have about two weeks", &[]).unwrap_err().to_string();
    assert!(fault.contains("\"capacity\"") && fault.contains("5d or 40h"), "{fault}");
}

#[test]
fn bad_capacities_and_names_are_refused() {
    for (fields, field) in [
        (json!({}), "capacity"),
        (json!({"capacity": " "}), "capacity"),
        (json!({"capacity": "soon"}), "capacity"),
        (json!({"capacity": 0}), "capacity"),
        (json!({"capacity": -3}), "capacity"),
        (json!({"capacity": "0h"}), "capacity"),
        (json!({"capacity": "1-2d"}), "capacity"),
        (json!({"capacity": "1e300"}), "capacity"),
        (json!({"capacity": 9, "epic": "EP-0099"}), "epic"),
        (json!({"capacity": 9, "owner": "nobody"}), "owner"),
    ] {
        let fault = make(SKILL, fields.clone()).unwrap_err();
        let named = match &fault {
            Fault::Bad { field, .. } | Fault::Missing { field, .. } => field.as_str(),
            other => panic!("{other}"),
        };
        assert_eq!(named, field, "{fields}");
    }
    let fault = make_in(SKILL, json!({"capacity": 9}), &nowhere()).unwrap_err().to_string();
    assert!(fault.contains("the state of a project"), "{fault}");
}

#[test]
fn hostile_empty_and_large_boards_give_clean_markdown() {
    let mut texts = vec![example_output(SKILL).artifacts[0].text.clone()];
    for status in
        [boards::hostile(), boards::chain(10_000, Chain::Open), boards::chain(10_000, Chain::Ring)]
    {
        let folder = tempfile::tempdir().unwrap();
        let here = project(folder.path(), &status);
        let output = make_in(SKILL, json!({"capacity": 300}), &here).unwrap();
        assert!(output.artifacts[0].text.len() < 200_000);
        texts.push(output.artifacts[0].text.clone());
    }
    assert!(texts[2].contains("300 of 300 points in 300 stories"), "{}", &texts[2][..400]);
    markdown(&texts);
    let folder = tempfile::tempdir().unwrap();
    let empty = make_in(SKILL, json!({"capacity": 9}), &project(folder.path(), &json!({})));
    assert!(empty.unwrap_err().to_string().contains("has no stories; add them to"));
}

#[test]
fn a_size_that_cannot_be_read_is_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let stories = json!({"US-1": {"status": "ready", "points": "XL"}, "US-2": {"status": "ready", "points": 2}});
    let context = project(folder.path(), &json!({"stories": stories}));
    let output = make_in(SKILL, json!({"capacity": 8}), &context).unwrap();
    let text = &output.artifacts[0].text;
    assert!(text.contains("- Planned: 2 of 8 points in 1 story, 6 points left.\n"), "{text}");
    assert!(text.contains("| US-1 | US-1 | has the unreadable size \"XL\" |\n"), "{text}");
    let asked = "estimate: not points or a working time: \"XL\" of US-1 (write 5, 4h or 2d)";
    assert_eq!(output.open, [asked]);
}

#[test]
fn a_story_that_waits_is_not_planned() {
    let folder = tempfile::tempdir().unwrap();
    let status = json!({"stories": {
        "US-1": {"status": "Waiting", "points": 1}, "US-2": {"status": "ready", "points": 1, "depends_on": ["US-1"]},
        "US-3": {"status": "waiting"}, "US-4": {"status": "ready", "points": 1},
        "US-5": {"status": "waiting", "points": 1, "depends_on": ["US-4"]},
    }});
    let output = make_in(SKILL, json!({"capacity": 9}), &project(folder.path(), &status)).unwrap();
    // A story that waits for another one is planned after that.
    assert_eq!(row_ids(&output.data["plan"]), ["US-4", "US-5"]);
    let whys: Vec<&str> = output.data["left_out"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["why"].as_str().unwrap())
        .collect();
    let waits = "waits for: a status that is ready (it is waiting)";
    assert_eq!(whys, [waits, &format!("needs US-1, which {waits}"), waits]);
    assert!(output.open.is_empty(), "{:?}", output.open);
}
