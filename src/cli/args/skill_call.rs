//! The arguments of `flow skill`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::skill::input::content::ContentKind;

#[derive(Debug, PartialEq, Eq, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option that is given or not")]
pub(in crate::cli) struct SkillCall {
    /// A skill's NAME, then text (`\n` begins a new line) and key=value words (--key value is the same); or a verb
    #[arg(value_name = "WORD", required = true)]
    pub(in crate::cli) words: Vec<String>,
    /// Read the input from a file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) input: Option<PathBuf>,
    /// Use this story of the project as the input
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) from_story: Option<String>,
    /// Read the input as this kind of content instead of recognising it: fields, sample, ddl, text, …
    #[arg(long = "as", value_name = "KIND", value_parser = kinds())]
    pub(in crate::cli) kind: Option<ContentKind>,
    /// Write the artifacts to a file or folder instead of printing the main one; with install, the folder (--to)
    #[arg(long, value_name = "PATH", alias = "to")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// The current time for the skill (RFC 3339 or a date), for reproducible output
    #[arg(long, value_name = "TIME")]
    pub(in crate::cli) now: Option<String>,
    /// Fail if a question is open
    #[arg(long)]
    pub(in crate::cli) strict: bool,
    /// Replace existing files
    #[arg(long)]
    pub(in crate::cli) force: bool,
    /// Render this template without registering it
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) template: Option<PathBuf>,
    /// With add: every template of the project; with install: every skill
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// With add --all: do not ask for confirmation
    #[arg(long)]
    pub(in crate::cli) yes: bool,
}

fn kinds() -> impl TypedValueParser<Value = ContentKind> {
    let names = PossibleValuesParser::new(ContentKind::NAMED.map(|(_, name)| name));
    names.map(|name| ContentKind::named(&name).unwrap_or(ContentKind::Text))
}
