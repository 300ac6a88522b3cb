//! The arguments of `flow schema`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::project::Source;

/// Examples for the help.
pub(super) const HELP: &str = "\
Examples:
  flow schema status > .vscode/status.schema.json
  flow schema --for-agents >> AGENTS.md
The schema of a skill's input: flow skill schema NAME";

#[derive(Debug, PartialEq, Eq, clap::Args)]
pub(in crate::cli) struct SchemaCall {
    /// The file whose schema is printed
    #[arg(value_name = "FILE", value_parser = sources(), ignore_case = true)]
    pub(in crate::cli) file: Option<Source>,
    /// Print a paragraph for AGENTS.md or CLAUDE.md: which files agents write, and how
    #[arg(long, conflicts_with = "file")]
    pub(in crate::cli) for_agents: bool,
}

fn sources() -> impl TypedValueParser<Value = Source> {
    let value = |source: Source| PossibleValue::new(source.name()).help(source.content());
    let values = PossibleValuesParser::new(Source::ALL.map(value));
    values.map(|name| {
        let is_meant = |source: &Source| source.name().eq_ignore_ascii_case(&name);
        Source::ALL.into_iter().find(is_meant).unwrap_or(Source::Status)
    })
}
