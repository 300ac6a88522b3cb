//! Executes generated code on values, or compiles it. The tests define the expected verdicts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::judge::{bench, folder};

/// A module to be executed on values.
#[derive(Clone)]
pub(crate) struct Module {
    pub(crate) library: &'static str,
    pub(crate) text: String,
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
}

/// Executes modules; returns for each value true, false, or the error as text.
pub(crate) fn execute(modules: &[Module]) -> Vec<Vec<Value>> {
    let bench = bench();
    let python = modules.first().is_some_and(|module| module.library == "pydantic");
    let mut plan = Vec::new();
    for (at, module) in modules.iter().enumerate() {
        let file = bench.path().join(format!("m{at}.{}", if python { "py" } else { "ts" }));
        fs::write(&file, &module.text).unwrap();
        plan.push(json!({ "library": module.library, "file": file, "name": module.name, "values": module.values }));
    }
    let file = bench.path().join("plan.json");
    fs::write(&file, json!({ "modules": plan }).to_string()).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges");
    let runner = bench.path().join(if python { "run.py" } else { "run.mjs" });
    fs::copy(here.join(runner.file_name().unwrap()), &runner).unwrap();
    let program = if python { folder().join("venv/bin/python") } else { PathBuf::from("node") };
    let output = Command::new(program).arg(&runner).arg(&file).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr))
    })
}

/// Compiles TypeScript files with the strictest options; returns the compiler's output.
pub(crate) fn compile(files: &[(String, String)]) -> String {
    compile_with(files, &json!({}))
}

/// The same with other options.
pub(crate) fn compile_with(files: &[(String, String)], options: &Value) -> String {
    let bench = bench();
    for (name, text) in files {
        fs::write(bench.path().join(name), text).unwrap();
    }
    let mut config = json!({ "compilerOptions": {
        "strict": true, "noEmit": true, "target": "es2022", "module": "preserve", "moduleResolution": "bundler",
        "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "noUnusedLocals": true, "skipLibCheck": true,
        "types": [],
    } });
    for (name, value) in options.as_object().into_iter().flatten() {
        config["compilerOptions"][name] = value.clone();
    }
    fs::write(bench.path().join("tsconfig.json"), config.to_string()).unwrap();
    let script = folder().join("node_modules/typescript/bin/tsc");
    let output = Command::new("node")
        .arg(script)
        .arg("-p")
        .arg(bench.path())
        .current_dir(&bench)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
