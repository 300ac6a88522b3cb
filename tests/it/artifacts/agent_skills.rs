//! Every SKILL.md, checked by the Agent Skills validator.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::judge;

#[test]
fn every_skill_is_a_valid_agent_skill() {
    let Some(validator) = judge::find("venv/bin/agentskills") else { return };
    let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills");
    let mut tried = 0;
    for entry in fs::read_dir(skills).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("SKILL.md").exists() {
            let output = Command::new(&validator).arg("validate").arg(&folder).output().unwrap();
            assert!(output.status.success(), "{}: {output:?}", folder.display());
            tried += 1;
        }
    }
    assert!(tried > 0);
}
