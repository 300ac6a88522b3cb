//! Finds a skill by its name: one of the catalog, or a registered one of the project's own.

use std::path::Path;

use serde_json::{Value, json};

use super::super::Here;
use super::super::args::SkillCall;
use super::custom;
use super::gather::Pipe;
use super::text;
use crate::error::{Error, Result};
use crate::skill::check::{self, nearest};
use crate::skill::generator;
use crate::skill::input::{Context, Input};
use crate::skill::output::{Artifact, Fault, Output};
use crate::skill::project_state::recorded;
use crate::skill::read::Fields;
use crate::skill::runtime::custom::Custom;
use crate::skill::runtime::manifest::{self, Manifest};
use crate::skill::runtime::{catalog, sandbox};

/// Words that are no skill's name.
pub(super) const VERBS: [&str; 8] =
    ["list", "show", "schema", "check", "install", "add", "remove", "chain"];

/// A skill that can be run.
pub(super) enum Skill {
    /// One of the catalog.
    BuiltIn { name: &'static str, manifest: Manifest, schema: Value },
    /// One of the project's own, and the ending of its artifact.
    Own { name: String, ending: String, custom: Custom },
}

impl Skill {
    /// The skill of a name.
    pub(super) fn find(here: &Here, word: &str) -> Result<Self> {
        let name = word.to_lowercase();
        if let Some(skill) = Self::built_in(&name)? {
            return Ok(skill);
        }
        if let Some(own) = custom::find(here, &name)? {
            return Ok(own);
        }
        let known: Vec<&str> = catalog::names().chain(VERBS).collect();
        Err(Error::Usage(text::unknown_skill(word, nearest(&name, &known))))
    }

    /// The skill of a name, or of the template that is named by path.
    pub(super) fn find_or_template(here: &Here, call: &SkillCall, name: &str) -> Result<Self> {
        match &call.template {
            Some(path) => custom::explicit(name, Path::new(path)),
            None => Self::find(here, name),
        }
    }

    /// A skill of the catalog.
    pub(super) fn built_in(name: &str) -> Result<Option<Self>> {
        let Some(name) = catalog::names().find(|known| *known == name) else { return Ok(None) };
        let text = |path| catalog::file(name, path).unwrap_or_default();
        let manifest = manifest::read(text("SKILL.md")).map_err(|fault| super::usage(&fault))?;
        let schema = serde_json::from_str(text("assets/input.schema.json")).unwrap_or_default();
        Ok(Some(Self::BuiltIn { name, manifest, schema }))
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::BuiltIn { name, .. } => name,
            Self::Own { name, .. } => name,
        }
    }

    /// What it says of itself.
    pub(super) fn page(&self) -> String {
        match self {
            Self::BuiltIn { name, .. } => {
                catalog::file(name, "SKILL.md").unwrap_or_default().to_owned()
            }
            Self::Own { custom, .. } => format!("{}\n\n{}", custom.description, custom.template),
        }
    }

    pub(super) fn schema_text(&self) -> String {
        match self {
            Self::BuiltIn { name, .. } => {
                catalog::file(name, "assets/input.schema.json").unwrap_or_default().to_owned()
            }
            Self::Own { custom, .. } => format!("{:#}\n", custom.schema),
        }
    }

    /// Its fields, and the one that plain text goes to.
    pub(super) fn fields(&self) -> Fields<'_> {
        match self {
            Self::BuiltIn { manifest, schema, .. } => Fields { schema, main: manifest.main() },
            Self::Own { custom, .. } => {
                let first = custom.schema["required"][0].as_str();
                Fields { schema: &custom.schema, main: first.unwrap_or("text") }
            }
        }
    }

    /// What a pipe means where no input is named. A skill that needs none must not wait for one: who runs it may
    /// hold standard input open without ever writing.
    pub(super) fn pipe(&self) -> Pipe {
        match self {
            Self::BuiltIn { manifest, .. } if manifest.is_alone() => Pipe::PassedOver,
            _ => Pipe::Input,
        }
    }

    /// Runs it.
    pub(super) fn make(&self, input: &Input, context: &Context) -> Result<Output, Fault> {
        match self {
            Self::BuiltIn { name, schema, .. } => {
                let mut given = input.fields.clone();
                if input.upstream.is_some() || given.contains_key(recorded::FIELD) {
                    // What the skill before made, or the project's story, stands for the main field.
                    given.entry(self.fields().main).or_insert_with(|| Value::from("elsewhere"));
                }
                check::check(schema, &given)?;
                generator::run(name, input, context)
            }
            Self::Own { name, ending, custom } => render(name, ending, (custom, input, context)),
        }
    }
}

fn render(
    name: &str,
    ending: &str,
    (custom, input, context): (&Custom, &Input, &Context),
) -> Result<Output, Fault> {
    check::check(&custom.schema, &input.fields)?;
    let mut fields = custom.defaults.clone();
    fields.extend(input.fields.clone());
    fields.insert("now".into(), json!(context.now));
    fields.insert("today".into(), json!(context.today()));
    let text = sandbox::render(&custom.template, &fields)?;
    let artifact = Artifact { path: format!("{name}.{ending}"), kind: "text", text };
    Ok(Output {
        data: Value::Object(input.fields.clone()),
        artifacts: vec![artifact],
        ..Output::default()
    })
}
