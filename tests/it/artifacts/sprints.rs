//! `sprint-planner`: its plans are those that a search over all plans finds by the documented rule.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::boards::{Plain, boards, project, row_ids};
use super::making::make_in;

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
        prop_assert_eq!(output.is_err(), plain.ids.is_empty());
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
            let hint = output.artifacts[0].text.contains("is sized in another unit");
            prop_assert!(if is_time { hint } else { question.contains(id.as_str()) }, "{} is not asked about: {}", id, question);
        }
    }
}
