//! `commit-message-formatter`, checked by commitlint's conventional configuration, with warnings as errors.

use std::fs;
use std::path::Path;
use std::process::Command;

use flow::skill::input::place::Request;
use flow::skill::output::Fault;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, context, make, make_in};

const NAME: &str = "commit-message-formatter";
/// Lints messages, ignoring none; prints for each the errors, and the parsed parts.
const JUDGE: &str = r"
import load from '@commitlint/load';
import lint from '@commitlint/lint';
import fs from 'node:fs';
const config = await load({ extends: ['@commitlint/config-conventional'] });
const parserOpts = config.parserPreset?.parserOpts;
const found = [];
for (const message of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const report = await lint(message, config.rules, { parserOpts, defaultIgnores: false });
  found.push([...report.errors, ...report.warnings].map((p) => p.name + ': ' + p.message));
}
console.log(JSON.stringify(found));
";

/// Runs the skill, and runs it again on its own message.
#[track_caller]
fn message(fields: &Value) -> String {
    let output = make(NAME, fields.clone()).unwrap_or_else(|e| panic!("{fields}: {e}"));
    let text = output.artifacts[0].text.clone();
    let again = make(NAME, json!({ "description": text })).unwrap();
    assert_eq!(again.data, output.data, "{fields}");
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{text:?}");
    text
}

#[track_caller]
fn lint(messages: &[String]) {
    if judge::find("node_modules/@commitlint/load").is_none() {
        return;
    }
    let found = judge::node(JUDGE, &json!([messages, &["Fix: A.".to_owned()][..]].concat()));
    assert_ne!(found[messages.len()], json!([]), "the judge can say no");
    for (message, found) in messages.iter().zip(found.as_array().unwrap()) {
        assert_eq!(found, &json!([]), "{message}");
    }
}

#[test]
fn a_whole_message_that_passes_stays_as_it_is() {
    let definition = flow::skill::generator::find(NAME).unwrap().input;
    for subject in [
        "fix: correct typos in comments",
        "fix(scoped): fixes for `<slot />` and slotted nodes (#6082)",
        "fix(config): fix a section of empty files",
        "docs!: pin vitepress to 2.0.0  (#23223)",
        "refactor: refactored the parser",
        "chore(release): v1.2.0 [skip ci]",
    ] {
        let request = Request { contents: vec![subject.into()], ..Request::default() };
        let given = definition.place(&request).unwrap();
        let output = make(NAME, Value::Object(given.fields)).unwrap();
        assert_eq!(output.artifacts[0].text, format!("{subject}\n"));
    }
    let fields = "type: feat\ndescription: add a form";
    let request = Request { contents: vec![fields.into()], ..Request::default() };
    let given = definition.place(&request).unwrap();
    assert_eq!(Value::Object(given.fields), json!({"type": "feat", "description": "add a form"}));
}

#[test]
fn every_type_and_option_passes() {
    let mut messages = vec![example_output(NAME).artifacts[0].text.clone()];
    for kind in [
        "feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore",
        "revert",
    ] {
        messages.push(message(&json!({"description": "do a thing", "type": kind})));
        messages.push(message(&json!({
            "description": "do a thing: with (parts) #12", "type": kind, "scope": "api/v2#3",
            "body": "Why.\n\nSee #3 there.\nAnd more.", "breaking": true,
            "footers": ["Refs: #12", "Co-authored-by: A <a@example.org>", "See-also: x\ny"],
        })));
    }
    for text in HOSTILE {
        messages.push(message(&json!({"description": text, "type": "fix"})));
        messages.push(message(&json!({
            "description": "x", "type": "fix", "body": format!("{text}\n{text}\n\n{text}"),
            "breaking": text, "footers": [format!("Note: {text}")],
        })));
    }
    for text in
        ["README is read", "OpenAPI is written", "Add it.", "ÄNDERN", "B", "2nd try", "a. b..."]
    {
        messages.push(message(&json!({"description": text, "type": "docs"})));
    }
    let long = "word ".repeat(400);
    messages.push(message(&json!({"description": "x", "type": "fix", "body": long})));
    let body = "one\nbreaking change ahead\n* BREAKING-CHANGE too\nends #1\nfixes #2, closes #3";
    messages.push(message(&json!({"description": "x", "type": "fix", "body": body})));
    messages.push(message(
        &json!({"description": "Add a login form.\n\nIt was asked for.\n\nRefs #4"}),
    ));
    lint(&messages);
}

#[test]
fn the_parts_are_read_back() {
    let fields = json!({
        "description": "sign in", "type": "feat", "scope": "auth", "body": "Why.\n\nMore.",
        "breaking": true, "footers": ["Refs: #1", "Reviewed-by: A"],
    });
    let output = make(NAME, fields.clone()).unwrap();
    assert!(output.notes.is_empty(), "{:?}", output.notes);
    let again = make(NAME, json!({"description": output.artifacts[0].text})).unwrap().data;
    let parts = fields.as_object().unwrap().iter().filter(|(name, _)| *name != "footers");
    for (name, value) in parts {
        assert_eq!(&again[name], value, "{name}");
    }
}

#[test]
fn a_text_that_is_no_message_is_taken_apart() {
    let cases = [
        (
            "Fix the API for UTF-8, see JIRA-123. Tokens were dropped. Closes #42.\n\nBREAKING CHANGE: tokens are required",
            "fix!: fix the API for UTF-8, see JIRA-123\n\nTokens were dropped. Closes #42.\n\nBREAKING CHANGE: tokens are required\n",
        ),
        ("fix a crash (closes org/app#42)", "fix: fix a crash (closes org/app#42)\n"),
        ("add e.g. v1.5 of #42", "feat: add e.g. v1.5 of #42\n"),
        ("fix: a crash. It closes #42", "fix: a crash. It closes #42\n"),
    ];
    let made: Vec<String> =
        cases.iter().map(|(text, _)| message(&json!({ "description": text }))).collect();
    for ((text, expected), made) in cases.iter().zip(&made) {
        assert_eq!(made, expected, "{text}");
    }
    lint(&made);
}

#[test]
fn long_first_lines_warn_and_then_fail() {
    let run = |length| make(NAME, json!({"type": "fix", "description": "x".repeat(length)}));
    assert!(run(67).unwrap().notes.is_empty());
    assert_eq!(run(68).unwrap().notes.len(), 1);
    assert!(run(95).is_ok());
    assert!(matches!(run(96), Err(Fault::Bad { field, .. }) if field == "description"));
}

#[test]
fn bad_input_is_named() {
    let named = |fields: Value| make(NAME, fields.clone()).map(|o| panic!("{fields}: {o:?}"));
    let field = |fields: Value| match named(fields) {
        Err(Fault::Missing { field, .. } | Fault::Bad { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(json!({"type": "fix"})), "description");
    assert_eq!(field(json!({"type": "fix", "description": "   "})), "description");
    assert_eq!(field(json!({"description": "...", "type": "fix"})), "description");
    assert_eq!(field(json!({"description": "a\u{1b}[31mb", "type": "fix"})), "description");
    assert_eq!(field(json!({"description": "zyx it"})), "type");
    assert_eq!(field(json!({"description": "x", "type": "perfect"})), "type");
    assert_eq!(field(json!({"description": "x", "type": "fix", "scope": "a)b"})), "scope");
    assert_eq!(field(json!({"description": "x", "type": "fix", "body": "a\u{0}"})), "body");
    assert_eq!(field(json!({"description": "x", "type": "fix", "footers": ["no"]})), "footers[0]");
    assert_eq!(field(json!({"description": "x", "type": "fix", "breaking": 1})), "breaking");
    let word = "x".repeat(101);
    assert_eq!(field(json!({"description": "x", "type": "fix", "body": word})), "body");
}

/// A git repository with one commit.
pub(crate) fn repository(folder: &Path) -> impl Fn(&[&str]) + '_ {
    let git = move |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        command.args(["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
        command.env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    git(&["init", "-q"]);
    git
}

#[test]
fn what_is_staged_proposes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let git = repository(root);
    let write = |path: &str, text: &str| {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    };
    write("src/parser/mod.rs", "fn a() {}\n");
    write("Cargo.toml", "[package]\nname = \"x\"\nversion = \"1.2.0\"\n");
    write("Cargo.lock", "version = \"1.2.0\"\n");
    git(&["add", "."]);
    git(&["commit", "-qm", "chore: start"]);
    let header = |fields: Value| {
        git(&["add", "-A"]);
        let result = make_in(NAME, fields, &context(root));
        git(&["reset", "-q", "--hard"]);
        result.map(|output| output.data["header"].as_str().unwrap().to_owned())
    };
    let staged = || json!({"staged": true});
    assert!(matches!(header(staged()), Err(Fault::Refused(_))), "nothing is staged");
    let refused = |result: Result<String, Fault>, part: &str| match result {
        Err(Fault::Missing { field, expects, .. }) if field == "type" => {
            assert!(expects.contains(part), "{expects}");
        }
        other => panic!("{other:?}"),
    };
    write("src/parser/tokens.rs", "fn b() {}\n");
    let command = "commit-message-formatter type=feat \"add tokens.rs\", or with type=fix";
    refused(header(staged()), command);
    write("src/parser/tokens.rs", "fn b() {}\n");
    let typed = header(json!({"type": "feat", "staged": true}));
    assert_eq!(typed.unwrap(), "feat: add tokens.rs");
    fs::rename(root.join("src/parser/mod.rs"), root.join("src/parser/all.rs")).unwrap();
    refused(header(json!({})), "\"update all.rs (was mod.rs)\"");
    write("src/parser/mod.rs", "fn a() { b() }\n");
    assert_eq!(header(json!({"staged": true, "description": "fix it"})).unwrap(), "fix: fix it");
    write("docs/a \"b\"\n`c`.md", "x\n");
    assert_eq!(header(staged()).unwrap(), "docs: add 1 file");
    write("tests/a.rs", "x\n");
    assert_eq!(header(staged()).unwrap(), "test: add a.rs");
}
