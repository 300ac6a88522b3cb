//! The test cases of acceptance criteria: one for each criterion at its level, and the values at the bounds that it
//! states. A rule is tested by units, a scenario by integration, and the main scenario end to end. What happens outside
//! of a bound is a blank: that a value is refused there is for the author to say.

use serde::{Deserialize, Serialize};

use super::Story;
use super::bounds::{self, Bounds, CURRENCIES};
use super::criteria::{Criteria, OPEN, STORY};
use super::scenario::{Scenario, is_step};
use crate::data::recognise::{plural, singular};
use crate::input::kind::{Kind as DataKind, Payload};
use crate::text::lists;

/// Most values at the bounds of one criterion: each is a case that has its text.
const MOST_VALUES: usize = 60;

/// The cases of criteria, and a question for each bound.
pub(crate) fn of(criteria: &Criteria) -> (TestPlan, Vec<String>) {
    let scenarios = &criteria.scenarios;
    let of_story = scenarios.iter().find(|scenario| scenario.id == STORY);
    let has_event = |scenario: &&Scenario| !is_rule(scenario) && !scenario.has_tag(OPEN);
    let main = of_story.or_else(|| scenarios.iter().find(has_event)).map(|main| &main.id);
    let mut plan =
        TestPlan { story: criteria.story.clone(), criteria: Vec::new(), cases: Vec::new() };
    let mut open = Vec::new();
    for scenario in scenarios {
        let (id, name) = (scenario.id.clone(), scenario.name.clone());
        if scenario.steps.is_empty() {
            open.push(format!("{id}: no step is given"));
        }
        let (mut values, is_untested) = values_of(scenario);
        if is_untested {
            open.push(format!("{id}: the bound in a condition with a negation is not tested"));
        }
        if values.len() > MOST_VALUES {
            open.push(format!(
                "{id}: more than {MOST_VALUES} values at bounds (make it several criteria)"
            ));
            values.truncate(MOST_VALUES);
        }
        if !values.is_empty() {
            open.push(format!("{id}: what happens outside of the bound is not stated"));
        }
        let cases = cases_of(scenario, main == Some(&id), &values);
        let ids = cases.iter().map(|case| case.scenario.id.clone()).collect();
        plan.criteria.push(Trace { id, name, cases: ids });
        plan.cases.extend(cases);
    }
    (plan, open)
}

/// The values at the bounds of a criterion, and whether some are left out: of a condition with a negation it is not known
/// which side of its bound the outcome is of.
fn values_of(scenario: &Scenario) -> (Vec<Value>, bool) {
    let (mut all, mut is_condition, mut is_untested) = (Vec::new(), true, false);
    for step in scenario.steps.iter().filter(|line| is_step(line)) {
        match step.split(' ').next() {
            Some("Given" | "When") => is_condition = true,
            Some("Then") => is_condition = false,
            _ => {}
        }
        let found = values(step);
        let mut words = step.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        if is_condition && words.any(|word| lists("no not none never without cannot nobody", &word))
        {
            is_untested |= !found.is_empty();
        } else {
            all.extend(found);
        }
    }
    (all, is_untested)
}

/// Whether a criterion is a rule: it has no event.
fn is_rule(scenario: &Scenario) -> bool {
    scenario.steps_from("When").is_empty()
}

/// The cases of a criterion. The values at its bounds stand for a rule's own case.
fn cases_of(criterion: &Scenario, is_main: bool, values: &[Value]) -> Vec<Case> {
    let kind = if criterion.has_tag(OPEN) { Kind::Negative } else { Kind::Positive };
    let whole = |sign: &str, level| Case {
        scenario: Scenario { id: id(criterion, sign), ..criterion.clone() },
        level,
        kind,
        criterion: criterion.id.clone(),
    };
    let mut cases = Vec::new();
    if !is_rule(criterion) {
        cases.push(whole("P1", Level::Integration));
    } else if values.is_empty() {
        cases.push(whole("P1", Level::Unit));
    }
    if is_main {
        cases.push(whole("E1", Level::EndToEnd));
    }
    for (at, value) in values.iter().enumerate() {
        cases.push(at_bound(criterion, value, at + 1));
    }
    cases
}

fn id(criterion: &Scenario, sign: &str) -> String {
    let stem = criterion.id.strip_prefix("AC-").unwrap_or(&criterion.id);
    format!("TC-{stem}-{sign}")
}

/// The case of a value: inside of the bound the criterion's own outcome, word for word.
fn at_bound(criterion: &Scenario, value: &Value, number: usize) -> Case {
    let Value { text, place, is_inside } = value;
    let mut steps = vec![format!("Given {text}")];
    if *is_inside {
        steps.extend_from_slice(criterion.steps_from("Then"));
    } else {
        steps.push(format!("Then <what happens with {text}>"));
    }
    let scenario = Scenario {
        id: id(criterion, &format!("B{number}")),
        name: format!("{}: {text}, {place} the bound", criterion.name),
        steps,
        tags: criterion.tags.clone(),
    };
    let kind = if *is_inside { Kind::Positive } else { Kind::Negative };
    Case { scenario, level: Level::Unit, kind, criterion: criterion.id.clone() }
}

/// A value at a bound.
struct Value {
    /// The number and its unit.
    text: String,
    /// Its position relative to the bound: `below`, `at`, `above`.
    place: &'static str,
    is_inside: bool,
}

/// The values below, at and above each bound of a text.
fn values(text: &str) -> Vec<Value> {
    let mut values = Vec::new();
    for bounds in bounds::find(text) {
        let is_range = bounds.least.is_some() && bounds.most.is_some();
        for (bound, is_least) in [(&bounds.least, true), (&bounds.most, false)] {
            let Some([below, at, above]) = bound.as_ref().and_then(around) else { continue };
            // What is between the ends of a range shows nothing; if both ends are one, it is there already.
            let is_shown = !is_least && bounds.least == bounds.most;
            for (number, place, is_inside, is_left_out) in [
                (below, "below", !is_least, !is_least && is_range),
                (at, "at", !bounds.is_excluded, is_shown),
                (above, "above", is_least, is_least && is_range),
            ] {
                if !is_left_out {
                    values.push(Value { text: with_unit(&number, &bounds), place, is_inside });
                }
            }
        }
    }
    values
}

/// A number with the unit of bounds, in the number's grammatical form: `1 try`, `2 tries`.
fn with_unit(number: &str, bounds: &Bounds) -> String {
    let Some(unit) = &bounds.unit else { return number.to_owned() };
    let is_of_one =
        bounds.most.as_ref().or(bounds.least.as_ref()).is_some_and(|most| most.as_u64() == Some(1));
    match number {
        _ if unit.starts_with(CURRENCIES) => format!("{unit}{number}"),
        _ if unit.len() <= 3 || unit == "percent" => format!("{number} {unit}"),
        "1" => format!("1 {}", singular(unit)),
        _ if is_of_one => format!("{number} {}", plural(unit)),
        _ => format!("{number} {unit}"),
    }
}

/// A number with its neighbours below and above, in its last decimal place.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Level {
    /// One function or class.
    Unit,
    /// Several components together.
    Integration,
    /// The whole system, as a user sees it.
    EndToEnd,
}

/// The purpose of a test case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// It shows that a statement holds.
    Positive,
    /// It shows that a forbidden or failing case is handled.
    Negative,
}

/// A test case: a scenario with its level, its purpose and its criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    /// Its steps. Its id is `TC-R1-P1` for the first positive case of `AC-R1`, `TC-R1-B2` for the second at
    /// its bounds; its tags are those that it has in a feature.
    #[serde(flatten)]
    pub(crate) scenario: Scenario,
    pub(crate) level: Level,
    pub(crate) kind: Kind,
    /// The id of its criterion.
    pub(crate) criterion: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trace {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) cases: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestPlan {
    pub(crate) story: Story,
    pub(crate) criteria: Vec<Trace>,
    pub(crate) cases: Vec<Case>,
}

impl Payload for TestPlan {
    const KIND: DataKind = DataKind::Cases;
}

crate::text::display_as_serde!(Level, Kind);

impl Case {
    /// Its scenario, with its criterion, level and purpose as tags.
    pub(crate) fn tagged(&self) -> Scenario {
        let traced = [self.criterion.clone(), self.level.to_string(), self.kind.to_string()];
        let tags = traced.into_iter().chain(self.scenario.tags.iter().cloned()).collect();
        Scenario { tags, ..self.scenario.clone() }
    }
}
