//! Test cases of acceptance criteria. They come from what a criterion states: the path itself, the values at its bounds,
//! what a rule forbids, and what a suggested criterion is a case of. Nothing is negated that no rule restricts.

use serde::{Deserialize, Serialize};

use super::grammar;
use super::scenario::{Criteria, Examples, STORY, SUGGESTED, Scenario};
use crate::input::kind::{Kind as DataKind, Payload};
use crate::input::notation::bounds::{self, Bounds, Sort};
use crate::text::after;

/// On which level a case is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// One function or class.
    Unit,
    /// Parts that work together.
    Integration,
    /// The whole, as a user sees it.
    EndToEnd,
}

/// What a case shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// That what is stated holds.
    Positive,
    /// That what is forbidden, or fails, is handled.
    Negative,
}

/// A test case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its id: `TC-R1-P1` is the first positive case of `AC-R1`, `TC-R1-B2` the second at its bounds.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its level.
    pub level: Level,
    /// What it shows.
    pub kind: Kind,
    /// The id of its criterion.
    pub criterion: String,
    /// What holds before.
    pub given: Vec<String>,
    /// What happens.
    pub when: Vec<String>,
    /// What follows.
    pub then: Vec<String>,
    /// The examples that it is tried with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Examples>,
}

/// A criterion with the ids of its cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The criterion.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its cases.
    pub cases: Vec<String>,
}

/// The story that cases are of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its id.
    pub id: Option<String>,
    /// Its title.
    pub title: String,
}

/// Test cases, with the criteria that they are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cases {
    /// The story.
    pub story: About,
    /// Each criterion with its cases.
    pub criteria: Vec<Trace>,
    /// The cases.
    pub cases: Vec<Case>,
    /// The data that the story is about.
    pub data: Vec<String>,
}

impl Payload for Cases {
    const KIND: DataKind = DataKind::Cases;
}

impl Level {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Integration => "integration",
            Self::EndToEnd => "end-to-end",
        }
    }
}

impl Kind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
        }
    }
}

impl Case {
    /// Its steps and its examples as a scenario.
    pub fn scenario(&self) -> Scenario {
        Scenario {
            id: self.id.clone(),
            name: self.name.clone(),
            tags: vec![self.criterion.clone(), self.level.name().into(), self.kind.name().into()],
            given: self.given.clone(),
            when: self.when.clone(),
            then: self.then.clone(),
            examples: self.examples.clone(),
        }
    }
}

/// The cases of criteria, and a question for each criterion that has no negative one.
pub fn of(criteria: &Criteria) -> (Cases, Vec<String>) {
    let mut open = Vec::new();
    let mut made = Vec::new();
    let mut traces = Vec::new();
    let has_suggested = criteria.scenarios.iter().any(|scenario| scenario.has(SUGGESTED));
    for scenario in &criteria.scenarios {
        let own = of_one(scenario, criteria.story.role.as_deref());
        let is_covered = own.iter().any(|case| case.kind == Kind::Negative);
        // What can go wrong on the story's own path is what the suggested criteria say.
        if !is_covered && !(scenario.id == STORY && has_suggested) && !scenario.has(SUGGESTED) {
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

/// The cases of a criterion.
fn of_one(scenario: &Scenario, role: Option<&str>) -> Vec<Case> {
    let texts = || scenario.given.iter().chain(&scenario.when).chain(&scenario.then);
    let bounds: Vec<(&String, Bounds)> = texts()
        .flat_map(|text| bounds::find(text).into_iter().map(move |bounds| (text, bounds)))
        .collect();
    let is_unit = !bounds.is_empty() && scenario.examples.is_empty();
    let mut cases = vec![path(scenario, is_unit)];
    if scenario.has(SUGGESTED) {
        return cases;
    }
    let mut count = 0;
    for (text, bounds) in &bounds {
        for value in values(text, bounds) {
            count += 1;
            cases.push(Case {
                id: id(scenario, &format!("B{count}")),
                name: value.name(),
                level: Level::Unit,
                kind: if value.is_inside { Kind::Positive } else { Kind::Negative },
                criterion: scenario.id.clone(),
                given: vec![value.given()],
                when: Vec::new(),
                then: vec![value.outcome.to_owned()],
                examples: Vec::new(),
            });
        }
    }
    let refusals = texts().filter_map(|text| refusal(text, role));
    for (at, refusal) in refusals.enumerate() {
        cases.push(Case {
            id: id(scenario, &format!("N{}", at + 1)),
            name: refusal.name,
            level: Level::Integration,
            kind: Kind::Negative,
            criterion: scenario.id.clone(),
            given: refusal.given,
            when: refusal.when.into_iter().collect(),
            then: vec!["it is refused".to_owned()],
            examples: Vec::new(),
        });
    }
    cases
}

fn id(scenario: &Scenario, sign: &str) -> String {
    let stem = scenario.id.strip_prefix("AC-").unwrap_or(&scenario.id);
    format!("TC-{stem}-{sign}")
}

/// The case that a criterion is as it stands: a suggested one is of what goes wrong.
fn path(scenario: &Scenario, is_unit: bool) -> Case {
    let is_negative = scenario.has("error") || scenario.has("permission");
    let kind = if scenario.has(SUGGESTED) && is_negative { Kind::Negative } else { Kind::Positive };
    let level = match scenario.id.as_str() {
        STORY => Level::EndToEnd,
        _ if is_unit => Level::Unit,
        _ => Level::Integration,
    };
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

/// A value at a bound.
struct Value {
    number: String,
    unit: String,
    /// Where it lies: `below`, `at`, `above`.
    place: &'static str,
    is_inside: bool,
    outcome: &'static str,
}

impl Value {
    fn name(&self) -> String {
        format!("{}{}, {} the bound", self.number, self.unit, self.place)
    }

    fn given(&self) -> String {
        format!("a value of {}{}", self.number, self.unit)
    }
}

/// The values below, at and above each number of a range.
fn values(text: &str, bounds: &Bounds) -> Vec<Value> {
    let unit = bounds.unit.as_ref().map(|unit| format!(" {unit}")).unwrap_or_default();
    let (inside, outside) = outcomes(text, bounds.sort);
    let is_included = bounds.sort != Sort::Comparison;
    let value = |number: String, place, is_inside| Value {
        number,
        unit: unit.clone(),
        place,
        is_inside,
        outcome: if is_inside { inside } else { outside },
    };
    let mut found = Vec::new();
    let is_range = bounds.least.is_some() && bounds.most.is_some();
    if let Some([below, at, above]) = bounds.least.as_ref().and_then(around) {
        found.push(value(below, "below", false));
        found.push(value(at, "at", is_included));
        found.extend((!is_range).then(|| value(above, "above", true)));
    }
    if let Some([below, at, above]) = bounds.most.as_ref().and_then(around) {
        let is_one = bounds.least == bounds.most;
        found.extend((!is_range).then(|| value(below, "below", true)));
        found.extend((!is_one).then(|| value(at, "at", is_included)));
        found.push(value(above, "above", false));
    }
    found
}

/// What follows inside and outside of a bound.
fn outcomes(text: &str, sort: Sort) -> (&'static str, &'static str) {
    let lower = text.to_lowercase();
    let obliges = ["must", "may", "can", "cannot", "only", "should", "allowed"];
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let is_limit = sort == Sort::Limit || words.any(|word| obliges.contains(&word));
    match sort {
        Sort::Expiry => ("it has not expired", "it has expired"),
        Sort::Deadline => ("it is in time", "it is too late"),
        _ if is_limit => ("it is accepted", "it is refused"),
        _ => ("the criterion applies", "the criterion does not apply"),
    }
}

/// A number with those just below and above it, in its last decimal place.
fn around(number: &serde_json::Number) -> Option<[String; 3]> {
    if let Some(whole) = number.as_i64() {
        let (below, above) = (whole.checked_sub(1)?, whole.checked_add(1)?);
        return Some([below, whole, above].map(|number| number.to_string()));
    }
    let written = number.to_string();
    let places = written.split_once('.')?.1.len();
    let number = number.as_f64()?;
    let step = 10_f64.powi(-i32::try_from(places).ok()?);
    let shown = |number: f64| format!("{number:.places$}");
    Some([shown(number - step), written, shown(number + step)])
}

/// What a rule refuses.
struct Refusal {
    name: String,
    given: Vec<String>,
    when: Option<String>,
}

/// What people are called in rules about rights.
const PEOPLE: [&str; 22] = [
    "admin",
    "anybody",
    "anyone",
    "author",
    "buyer",
    "client",
    "customer",
    "editor",
    "employee",
    "guest",
    "manager",
    "member",
    "moderator",
    "nobody",
    "owner",
    "people",
    "person",
    "reader",
    "shopper",
    "user",
    "viewer",
    "visitor",
];
const FORBIDS: [&str; 9] = [
    " may not ",
    " must not ",
    " cannot ",
    " can not ",
    " can't ",
    " mustn't ",
    " are not allowed to ",
    " is not allowed to ",
    " never ",
];
const RIGHTS: [&str; 3] = [" may ", " can ", " are allowed to "];

/// What a text refuses: "only X may …", "X may not …", "… cannot be …", "must be signed in to …".
fn refusal(text: &str, role: Option<&str>) -> Option<Refusal> {
    let text = text.trim_end_matches('.');
    only(text).or_else(|| signed_in(text)).or_else(|| forbidden(text, role))
}

/// `Only admins can see the list`.
fn only(text: &str) -> Option<Refusal> {
    let rest = after(text, &["only "])?;
    let lower = rest.to_ascii_lowercase();
    let (at, verb) = RIGHTS.iter().filter_map(|verb| Some((lower.find(verb)?, verb))).min()?;
    let (who, action) = (rest.get(..at)?, rest.get(at + verb.len()..)?);
    let is_short = who.split(' ').count() <= 4 && !action.is_empty();
    is_short.then(|| Refusal {
        name: format!("Others than {who}"),
        given: vec![format!("anybody other than {who}")],
        when: Some(format!("they try to {}", grammar::person(action))),
    })
}

/// `Users must be signed in to vote`.
fn signed_in(text: &str) -> Option<Refusal> {
    let lower = text.to_ascii_lowercase();
    let (at, verb) = [" must be signed in", " must be logged in"]
        .into_iter()
        .find_map(|verb| Some((lower.find(verb)?, verb)))?;
    let action = text.get(at + verb.len()..)?.strip_prefix(" to ");
    Some(Refusal {
        name: "Not signed in".to_owned(),
        given: vec!["nobody is signed in".to_owned()],
        when: action.map(|action| format!("somebody tries to {}", grammar::person(action))),
    })
}

/// `Guests may not delete comments`, `A link cannot be used twice`.
fn forbidden(text: &str, role: Option<&str>) -> Option<Refusal> {
    let lower = text.to_ascii_lowercase();
    let (at, verb) = FORBIDS.iter().filter_map(|verb| Some((lower.find(verb)?, verb))).min()?;
    let (who, action) = (text.get(..at)?, text.get(at + verb.len()..)?);
    if who.contains(',') || action.is_empty() {
        return None;
    }
    let is_plural = grammar::is_plural(who);
    if let Some(state) = after(action, &["be "]) {
        let is = if is_plural { "are" } else { "is" };
        let name = format!("{who} {is} {state}");
        let when = Some(name.clone());
        return Some(Refusal { name: crate::text::title(&name), given: Vec::new(), when });
    }
    let last = who.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let last = last.strip_suffix('s').unwrap_or(&last);
    let is_person = PEOPLE.contains(&last)
        || role.is_some_and(|role| role.to_lowercase().trim_end_matches('s').ends_with(last));
    if !is_person || *verb == " never " {
        return None;
    }
    let tries = if is_plural { "try" } else { "tries" };
    let name = format!("{who} {tries} to {action}");
    Some(Refusal { name: crate::text::title(&name), given: Vec::new(), when: Some(name) })
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
        of_one(&scenario, None)[1..].iter().map(shown).collect()
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
        assert!(cases("At most 9223372036854775807 x").is_empty());
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
