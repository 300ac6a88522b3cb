//! The examples in the folders of skills, and their output. A golden file contains it byte by byte; `FLOW_UPDATE=1`
//! updates it.

use std::fs;
use std::path::Path;

use flow::skill::output::Output;
use serde_json::Value;

use super::making::{context, make_in};
use crate::tools;

/// The fields of a skill's example.
pub(crate) fn example(skill: &str) -> Value {
    let text = flow::skill::runtime::catalog::file(skill, "assets/example.json").unwrap();
    serde_json::from_str(text).unwrap()
}

/// The output for a skill's example; its first artifact is compared with `example.out`.
#[track_caller]
pub(crate) fn example_output(skill: &str) -> Output {
    // In no repository: its commits may name the stories of the examples.
    let output = make_in(skill, example(skill), &context(Path::new("/"))).unwrap();
    let main = &output.artifacts[0];
    let extension = main.path.rsplit('.').next().unwrap();
    golden(skill, &format!("example.out.{extension}"), &main.text);
    output
}

/// Compares a text with a golden file of a skill.
#[track_caller]
pub(crate) fn golden(skill: &str, file: &str, text: &str) {
    hold(&format!("skills/{skill}/assets/{file}"), text);
}

/// Compares a text with a file of the project.
#[track_caller]
pub(crate) fn hold(file: &str, text: &str) {
    let path = tools::repository(file);
    if std::env::var_os("FLOW_UPDATE").is_some_and(|update| update == "1") {
        fs::write(&path, text).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    let first = there.lines().zip(text.lines()).find(|(there, made)| there != made);
    assert!(
        there == text,
        "{file} is not what is made now (FLOW_UPDATE=1 writes it); first difference: {first:?}"
    );
}

/// Compares the generated parts of a page of the project with it.
#[track_caller]
pub(crate) fn hold_parts(file: &str, parts: &[(&str, String)]) {
    hold(file, &with_parts(tools::text(file), parts));
}

/// A page with these parts, each between `<!-- NAME -->` and `<!-- end of NAME -->`.
#[track_caller]
pub(crate) fn with_parts(mut page: String, parts: &[(&str, String)]) -> String {
    for (name, text) in parts {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("no part {name}"));
        let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no end of {name}"));
        page = format!("{before}{begin}{text}{end}{after}");
    }
    page
}
