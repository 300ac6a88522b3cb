//! What skills write, judged by those who will read it. The judges lie in `$FLOW_JUDGES`, else in `tests/judges`; where
//! one is missing its tests are skipped, in one line, and fail with `CI=true`.

#![expect(
    clippy::print_stdout,
    reason = "figures and skipped judges are said, in the test's own output"
)]

mod testcases;
mod stories;
mod status;
mod sql;
mod retro;
mod pr;
mod openapi;
mod migration;
mod handoff;
mod logs;
mod judge;
mod errors;
mod diagram;
mod deploy;
mod criteria;
mod common;
mod commits;
mod changelog;
mod agent_skills;
mod adr;
mod brief;
mod cases;
mod types;
mod validation;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use flow::skill::generator;
use flow::skill::input::{Context, Input};
use flow::skill::output::{Fault, Output};
use serde_json::{Value, json};

/// Where the judges are installed.
pub(crate) fn judges() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges");
    std::env::var_os("FLOW_JUDGES").map_or(own, PathBuf::from)
}

/// Whether a judge is there, by its path under the folder of judges.
pub(crate) fn has(judge: &str) -> bool {
    let found = judges().join(judge).exists();
    assert!(
        found || std::env::var_os("CI").is_none_or(|ci| ci != "true"),
        "the judge {judge} is not installed"
    );
    if !found {
        println!("skipped: the judge {judge} is not installed");
    }
    found
}

/// Runs a skill on fields.
pub(crate) fn run(skill: &str, fields: &Value) -> Result<Output, Fault> {
    let input = Input { fields: fields.as_object().cloned().unwrap_or_default(), upstream: None };
    generator::run(skill, &input, &context())
}

/// A context of a fixed time and the demo project.
pub(crate) fn context() -> Context {
    Context {
        now: flow::skill::catalog::EXAMPLES_NOW.into(),
        state: flow::skill::files::Files::demo().state(),
        folder: PathBuf::from("."),
    }
}

/// A folder in which scripts find the judges' modules.
pub(crate) fn bench() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(judges().join("node_modules"), folder.path().join("node_modules"))
        .unwrap();
    folder
}

/// A module to be executed on values.
pub(crate) struct Module {
    pub(crate) library: &'static str,
    pub(crate) text: String,
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
}

/// Executes modules; gives for each value true, false, or what went wrong as text.
pub(crate) fn execute(modules: &[Module]) -> Vec<Vec<Value>> {
    let folder = bench();
    let python = modules.first().is_some_and(|module| module.library == "pydantic");
    let mut plan = Vec::new();
    for (at, module) in modules.iter().enumerate() {
        let file = folder.path().join(format!("m{at}.{}", if python { "py" } else { "ts" }));
        fs::write(&file, &module.text).unwrap();
        plan.push(json!({ "library": module.library, "file": file, "name": module.name, "values": module.values }));
    }
    let file = folder.path().join("plan.json");
    fs::write(&file, json!({ "modules": plan }).to_string()).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges");
    let runner = folder.path().join(if python { "run.py" } else { "run.mjs" });
    fs::copy(here.join(runner.file_name().unwrap()), &runner).unwrap();
    let program = if python { judges().join("venv/bin/python") } else { PathBuf::from("node") };
    let output = Command::new(program).arg(&runner).arg(&file).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr))
    })
}

/// Compiles files of TypeScript under the strictest rules; gives what the compiler says.
pub(crate) fn compile(files: &[(String, String)]) -> String {
    let folder = bench();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let config = json!({ "compilerOptions": {
        "strict": true, "noEmit": true, "target": "es2022", "module": "preserve", "moduleResolution": "bundler",
        "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "noUnusedLocals": true, "skipLibCheck": true,
        "types": [],
    } });
    fs::write(folder.path().join("tsconfig.json"), config.to_string()).unwrap();
    let script = judges().join("node_modules/typescript/bin/tsc");
    let output = Command::new("node")
        .arg(script)
        .arg("-p")
        .arg(folder.path())
        .current_dir(&folder)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
