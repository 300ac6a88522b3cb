//! Reads acceptance criteria: the Markdown of flow, a feature, a story, or one sentence per line.

use super::scenario::titled;
use super::scenario::with_steps;
use super::scenario::{Criteria, Keyword, Read, Scenario, Step, unlabelled};
use super::{Story, gherkin, limits, read, scenario, sentence};
use crate::input::recognise::is_feature;
use crate::output::Result;
use crate::text::{after, front_matter, item, line, plain, sentences, title, unused_with};

/// The prefixes of the story's title in the heading of criteria.
const TITLES: [&str; 3] =
    ["Acceptance criteria of ", "Acceptance criteria: ", "Acceptance criteria for "];

/// Reads criteria from the text in `field`.
///
/// # Errors
/// When a label of a story does not fit, or a limit is exceeded.
pub fn criteria(text: &str, field: &str) -> Result<Read> {
    let body = front_matter(text).map_or(text, |(_, body)| body);
    let mut read = if is_feature(body.trim()) {
        placed(body, "", field)?
    } else if let Some((features, rest)) = blocks(text) {
        placed(&features, &rest, field)?
    } else if body.lines().any(|line| rule(line).is_some()) {
        placed("", text, field)?
    } else if read::is_document(text) || sentence::split(text).is_some() {
        let mut story = Story::default();
        read::text(&mut story, text, field)?;
        let mut read = of_story(story)?;
        let note = "the text is a story, so its acceptance criteria were generated first";
        read.notes.insert(0, note.to_owned());
        read
    } else {
        Read { criteria: statements(text), notes: renumbered(text).into_iter().collect() }
    };
    limits::count(field, read.criteria.scenarios.len(), "criteria")?;
    name(&mut read.criteria.scenarios);
    Ok(read)
}

/// A note on labels that are not those by which criteria are numbered: in their order, each once.
fn renumbered(text: &str) -> Option<String> {
    let label = |raw: &str| {
        let text = line(item(raw).unwrap_or(raw));
        let label = text.strip_suffix(unlabelled(&text))?.trim_end_matches([':', '.', ')', ' ']);
        Some(label.to_owned()).filter(|label| !label.is_empty())
    };
    let labels: Vec<String> = text.lines().filter_map(label).collect();
    let number = |label: &String| label.trim_start_matches(|c: char| !c.is_ascii_digit()).parse();
    let is_in_order = (1..).zip(&labels).all(|(at, label)| number(label) == Ok(at));
    (!is_in_order).then(|| {
        let labels = labels.join(", ");
        format!(
            "the labels {labels} are replaced: criteria are numbered in their order, from AC-C1"
        )
    })
}

/// The criteria of a story.
pub(crate) fn of_story(mut story: Story) -> Result<Read> {
    read::entitle(&mut story);
    limits::check(&story)?;
    let (criteria, notes) = scenario::criteria(story, Vec::new());
    Ok(Read { criteria, notes })
}

/// A criterion per sentence, or per scenario. A line before bullets is the title.
fn statements(text: &str) -> Criteria {
    let mut criteria = Criteria::default();
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let is_titled = filled().count() > 1 && filled().skip(1).all(|line| item(line).is_some());
    let first = filled().next().filter(|first| is_titled && item(first).is_none());
    if let Some(first) = first {
        titled(&mut criteria.story, first);
    }
    let bare = filled().skip(usize::from(first.is_some()));
    let bare = bare.map(|raw| line(item(raw).unwrap_or(raw))).filter(|bare| !bare.is_empty());
    let several = |text: String| match Step::all(unlabelled(&text)) {
        Some(_) => vec![text],
        None => text.split("; ").flat_map(sentences).collect(),
    };
    let all: Vec<String> = with_steps(bare).into_iter().flat_map(several).collect();
    add(&mut criteria, &all);
    criteria
}

/// Adds sentences as criteria.
fn add(criteria: &mut Criteria, sentences: &[String]) {
    for text in sentences.iter().filter(|text| !text.is_empty()) {
        let number = criteria.scenarios.len() + 1;
        criteria.scenarios.push(Scenario::stated(format!("AC-C{number}"), text));
    }
    finish(criteria);
}

/// Names the scenarios, and the story if it has no title.
pub fn finish(criteria: &mut Criteria) {
    name(&mut criteria.scenarios);
    if criteria.story.title.is_empty() {
        let first = criteria.scenarios.first().map(|scenario| scenario.name.as_str());
        criteria.story.title = title(first.unwrap_or("Acceptance criteria"));
    }
}

/// Reads features, and the text around them, which has rules in lists; other text belongs to the story.
fn placed(features: &str, rest: &str, field: &str) -> Result<Read> {
    let mut read = gherkin::read(features, field)?;
    read.criteria.scenarios.extend(rest.lines().filter_map(rule));
    let rest: Vec<&str> = rest.lines().filter(|line| rule(line).is_none()).collect();
    let mut story = Story::default();
    read::text(&mut story, &rest.join("\n"), field)?;
    if let Some(title) = after(&story.title, &TITLES).map(str::to_owned) {
        titled(&mut story, &title);
    }
    let named = &mut read.criteria.story;
    if named.title.is_empty() {
        titled(named, &std::mem::take(&mut story.title));
    }
    read::complete(named, story);
    limits::check(named)?;
    // Each of its rules and sentences is a criterion too.
    let more = [std::mem::take(&mut named.rules), std::mem::take(&mut named.criteria)].concat();
    named.technical_notes.clear();
    add(&mut read.criteria, &more);
    Ok(read)
}

/// The features in the blocks of code of a document, on their lines, and the text without them. The first line is the
/// keyword of a feature, if none has one.
pub fn blocks(text: &str) -> Option<(String, String)> {
    let mut fence: Option<&str> = None;
    let mut has_block = false;
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let bare = line.trim();
        let opens = bare
            .strip_suffix("gherkin")
            .filter(|mark| mark.len() > 2 && mark.chars().all(|c| c == '`'));
        let (feature, other) = match (fence, opens) {
            (Some(mark), _) if bare == mark => {
                fence = None;
                ("", "")
            }
            (Some(_), _) => (line, ""),
            (None, Some(mark)) => {
                fence = Some(mark);
                has_block = true;
                ("", "")
            }
            (None, None) => ("", line),
        };
        inside.push(feature);
        outside.push(other);
    }
    if !inside.iter().any(|line| line.trim().starts_with("Feature:"))
        && let Some(first) = inside.first_mut()
    {
        *first = "Feature:";
    }
    has_block.then(|| (inside.join("\n"), outside.join("\n")))
}

/// A text as a block of code, whose fence is longer than any in it.
pub fn block(feature: &str) -> String {
    let longest = feature.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}gherkin\n{}\n{fence}", feature.trim_end())
}

/// The rule in an item: `- AC-R1: A link expires after 30 minutes`.
fn rule(raw: &str) -> Option<Scenario> {
    let text = plain(item(raw)?);
    let (id, text) =
        text.split_once(": ").filter(|(id, _)| id.starts_with("AC-") && !id.contains(' '))?;
    let step = Step::new(Keyword::Then, line(text));
    let (id, name) = (id.to_owned(), title(text));
    Some(Scenario { id, name, steps: vec![step], ..Scenario::default() })
}

/// Gives each scenario a unique id.
fn name(scenarios: &mut [Scenario]) {
    let mut taken = std::collections::HashSet::new();
    for (at, scenario) in scenarios.iter_mut().enumerate() {
        let id =
            if scenario.id.is_empty() { format!("AC-{}", at + 1) } else { scenario.id.clone() };
        scenario.id = unused_with("-", &id, |id| taken.insert(id.to_owned()));
    }
}
