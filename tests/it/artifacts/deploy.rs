//! `deployment-guide-generator`: every shell block passes `bash -n`, each step has a rollback, and the Markdown is
//! clean.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use flow::skill::generator::find;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, context, make};
use crate::support::{Project, fed};

const NAME: &str = "deployment-guide-generator";

/// The guide, and each shell block as the body of a function for bash to parse.
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
fn every_target_is_clean_and_can_be_rolled_back() {
    let mut texts = vec![example_output(NAME).artifacts[0].text.clone()];
    for target in ["systemd", "docker compose", "kubernetes", "static site"] {
        let env = json!(["PORT=8080", "API_TOKEN"]);
        let text = made(json!({"target": target, "health": "http://x/'$(id)'", "env": env}));
        let steps = text.matches("### Step ").count();
        let back = text.matches("### Roll back step ").count();
        assert!(steps >= 3 && back == steps, "{text}");
        let verify = find(NAME).unwrap().verify.unwrap();
        assert_eq!(verify(&text, &context(Path::new("."))), [], "{text}");
        texts.push(text);
    }
    texts.push(made(json!({
        "target": "mars", "service": HOSTILE.join(" "), "health": "true",
        "env": [{"name": "A", "description": HOSTILE.join("\n"), "value": HOSTILE.join(" ")}, "B=1: b"],
    })));
    // A blank is no command yet.
    let is_command = |script: &String| !script.starts_with('<');
    let scripts: Vec<String> =
        texts.iter().flat_map(|text| blocks(text)).filter(is_command).collect();
    assert!(scripts.len() > 50, "{}", scripts.len());
    bash_reads(&scripts);
    judge::markdown(&texts);
}

/// A `docker` whose one container keeps its environment in `running`, and a secret in `run/secrets/API_TOKEN`.
const DOCKER: &str = r#"#!/bin/bash
case "$*" in
  "compose ps --all --quiet shop") [ ! -f running ] || echo 0123 ;;
  "inspect --format "*" 0123") cat running ;;
  "compose cp shop:/run/secrets/"*) tar -c -C run/secrets "${3##*/}" ;;
  "compose up --detach --no-deps --wait shop")
    printf '%s\n' "PATH=/bin" ${GREETING+"GREETING=$GREETING"} ${NEW+"NEW=$NEW"} "VERSION=$VERSION" > running
    mkdir -p run/secrets; printf '%s' "$API_TOKEN" > run/secrets/API_TOKEN ;;
  *) exit 9 ;;
esac
"#;

#[test]
fn a_container_of_the_old_version_gets_the_old_environment() {
    if !judge::are_there(&["bash", "tar", "sed"]) {
        return;
    }
    let fields = json!({"target": "docker compose", "service": "shop", "env": ["GREETING", "NEW", "API_TOKEN"]});
    let text = made(fields);
    let block = |title: &str| {
        let (_, after) = text.split_once(title).unwrap_or_else(|| panic!("{title}\n{text}"));
        blocks(after).swap_remove(0)
    };
    let start = "Start the new version with the new environment\n";
    let (record, up) = (block(": Record the running environment\n"), block(start));
    let (_, rollback) = text.split_once("\n## Rollback\n").unwrap();
    let back = blocks(rollback.split_once(start).unwrap().1).swap_remove(0);
    let project = Project::new();
    project.write("bin/docker", DOCKER);
    let run = |script: &str| {
        let head = "chmod +x bin/docker; export PATH=\"$PWD/bin:$PATH\" SERVICE=shop VERSION=2 PREVIOUS_VERSION=1";
        let mut bash = Command::new("bash");
        bash.args(["-e", "-o", "pipefail", "-c", &format!("{head}\n{script}")]);
        let output = bash.current_dir(&project.root).output().unwrap();
        assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
        let state = ["running", "run/secrets/API_TOKEN"];
        state.map(|file| std::fs::read_to_string(project.root.join(file)).unwrap())
    };
    let old = "export GREETING=\"it's \\$1 & \\\\ more\" API_TOKEN=\"o'ld\"";
    let before = run(&format!("{old}\nVERSION=1 docker compose up --detach --no-deps --wait shop"));
    let new = "export GREETING=hello NEW=x API_TOKEN=new";
    let after = run(&format!("{new}\n{record}\n{up}"));
    assert!(after[0].contains("GREETING=hello\nNEW=x\nVERSION=2\n"), "{after:?}");
    // In another shell, which has the new environment too.
    assert_eq!(before, run(&format!("{new}\n{back}")), "{back}");
}
