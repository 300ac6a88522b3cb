//! `adr-template`: a decision becomes the next record of an ADR folder, and the record that it supersedes links back.

mod date;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::fields;
use crate::input::Input;
use crate::output::{Artifact, Fault, Output, Result};
use crate::project_state::Context;
use crate::runtime::engine;
use crate::runtime::files::{FileId, Folder};
use crate::text::{heading, line, markdown, plain, sentences, slug, title};

const NAME: &str = "adr-template";
/// Largest record that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// A record that the folder has.
struct Known {
    number: u32,
    file: String,
}

#[derive(Default)]
struct Choice {
    name: String,
    pros: Vec<String>,
    cons: Vec<String>,
}

/// Makes a record.
///
/// # Errors
/// When there is no topic, or the chosen option or the superseded record is none that there is.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let topic = input.text("topic").filter(|topic| !line(topic).is_empty());
    let topic = topic.ok_or_else(|| fields::missing_text("topic", "what is decided"))?;
    let (name, said) = named(topic);
    let status = fields::choice(input, "status", &["proposed", "accepted", "deprecated"])?;
    let folder = Records::open(input, context)?;
    let known = folder.list()?;
    let stem = slug(&name, "decision");
    let same = known.iter().find(|record| record.file.get(5..) == Some(&format!("{stem}.md")));
    let highest = known.iter().map(|record| record.number).max().unwrap_or(0);
    let number = same.map_or(highest + 1, |record| record.number);
    let file = format!("{number:04}-{stem}.md");
    let day = date::date(input, context, same.map(|record| folder.head(&record.file)))?;
    let options = options(input)?;
    let chosen = chosen(input, &options)?;
    let consequences = fields::many("consequences", input.fields.get("consequences"))?;
    let reason = fields::one(input, "reason")?;
    let superseded = superseded(input, &known, &file)?;
    let context_text = fields::one(input, "context")?.unwrap_or(said);
    let open = questions(&options, chosen.as_deref(), reason.as_deref(), &consequences);
    let (mut more, mut link) = (Vec::new(), Value::Null);
    if let Some(old) = superseded {
        let (old_title, artifact) =
            link_back(&folder, old, &NewRecord { file: &file, number, name: &name })?;
        link = json!({"file": old.file, "title": markdown(&old_title)});
        more.push(artifact);
    }
    let (chosen_option, alternatives) = shown(&options, chosen.as_deref());
    let view = json!({
        "number": number, "title": markdown(&name), "date": day, "status": title(status), "supersedes": link,
        "context": markdown(&context_text), "chosen": chosen.as_deref().map(markdown),
        "reason": reason.as_deref().map(markdown),
        "chosen_option": chosen_option, "alternatives": alternatives,
        "consequences": consequences.iter().map(|text| markdown(text)).collect::<Vec<_>>(),
    });
    let text = engine::render_page(NAME, "assets/template.md.tera", &view)?;
    let data = json!({
        "number": number, "title": name, "date": day, "status": status, "file": file, "context": context_text, "chosen": chosen,
        "reason": reason, "consequences": consequences, "supersedes": superseded.map(|old| &old.file),
        "options": options.iter().map(|o| json!({"name": o.name, "pros": o.pros, "cons": o.cons})).collect::<Vec<_>>(),
    });
    let mut artifacts = vec![Artifact::new(file, "markdown", text)];
    artifacts.extend(more);
    Ok(Output { data, artifacts, open, notes: kept(same) })
}

/// What is said of a record that is there already.
fn kept(same: Option<&Known>) -> Vec<String> {
    let note =
        |own: &Known| format!("{} is this decision already, so it keeps its number.", own.file);
    same.map(note).into_iter().collect()
}

/// The chosen option and the others, as the template shows them.
fn shown(options: &[Choice], chosen: Option<&str>) -> (Option<Value>, Vec<Value>) {
    let item = |option: &Choice| {
        let all = |texts: &[String]| texts.iter().map(|text| markdown(text)).collect::<Vec<_>>();
        json!({"name": markdown(&option.name), "pros": all(&option.pros), "cons": all(&option.cons)})
    };
    let is_chosen = |option: &&Choice| chosen == Some(option.name.as_str());
    let alternatives = options.iter().filter(|option| !is_chosen(option)).map(item).collect();
    (options.iter().find(is_chosen).map(item), alternatives)
}

/// A topic's title and what it says as context.
fn named(topic: &str) -> (String, String) {
    let mut lines = topic.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let (first, is_heading) =
        heading(first).map_or((line(first), false), |(_, text)| (plain(text), true));
    let rest = line(&lines.collect::<Vec<_>>().join(" "));
    let name = title(sentences(&first).first().map_or(first.as_str(), String::as_str));
    let said = if is_heading && !rest.is_empty() { rest } else { line(&format!("{first} {rest}")) };
    (name, said)
}

/// The folder of the records.
struct Records {
    project: Folder,
    path: PathBuf,
}

impl Records {
    fn open(input: &Input, context: &Context) -> Result<Self> {
        let path = PathBuf::from(fields::one(input, "folder")?.as_deref().unwrap_or("docs/adr"));
        Ok(Self { project: Folder::project(context)?, path })
    }

    /// The records, by number. A folder that is not there has none.
    fn list(&self) -> Result<Vec<Known>> {
        let entries = match self.project.entries(&self.path) {
            Err(error) if error.is_missing() => return Ok(Vec::new()),
            entries => entries?,
        };
        let known = entries.into_iter().filter_map(|entry| {
            let (number, _) = entry.name.strip_suffix(".md")?.split_once('-')?;
            let number = number.parse().ok().filter(|_| number.len() == 4)?;
            Some(Known { number, file: entry.name })
        });
        Ok(known.collect())
    }

    fn read(&self, file: &str) -> Result<(String, FileId)> {
        Ok(self.project.read_text(&self.path.join(file), LARGEST)?)
    }

    /// A record's text where it can be read; only its date is wanted.
    fn head(&self, file: &str) -> String {
        self.read(file).map(|(text, _)| text).unwrap_or_default()
    }
}

/// The record that is made, as the one that it supersedes names it.
struct NewRecord<'a> {
    file: &'a str,
    number: u32,
    name: &'a str,
}

fn options(input: &Input) -> Result<Vec<Choice>> {
    let mut found: Vec<Choice> = Vec::new();
    for (at, given) in input.list("options").iter().enumerate() {
        let path = format!("options[{at}]");
        let of = |part: &str| fields::many(&format!("{path}.{part}"), given.get(part));
        let name = line(given.as_str().or_else(|| given["name"].as_str()).unwrap_or_default());
        if name.is_empty() {
            return Err(fields::missing_text(&format!("{path}.name"), "what the option is called"));
        }
        if found.iter().any(|known| known.name == name) {
            return Err(fields::bad_text(&path, &name, "named once"));
        }
        found.push(Choice { name, pros: of("pros")?, cons: of("cons")? });
    }
    Ok(found)
}

/// The chosen option, in the spelling of the options.
fn chosen(input: &Input, options: &[Choice]) -> Result<Option<String>> {
    let Some(given) = fields::one(input, "chosen")? else { return Ok(None) };
    if options.is_empty() {
        return Ok(Some(given));
    }
    let same = |option: &&Choice| option.name.to_lowercase() == given.to_lowercase();
    let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
    let found = options.iter().find(same).map(|option| option.name.clone());
    found
        .map(Some)
        .ok_or_else(|| fields::bad_text("chosen", &given, &format!("one of {}", names.join(", "))))
}

/// The record that is superseded, named by its number or its file.
fn superseded<'a>(input: &Input, known: &'a [Known], own: &str) -> Result<Option<&'a Known>> {
    let Some(value) = input.fields.get("supersedes").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let given = value.as_str().map_or_else(|| value.to_string(), line);
    if given.is_empty() {
        return Ok(None);
    }
    let bare = given.trim_start_matches("ADR-").trim_start_matches("adr-");
    let number: Option<u32> = bare.parse().ok();
    let is_it = |record: &&Known| {
        Some(record.number) == number
            || record.file == given
            || record.file.strip_suffix(".md") == Some(&given)
    };
    let found = known.iter().find(is_it);
    let names: Vec<&str> = known.iter().map(|record| record.file.as_str()).collect();
    let allowed = if names.is_empty() {
        "left out: the folder has no record".to_owned()
    } else {
        format!("one of {}", names.join(", "))
    };
    match found {
        Some(record) if record.file == own => {
            Err(fields::bad("supersedes", value, "another record than this one"))
        }
        Some(record) => Ok(Some(record)),
        None => Err(fields::bad("supersedes", value, &allowed)),
    }
}

/// The superseded record with its status linking to the new one, and its title.
fn link_back(folder: &Records, old: &Known, new: &NewRecord<'_>) -> Result<(String, Artifact)> {
    let NewRecord { file, number, name } = *new;
    let (text, subject) = folder.read(&old.file)?;
    let titles = text.lines().filter_map(heading).find(|(level, _)| *level == 1);
    let old_title = titles.map_or_else(
        || old.file.clone(),
        |(_, text)| {
            let text = plain(text);
            text.split_once(". ")
                .filter(|(n, _)| n.parse::<u32>().is_ok())
                .map_or(text.clone(), |(_, bare)| bare.to_owned())
        },
    );
    if let Some(other) = text.lines().find(|line| {
        line.to_lowercase().contains("superseded by [") && !line.contains(&format!("({file})"))
    }) {
        return Err(Fault::Refused(format!("{} is superseded already: {}", old.file, line(other))));
    }
    let link = format!("Deprecated, superseded by [{number}. {}]({file})", markdown(name));
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Ok((
        old_title,
        Artifact::new(old.file.clone(), "markdown", with_status(&text, &link).join(end) + end)
            .in_place_of(Some(subject)),
    ))
}

/// A record's lines with another status.
fn with_status(text: &str, status: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_status = |line: &String| {
        heading(line.trim()).is_some_and(|(_, name)| name.eq_ignore_ascii_case("status"))
    };
    if let Some(at) = lines.iter().position(is_status) {
        let end = lines[at + 1..]
            .iter()
            .position(|line| heading(line).is_some())
            .map_or(lines.len(), |found| at + 1 + found);
        // An older link that says what this record superseded stays.
        let kept: Vec<String> = lines[at + 1..end]
            .iter()
            .filter(|line| line.to_lowercase().starts_with("supersedes ["))
            .cloned()
            .collect();
        let mut fresh = vec![String::new(), status.to_owned()];
        for line in kept {
            fresh.extend([String::new(), line]);
        }
        if end < lines.len() {
            fresh.push(String::new());
        }
        lines.splice(at + 1..end, fresh);
    } else {
        let at = lines
            .iter()
            .position(|line| heading(line).is_some_and(|(level, _)| level == 1))
            .map_or(0, |at| at + 1);
        let fresh = ["", "## Status", "", status].map(str::to_owned);
        lines.splice(at..at, fresh);
    }
    lines
}

fn questions(
    options: &[Choice],
    chosen: Option<&str>,
    reason: Option<&str>,
    consequences: &[String],
) -> Vec<String> {
    let mut open = Vec::new();
    if options.len() < 2 {
        open.push("Which options were considered? Fewer than two are stated.".to_owned());
    }
    if chosen.is_none() {
        open.push("Which option is chosen? None is stated.".to_owned());
    } else if reason.is_none() {
        open.push("Why is it chosen? No reason is stated.".to_owned());
    }
    if consequences.is_empty() {
        open.push("What follows from the decision? No consequence is stated.".to_owned());
    }
    for option in options.iter().filter(|option| option.pros.is_empty() || option.cons.is_empty()) {
        let what = match (option.pros.is_empty(), option.cons.is_empty()) {
            (true, true) => "for and against",
            (true, false) => "for",
            _ => "against",
        };
        open.push(format!("What speaks {what} {}? Nothing is stated.", option.name));
    }
    open
}
