//! `test-case-generator`: acceptance criteria become cases, traced both ways by ids, as documents or pending stubs.

mod stubs;

use serde::Serialize;
use serde_json::{Value, json};

use super::acceptance_criteria_generator;
use crate::fields;
use crate::input::Input;
use crate::output::{self, Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::recorded;
use crate::runtime::engine;
use crate::story::bound::{Negation, negations};
use crate::story::scenario::{Criteria, Scenario};
use crate::story::{data as story_data, document, limits};
use crate::text::{markdown, slug, title};

const NAME: &str = "test-case-generator";
const FORMATS: &[&str] = &["markdown", "gherkin", "jest", "vitest", "pytest", "rust"];

/// A test case.
#[derive(Debug, Clone, Serialize)]
struct Case {
    /// Its id: `TC-R1-P1` is the first positive case of `AC-R1`.
    id: String,
    name: String,
    /// `unit`, `integration` or `end-to-end`.
    level: &'static str,
    /// `positive` or `negative`.
    kind: &'static str,
    /// The id of its criterion.
    criterion: String,
    /// What it negates or stays within: `bound`, `role`, `precondition`; none of a plain positive case.
    basis: Option<&'static str>,
    given: Vec<String>,
    when: Vec<String>,
    then: Vec<String>,
}

/// Makes test cases.
///
/// # Errors
/// When there are no criteria.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let format = fields::choice(input, "format", FORMATS)?;
    let (criteria, notes) = criteria(input, context)?;
    let mut open = Vec::new();
    let mut cases = Vec::new();
    for scenario in &criteria.scenarios {
        cases.extend(of(scenario, &mut open));
    }
    let name = title(&criteria.story.title);
    let stem = slug(&name, "story");
    let stem = criteria.story.id.as_ref().map_or(stem.clone(), |id| format!("{id}-{stem}"));
    let artifact = match format {
        "markdown" => {
            let text = engine::render_page(
                NAME,
                "assets/template.md.tera",
                &view(&name, &criteria, &cases, &open),
            )?;
            Artifact::new(format!("{stem}-tests.md"), "markdown", text)
        }
        _ => stubs::write(format, (&name, &stem), &criteria, &cases),
    };
    let trace: Vec<Value> = criteria.scenarios.iter().map(|scenario| {
        json!({"id": scenario.id, "name": scenario.name, "cases": ids(scenario, &cases)})
    }).collect();
    let data = json!({
        "story": {"id": criteria.story.id, "title": criteria.story.title}, "criteria": trace, "cases": output::value(&cases)?,
        "data": criteria.story.data,
    });
    Ok(Output { data, artifacts: vec![artifact], open, notes })
}

fn criteria(input: &Input, context: &Context) -> Result<(Criteria, Vec<String>)> {
    let mut read = match input.upstream_of::<Criteria>("acceptance-criteria-generator")? {
        Some(criteria) => document::Read { criteria, notes: Vec::new() },
        None => document::criteria(input.text("criteria").unwrap_or_default()),
    };
    if let Some(mut story) = recorded::recorded(input, context)? {
        document::add(&mut read.criteria, &std::mem::take(&mut story.criteria));
        read.criteria.story = story;
    } else if read.criteria.scenarios.is_empty()
        && let Some(made) = acceptance_criteria_generator::of_text(input.text("criteria"))?
    {
        (read.criteria, read.notes) = made;
    }
    document::add(&mut read.criteria, &fields::many("statements", input.fields.get("statements"))?);
    limits::count("criteria", read.criteria.scenarios.len(), "criteria")?;
    limits::title("criteria", &read.criteria.story.title)?;
    if let Some(name) = limits::heading(input, "title")? {
        read.criteria.story.title = name;
    }
    for text in fields::many("data", input.fields.get("data"))? {
        story_data::add(&mut read.criteria.story.data, &text);
    }
    if read.criteria.scenarios.is_empty() {
        return Err(fields::missing_text(
            "criteria",
            "the acceptance criteria, as Markdown, a feature, or one sentence on each line",
        ));
    }
    Ok((read.criteria, read.notes))
}

fn ids<'a>(scenario: &Scenario, cases: &'a [Case]) -> Vec<&'a str> {
    cases.iter().filter(|case| case.criterion == scenario.id).map(|case| case.id.as_str()).collect()
}

/// The cases of a criterion: what it says, and what holds when something that it asks for does not.
fn of(scenario: &Scenario, open: &mut Vec<String>) -> Vec<Case> {
    let found = negations(scenario);
    let stem = scenario.id.strip_prefix("AC-").unwrap_or(&scenario.id);
    let level = level(scenario, &found);
    let case = |sign: &str, kind: &'static str, basis: Option<&Negation>| Case {
        id: format!("TC-{stem}-{sign}"),
        name: scenario.name.clone(),
        level: match basis.map(|negation| negation.basis) {
            Some("bound") => "unit",
            Some(_) => "integration",
            None => level,
        },
        kind,
        criterion: scenario.id.clone(),
        basis: basis.map(|negation| negation.basis),
        given: scenario.given.clone(),
        when: scenario.when.clone(),
        then: scenario.then.clone(),
    };
    let mut positive = case("P1", "positive", None);
    let inside = found.iter().find_map(|negation| negation.inside.clone());
    positive.given.extend(inside);
    let mut cases = vec![positive];
    for (at, negation) in found.iter().enumerate() {
        let mut negative = case(&format!("N{}", at + 1), "negative", Some(negation));
        negative.name = format!("{}: {}", scenario.name, negation.outside);
        if negation.basis != "bound" {
            let quoted = |given: &String| !negation.outside.ends_with(given.as_str());
            negative.given.retain(quoted);
        }
        negative.given.push(negation.outside.clone());
        let outcome = outcome(negation);
        negative.then = scenario.then.iter().map(|then| format!("{outcome}: {then}")).collect();
        cases.push(negative);
    }
    if found.is_empty() {
        open.push(format!(
            "What must not happen in {} ({})? It has no bound, role or precondition to negate.",
            scenario.id, scenario.name
        ));
    }
    cases
}

/// On which level a criterion is tested as it stands.
fn level(scenario: &Scenario, found: &[Negation]) -> &'static str {
    let has_bound = || found.iter().any(|negation| negation.basis == "bound");
    match scenario.id.as_str() {
        "AC-story" => "end-to-end",
        _ if has_bound() => "unit",
        _ => "integration",
    }
}

/// What follows where something is negated, said of what would follow.
fn outcome(negation: &Negation) -> &'static str {
    match negation.basis {
        "bound" => "it is treated as outside the bound of",
        "role" if negation.outside.contains("none of: ") => "it is refused by the rule",
        _ => "this does not follow",
    }
}

fn view(name: &str, criteria: &Criteria, cases: &[Case], open: &[String]) -> Value {
    let item = |case: &&Case| {
        let steps = Scenario {
            given: case.given.clone(),
            when: case.when.clone(),
            then: case.then.clone(),
            ..Scenario::default()
        };
        let steps: Vec<Value> =
            steps.steps().iter().map(|(keyword, step)| json!([keyword, markdown(step)])).collect();
        json!({"id": case.id, "name": markdown(&case.name), "kind": case.kind, "criterion": case.criterion, "basis": case.basis, "steps": steps})
    };
    let levels = [("unit", "Unit"), ("integration", "Integration"), ("end-to-end", "End-to-end")]
        .map(|(level, heading)| {
            let own: Vec<Value> =
                cases.iter().filter(|case| case.level == level).map(|case| item(&case)).collect();
            json!({"heading": heading, "cases": own})
        });
    let trace: Vec<Value> = criteria.scenarios.iter().map(|scenario| {
        json!({"id": scenario.id, "name": markdown(&scenario.name), "cases": ids(scenario, cases).join(", ")})
    }).collect();
    json!({
        "title": markdown(name), "id": criteria.story.id, "levels": levels, "trace": trace, "story_data": criteria.story.data,
        "open": open.iter().map(|text| markdown(text)).collect::<Vec<_>>(),
    })
}
