//! `test-case-generator`: generates test cases from acceptance criteria, traced in both directions by ids, as documents
//! or pending stubs.

mod stubs;
mod verify;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill::{Needs, Skill};
use crate::input::kind::{Kind, Upstream};
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::typed::InputType;
use crate::input::values::Line;
use crate::output::{self, Artifact, Output, Result, missing};
use crate::project_state::{Context, recorded};
use crate::runtime::engine;
use crate::story::cases;
use crate::story::document;
use crate::story::fields::Data;
use crate::story::gherkin::Source;
use crate::story::names::titled;
use crate::story::scenario::{Criteria, Read, Scenario, heading};
use crate::story::test_case::{Case, Cases, Level};
use crate::story::{Story, data as story_data, feature, fields, limits};
use crate::text::{prose, stem_of_story, table};

const NAME: &str = "test-case-generator";

/// The row of the table.
pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        input: InputType::of::<Input>(),
        takes: &[
            takes(ContentKind::Text, "criteria"),
            takes(ContentKind::Gherkin, "criteria"),
            takes(ContentKind::Markdown, "criteria"),
        ],
        instead: &["from_story"],
        accepts: &[Kind::Criteria, Kind::Story],
    },
    needs: Needs::Input,
    gives: Kind::Cases,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify::verify(text)),
};

/// Acceptance criteria, and the format of their cases.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The story of the project whose acceptance criteria are used, by its id (`--from-story ID`).
    from_story: Option<Line>,
    /// The acceptance criteria: Markdown, a feature in Gherkin, a story, or one sentence per line.
    #[schemars(extend("x-whole" = true))]
    criteria: Option<Source>,
    /// Further criteria as sentences.
    #[serde(default)]
    statements: Vec<Line>,
    /// The data of the story: entities such as "Reset: email email, minutes int", samples in JSON, or a table.
    #[serde(default)]
    data: Data,
    /// The title. Default: that of the criteria.
    title: Option<Line>,
    /// The format of the output. Default: markdown.
    #[serde(default)]
    format: Format,
}

/// The format of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Markdown,
    Feature,
    Gherkin,
    Jest,
    Vitest,
    Pytest,
    Rust,
}

/// Generates test cases.
fn generate(input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let format = input.format;
    let Read { criteria, notes } = read(input, upstream, context)?;
    let (cases, open) = cases::of(&criteria);
    let stem = stem_of_story(criteria.story.id.as_deref(), &criteria.story.title);
    let artifact = match format {
        Format::Markdown => {
            let text = engine::render_own(NAME, "assets/template.md.tera", &view(&cases))?;
            Artifact::new(format!("{stem}-tests.md"), "markdown", text)
        }
        Format::Feature | Format::Gherkin => {
            let scenarios = cases.cases.iter().map(Case::tagged).collect();
            let text = feature::write(&Criteria { scenarios, ..criteria });
            Artifact::new(format!("{stem}-tests.feature"), "gherkin", text)
        }
        stub => stubs::write(stub, &stem, &cases),
    };
    Ok(Output { data: output::value(&cases)?, artifacts: vec![artifact], open, notes })
}

/// The criteria of the previous skill, the project, the text and the statements.
fn read(input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Read> {
    let mut read = match upstream {
        Some(upstream) => given_before(upstream)?,
        None => Read::default(),
    };
    if let Some(id) = input.from_story.as_deref() {
        read = document::of_story(recorded::story_of(id, context)?)?;
    }
    if let Some(text) = &input.criteria {
        let more = document::criteria(text, "criteria")?;
        read.notes.extend(more.notes);
        if read.criteria.scenarios.is_empty() {
            read.criteria = more.criteria;
        } else {
            read.criteria.scenarios.extend(more.criteria.scenarios);
        }
    }
    let Criteria { story, scenarios, .. } = &mut read.criteria;
    fields::add(&mut story.data, input.data.0.into_iter());
    let statements: Vec<String> = input.statements.into_iter().map(Line::into_inner).collect();
    if let Some(title) = input.title {
        titled(story, &title);
    }
    if scenarios.is_empty() && statements.is_empty() {
        let what = "the acceptance criteria, as Markdown, a feature, a story, or one sentence on each line";
        return Err(missing("criteria", "TEXT, or --input FILE", what));
    }
    document::add(&mut read.criteria, &statements);
    limits::count("criteria", read.criteria.scenarios.len(), "criteria")?;
    limits::check(&read.criteria.story)?;
    story_data::model(&read.criteria.story.data, &read.criteria.story.title)?;
    Ok(read)
}

/// The criteria in the previous skill's output, generated first if it is a story.
fn given_before(upstream: &Upstream) -> Result<Read> {
    if let Some(story) = upstream.read::<Story>()? {
        return document::of_story(story);
    }
    let criteria = upstream.read::<Criteria>()?.unwrap_or_default();
    Ok(Read { criteria, notes: Vec::new() })
}

/// Cases by level, and the trace of criteria.
fn view(cases: &Cases) -> Value {
    let levels = [
        (Level::Unit, "Unit", "a rule or a limit for a unit test"),
        (Level::Integration, "Integration", "a scenario of Given, When and Then"),
        (Level::EndToEnd, "End-to-end", "the scenario of the whole story"),
    ]
    .map(|(level, heading, blank)| {
        let of_level = cases.cases.iter().filter(|case| case.level == level);
        let of_level: Vec<Scenario> = of_level.map(Case::tagged).collect();
        let text = match of_level.as_slice() {
            [] => prose::prose(&format!("<{blank}>")),
            of_level => document::block(&feature::scenarios(of_level)),
        };
        json!({"heading": heading, "text": text})
    });
    let trace = cases.criteria.iter().map(|criterion| {
        json!({
            "id": criterion.id, "name": table::cell(&criterion.name), "cases": criterion.cases.join(", "),
        })
    });
    json!({
        "title": heading(&cases.story.title), "id": cases.story.id, "levels": levels,
        "trace": trace.collect::<Vec<_>>(), "story_data": cases.data,
        "description": prose::all(&cases.description),
    })
}
