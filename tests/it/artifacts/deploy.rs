//! `deployment-guide-generator`: every shell block passes `bash -n`, each step has its way back, and clean Markdown.

use std::fmt::Write as _;
use std::process::Command;

use flow::skill::output::Fault;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, make};
use crate::support::fed;

const NAME: &str = "deployment-guide-generator";

/// The guide, and its shell blocks each as a function body that bash is to read.
#[track_caller]
fn made(fields: Value) -> String {
    make(NAME, fields).unwrap().artifacts[0].text.clone()
}

fn blocks(text: &str) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), None::<String>);
    for line in text.lines() {
        match &open {
            None if line.ends_with("bash") && line.starts_with("```") => {
                open = Some(line.trim_end_matches("bash").to_owned());
                found.push(String::new());
            }
            Some(fence) if line == fence => open = None,
            Some(_) => writeln!(found.last_mut().unwrap(), "{line}").unwrap(),
            None => {}
        }
    }
    found
}

#[track_caller]
fn bash_reads(scripts: &[String]) {
    let Some(bash) = judge::find("bash") else { return };
    for script in scripts {
        let output = fed(Command::new(&bash).arg("-n"), script.as_bytes());
        assert!(output.status.success(), "{}{script}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn every_target_is_clean_and_can_be_taken_back() {
    let mut texts = vec![example_output(NAME).artifacts[0].text.clone()];
    for target in ["systemd", "docker compose", "kubernetes", "static site"] {
        let text = made(json!({"target": target, "health": "http://x/'$(id)'"}));
        let (steps, back) =
            (text.matches("### Step ").count(), text.matches("### Take back step ").count());
        assert!(steps >= 3 && steps == back, "{text}");
        texts.push(text);
    }
    texts.push(made(json!({
        "target": "mars", "service": HOSTILE.join(" "), "health": "true",
        "env": [{"name": "A", "description": HOSTILE.join("\n"), "example": HOSTILE.join(" "), "required": false}, "B=1: b"],
        "steps": [
            {"name": HOSTILE.join("\n"), "command": "$ echo 'a```b' \\\n\t&& echo \"$(ls | wc -l)\" > out 2>&1", "verify": "true", "rollback": "true"},
            {"command": "# why\nmake deploy", "verify": "test -f x", "rollback": "rm -f x"},
        ],
    })));
    let scripts: Vec<String> = texts.iter().flat_map(|text| blocks(text)).collect();
    assert!(scripts.len() > 60, "{}", scripts.len());
    bash_reads(&scripts);
    judge::markdown(&texts);
}

#[test]
fn what_is_let_through_can_be_read() {
    let pieces = [
        "a", "'", "\"", "$(", ")", "&&", "|", ";", "\n", " ", "\\", "if", "<", ">", "${x", "}",
        "`", "#", "(", "&", "!", "a=(", "b$",
    ];
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut commands: Vec<String> = HOSTILE.iter().map(|text| (*text).to_owned()).collect();
    commands.extend(
        (0..3000).map(|_| (0..=next(7)).map(|_| pieces[next(pieces.len())]).collect::<String>()),
    );
    let is_let = |command: &&String| {
        let step = json!({"command": command, "verify": "true", "rollback": "true"});
        make(NAME, json!({"target": "x", "steps": [step]})).is_ok()
    };
    let passed: Vec<String> = commands.iter().filter(is_let).cloned().collect();
    assert!(passed.len() > 50, "{}", passed.len());
    bash_reads(&passed);
}

#[test]
fn bad_input_is_named() {
    let field = |fields: Value| match make(NAME, fields) {
        Err(Fault::Missing { field, .. } | Fault::Bad { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(json!({})), "target");
    assert_eq!(field(json!({"target": "mars"})), "steps");
    assert_eq!(field(json!({"target": "a\nb"})), "target");
    assert_eq!(field(json!({"target": "x", "steps": [{"command": "a"}]})), "steps[0].verify");
    assert_eq!(
        field(json!({"target": "x", "steps": [{"command": "a", "verify": "b"}]})),
        "steps[0].rollback"
    );
    assert_eq!(
        field(
            json!({"target": "x", "steps": [{"command": "a '", "verify": "b", "rollback": "c"}]})
        ),
        "steps[0].command"
    );
    assert_eq!(field(json!({"target": "systemd", "env": ["1A"]})), "env[0].name");
    assert_eq!(field(json!({"target": "systemd", "env": ["A", "A"]})), "env[1].name");
    assert_eq!(field(json!({"target": "systemd", "health": "a &&"})), "health");
}
