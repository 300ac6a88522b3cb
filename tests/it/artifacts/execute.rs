//! Executes generated code on values, or compiles it. The tests define the expected verdicts.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::judge::{self, bench, folder};
use super::{types, validation};
use crate::live;

/// A module to be executed on values.
#[derive(Clone)]
pub(crate) struct Module {
    pub(crate) library: &'static str,
    pub(crate) text: String,
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
}

/// Executes modules; returns for each value true, false, or the error as text. Starting a judge takes longer than most
/// modules, so that all modules, of all libraries, are better given at once.
pub(crate) fn execute(modules: &[Module]) -> Vec<Vec<Value>> {
    let is_python = |module: &&Module| module.library == "pydantic";
    let (python, script): (Vec<&Module>, Vec<&Module>) = modules.iter().partition(is_python);
    let own = folder().join("venv/bin/python");
    let mut python = execute_in(&own, "run.py", "py", &python).into_iter();
    let mut script = execute_in(Path::new("node"), "run.mjs", "ts", &script).into_iter();
    let mut verdicts =
        |module| if is_python(&module) { python.next() } else { script.next() }.unwrap();
    modules.iter().map(&mut verdicts).collect()
}

fn execute_in(
    program: &Path,
    runner: &str,
    extension: &str,
    modules: &[&Module],
) -> Vec<Vec<Value>> {
    if modules.is_empty() {
        return Vec::new();
    }
    let bench = bench();
    let mut plan = Vec::new();
    for (at, module) in modules.iter().enumerate() {
        let file = bench.path().join(format!("m{at}.{extension}"));
        fs::write(&file, &module.text).unwrap();
        plan.push(json!({ "library": module.library, "file": file, "name": module.name, "values": module.values }));
    }
    let file = bench.path().join("plan.json");
    fs::write(&file, json!({ "modules": plan }).to_string()).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges");
    let copied = bench.path().join(runner);
    fs::copy(here.join(runner), &copied).unwrap();
    let output = Command::new(program).arg(&copied).arg(&file).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let verdicts: Vec<Vec<Value>> = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr))
    });
    assert_eq!(verdicts.len(), modules.len(), "a list of verdicts for each module");
    verdicts
}

/// All at once, since reading the declarations of the libraries takes longer than most modules.
#[test]
fn what_is_written_for_scripts_compiles_strictly() {
    if judge::find("node_modules/typescript").is_none() {
        return;
    }
    let mut all = Vec::new();
    for (folder, files) in [
        ("types", types::modules()),
        ("validation", validation::modules(&["zod", "joi", "yup"])),
        ("cases", crate::cases::modules()),
    ] {
        all.extend(files.into_iter().map(|(name, text)| (format!("{folder}/{name}.ts"), text)));
    }
    // With this option the declared types of recursive schemas are narrower than those that validators infer.
    assert_eq!(compile(&all, &["exactOptionalPropertyTypes"]), "");
}

/// Compiles TypeScript files with the strictest options, but for some; returns the compiler's output.
pub(crate) fn compile(files: &[(String, String)], others: &[&str]) -> String {
    let bench = bench();
    for (name, text) in files {
        live::write(&bench.path().join(name), text);
    }
    let mut config = json!({ "compilerOptions": {
        "strict": true, "noEmit": true, "target": "es2022", "lib": ["es2022"], "module": "preserve", "moduleResolution": "bundler",
        "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "noUnusedLocals": true, "skipLibCheck": true,
        "types": [],
    } });
    for name in others {
        config["compilerOptions"][name] = json!(false);
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
