//! Derives test cases from acceptance criteria: the path of a criterion, the values at its bounds, what a rule forbids,
//! and the cases of suggested criteria. A statement is negated only if a rule restricts it.

use super::boundary::{Value, values};
use super::refusal::{is_refusal, refusal};
use super::scenario::{Criteria, STORY, SUGGESTED, Scenario};
use super::test_case::{About, Case, Cases, Kind, Level, Trace};
use crate::input::notation::bounds;

/// The cases of criteria, and a question for each criterion without a negative case.
pub fn of(criteria: &Criteria) -> (Cases, Vec<String>) {
    let mut open = Vec::new();
    let mut made = Vec::new();
    let mut traces = Vec::new();
    let has_suggested = criteria.scenarios.iter().any(|scenario| scenario.has(SUGGESTED));
    for scenario in &criteria.scenarios {
        let own = of_one(scenario, criteria.story.role.as_deref());
        let is_covered = own.iter().any(|case| case.kind == Kind::Negative);
        // The suggested criteria cover what can go wrong on the story's own path.
        let is_suggested = scenario.has(SUGGESTED) || scenario.id == STORY && has_suggested;
        if !(is_covered || is_suggested) {
            open.push(format!(
                "{}: no negative case (state a bound, or what must not happen)",
                scenario.id
            ));
        }
        traces.push(Trace {
            id: scenario.id.clone(),
            name: scenario.name.clone(),
            cases: own.iter().map(|case| case.id.clone()).collect(),
        });
        made.extend(own);
    }
    let story = About { id: criteria.story.id.clone(), title: criteria.story.title.clone() };
    (Cases { story, criteria: traces, cases: made, data: criteria.story.data.clone() }, open)
}

/// The cases of one criterion.
fn of_one(scenario: &Scenario, role: Option<&str>) -> Vec<Case> {
    let texts: Vec<&str> = scenario.steps().into_iter().map(|(_, step)| step).collect();
    let at_bounds = at_bounds(scenario, &texts);
    let mut path = path(scenario);
    if !at_bounds.is_empty() && path.level == Level::Integration && path.examples.is_empty() {
        path.level = Level::Unit;
    }
    if scenario.has(SUGGESTED) {
        return vec![path];
    }
    let mut cases = at_bounds;
    let first = if path.kind == Kind::Negative { 2 } else { 1 };
    for (at, refusal) in texts.iter().filter_map(|text| refusal(text, role)).enumerate() {
        let base = Case { level: Level::Integration, then: Vec::new(), ..path.clone() };
        if let Some(allowed) = refusal.allowed {
            path.given = vec![allowed];
            path.when.clone_from(&refusal.when);
            path.then = vec!["it is allowed".to_owned()];
        }
        cases.push(Case {
            id: id(scenario, &format!("N{}", at + first)),
            name: refusal.name,
            kind: Kind::Negative,
            given: refusal.given,
            when: refusal.when,
            then: vec!["it is refused".to_owned()],
            ..base
        });
    }
    // A criterion that only repeats a rule is tested by the cases of the rule.
    if cases.is_empty() || !path.given.is_empty() || !path.when.is_empty() {
        cases.insert(0, path);
    }
    cases
}

/// A case for each value at the bounds of a criterion.
fn at_bounds(scenario: &Scenario, texts: &[&str]) -> Vec<Case> {
    let found = texts
        .iter()
        .flat_map(|text| bounds::find(text).into_iter().flat_map(|bounds| values(text, &bounds)));
    let case = |(at, value): (usize, Value)| Case {
        id: id(scenario, &format!("B{}", at + 1)),
        name: value.name(),
        level: Level::Unit,
        kind: value.kind,
        criterion: scenario.id.clone(),
        given: vec![value.given()],
        when: Vec::new(),
        then: vec![value.outcome.to_owned()],
        examples: Vec::new(),
    };
    found.enumerate().map(case).collect()
}

fn id(scenario: &Scenario, sign: &str) -> String {
    let stem = scenario.id.strip_prefix("AC-").unwrap_or(&scenario.id);
    format!("TC-{stem}-{sign}")
}

/// The case of a criterion as it is written: that of a suggested criterion is negative.
fn path(scenario: &Scenario) -> Case {
    let is_suggested =
        scenario.has(SUGGESTED) && (scenario.has("error") || scenario.has("permission"));
    let kind =
        if is_suggested || is_refusal(&scenario.then) { Kind::Negative } else { Kind::Positive };
    let level = if scenario.id == STORY { Level::EndToEnd } else { Level::Integration };
    Case {
        id: id(scenario, if kind == Kind::Negative { "N1" } else { "P1" }),
        name: scenario.name.clone(),
        level,
        kind,
        criterion: scenario.id.clone(),
        given: scenario.given.clone(),
        when: scenario.when.clone(),
        then: scenario.then.clone(),
        examples: scenario.examples.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(text: &str) -> Vec<String> {
        let scenario = Scenario::stated("AC-C1".into(), text, &super::super::Story::default());
        let shown = |case: &Case| {
            let steps = [case.given.join("; "), case.when.join("; "), case.then.join("; ")];
            format!(
                "{} {}: {}",
                case.id.trim_start_matches("TC-C1-"),
                case.kind.name(),
                steps.join(" / ")
            )
        };
        let made = of_one(&scenario, None);
        made.iter().filter(|case| !case.id.ends_with("P1")).map(shown).collect()
    }

    #[test]
    fn bounds_have_values_below_at_and_above() {
        assert_eq!(
            cases("A file has at most 5 MB"),
            [
                "B1 positive: a value of 4 MB /  / it is accepted",
                "B2 positive: a value of 5 MB /  / it is accepted",
                "B3 negative: a value of 6 MB /  / it is refused",
            ]
        );
        assert_eq!(
            cases("An amount is between 0.5 and 10"),
            [
                "B1 negative: a value of 0.4 /  / it is refused",
                "B2 positive: a value of 0.5 /  / it is accepted",
                "B3 positive: a value of 10 /  / it is accepted",
                "B4 negative: a value of 11 /  / it is refused",
            ]
        );
        assert_eq!(
            cases("Orders over 100 EUR ship free"),
            [
                "B1 negative: a value of 99 EUR /  / the criterion does not apply",
                "B2 negative: a value of 100 EUR /  / the criterion does not apply",
                "B3 positive: a value of 101 EUR /  / the criterion applies",
            ]
        );
        assert_eq!(
            cases("The link expires after 30 minutes")[2],
            "B3 negative: a value of 31 minutes /  / it has expired"
        );
        assert_eq!(
            cases("Files over 5 MB are refused")[1..],
            [
                "B2 positive: a value of 5 MB /  / it is accepted",
                "B3 negative: a value of 6 MB /  / it is refused",
            ]
        );
        assert!(cases("At most 9223372036854775807 x").is_empty());
    }

    #[test]
    fn what_states_a_refusal_is_a_negative_case() {
        for (then, expected) in [
            ("access is refused", Kind::Negative),
            ("Reject longer chains", Kind::Negative),
            ("no error is shown", Kind::Positive),
            ("it is paid", Kind::Positive),
        ] {
            let then = vec![then.to_owned()];
            assert_eq!(path(&Scenario { then, ..Scenario::default() }).kind, expected);
        }
    }

    #[test]
    fn what_a_rule_forbids_is_tried_and_nothing_is_negated() {
        for (text, expected) in [
            (
                "Only admins can see my list",
                "anybody other than admins / they try to see their list",
            ),
            ("Users must be signed in to vote", "nobody is signed in / somebody tries to vote"),
            ("Guests may not delete comments", " / Guests try to delete comments"),
            ("A link cannot be used twice", " / a link is used twice"),
        ] {
            let made = cases(text);
            assert_eq!(made, [format!("N1 negative: {expected} / it is refused")], "{text}");
        }
        for text in [
            "The mail is in the reader's language",
            "Given a signed-in shopper, when x, then y",
            "The page must not load twice",
        ] {
            assert!(cases(text).is_empty(), "{text}");
        }
    }
}
