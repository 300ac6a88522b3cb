//! A skill that can be run: built-in, or a template of the project.

use serde_json::{Value, json};

use super::help;
use crate::skill::generator;
use crate::skill::generator::skill::{self, Pipe};
use crate::skill::input::definition::Request;
use crate::skill::input::given::Given;
use crate::skill::input::kind::Kind;
use crate::skill::input::typed::{self, property};
use crate::skill::output::{Artifact, Fault, Output};
use crate::skill::project_state::Context;
use crate::skill::runtime::custom::Custom;
use crate::skill::runtime::{catalog, sandbox};

/// A skill that can be run.
pub(super) enum Skill {
    /// A skill of the catalog.
    BuiltIn(&'static skill::Skill),
    /// A template of the project; `ending` is the extension of its artifact.
    Custom { name: String, ending: String, custom: Box<Custom> },
}

impl Skill {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::BuiltIn(skill) => skill.name,
            Self::Custom { name, .. } => name,
        }
    }

    /// The output of `show`: its page, then its input.
    pub(super) fn page(&self) -> String {
        match self {
            Self::BuiltIn(skill) => {
                let page = catalog::file(skill.name, "SKILL.md").unwrap_or_default();
                format!("{}\n{}", page.trim_end(), help::input(skill))
            }
            Self::Custom { custom, .. } => custom.template.clone(),
        }
    }

    /// The output of `--help`.
    pub(super) fn help(&self) -> String {
        match self {
            Self::BuiltIn(skill) => help::skill(skill),
            Self::Custom { name, custom, .. } => help::custom(name, custom),
        }
    }

    /// A call with an input.
    pub(super) fn example(&self) -> Option<&'static str> {
        match self {
            Self::BuiltIn(skill) => catalog::example(skill.name),
            Self::Custom { .. } => None,
        }
    }

    pub(super) fn schema_text(&self) -> String {
        match self {
            Self::BuiltIn(skill) => skill.schema_text(),
            Self::Custom { custom, .. } => format!("{:#}\n", custom.schema),
        }
    }

    /// How a pipe is read besides a request.
    pub(super) fn pipe(&self, request: &Request) -> Pipe {
        match self {
            Self::BuiltIn(skill) => skill.pipe(request),
            Self::Custom { .. } if request.contents.is_empty() && request.pairs.is_empty() => {
                Pipe::Awaited
            }
            Self::Custom { .. } => Pipe::Unread,
        }
    }

    /// Whether a field takes the variables of a file in place of its path.
    pub(super) fn takes_variables(&self, field: &str) -> bool {
        matches!(self, Self::BuiltIn(skill) if skill.input.takes_variables(field))
    }

    /// Whether a field takes the content of a file in place of its path.
    pub(super) fn takes_file(&self, field: &str) -> bool {
        matches!(self, Self::BuiltIn(skill) if skill.input.takes_file(field))
    }

    /// Whether it has an input field of this name.
    pub(super) fn has_field(&self, name: &str) -> bool {
        match self {
            Self::BuiltIn(skill) => property(&(skill.input.schema)(), name).is_some(),
            Self::Custom { custom, .. } => property(&custom.schema, name).is_some(),
        }
    }

    /// The field whose choices a word is one of; `None` if there is none, or several.
    pub(super) fn option(&self, word: &str) -> Option<String> {
        let Self::BuiltIn(skill) = self else { return None };
        let schema = (skill.input.schema)();
        let has_it = |property: &Value| {
            let choices = typed::words(property).unwrap_or_default();
            choices.iter().filter_map(|choice| choice.as_str()).any(|choice| choice == word)
        };
        let properties = schema["properties"].as_object().into_iter().flatten();
        // The kind of content has an option, `--as`.
        let mut named = properties.filter(|(name, property)| *name != "as" && has_it(property));
        named.next().filter(|_| named.next().is_none()).map(|(name, _)| name.clone())
    }

    /// Puts content and words into fields.
    pub(super) fn place(&self, request: &Request) -> Result<Given, Fault> {
        match self {
            Self::BuiltIn(skill) => skill.place(request),
            Self::Custom { custom, .. } => {
                Ok(Given { fields: custom.place(request)?, ..Given::default() })
            }
        }
    }

    /// Runs the skill.
    pub(super) fn run(&self, given: &Given, context: &Context) -> Result<Output, Fault> {
        match self {
            Self::BuiltIn(skill) => skill.run(given, context),
            Self::Custom { name, ending, custom } => render(name, ending, custom, given, context),
        }
    }

    /// The envelope of its output.
    pub(super) fn envelope(&self, given: &Given, output: &Output) -> Value {
        match self {
            Self::BuiltIn(skill) => generator::envelope(skill, &given.fields, output),
            Self::Custom { name, .. } => json!({
                "skill": name, "version": env!("CARGO_PKG_VERSION"), "kind": Kind::Report, "input": given.fields,
                "data": output.data, "artifacts": output.artifacts, "open": output.open, "notes": output.notes,
                "next": [],
            }),
        }
    }
}

fn render(
    name: &str,
    ending: &str,
    custom: &Custom,
    input: &Given,
    context: &Context,
) -> Result<Output, Fault> {
    custom.check(&input.fields)?;
    let mut fields = input.fields.clone();
    fields.insert("now".into(), json!(context.now));
    fields.insert("today".into(), json!(context.today()));
    let text = sandbox::render(&custom.template, &fields)?;
    let artifact = Artifact::new(format!("{name}.{ending}"), "text", text);
    Ok(Output {
        data: Value::Object(input.fields.clone()),
        artifacts: vec![artifact],
        ..Output::default()
    })
}
