//! Derives test cases from acceptance criteria: the path of a criterion, the values at its bounds, what a rule forbids,
//! and the cases of suggested criteria. A statement is negated only if a rule restricts it.

use std::collections::HashSet;

use super::boundary::{Value, given, values};
use super::refusal::{is_refusal, refusal};
use super::scenario::{Criteria, Keyword, STATED, STORY, SUGGESTED, Scenario, Step};
use super::test_case::{About, Case, Cases, Kind, Level, Trace};
use crate::input::notation::bounds;

/// The cases of criteria, and a question for each criterion without a negative case.
pub fn of(criteria: &Criteria) -> (Cases, Vec<String>) {
    let mut open = Vec::new();
    let mut made = Vec::new();
    let mut traces = Vec::new();
    let has_suggested = criteria.scenarios.iter().any(|scenario| scenario.has(SUGGESTED));
    let role = criteria.story.role.as_deref();
    let all: Vec<_> = criteria.scenarios.iter().map(|scenario| of_one(scenario, role)).collect();
    let steps = all.iter().flat_map(|(own, _)| own).flat_map(|case| &case.scenario.steps);
    let texts: HashSet<String> = steps.map(|step| step.text.clone()).collect();
    for (scenario, (own, mut unstated)) in criteria.scenarios.iter().zip(all) {
        let is_conditional = !unstated.is_empty();
        // Another criterion states the outcome.
        unstated.retain(|value| !texts.contains(&given(value)));
        if !unstated.is_empty() {
            open.push(format!(
                "{}: the outcome for {} is not stated (add a criterion for it)",
                scenario.id,
                unstated.join(" and ")
            ));
        }
        let is_covered = own.iter().any(|case| case.kind == Kind::Negative);
        // The suggested criteria cover what can go wrong on the story's own path.
        let is_suggested = scenario.has(SUGGESTED) || scenario.id == STORY && has_suggested;
        if !(is_covered || is_suggested || is_conditional) {
            open.push(format!(
                "{}: no negative case (state a bound, or what must not happen)",
                scenario.id
            ));
        }
        traces.push(Trace {
            id: scenario.id.clone(),
            name: scenario.name.clone(),
            cases: own.iter().map(|case| case.scenario.id.clone()).collect(),
        });
        made.extend(own);
    }
    let story = About { id: criteria.story.id.clone(), title: criteria.story.title.clone() };
    (
        Cases {
            story,
            criteria: traces,
            cases: made,
            data: criteria.story.data.clone(),
            description: criteria.description.clone(),
        },
        open,
    )
}

/// The cases of one criterion, and the values outside of its bounds whose outcome it does not state.
fn of_one(scenario: &Scenario, role: Option<&str>) -> (Vec<Case>, Vec<String>) {
    let texts: Vec<&str> = scenario.steps.iter().map(|step| step.text.as_str()).collect();
    let mut path = path(scenario);
    let (at_bounds, unstated) = at_bounds(&path, scenario);
    if !at_bounds.is_empty()
        && path.level == Level::Integration
        && path.scenario.examples.is_empty()
    {
        path.level = Level::Unit;
    }
    if scenario.has(SUGGESTED) {
        return (vec![path], Vec::new());
    }
    let mut cases = at_bounds;
    let first = if path.kind == Kind::Negative { 2 } else { 1 };
    for (at, refusal) in texts.iter().filter_map(|text| refusal(text, role)).enumerate() {
        let steps = |keyword, texts: &[String]| -> Vec<Step> {
            texts.iter().map(|text| Step::new(keyword, text.as_str())).collect()
        };
        let (given, when) =
            (steps(Keyword::Given, &refusal.given), steps(Keyword::When, &refusal.when));
        if let Some(allowed) = refusal.allowed {
            let (given, then) =
                (Step::new(Keyword::Given, allowed), Step::new(Keyword::Then, "it is allowed"));
            path.scenario.steps = [vec![given], when.clone(), vec![then]].concat();
        }
        let scenario = Scenario {
            id: id(scenario, &format!("N{}", at + first)),
            name: refusal.name,
            steps: [given, when, vec![Step::new(Keyword::Then, "it is refused")]].concat(),
            ..path.scenario.clone()
        };
        let kind = Kind::Negative;
        cases.push(Case { scenario, level: Level::Integration, kind, ..path.clone() });
    }
    // A criterion that only repeats a rule is tested by the cases of the rule.
    if cases.is_empty() || !repeats_rule(&path.scenario) {
        cases.insert(0, path);
    }
    (cases, unstated)
}

/// Whether a scenario expects nothing but the rule that is its name.
fn repeats_rule(scenario: &Scenario) -> bool {
    let mut outcomes = scenario.steps.iter().filter(|step| step.keyword == Keyword::Then);
    let first = outcomes.next().is_some_and(|step| step.text.eq_ignore_ascii_case(&scenario.name));
    first && outcomes.next().is_none()
}

/// A case for each value at the bounds of a criterion's steps, beside its path, and the values without an outcome.
fn at_bounds(path: &Case, criterion: &Scenario) -> (Vec<Case>, Vec<String>) {
    let steps = &criterion.steps;
    let of_step = |step: &Step| {
        bounds::find(&step.text)
            .into_iter()
            .map(|mut bounds| {
                bounds.is_limit &= step.keyword == Keyword::Then;
                values(&step.text, &bounds)
            })
            .collect::<Vec<_>>()
    };
    let (found, unstated): (Vec<_>, Vec<_>) = steps.iter().flat_map(of_step).unzip();
    let stem = path.scenario.id.rsplit_once('-').map_or("", |(stem, _)| stem);
    let case = |(at, value): (usize, Value)| {
        let of = |keyword| steps.iter().filter(move |step| step.keyword == keyword).cloned();
        let outcome: Vec<Step> = match value.outcome {
            Some(outcome) => vec![Step::new(Keyword::Then, outcome)],
            None => of(Keyword::Then).collect(),
        };
        let first = Step::new(Keyword::Given, value.given());
        // A step with a bound would contradict the values outside of it.
        let is_plain = |step: &Step| bounds::find(&step.text).is_empty();
        let background = steps.iter().take(criterion.background).cloned();
        let steps = background.chain([first]).chain(of(Keyword::When)).filter(is_plain);
        let steps = steps.chain(outcome).collect();
        let scenario = Scenario {
            id: format!("{stem}-B{}", at + 1),
            name: value.name(),
            steps,
            examples: Vec::new(),
            ..path.scenario.clone()
        };
        Case { scenario, level: Level::Unit, kind: value.kind, ..path.clone() }
    };
    (found.into_iter().flatten().enumerate().map(case).collect(), unstated.concat())
}

/// The tags that a scenario has besides those that criteria are written with.
fn own_tags(scenario: &Scenario) -> Vec<String> {
    if scenario.has(SUGGESTED) {
        return Vec::new();
    }
    let is_rule = |tag: &str| tag.strip_prefix('R').is_some_and(|rest| rest.parse::<u32>().is_ok());
    scenario.tags.iter().filter(|tag| *tag != STATED && !is_rule(tag)).cloned().collect()
}

fn id(scenario: &Scenario, sign: &str) -> String {
    let stem = scenario.id.strip_prefix("AC-").unwrap_or(&scenario.id);
    format!("TC-{stem}-{sign}")
}

/// The case of a criterion as it is written: that of a suggested criterion is negative.
fn path(scenario: &Scenario) -> Case {
    let is_suggested =
        scenario.has(SUGGESTED) && (scenario.has("error") || scenario.has("permission"));
    let mut outcomes = scenario.steps.iter().filter(|step| step.keyword == Keyword::Then);
    let is_refused = outcomes.any(|step| is_refusal(&step.text));
    let kind = if is_suggested || is_refused { Kind::Negative } else { Kind::Positive };
    let level = if scenario.id == STORY { Level::EndToEnd } else { Level::Integration };
    let sign = if kind == Kind::Negative { "N1" } else { "P1" };
    Case {
        scenario: Scenario {
            id: id(scenario, sign),
            tags: own_tags(scenario),
            background: 0,
            ..scenario.clone()
        },
        level,
        kind,
        criterion: scenario.id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(text: &str) -> Vec<String> {
        let scenario = Scenario::stated("AC-C1".into(), text, &super::super::Story::default());
        let shown = |case: &Case| {
            let of = |keyword| {
                let own = case.scenario.steps.iter().filter(|step| step.keyword == keyword);
                own.map(|step| step.text.as_str()).collect::<Vec<_>>().join("; ")
            };
            let steps = [Keyword::Given, Keyword::When, Keyword::Then].map(of);
            format!(
                "{} {}: {}",
                case.scenario.id.trim_start_matches("TC-C1-"),
                case.kind,
                steps.join(" / ")
            )
        };
        let (made, unstated) = of_one(&scenario, None);
        let unstated = unstated.iter().map(|value| format!("open: {value}"));
        made.iter()
            .filter(|case| !case.scenario.id.ends_with("P1"))
            .map(shown)
            .chain(unstated)
            .collect()
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
        for (text, refused) in [
            ("Names between 2 and 50 characters are accepted", "1 character"),
            ("The response time is under 200 ms", "200 ms"),
        ] {
            let case = format!("negative: a value of {refused} /  / it is refused");
            assert!(cases(text).iter().any(|made| made.ends_with(&case)), "{text}");
        }
        assert!(cases("At most 9223372036854775807 x").is_empty());
    }

    #[test]
    fn a_bound_that_is_a_condition_says_nothing_of_the_values_outside() {
        assert_eq!(
            cases("Orders between 10 and 500 EUR ship free"),
            [
                "B1 positive: a value of 10 EUR /  / Orders between 10 and 500 EUR ship free",
                "B2 positive: a value of 500 EUR /  / Orders between 10 and 500 EUR ship free",
                "open: 9 EUR",
                "open: 501 EUR",
            ]
        );
        assert_eq!(
            cases("Orders over 100 EUR ship free"),
            [
                "B1 positive: a value of 101 EUR /  / Orders over 100 EUR ship free",
                "open: 99 EUR",
                "open: 100 EUR",
            ]
        );
        for text in [
            "Files over 5 MB are not allowed",
            "Orders with at least 3 items must be packed in a box",
            "Shipping is free when the basket has at least 3 items",
            "Given a basket with at least 3 items, when it is paid, then shipping is free",
            "At least 3 failed logins lock the account",
            "The list shows at most 20 rows",
        ] {
            let made = cases(text);
            assert!(made.last().unwrap().starts_with("open: "), "{text}: {made:?}");
            assert!(made.iter().all(|case| !case.contains("refused")), "{text}: {made:?}");
        }
    }

    #[test]
    fn a_case_at_a_bound_keeps_the_background() {
        let given = Step::new(Keyword::Given, "a basic plan");
        let then = Step::new(Keyword::Then, "it has at most 5 users");
        let scenario = Scenario { steps: vec![given, then], background: 1, ..Scenario::default() };
        let (made, _) = at_bounds(&path(&scenario), &scenario);
        let steps: Vec<&str> = made[0].scenario.steps.iter().map(|step| &*step.text).collect();
        assert_eq!(steps, ["a basic plan", "a value of 4 users", "it is accepted"]);
    }

    #[test]
    fn a_count_behind_only_is_a_limit() {
        for text in [
            "Only one code can be applied per order",
            "A shopper can only use one code",
            "A shopper can use only 1 code.",
        ] {
            assert_eq!(
                cases(text),
                [
                    "B1 positive: a value of 1 code /  / it is accepted",
                    "B2 negative: a value of 2 codes /  / it is refused",
                ],
                "{text}"
            );
        }
        for text in [
            "Only 3 seats are left",
            "Only the last 10 searches can be seen",
            "Only pdf files may be sent",
        ] {
            assert!(cases(text).is_empty(), "{text}: {:?}", cases(text));
        }
    }

    #[test]
    fn ordinary_forms_of_limits_are_read() {
        for (text, refused) in [
            ("A code is 6 to 12 characters long", vec!["5 characters", "13 characters"]),
            ("A username is 3-20 characters", vec!["2 characters", "21 characters"]),
            ("The code must have 4–8 digits", vec!["3 digits", "9 digits"]),
            ("Users must be 18 or older to sign up", vec!["17"]),
            ("Passwords must be 8 characters or more", vec!["7 characters"]),
            ("A tag must be 20 characters or fewer.", vec!["21 characters"]),
            ("The description must not exceed 500 characters", vec!["501 characters"]),
            ("The total does not exceed $1,000", vec!["$1001"]),
            (
                "A password must contain at least one special character",
                vec!["0 special characters"],
            ),
            ("Quantity must be a whole number from 1 to 10", vec!["0", "11"]),
            ("The age must be greater than or equal to 18", vec!["17"]),
            ("A booking must be made at least 24 hours before", vec!["23 hours"]),
            ("A name has a maximum length of 50 characters", vec!["51 characters"]),
            ("A user should be able to add up to 5 photos", vec!["6 photos"]),
        ] {
            let made = cases(text);
            let negative = made.iter().filter(|case| case.contains(" negative: "));
            let values: Vec<_> = negative
                .filter_map(|case| case.split(" /  / ").next()?.split("a value of ").nth(1))
                .collect();
            assert_eq!(values, refused, "{text}: {made:?}");
        }
        for text in ["The report has the pages 5 to 10", "The shop is open 9 to 5 on weekdays"] {
            assert!(cases(text).is_empty(), "{text}: {:?}", cases(text));
        }
    }

    #[test]
    fn a_duration_is_a_deadline_where_it_limits_what_happens() {
        for (text, late) in [
            ("A reply must be sent within 24 hours", "25 hours"),
            ("Search results appear within 2 seconds", "3 seconds"),
            ("Orders are shipped within 5 business days of payment", "6 business days"),
            ("After the payment, a receipt must be sent within 1 hour", "2 hours"),
        ] {
            let late = format!("negative: a value of {late} /  / it is too late");
            assert!(
                cases(text).iter().any(|case| case.ends_with(&late)),
                "{text}: {:?}",
                cases(text)
            );
        }
        for text in [
            "After 5 wrong codes within 10 minutes the field is locked for 15 minutes",
            "When a payment fails 3 times within 24 hours, the subscription is paused",
            "Items returned within 30 days are refunded",
            "No mail is sent within 7 days",
            "The account is locked after 5 failed logins within 10 minutes",
        ] {
            assert!(
                cases(text).iter().all(|case| !case.contains("late")),
                "{text}: {:?}",
                cases(text)
            );
        }
    }

    #[test]
    fn a_forbidden_range_is_refused_inside() {
        for text in [
            "Names may not be longer than 80 characters",
            "Names longer than 80 characters cannot be saved",
        ] {
            assert_eq!(
                cases(text)[..3],
                [
                    "B1 positive: a value of 79 characters /  / it is accepted",
                    "B2 positive: a value of 80 characters /  / it is accepted",
                    "B3 negative: a value of 81 characters /  / it is refused",
                ]
            );
        }
    }

    #[test]
    fn what_states_a_refusal_is_a_negative_case() {
        for (then, expected) in [
            ("access is refused", Kind::Negative),
            ("Reject longer chains", Kind::Negative),
            ("no error is shown", Kind::Positive),
            ("it is paid", Kind::Positive),
        ] {
            let steps = vec![Step::new(Keyword::Then, then)];
            assert_eq!(path(&Scenario { steps, ..Scenario::default() }).kind, expected);
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
            ("The link works only once.", "this has happened once already / the link works"),
            (
                "A code can be used only once a day",
                "this has happened once already within the same day / a code is used",
            ),
            ("Users may vote only once", "this has happened once already / Users try to vote"),
            (
                "A mail is sent at most once per minute",
                "this has happened once already within the same minute / a mail is sent",
            ),
        ] {
            let made = cases(text);
            assert_eq!(made, [format!("N1 negative: {expected} / it is refused")], "{text}");
        }
        for text in [
            "The mail is in the reader's language",
            "Given a signed-in shopper, when x, then y",
            "The page must not load twice",
            "Once it is paid, it is sent only once it is packed",
        ] {
            assert!(cases(text).is_empty(), "{text}");
        }
    }
}
