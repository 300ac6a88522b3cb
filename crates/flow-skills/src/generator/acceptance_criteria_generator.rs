//! `acceptance-criteria-generator`: writes a story's criteria as Given/When/Then, and its rules as a list.

use schemars::JsonSchema;
use serde::Deserialize;

use super::skill::{Needs, Skill};
use crate::input::content::ContentKind;
use crate::input::definition::{Definition, takes};
use crate::input::forms::is_feature;
use crate::input::kind::{Kind, Upstream};
use crate::input::values::{Block, Line};
use crate::output::{Artifact, Output, Result, missing};
use crate::page::{Finding, Form, Page, Section, bullets};
use crate::project_state::{Context, recorded};
use crate::runtime::engine;
use crate::story::check::check;
use crate::story::document::Read;
use crate::story::fields::StoryFields;
use crate::story::scenario::{Criteria, Scenario, heading};
use crate::story::{Story, data, document, feature, fields, scenario};
use crate::text::fence::fenced;
use crate::text::prose::prose;
use crate::text::{item, stem_of_story};
use crate::{output, page};

const NAME: &str = "acceptance-criteria-generator";

const SECTIONS: &[Section] = &[Section::optional("rules", "Rules", &[])];

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

fn generate(input: Input, upstream: Option<&Upstream>, context: &Context) -> Result<Output> {
    let text = input.story.as_deref();
    let given = given(upstream, input.from_story.as_deref(), "story", text, context)?;
    let Read { mut story, scenarios, notes } = given;
    if input.fields.title.is_none() && scenarios.is_empty() && text.is_some_and(is_topic) {
        name(&mut story);
    }
    if text.is_some() {
        input.fields.check_said(&story)?;
    }
    input.fields.apply(&mut story);
    scenario::entitle(&mut story);
    if story.title.is_empty() && scenarios.is_empty() {
        let expects = "TEXT such as `As a reader I want … so that …`, or --input FILE";
        return Err(missing("story", expects, "what the criteria are of"));
    }
    story.check()?;
    data::model(&story.data, &story.title)?;
    let open = scenario::questions(&story);
    let (mut criteria, more) = scenario::criteria(story, scenarios);
    // The document lists its rules at its end.
    criteria.scenarios.sort_by_key(|scenario| scenario.as_rule().is_some());
    let artifact = written(&criteria, input.format)?;
    let notes = [notes, more].concat();
    Ok(Output { data: output::value(&criteria)?, artifacts: vec![artifact], open, notes })
}

/// What the criteria are made from: the output of the previous skill, the story of the project with an id, and a text in
/// `field`, which may be such an id too.
pub(super) fn given(
    upstream: Option<&Upstream>,
    from_story: Option<&str>,
    field: &str,
    text: Option<&str>,
    context: &Context,
) -> Result<Read> {
    let mut read = Read::default();
    if let Some(upstream) = upstream {
        read.story = upstream.read::<Story>()?.unwrap_or_default();
        if let Some(Criteria { story, scenarios }) = upstream.read()? {
            (read.story, read.scenarios) = (story, scenarios);
        }
    }
    if let Some(id) = from_story {
        read.story = recorded::story_of(id, context)?;
    }
    if let Some(text) = text {
        let more = match recorded::named_alone(text, context)? {
            Some(story) => Read { story, ..Read::default() },
            None => document::criteria(text, field)?,
        };
        fields::complete(&mut read.story, more.story);
        read.scenarios.extend(more.scenarios);
        read.notes.extend(more.notes);
    }
    Ok(read)
}

/// Whether a text is one line without a mark of a criterion: it says what the criteria are of.
fn is_topic(text: &str) -> bool {
    let text = text.trim();
    !text.contains('\n') && item(text).is_none() && scenario::labelled(text).0.is_none()
}

/// Takes the only criterion of a story without a sentence as its title, unless it is a scenario.
fn name(story: &mut Story) {
    if let [topic] = story.criteria.as_slice()
        && story.want.is_none()
        && story.title.is_empty()
        && !scenario::is_stated(topic)
    {
        let topic = topic.clone();
        story.criteria.clear();
        scenario::titled(story, &topic);
    }
}

/// The criteria as an artifact.
fn written(criteria: &Criteria, format: Format) -> Result<Artifact> {
    let Criteria { story, scenarios } = criteria;
    let stem = stem_of_story(story.id.as_deref(), &story.title);
    if format != Format::Markdown {
        let text = feature::write(criteria);
        return Ok(Artifact::new(format!("{stem}.feature"), "gherkin", text));
    }
    let (rules, others): (Vec<_>, Vec<_>) =
        scenarios.iter().cloned().partition(|scenario| scenario.as_rule().is_some());
    let rule = |rule: &Scenario| Some(format!("{}: {}", rule.id, prose(rule.as_rule()?)));
    let rules = SECTIONS[0].written(bullets(rules.iter().filter_map(rule)));
    let feature = feature::write(&Criteria { story: story.clone(), scenarios: others });
    let id = story.id.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
    let page = Page {
        title: format!("Acceptance criteria{id}: {}", heading(&story.title)),
        front: vec![fenced("gherkin", &feature)],
        sections: vec![rules],
    };
    let text = engine::render_page(NAME, "assets/template.md.tera", &page)?;
    Ok(Artifact::new(format!("{stem}-criteria.md"), "markdown", text))
}

/// Checks criteria, in Markdown or as a feature: ids, steps, examples, and blanks.
fn verify(text: &str) -> Vec<Finding> {
    let Read { story, scenarios, .. } = match document::criteria(text, "criteria") {
        Ok(read) => read,
        Err(fault) => return vec![Finding::of_fault(&fault)],
    };
    if scenarios.is_empty() && story.rules.is_empty() && story.criteria.is_empty() {
        return vec![Finding::new(1, "there is no criterion: add a scenario, or a rule in a list")];
    }
    let scenarios = scenario::criteria(story, scenarios).0.scenarios;
    if is_feature(text) {
        return check(text, &scenarios);
    }
    page::check(text, &Form::new("# Acceptance criteria: …", SECTIONS), |_, findings| {
        findings.extend(check(text, &scenarios));
    })
}
