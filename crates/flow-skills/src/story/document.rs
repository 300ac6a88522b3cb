//! Reads acceptance criteria from our own Markdown, from a `.feature`, or from a list of sentences.

use super::Story;
use super::data::{Table, is_row};
use super::read;
use super::scenario::{Criteria, Scenario};
use crate::text::{after, heading, item, line, plain, title};

const STARTS: &[&str] = &["Scenario Outline:", "Scenario Template:", "Scenario:", "Example:"];

/// What was read.
#[derive(Debug, Default)]
pub struct Read {
    /// The story and the criteria.
    pub criteria: Criteria,
    /// What could not be carried over, in sentences.
    pub notes: Vec<String>,
}

#[derive(Debug, Default)]
struct Reader {
    criteria: Criteria,
    tags: Vec<String>,
    /// The steps of a background.
    background: Option<Vec<String>>,
    part: &'static str,
    dropped: bool,
    is_feature: bool,
    /// What stands under no scenario.
    loose: Vec<String>,
    table: Table,
}

/// Reads criteria.
pub fn criteria(text: &str) -> Read {
    let is_feature = text.lines().any(|line| line.trim_start().starts_with("Feature:"));
    let mut reader = Reader { is_feature, ..Reader::default() };
    for raw in text.lines() {
        reader.line(raw.trim());
    }
    let dropped = reader.dropped;
    let mut criteria = reader.finish();
    name(&mut criteria.scenarios);
    let note = "Doc strings under steps are not carried over.".to_owned();
    Read { criteria, notes: dropped.then_some(note).into_iter().collect() }
}

impl Reader {
    fn line(&mut self, line: &str) {
        if self.part == "data" && heading(line).is_none() && !line.is_empty() {
            if !line.starts_with("```") {
                self.loose.push(format!("Data: {line}"));
            }
            return;
        }
        if is_row(line) {
            let sample = self.table.row(line);
            self.loose.extend(sample.map(|sample| format!("Data: {sample}")));
            return;
        }
        self.table.end();
        let is_comment = self.is_feature && line.starts_with('#');
        if line.is_empty() || is_comment || line.starts_with("```") {
            return;
        }
        if line.starts_with('@') {
            let id = |word: &&&str| {
                read::is_id(word) && self.criteria.story.title.is_empty() && self.is_feature
            };
            let words: Vec<&str> =
                line.split_whitespace().filter_map(|word| word.strip_prefix('@')).collect();
            match words.first().filter(id) {
                Some(id) => self.criteria.story.id = Some((*id).to_owned()),
                None => self.tags.extend(words.into_iter().map(str::to_owned)),
            }
        } else if let Some(name) = after(line, STARTS) {
            self.begin(None, &self.read(name));
        } else if let Some(name) = after(line, &["Feature:"]) {
            self.criteria.story.title = self.read(name);
        } else if after(line, &["Background:"]).is_some() {
            self.background = Some(Vec::new());
            self.part = "background";
        } else if let Some((_, name)) = heading(line).filter(|_| !self.is_feature) {
            self.head(&plain(name));
        } else if !self.step(line) {
            self.other(line);
        }
    }

    fn read(&self, text: &str) -> String {
        if self.is_feature { line(text) } else { plain(text) }
    }

    fn head(&mut self, name: &str) {
        let lower = name.to_lowercase();
        if let Some(title) = after(name, &["Acceptance criteria: "]) {
            title.clone_into(&mut self.criteria.story.title);
        } else if [
            "rules",
            "open questions",
            "acceptance criteria",
            "criteria",
            "suggested",
            "stated",
            "data",
            "test data",
        ]
        .contains(&lower.as_str())
        {
            self.part = match lower.as_str() {
                "rules" => "rules",
                "open questions" => "skipped",
                "data" | "test data" => "data",
                _ => "",
            };
        } else {
            let id =
                name.split_once(": ").filter(|(id, _)| id.starts_with("AC-") || read::is_id(id));
            let bare = after(name, STARTS).unwrap_or(name);
            match id {
                Some((id, name)) => self.begin(Some(id.to_owned()), name),
                None => self.begin(None, bare.trim()),
            }
        }
    }

    fn begin(&mut self, id: Option<String>, name: &str) {
        let mut tags = std::mem::take(&mut self.tags);
        let at = tags.iter().position(|tag| tag.starts_with("AC-"));
        let id = id.or_else(|| at.map(|at| tags.remove(at))).unwrap_or_default();
        let given = self.background.clone().unwrap_or_default();
        self.criteria.scenarios.push(Scenario {
            id,
            name: name.to_owned(),
            tags,
            given,
            ..Scenario::default()
        });
        self.part = "given";
    }

    /// Takes a line that is a step.
    fn step(&mut self, line: &str) -> bool {
        if self.criteria.scenarios.is_empty() && self.part != "background" {
            return false;
        }
        let bare = if self.is_feature { line } else { item(line).unwrap_or(line) };
        let keywords = ["Given", "When", "Then", "And", "But"];
        let found = keywords.into_iter().find_map(|keyword| {
            let marked = bare
                .strip_prefix("**")
                .and_then(|rest| rest.strip_prefix(keyword)?.strip_prefix("** "));
            let rest = marked.or_else(|| bare.strip_prefix(keyword)?.strip_prefix(' '))?;
            Some((keyword, rest))
        });
        let Some((keyword, rest)) = found else { return false };
        let text = self.read(rest);
        match keyword {
            "Given" if self.part != "background" => self.part = "given",
            "When" => self.part = "when",
            "Then" => self.part = "then",
            _ => {}
        }
        let last = self.criteria.scenarios.last_mut();
        match (self.part, last, &mut self.background) {
            ("background", _, Some(steps)) => steps.push(text),
            ("when", Some(last), _) => last.when.push(text),
            ("then", Some(last), _) => last.then.push(text),
            (_, Some(last), _) => last.given.push(text),
            _ => return false,
        }
        true
    }

    fn other(&mut self, line: &str) {
        let tags =
            after(item(line).unwrap_or(line), &["Tags: "]).map(|tags| tags.trim_matches('`'));
        if let (Some(tags), Some(last)) = (tags, self.criteria.scenarios.last_mut()) {
            last.tags =
                tags.split_whitespace().map(|tag| tag.trim_start_matches('@').to_owned()).collect();
        } else if self.part == "skipped" {
        } else if self.criteria.scenarios.is_empty() {
            let rule = item(line).filter(|_| self.part == "rules");
            let loose = match rule {
                Some(rule) => format!("Rules: {rule}"),
                None => self.described(line),
            };
            self.loose.push(loose);
        } else {
            self.dropped |= line.starts_with("\"\"\"");
        }
    }

    /// A line of a feature's description as a story's Markdown has it.
    fn described(&self, line: &str) -> String {
        if !self.is_feature {
            return line.to_owned();
        }
        let said = |label: &str, prefixes: &[&str]| {
            after(line, prefixes)
                .map(|rest| format!("- **{label}** {}", crate::text::markdown(rest)))
        };
        let numbered = line
            .strip_prefix('R')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        said("As", &["As an ", "As a ", "As "])
            .or_else(|| said("I want", &["I want "]))
            .or_else(|| said("So that", &["So that "]))
            .or_else(|| line.strip_prefix("Data: ").map(|_| line.to_owned()))
            .unwrap_or_else(|| {
                let text = crate::text::markdown(line);
                if numbered { format!("Rules: {text}") } else { format!("Notes: {text}") }
            })
    }

    fn finish(self) -> Criteria {
        let mut criteria = self.criteria;
        let (id, heading) = (criteria.story.id.take(), std::mem::take(&mut criteria.story.title));
        let items = criteria.scenarios.is_empty();
        let mut sentences = Vec::new();
        let mut rest = Vec::new();
        for line in self.loose {
            let found = after(&line, &["Story: "]).filter(|id| read::is_id(id)).map(str::to_owned);
            let is_said = line.contains("**")
                || after(&line, &["Rules: ", "Notes: ", "Data: ", "As a", "As the "]).is_some();
            match found {
                Some(id) => criteria.story.id = Some(id),
                None if items && !is_said => sentences.push(plain(item(&line).unwrap_or(&line))),
                None => rest.push(line),
            }
        }
        let id = criteria.story.id.take().or(id);
        criteria.story = read::story(&rest.join("\n"));
        criteria.story.id = id.or(criteria.story.id);
        if !heading.is_empty() {
            criteria.story.title = heading;
        }
        add(&mut criteria, &sentences);
        criteria
    }
}

/// Adds sentences as criteria.
pub fn add(criteria: &mut Criteria, sentences: &[String]) {
    let story: Story = criteria.story.clone();
    for text in sentences.iter().filter(|text| !text.is_empty()) {
        let number = criteria.scenarios.len() + 1;
        criteria.scenarios.push(Scenario::stated(format!("AC-C{number}"), text, &story));
    }
    if criteria.story.title.is_empty() {
        let first = criteria.scenarios.first().map(|scenario| scenario.name.as_str());
        criteria.story.title = title(first.unwrap_or("Acceptance criteria"));
    }
}

/// Gives each scenario an id of its own.
fn name(scenarios: &mut [Scenario]) {
    let mut taken: Vec<String> = Vec::new();
    for (at, scenario) in scenarios.iter_mut().enumerate() {
        let own =
            if scenario.id.is_empty() { format!("AC-{}", at + 1) } else { scenario.id.clone() };
        let mut id = own.clone();
        let mut count = 2;
        while taken.contains(&id) {
            id = format!("{own}-{count}");
            count += 1;
        }
        taken.push(id.clone());
        scenario.id = id;
    }
}
