//! `flow skill`: finds the skill, gathers its input, and prints or writes what it makes.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::Here;
use super::answer::{Answer, Exit, Output as Print};
use super::args::{Existing, OpenQuestions, SkillCall};
use super::text;
use crate::error::{Error, Result};
use crate::model::time::{self, Edge};
use crate::skill::catalog;
use crate::skill::check::{self, nearest};
use crate::skill::envelope::envelope;
use crate::skill::generator;
use crate::skill::input::{Context, Input, LARGEST};
use crate::skill::manifest::{self, Manifest};
use crate::skill::output::{Artifact, Fault, Output};
use crate::skill::read::{self, Fields};
use crate::store::Store;

/// Words that are no skill's name.
const VERBS: [&str; 4] = ["list", "show", "schema", "check"];
/// Skills whose artifact takes the place of the file that it was made from.
const IN_PLACE: [&str; 2] = ["adr-template", "changelog-entry"];

/// Carries out a call.
pub(super) fn skill(here: &Here, call: &SkillCall, print: Print) -> Result<Answer> {
    let (first, rest) =
        call.words.split_first().map_or(("list", &[][..]), |(first, rest)| (first.as_str(), rest));
    match (first, rest) {
        ("list", _) => Ok(list()),
        ("check", _) => Ok(check_catalog()),
        ("show" | "schema", []) => {
            Err(Error::Usage(format!("flow skill {first} needs a skill's name")))
        }
        ("show", [name, ..]) => file(name, "SKILL.md"),
        ("schema", [name, ..]) => file(name, "assets/input.schema.json"),
        (name, words) => run(here, &Skill::find(name)?, (call, words), print),
    }
}

fn list() -> Answer {
    let skills: Vec<Value> = catalog::names()
        .map(|name| json!({"name": name, "description": catalog::summary(name)}))
        .collect();
    Answer {
        exit: Exit::Fine,
        facts: json!({"count": skills.len(), "skills": skills}),
        result: text::skills(),
        message: String::new(),
    }
}

fn file(name: &str, path: &str) -> Result<Answer> {
    let skill = Skill::find(name)?;
    let text = catalog::file(skill.name, path).unwrap_or_default();
    Ok(Answer {
        facts: json!({"skill": skill.name, "text": text}),
        ..Answer::shown(text.to_owned())
    })
}

/// A skill of the catalog.
struct Skill {
    name: &'static str,
    manifest: Manifest,
    schema: Value,
}

impl Skill {
    fn find(word: &str) -> Result<Self> {
        let known: Vec<&str> = catalog::names().chain(VERBS).collect();
        let lower = word.to_lowercase();
        let name = catalog::names().find(|name| *name == lower);
        let name =
            name.ok_or_else(|| Error::Usage(text::unknown_skill(word, nearest(&lower, &known))))?;
        let text = |path| catalog::file(name, path).unwrap_or_default();
        let manifest = manifest::read(text("SKILL.md"))?;
        let schema = serde_json::from_str(text("assets/input.schema.json")).unwrap_or_default();
        Ok(Self { name, manifest, schema })
    }

    fn fields(&self) -> Fields<'_> {
        let main = self.manifest.metadata.get("flow-input").map_or("text", String::as_str);
        Fields { schema: &self.schema, main }
    }

    fn make(&self, input: &Input, context: &Context) -> Result<Output, Fault> {
        let mut given = input.fields.clone();
        if input.upstream.is_some() {
            // What the skill before made stands for the main field.
            given.entry(self.fields().main).or_insert_with(|| Value::from("the skill before"));
        }
        check::check(&self.schema, &given)?;
        generator::run(self.name, input, context)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::Usage(fault.to_string())
    }
}

fn run(
    here: &Here,
    skill: &Skill,
    (call, words): (&SkillCall, &[String]),
    print: Print,
) -> Result<Answer> {
    let input = gather(skill, call, words)?;
    let context = context(here, call)?;
    let output = skill.make(&input, &context)?;
    let exit = if call.open_questions == OpenQuestions::Refused && !output.open.is_empty() {
        Exit::Refused
    } else {
        Exit::Fine
    };
    let said = output.notes.iter().map(|note| text::note(note));
    let message: String =
        said.chain(output.open.iter().map(|question| text::open_question(question))).collect();
    let facts = envelope(skill.name, &input.fields, &output);
    let answer = Answer { exit, facts, result: String::new(), message };
    match &call.out {
        Some(out) => write_all(answer, skill.name, (&output.artifacts, out), call.existing),
        None => Ok(printed(answer, &output.artifacts, print)),
    }
}

fn printed(mut answer: Answer, artifacts: &[Artifact], print: Print) -> Answer {
    let Some((main, more)) = artifacts.split_first() else { return answer };
    answer.result.clone_from(&main.text);
    if !more.is_empty() && print == Print::Text {
        let paths: Vec<&str> = more.iter().map(|artifact| artifact.path.as_str()).collect();
        answer.message.push_str(&text::more_artifacts(&paths));
    }
    answer
}

/// Everything that the user gave: a file or a pipe first, text and `key=value` words over it.
fn gather(skill: &Skill, call: &SkillCall, words: &[String]) -> Result<Input> {
    let fields = skill.fields();
    let (pairs, plain): (Vec<_>, Vec<_>) = words.iter().partition(|word| pair(word).is_some());
    let mut input = match &call.input {
        Some(path) => read::read(&bytes(path)?, call.format, fields)?,
        None if plain.is_empty() && pairs.is_empty() && !is_terminal() => {
            read::read(&bytes(Path::new("-"))?, call.format, fields)?
        }
        None => Input::default(),
    };
    if !plain.is_empty() {
        let text = plain.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let given = read::read(text.as_bytes(), call.format, fields)?;
        input.fields.extend(given.fields);
        input.upstream = given.upstream.or(input.upstream);
    }
    for pair in pairs.iter().filter_map(|word| pair(word)) {
        read::assign(&mut input, pair, fields)?;
    }
    Ok(input)
}

fn is_terminal() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stdin())
}

/// `key=value`, where the key is a name; a sentence with an equals sign is none.
fn pair(word: &str) -> Option<(&str, &str)> {
    let (key, value) = word.split_once('=')?;
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_name.then_some((key, value))
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = LARGEST as u64 + 1;
    let read = if path == Path::new("-") {
        std::io::stdin().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map(|_| bytes)
        .map_err(|error| Error::Usage(format!("could not read {}: {error}", path.display())))
}

fn context(here: &Here, call: &SkillCall) -> Result<Context> {
    let now = match &call.now {
        None => time::format(SystemTime::now()),
        Some(text) if time::parse(text, Edge::Start).is_some() => moment(text),
        Some(text) => {
            return Err(Error::Usage(format!(
                "--now is {text:?}, but must be an RFC 3339 time or a date"
            )));
        }
    };
    let snapshot = here.project().ok().map(|project| Store::read_once(&project));
    Ok(Context { now, snapshot, folder: here.current.clone() })
}

/// A date alone means its beginning.
fn moment(text: &str) -> String {
    if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() }
}

fn write_all(
    mut answer: Answer,
    skill: &str,
    (artifacts, out): (&[Artifact], &Path),
    existing: Existing,
) -> Result<Answer> {
    let is_file =
        artifacts.len() == 1 && !out.is_dir() && !out.as_os_str().to_string_lossy().ends_with('/');
    let target =
        |artifact: &Artifact| if is_file { out.to_path_buf() } else { out.join(&artifact.path) };
    let targets: Vec<PathBuf> = artifacts.iter().map(target).collect();
    let may_replace = existing == Existing::Replaced || IN_PLACE.contains(&skill);
    if let Some(taken) = targets.iter().find(|target| !may_replace && target.exists()) {
        return Err(Error::Refused(text::exists(taken)));
    }
    for (artifact, target) in artifacts.iter().zip(&targets) {
        write(target, &artifact.text)?;
        answer.result.push_str(&text::wrote(target));
    }
    Ok(answer)
}

/// Writes a file whole or not at all.
fn write(target: &Path, text: &str) -> Result<()> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder)
            .map_err(|error| Error::path("make the folder", folder, error))?;
    }
    let mut name = target.as_os_str().to_owned();
    name.push(".flow-new");
    let aside = PathBuf::from(name);
    let fresh = || match OpenOptions::new().write(true).create_new(true).open(&aside) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(&aside)?;
            OpenOptions::new().write(true).create_new(true).open(&aside)
        }
        opened => opened,
    };
    fresh()
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&aside, target))
        .map_err(|error| Error::path("write", target, error))
}

/// Runs every skill on its example and compares with the output that it comes with.
fn check_catalog() -> Answer {
    let results: Vec<(&str, Result<(), String>)> =
        catalog::names().map(|name| (name, check_one(name))).collect();
    let failed = results.iter().filter(|(_, result)| result.is_err()).count();
    let line = |(name, result): &(&str, Result<(), String>)| match result {
        Ok(()) => format!("fine   {name}\n"),
        Err(why) => format!("wrong  {name}: {}\n", text::escape(why)),
    };
    Answer {
        exit: if failed == 0 { Exit::Fine } else { Exit::Refused },
        facts: json!({"skills": results.len(), "wrong": failed}),
        result: results.iter().map(line).collect(),
        message: String::new(),
    }
}

fn check_one(name: &str) -> Result<(), String> {
    let skill = Skill::find(name).map_err(|error| error.to_string())?;
    let example =
        catalog::file(name, "assets/example.json").ok_or("it has no assets/example.json")?;
    let fields: Map<String, Value> =
        serde_json::from_str(example).map_err(|error| error.to_string())?;
    let context =
        Context { now: "2026-03-10T12:00:00Z".into(), snapshot: None, folder: PathBuf::from(".") };
    let output = skill
        .make(&Input { fields, upstream: None }, &context)
        .map_err(|fault| fault.to_string())?;
    let main = output.artifacts.first().ok_or("it makes no artifact")?;
    let mut golden =
        catalog::files(name).filter(|(path, _)| path.starts_with("assets/example.out."));
    if golden.any(|(_, text)| text == main.text) {
        Ok(())
    } else {
        Err("its example gives another text".into())
    }
}
