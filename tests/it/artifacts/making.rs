//! Runs skills in tests, each time twice, since the same input must have the same output. `golden.rs` compares with
//! files.

use std::borrow::Borrow;
use std::path::Path;
use std::rc::Rc;
use std::sync::LazyLock;

use flow::files::Files;
use flow::skill::generator::find;
use flow::skill::input::definition::Request;
use flow::skill::input::given::Given;
use flow::skill::input::kind::{Kind, Upstream};
use flow::skill::output::{Fault, Output};
use flow::skill::project_state::Context;
use flow::skill::project_state::state::{Answers, State};
use flow::skill::runtime::catalog::EXAMPLES_NOW;
use serde_json::{Map, Value};

/// The demo project, which never changes: read once for all tests, since reading it costs more than most skills.
static DEMO: LazyLock<Files> = LazyLock::new(Files::demo);

#[derive(Debug)]
struct Demo;

impl Answers for Demo {
    fn get(&self, target: &str) -> Result<(u16, String), String> {
        DEMO.get(target)
    }
}

/// A context with a fixed time and the demo project.
pub(crate) fn context(folder: &Path) -> Context {
    Context {
        now: EXAMPLES_NOW.into(),
        state: State::of(Rc::new(Demo)),
        folder: folder.into(),
        root: folder.into(),
        out: None,
    }
}

/// A context with a fixed time and without a project.
pub(crate) fn nowhere() -> Context {
    Context { state: State::none("no project".into()), ..context(Path::new(".")) }
}

/// Runs a skill on fields.
pub(crate) fn make(skill: &str, fields: impl Borrow<Value>) -> Result<Output, Fault> {
    make_in(skill, fields, &context(Path::new(".")))
}

/// Runs a skill on fields in a context.
pub(crate) fn make_in(
    skill: &str,
    fields: impl Borrow<Value>,
    context: &Context,
) -> Result<Output, Fault> {
    let fields = fields.borrow().as_object().expect("fields are an object").clone();
    run(skill, &Input { fields, upstream: None }, context)
}

/// Runs a skill on content and `key=value` words, as the command line does.
pub(crate) fn place(skill: &str, text: &str, pairs: &[(&str, &str)]) -> Result<Output, Fault> {
    let row = find(skill).unwrap();
    let request = Request {
        contents: vec![text.as_bytes().to_vec()],
        pairs: pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        ..Request::default()
    };
    row.run(&row.place(&request)?, &context(Path::new(".")))
}

/// Fields by name, and the name and the data of the previous skill.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) fields: Map<String, Value>,
    pub(crate) upstream: Option<(String, Value)>,
}

/// Runs a skill on fields and on the output of the previous skill, once.
pub(crate) fn run_once(skill: &str, input: &Input, context: &Context) -> Result<Output, Fault> {
    let upstream = input.upstream.as_ref().map(|(before, data)| Upstream {
        skill: before.clone(),
        kind: find(before).map_or(Kind::Report, |skill| skill.gives),
        data: data.clone(),
    });
    let row = find(skill).expect("the skill exists");
    let given = row.place(&Request { fields: input.fields.clone(), ..Request::default() })?;
    row.run(&Given { upstream, ..given }, context)
}

/// The same, twice.
pub(crate) fn run(skill: &str, input: &Input, context: &Context) -> Result<Output, Fault> {
    let first = run_once(skill, input, context);
    let again = run_once(skill, input, context);
    let shown = |result: &Result<Output, Fault>| match result {
        Ok(output) => Ok((output.data.to_string(), output.artifacts.clone())),
        Err(fault) => Err(fault.clone()),
    };
    assert_eq!(shown(&first), shown(&again), "the same input gives the same bytes");
    first
}

/// Texts that break careless code.
pub(crate) const HOSTILE: [&str; 12] = [
    "say \"hi\" and 'bye'",
    "run `rm -rf /` now",
    "$(touch owned) ${HOME} $HOME",
    "a\\b \\n \\\" \\u{0}",
    "<script>alert(1)</script> & <!-- x -->",
    "| a | b | **bold** _em_ [x](y) # h",
    "日本語 émoji 🎉 \u{202e}rtl",
    "{{ data }} {% for x in y %} {# c #}",
    "*/ // -- ; DROP TABLE x; --",
    "- list + plus 1. number > quote",
    "trailing backslash \\",
    "http://example.org/a_b_c#d",
];
