//! Reads acceptance criteria: the Markdown of flow, a feature, a story, or one sentence per line.

use super::criteria::{self, Suggest};
use super::names::titled;
use super::parts::with_steps;
use super::scenario::{Criteria, Examples, Keyword, Read, Scenario, Step};
use super::{Story, gherkin, limits, read};
use crate::input::notation::story as sentence;
use crate::input::recognise::is_feature;
use crate::output::Result;
use crate::text::{after, front_matter, heading, item, line, plain, table, title, unused_with};

/// The prefixes of the story's title in the heading of criteria.
const TITLES: [&str; 3] =
    ["Acceptance criteria of ", "Acceptance criteria: ", "Acceptance criteria for "];
/// Headings that only group criteria.
const GROUPS: [&str; 4] = ["acceptance criteria", "criteria", "stated", "suggested"];
/// The words of steps; "And" and "But" repeat the keyword of the step before.
const KEYWORDS: [(&str, Option<Keyword>); 5] = [
    ("Given", Some(Keyword::Given)),
    ("When", Some(Keyword::When)),
    ("Then", Some(Keyword::Then)),
    ("And", None),
    ("But", None),
];

/// Reads criteria from the text in `field`.
///
/// # Errors
/// When a label of a story does not fit, or a limit is exceeded.
pub fn criteria(text: &str, field: &str) -> Result<Read> {
    let body = front_matter(text).map_or(text, |(_, body)| body);
    let mut read = if is_feature(body.trim()) {
        of_feature(body, field)?
    } else if has_scenarios(body) {
        markdown(body, field)?
    } else if read::is_document(text) || sentence::split(text).is_some() {
        let mut story = Story::default();
        read::text(&mut story, text, field)?;
        let mut read = of_story(story)?;
        read.notes.insert(
            0,
            "the text is a story, so its acceptance criteria were generated first".to_owned(),
        );
        read
    } else {
        Read { criteria: statements(text), notes: Vec::new() }
    };
    limits::count(field, read.criteria.scenarios.len(), "criteria")?;
    name(&mut read.criteria.scenarios);
    Ok(read)
}

/// The scenarios of a feature; each rule and sentence of its story is a criterion too.
fn of_feature(text: &str, field: &str) -> Result<Read> {
    let mut read = gherkin::read(text, field)?;
    let story = &mut read.criteria.story;
    let more = [std::mem::take(&mut story.rules), std::mem::take(&mut story.criteria)].concat();
    if story.title.is_empty() {
        let mut names = read.criteria.scenarios.iter().map(|scenario| &scenario.name);
        story.title =
            names.find(|name| !name.is_empty()).map_or("Feature".into(), |name| title(name));
    }
    add(&mut read.criteria, &more);
    Ok(read)
}

/// The criteria that a story states; those of its pattern if it states none.
pub(crate) fn of_story(mut story: Story) -> Result<Read> {
    read::entitle(&mut story);
    limits::check(&story)?;
    let is_bare = story.rules.is_empty() && story.criteria.is_empty();
    let suggest = if is_bare { Suggest::Patterns } else { Suggest::Nothing };
    let (criteria, notes) = criteria::with(story, Vec::new(), suggest);
    Ok(Read { criteria, notes })
}

/// A criterion per line, or per bullet. A line before the bullets is the title.
fn statements(text: &str) -> Criteria {
    let mut criteria = Criteria::default();
    let mut lines: Vec<String> = Vec::new();
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let is_titled = filled().count() > 1 && filled().skip(1).all(|line| item(line).is_some());
    let first = filled().next().filter(|first| is_titled && item(first).is_none());
    if let Some(first) = first {
        titled(&mut criteria.story, first);
    }
    for raw in filled().skip(usize::from(first.is_some())) {
        let bare = line(item(raw).unwrap_or(raw));
        match after(&bare, &["Title:"]) {
            Some(name) if !name.trim().is_empty() => titled(&mut criteria.story, name),
            _ if bare.is_empty() => {}
            _ => lines.push(bare),
        }
    }
    add(&mut criteria, &with_steps(lines.into_iter()));
    criteria
}

/// Adds sentences as criteria.
pub fn add(criteria: &mut Criteria, sentences: &[String]) {
    for text in sentences.iter().filter(|text| !text.is_empty()) {
        let number = criteria.scenarios.len() + 1;
        let scenario = Scenario::stated(format!("AC-C{number}"), text, &criteria.story);
        criteria.scenarios.push(scenario);
    }
    name(&mut criteria.scenarios);
    if criteria.story.title.is_empty() {
        let first = criteria.scenarios.first().map(|scenario| scenario.name.as_str());
        criteria.story.title = title(first.unwrap_or("Acceptance criteria"));
    }
}

/// Whether a text has criteria below headings.
fn has_scenarios(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().any(|(at, line)| {
        let below = || lines.get(at + 1..).unwrap_or_default();
        heading(line.trim()).is_some_and(|(level, name)| {
            let name = plain(name);
            after(&name, &TITLES).is_some() || Open::of(level, &name, below()) == Open::Scenario
        })
    })
}

/// The keyword and the text of a step.
fn step(raw: &str) -> Option<(Option<Keyword>, &str)> {
    let bare = item(raw).unwrap_or(raw.trim());
    KEYWORDS.into_iter().find_map(|(word, keyword)| {
        let bold =
            bare.strip_prefix("**").and_then(|rest| rest.strip_prefix(word)?.strip_prefix("**"));
        let rest = bold.or_else(|| bare.strip_prefix(word))?;
        Some((keyword, rest.strip_prefix(' ')?))
    })
}

/// Reads Markdown: text before the first heading with steps belongs to the story; each heading after it is a criterion.
fn markdown(text: &str, field: &str) -> Result<Read> {
    let described = |line: &str| after(item(line)?, &["Description: "]).map(plain);
    let (mut head, mut description): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    let mut scenarios: Vec<Scenario> = Vec::new();
    let mut open = Open::Head;
    let mut fence: Option<String> = None;
    let lines: Vec<&str> = text.lines().collect();
    for (at, raw) in lines.iter().enumerate() {
        if let (Open::Scenario, Some(last)) = (open, scenarios.last_mut())
            && is_below(last, raw, &mut fence)
        {
            continue;
        }
        if let Some((level, name)) = heading(raw.trim()) {
            open = Open::of(level, &plain(name), lines.get(at + 1..).unwrap_or_default());
            if open == Open::Scenario {
                scenarios.push(named(&plain(name)));
                continue;
            }
        }
        match (open, scenarios.last_mut()) {
            (Open::Head, _) => match described(raw) {
                Some(text) => description.push(text),
                None => head.push(raw),
            },
            (Open::Scenario, Some(last)) => below(last, raw),
            _ => {}
        }
    }
    let mut story = Story::default();
    read::text(&mut story, &head.join("\n"), field)?;
    let bare = after(&story.title, &TITLES).map(str::to_owned);
    if let Some(title) = bare {
        titled(&mut story, &title);
    }
    limits::check(&story)?;
    // Each of its rules and sentences is a criterion too.
    let mut criteria = Criteria { story: Story::default(), description, scenarios };
    let more = [story.rules.as_slice(), story.criteria.as_slice()].concat();
    criteria.story =
        Story { rules: Vec::new(), criteria: Vec::new(), technical_notes: Vec::new(), ..story };
    add(&mut criteria, &more);
    Ok(Read { criteria, notes: Vec::new() })
}

/// Whether a line is part of the block of code with a step's data table or doc string, which is added to the step.
fn is_below(scenario: &mut Scenario, raw: &str, fence: &mut Option<String>) -> bool {
    let text = raw.trim();
    match fence {
        Some(mark) if text == mark => *fence = None,
        Some(_) => {
            if let Some(step) = scenario.steps.last_mut() {
                step.below.push(raw.strip_prefix("  ").unwrap_or(raw).to_owned());
            }
        }
        None if text.starts_with("```") && text.ends_with("gherkin") => {
            *fence = Some(text.trim_end_matches("gherkin").to_owned());
        }
        None => return false,
    }
    true
}

/// The part of a document that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// The story.
    Head,
    /// A criterion.
    Scenario,
    /// A heading that groups criteria, or a section of questions.
    Other,
}

impl Open {
    /// The part that a heading begins, determined by the lines below it.
    fn of(level: usize, name: &str, below: &[&str]) -> Self {
        let lower = name.to_lowercase();
        let own = below.iter().take_while(|line| heading(line.trim()).is_none());
        // A sentence such as "When …, …" is not a step; steps have a Then on a separate line.
        let mut steps = own.filter_map(|line| step(line));
        let is_scenario =
            id(name).is_some() || steps.any(|(keyword, _)| keyword == Some(Keyword::Then));
        if is_scenario && after(name, &TITLES).is_none() {
            Self::Scenario
        } else if GROUPS.contains(&lower.as_str()) && level > 1 || lower == "open questions" {
            Self::Other
        } else {
            Self::Head
        }
    }
}

/// The id before the name of a criterion.
fn id(name: &str) -> Option<(&str, &str)> {
    name.split_once(": ").filter(|(id, _)| id.starts_with("AC-") && !id.contains(' '))
}

/// A criterion with the name of a heading.
fn named(heading: &str) -> Scenario {
    let (id, name) = id(heading).unwrap_or(("", heading));
    let name = after(name, &["Scenario Outline:", "Scenario:"]).unwrap_or(name);
    Scenario { id: id.to_owned(), name: line(name), ..Scenario::default() }
}

/// Reads a line below the heading of a criterion.
fn below(scenario: &mut Scenario, raw: &str) {
    let bare = item(raw).unwrap_or(raw.trim());
    if let Some((keyword, text)) = step(raw) {
        let before = scenario.steps.last().map_or(Keyword::Given, |step| step.keyword);
        scenario.steps.push(Step::new(keyword.unwrap_or(before), plain(text)));
    } else if let Some(tags) = after(bare, &["Tags: "]) {
        let words = tags.trim_matches('`').split_whitespace();
        let tags = words.map(|tag| tag.trim_start_matches('@').to_owned()).collect();
        *scenario.examples.last_mut().map_or(&mut scenario.tags, |table| &mut table.tags) = tags;
    } else if let Some(text) = after(bare, &["Rule: "]) {
        scenario.rule.push(plain(text));
    } else if let Some(text) = after(bare, &["Description: "]) {
        let table = scenario.examples.last_mut().map(|table| &mut table.description);
        table.unwrap_or(&mut scenario.description).push(plain(text));
    } else if table::is_row(bare) {
        row(scenario, bare);
    } else if let Some(name) = after(bare, &["Examples:"]) {
        scenario.examples.push(Examples { name: plain(name), ..Examples::default() });
    }
}

/// Reads a row of examples.
fn row(scenario: &mut Scenario, raw: &str) {
    let cells = table::cells(raw);
    if scenario.examples.is_empty() {
        scenario.examples.push(Examples::default());
    }
    if let Some(open) = scenario.examples.last_mut()
        && (open.header.is_empty() || !table::is_rule(&cells))
    {
        open.add(cells.iter().map(|cell| table::text(cell)).collect());
    }
}

/// Gives each scenario a unique id.
fn name(scenarios: &mut [Scenario]) {
    let mut taken = std::collections::HashSet::new();
    for (at, scenario) in scenarios.iter_mut().enumerate() {
        let own =
            if scenario.id.is_empty() { format!("AC-{}", at + 1) } else { scenario.id.clone() };
        scenario.id = unused_with("-", &own, |id| taken.insert(id.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_before_bullets_is_the_title() {
        let of = |text: &str| {
            let read = criteria(text, "criteria").unwrap().criteria;
            (read.story.title, read.scenarios.len())
        };
        let rules = "- A review has at least 20 characters\n- Hosts reply only once";
        assert_eq!(of(&format!("Guest reviews:\n\n{rules}")), ("Guest reviews".to_owned(), 2));
        assert_eq!(of(rules).1, 2);
        assert_eq!(of("Only guests may write\nHosts may reply").1, 2);
    }
}
