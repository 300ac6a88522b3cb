//! `deployment-guide-generator`: the blocks of a guide, run.

use std::process::Command;

use serde_json::json;

use super::hostile::shell_blocks;
use super::judge;
use super::making::make;
use crate::support::Project;

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
    let output = make("deployment-guide-generator", fields).unwrap();
    let text = &output.artifacts[0].text;
    let block = |title: &str| {
        let (_, after) = text.split_once(title).unwrap_or_else(|| panic!("{title}\n{text}"));
        shell_blocks(after).swap_remove(0)
    };
    let start = "Start the new version with the new environment\n";
    let (record, up) = (block(": Record the running environment\n"), block(start));
    let (_, rollback) = text.split_once("\n## Rollback\n").unwrap();
    let back = shell_blocks(rollback.split_once(start).unwrap().1).swap_remove(0);
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
