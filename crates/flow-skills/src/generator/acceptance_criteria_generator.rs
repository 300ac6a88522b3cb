//! `acceptance-criteria-generator`: writes a story's criteria as Given/When/Then, and its rules as a list.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::skill::{Needs, Skill};
use crate::input::kind::{Kind, Upstream};
use crate::input::place::{Definition, takes};
use crate::input::recognise::{ContentKind, is_feature, is_keyword};
use crate::input::values::{Block, Line};
use crate::output::{Artifact, Output, Result, missing};
use crate::page::{Finding, Form, Page, Section, bullets};
use crate::project_state::{Context, recorded};
use crate::runtime::engine;
use crate::story::check::check;
use crate::story::fields::{StoryFields, add};
use crate::story::scenario::{Criteria, Scenario, heading, titled};
use crate::story::{Story, data, document, feature, limits, read, scenario, sentence};
use crate::text::prose::prose;
use crate::text::stem_of_story;
use crate::{output, page};

const NAME: &str = "acceptance-criteria-generator";

const SECTIONS: &[Section] = &[Section::optional("rules", "Rules", &[])];

/// The row of the table.
pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[
            takes(ContentKind::Text, "story"),
            takes(ContentKind::Gherkin, "story"),
            takes(ContentKind::Markdown, "story"),
        ],
        instead: &["from_story"],
        accepts: &[Kind::Story],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Criteria,
    run: |given, context| generate(given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify(text)),
};

/// A story, and how its criteria are written.
#[derive(Debug, Deserialize, JsonSchema)]
struct Input {
    /// The story of the project to start from, by its id (`--from-story ID`).
    from_story: Option<Line>,
    /// The story: "As a … I want … so that …", a story with labels or in Markdown, or a feature, whose scenarios are kept.
    #[schemars(extend("x-whole" = true))]
    story: Option<Block>,
    #[serde(flatten)]
    fields: StoryFields,
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
}

/// Generates acceptance criteria.
fn generate(mut input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let mut story =
        upstream.map(Upstream::read::<Story>).transpose()?.flatten().unwrap_or_default();
    if let Some(id) = input.from_story.as_deref() {
        story = recorded::story_of(id, context)?;
    }
    let mut scenarios = Vec::new();
    let mut description = Vec::new();
    let mut notes = Vec::new();
    match input.story.as_deref() {
        Some(text) if is_feature(text) => {
            let read = document::criteria(text, "story")?;
            notes = read.notes;
            (scenarios, description) = (read.criteria.scenarios, read.criteria.description);
            read::complete(&mut story, read.criteria.story);
        }
        Some(text) => {
            if let Some(named) = recorded::named_alone(text, context)? {
                read::complete(&mut story, named);
            } else {
                stated(&mut story, text, input.fields.title.as_deref())?;
            }
        }
        None => {}
    }
    std::mem::take(&mut input.fields).apply(&mut story);
    read::entitle(&mut story);
    if story.title.is_empty() {
        let expects = "TEXT such as `As a reader I want … so that …`, or --input FILE";
        return Err(missing("story", expects, "what the criteria are of"));
    }
    limits::check(&story)?;
    data::model(&story.data, &story.title)?;
    let open = scenario::questions(&story);
    let (mut criteria, more) = scenario::criteria(story, scenarios);
    criteria.description = description;
    notes.extend(more);
    let artifact = written(&criteria, input.format)?;
    Ok(Output { data: output::value(&criteria)?, artifacts: vec![artifact], open, notes })
}

/// Reads a text that is no feature and names no story. Without the sentence of a story, each of its lines states a rule.
fn stated(story: &mut Story, text: &str, title: Option<&str>) -> Result<()> {
    if let Some(title) = title {
        titled(story, title);
    }
    read::text(story, &as_list(text), "story")?;
    if story.want.is_none() && !read::is_document(text) {
        let stated = std::mem::take(&mut story.technical_notes).into_iter();
        let (headings, rules): (Vec<_>, Vec<_>) = stated.partition(|text| is_keyword(text));
        add(&mut story.rules, rules.into_iter());
        story.technical_notes = headings;
    }
    Ok(())
}

/// Lines that each begin with a capital, without a blank line between them, as a list: each states something.
fn as_list(text: &str) -> Cow<'_, str> {
    let lines = || text.trim().lines();
    let is_statement = |line: &str| line.starts_with(char::is_uppercase) && !line.contains(':');
    let is_list = lines().nth(1).is_some()
        && lines().all(is_statement)
        && !read::is_document(text)
        && sentence::split(text).is_none();
    if is_list { bullets(lines()).into() } else { text.into() }
}

/// The criteria as an artifact.
fn written(criteria: &Criteria, format: Format) -> Result<Artifact> {
    let Criteria { story, scenarios, .. } = criteria;
    let stem = stem_of_story(story.id.as_deref(), &story.title);
    if format != Format::Markdown {
        let text = feature::write(criteria);
        return Ok(Artifact::new(format!("{stem}.feature"), "gherkin", text));
    }
    let (rules, others): (Vec<_>, Vec<_>) =
        scenarios.iter().cloned().partition(|scenario| scenario.as_rule().is_some());
    let rule = |rule: &Scenario| Some(format!("{}: {}", rule.id, prose(rule.as_rule()?)));
    let rules = SECTIONS[0].written(bullets(rules.iter().filter_map(rule)));
    let feature = feature::write(&Criteria { scenarios: others, ..criteria.clone() });
    let id = story.id.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
    let page = Page {
        title: format!("Acceptance criteria{id}: {}", heading(&story.title)),
        front: vec![document::block(&feature)],
        sections: vec![rules],
    };
    let text = engine::render_page(NAME, "assets/template.md.tera", &page)?;
    Ok(Artifact::new(format!("{stem}-criteria.md"), "markdown", text))
}

/// Checks criteria, in Markdown or as a feature: ids, steps, examples, and blanks.
fn verify(text: &str) -> Vec<Finding> {
    let scenarios = match document::criteria(text, "criteria") {
        Ok(read) => read.criteria.scenarios,
        Err(fault) => return vec![Finding::of_fault(&fault)],
    };
    if scenarios.is_empty() {
        return vec![Finding::new(1, "there is no criterion")];
    }
    if is_feature(text) {
        return check(text, &scenarios);
    }
    page::check(text, &Form::new("# Acceptance criteria: …", SECTIONS), |_, findings| {
        findings.extend(check(text, &scenarios));
    })
}
