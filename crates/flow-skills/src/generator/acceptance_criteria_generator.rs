//! `acceptance-criteria-generator`: what a story states as Given/When/Then, and the cases that its pattern suggests.

use serde_json::Value;

use crate::fields;
use crate::input::Input;
use crate::output::{self, Artifact, Output, Result};
use crate::project_state::Context;
use crate::project_state::recorded;
use crate::runtime::engine;
use crate::story::scenario::{self, Criteria, Scenario};
use crate::story::{Story, grammar, limits, pattern, read};
use crate::text::{markdown, slug, title};

const NAME: &str = "acceptance-criteria-generator";

/// Makes acceptance criteria.
///
/// # Errors
/// When there is no story.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let format = fields::choice(input, "format", &["markdown", "feature"])?;
    let mut story = story(input, context)?;
    limits::check("story", &story)?;
    take(input, &mut story)?;
    let mut notes = Vec::new();
    let mut open = Vec::new();
    let mut scenarios = stated(&story, &mut open);
    if input.fields.get("suggest") != Some(&Value::Bool(false)) {
        suggest(&story, &mut scenarios, &mut notes);
    }
    let name = title(&story.title);
    let stem = slug(&name, "story");
    let stem = story.id.as_ref().map_or(stem.clone(), |id| format!("{id}-{stem}"));
    let artifact = if format == "feature" {
        let text = scenario::feature(&name, &story, &scenarios, &open);
        Artifact::new(format!("{stem}.feature"), "gherkin", text)
    } else {
        let mut view = scenario::view(&story);
        view["scenarios"] = scenarios.iter().map(scenario::view_of).collect();
        view["open"] = open.iter().map(|text| markdown(text)).collect();
        let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
        Artifact::new(format!("{stem}-criteria.md"), "markdown", text)
    };
    // What the criteria say is in the scenarios; the rest of the story is not theirs to carry.
    let story = Story {
        criteria: Vec::new(),
        points: None,
        status: None,
        dependencies: Vec::new(),
        technical_notes: Vec::new(),
        ..story
    };
    let data = output::value(&Criteria { story, scenarios })?;
    Ok(Output { data, artifacts: vec![artifact], open, notes })
}

/// The story: of the skill before, of the project, or as it is told.
fn story(input: &Input, context: &Context) -> Result<Story> {
    if let Some(story) = input.upstream_of::<Story>("story-skeleton")? {
        return Ok(story);
    }
    if let Some(story) = recorded::recorded(input, context)? {
        return Ok(story);
    }
    let told = input.text("story").filter(|story| !story.trim().is_empty());
    told.map(read::story).ok_or_else(|| {
        fields::missing_text("story", "the story, such as \"As a … I want … so that …\"")
    })
}

/// The criteria of a story in a text, and notes; none where the text is no story.
///
/// # Errors
/// When the story is too long.
pub(super) fn of_text(text: Option<&str>) -> Result<Option<(Criteria, Vec<String>)>> {
    let story = text.map(read::story).filter(|story| story.want.is_some());
    let Some(story) = story else { return Ok(None) };
    limits::check("criteria", &story)?;
    let mut notes =
        vec!["These are no criteria but a story, so its own were made first.".to_owned()];
    let mut scenarios = stated(&story, &mut Vec::new());
    suggest(&story, &mut scenarios, &mut notes);
    Ok(Some((Criteria { story, scenarios }, notes)))
}

fn take(input: &Input, story: &mut Story) -> Result<()> {
    for (field, list) in [("rules", &mut story.rules), ("criteria", &mut story.criteria)] {
        for text in fields::many(field, input.fields.get(field))? {
            if !list.contains(&text) {
                list.push(text);
            }
        }
    }
    if story.title.is_empty() {
        return Err(fields::missing_text("story", "the story in words"));
    }
    Ok(())
}

/// What the input states: the story's own path, each rule, each criterion.
fn stated(story: &Story, open: &mut Vec<String>) -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = scenario::happy(story).into_iter().collect();
    let all = [
        (story.role.is_none(), "Who wants this? The story names no role."),
        (story.want.is_none(), "What do they want to do? The story names no action."),
        (
            story.benefit.is_none() && story.want.is_some(),
            "What shows that it succeeded? The story names no benefit.",
        ),
    ];
    open.extend(
        all.into_iter().filter(|(is_open, _)| *is_open).map(|(_, question)| question.to_owned()),
    );
    for (at, rule) in story.rules.iter().enumerate() {
        let number = at + 1;
        let mut scenario = Scenario::stated(format!("AC-R{number}"), rule, story);
        scenario.tags.push(format!("R{number}"));
        scenarios.push(scenario);
    }
    for (at, criterion) in story.criteria.iter().enumerate() {
        scenarios.push(Scenario::stated(format!("AC-C{}", at + 1), criterion, story));
    }
    scenarios
}

/// Adds the cases of the story's patterns.
fn suggest(story: &Story, scenarios: &mut Vec<Scenario>, notes: &mut Vec<String>) {
    let thing = story.want.as_deref().unwrap_or(&story.title);
    let classes = match story.action() {
        Some(action) => pattern::matching(action),
        None => pattern::mentioned(thing).into_iter().collect(),
    };
    let generic = || pattern::generic().iter().map(|case| ("generic", case)).collect::<Vec<_>>();
    let cases: Vec<_> = classes
        .iter()
        .flat_map(|class| class.cases.iter().map(|case| (class.name.as_str(), case)))
        .collect();
    let cases = if cases.is_empty() { generic() } else { cases };
    if classes.is_empty() {
        notes
            .push("No pattern knows the verb, so the suggested cases are the generic ones.".into());
    } else {
        let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        notes.push(format!("The suggested cases are of the pattern {}.", names.join(", ")));
    }
    for (class, case) in cases {
        let mut scenario = Scenario::suggested(class, case, story);
        if scenarios.iter().any(|known| known.id == scenario.id) {
            continue;
        }
        // A stated rule on the same matter is cited, so that the two are read together.
        let words: Vec<String> = case.rule.split('-').map(grammar::stem).collect();
        for (at, rule) in story.rules.iter().enumerate() {
            let said: Vec<String> =
                rule.split(|c: char| !c.is_alphanumeric()).map(grammar::stem).collect();
            if words.iter().all(|word| said.contains(word)) {
                scenario.tags.push(format!("R{}", at + 1));
            }
        }
        scenarios.push(scenario);
    }
}
