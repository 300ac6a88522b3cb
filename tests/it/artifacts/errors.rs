//! `error-handler-template`: each language's strict checker takes the file, and run, each case gives its status.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use flow::skill::output::Fault;
use serde_json::{Value, json};

use super::golden::{example_output, golden};
use super::judge;
use super::making::{HOSTILE, make};

const NAME: &str = "error-handler-template";
const LANGUAGES: [(&str, &str); 4] =
    [("typescript", "ts"), ("javascript", "mjs"), ("python", "py"), ("rust", "rs")];
/// Reserved words, names of classes and of the template's own things.
const CODES: [&str; 24] = [
    "type",
    "error",
    "SELF",
    "class",
    "constructor",
    "toString",
    "TIMEOUT",
    "PERMISSION_ERROR",
    "APP",
    "Exception",
    "None",
    "a",
    "x-1.y",
    "ErrorKind",
    "ErrorResponse",
    "Outcome",
    "UNEXPECTED",
    "logger",
    "OS",
    "i_o",
    "ALL",
    "box",
    "String",
    "hasOwnProperty",
];

/// Inputs: the example, one case, and every code and text that breaks what is careless.
fn inputs() -> Vec<Value> {
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("skills").join(NAME).join("assets/example.json");
    let example: Value = serde_json::from_str(&fs::read_to_string(example).unwrap()).unwrap();
    let texts = HOSTILE.iter().map(|text| format!("{text}\n\r\t\u{0}\u{2028}\u{1b}{text}"));
    let texts = texts.chain(["\"\"\"'''${x}`".to_owned(), "x".repeat(5000)]);
    let hostile = CODES.iter().zip(texts.collect::<Vec<_>>().into_iter().cycle()).enumerate().map(|(at, (code, text))| {
        json!({"code": code, "status": 400 + at * 8, "message": text, "retryable": at % 2 == 0})
    });
    let hostile: Vec<Value> = hostile.collect();
    let many: Vec<Value> =
        (0..500).map(|at| json!(format!("CASE_{at} {} retryable", 400 + at % 200))).collect();
    vec![
        example,
        json!({"cases": "ONE 404"}),
        json!({"cases": hostile}),
        json!({"cases": many, "name": "TheFailure"}),
    ]
}

/// Each input in a language: the text, and what each case must give.
fn made(language: &str) -> Vec<(String, Value)> {
    let make = |mut fields: Value| {
        fields["language"] = language.into();
        let output = make(NAME, fields).unwrap();
        (output.artifacts[0].text.clone(), output.data["cases"].clone())
    };
    inputs().into_iter().map(make).collect()
}

/// Runs compiled or plain modules: for each case, what the handler gives for its class, and for a foreign error.
const RUN: &str = r"
import fs from 'node:fs';
const found = [];
for (const { file, cases } of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const module = await import(file);
  const logged = [];
  const logger = { warn: (...a) => logged.push(['warn', ...a]), error: (...a) => logged.push(['error', ...a]) };
  for (const c of cases) {
    const outcome = await module.attempt(async () => { throw new module[c.name]('secret', { a: 1 }, new Error('why')); }, logger);
    const { status, body: { error } } = outcome.response;
    const level = logged.at(-1)[0];
    const same = status === c.status && error.code === c.code && error.message === c.message
      && error.retryable === c.retryable && level === (c.status < 500 ? 'warn' : 'error');
    if (!same) found.push({ file, c, outcome });
  }
  const foreign = await module.attempt(() => { throw 'secret'; }, logger);
  if (foreign.response.status !== 500 || JSON.stringify(foreign).includes('secret')) found.push({ file, foreign });
  const fine = await module.attempt(() => 7, logger);
  if (!fine.ok || fine.value !== 7) found.push({ file, fine });
}
console.log(JSON.stringify(found));
";

#[track_caller]
fn runs(folder: &Path, extension: &str, made: &[(String, Value)]) {
    let job = made.iter().enumerate().map(|(at, (_, cases))| {
        json!({"file": folder.join(format!("e{at}.{extension}")), "cases": cases})
    });
    assert_eq!(judge::node(RUN, &job.collect()), json!([]));
}

fn write(folder: &Path, extension: &str, made: &[(String, Value)]) -> Vec<String> {
    let file = |(at, (text, _)): (usize, &(String, Value))| {
        let name = format!("e{at}.{extension}");
        fs::write(folder.join(&name), text).unwrap();
        name
    };
    made.iter().enumerate().map(file).collect()
}

#[test]
fn each_language_has_its_golden_file() {
    example_output(NAME);
    for (language, extension) in LANGUAGES {
        golden(NAME, &format!("example.out.{extension}"), &made(language)[0].0);
    }
}

#[test]
fn typescript_and_javascript_are_strict_and_run() {
    let Some(tsc) = judge::find("node_modules/.bin/tsc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (ts, js) = (made("typescript"), made("javascript"));
    let mut files = write(folder.path(), "ts", &ts);
    let scripts = write(folder.path(), "mjs", &js);
    files.extend(scripts.iter().cloned());
    let strict = [
        "--strict",
        "--noUncheckedIndexedAccess",
        "--exactOptionalPropertyTypes",
        "--noUnusedLocals",
        "--noUnusedParameters",
        "--noImplicitOverride",
        "--allowJs",
        "--checkJs",
        "--target",
        "es2022",
        "--module",
        "es2022",
        "--outDir",
        "out",
    ];
    judge::said(Command::new(tsc).args(strict).args(&files).current_dir(folder.path()));
    let out = folder.path().join("out");
    fs::write(out.join("package.json"), r#"{"type": "module"}"#).unwrap();
    runs(&out, "js", &ts);
    runs(folder.path(), "mjs", &js);
    judge::said(Command::new("node").arg("--check").arg(folder.path().join("e2.mjs")));
}

#[test]
fn python_is_strict_and_runs() {
    let Some(mypy) = judge::find("venv/bin/mypy") else { return };
    let folder = tempfile::tempdir().unwrap();
    let made = made("python");
    let files = write(folder.path(), "py", &made);
    judge::said(Command::new(mypy).arg("--strict").args(&files).current_dir(folder.path()));
    let cases: Vec<&Value> = made.iter().map(|(_, cases)| cases).collect();
    fs::write(folder.path().join("cases.json"), serde_json::to_vec(&cases).unwrap()).unwrap();
    let run = r"
import importlib, json, logging, sys
logging.disable(logging.CRITICAL)
sys.path.insert(0, '.')
def fail(error):
    raise error
for at, cases in enumerate(json.load(open('cases.json'))):
    m = importlib.import_module(f'e{at}')
    for c in cases:
        assert m.ERRORS[c['code']] is getattr(m, c['name'])
        r = m.attempt(lambda: fail(getattr(m, c['name'])('secret', a=1))).response
        assert (r.status, r.code, r.message, r.retryable) == (c['status'], c['code'], c['message'], c['retryable']), c
    foreign = m.attempt(lambda: fail(KeyError('secret'))).response
    assert foreign.status == 500 and 'secret' not in json.dumps(foreign.body())
    assert m.attempt(lambda: 7).value == 7
";
    let python = judge::find("venv/bin/python").unwrap();
    judge::said(Command::new(python).args(["-c", run]).current_dir(folder.path()));
}

#[test]
fn rust_compiles_without_a_warning_and_runs() {
    let Some(rustc) = judge::find("rustc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let made = made("rust");
    write(folder.path(), "rs", &made);
    let mut main = "#![deny(warnings)]\n".to_owned();
    let mut body = String::new();
    for (at, (_, cases)) in made.iter().enumerate() {
        let _ = writeln!(main, "pub mod e{at};");
        let error = if at == 0 {
            "ShopError"
        } else if at == 3 {
            "TheFailure"
        } else {
            "AppError"
        };
        for case in cases.as_array().unwrap() {
            let [name, code, message] =
                ["name", "code", "message"].map(|field| case[field].as_str().unwrap());
            let _ = write!(
                body,
                "    let error = e{at}::{error}::new(e{at}::ErrorKind::{name}, \"secret\").with_source(\"why\");\n    \
                 let r = e{at}::attempt::<()>(&e{at}::StandardError, || Err(error)?).unwrap_err();\n    \
                 assert_eq!((r.status, r.code, r.message, r.retryable), ({}, {code:?}, {message:?}, {}));\n",
                case["status"], case["retryable"],
            );
        }
        let _ = write!(
            body,
            "    let foreign = e{at}::attempt::<()>(&e{at}::StandardError, || Err(\"secret\".into())).unwrap_err();\n    \
             assert_eq!(foreign.status, 500);\n    \
             assert_eq!(e{at}::attempt(&e{at}::StandardError, || Ok(7)), Ok(7));\n"
        );
    }
    let _ = write!(main, "#[test]\nfn each_case_gives_its_status() {{\n{body}}}\n");
    fs::write(folder.path().join("lib.rs"), main).unwrap();
    let arguments = ["--edition", "2021", "--test", "--crate-type", "lib", "-o", "run", "lib.rs"];
    judge::said(Command::new(rustc).args(arguments).current_dir(folder.path()));
    judge::said(&mut Command::new(folder.path().join("run")));
}

#[test]
fn bad_input_is_named() {
    let field = |fields: Value| match make(NAME, fields) {
        Err(Fault::Missing { field, .. } | Fault::Bad { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(json!({})), "cases");
    assert_eq!(field(json!({"cases": []})), "cases");
    assert_eq!(field(json!({"cases": " "})), "cases");
    assert_eq!(field(json!({"cases": "A"})), "cases[0].status");
    assert_eq!(field(json!({"cases": "A x"})), "cases[0].status");
    assert_eq!(field(json!({"cases": "A 200"})), "cases[0].status");
    assert_eq!(field(json!({"cases": [{"status": 404}]})), "cases[0].code");
    assert_eq!(field(json!({"cases": [{"code": "A"}]})), "cases[0].status");
    assert_eq!(field(json!({"cases": [{"code": "A", "status": -1}]})), "cases[0].status");
    assert_eq!(field(json!({"cases": [{"code": "ä", "status": 404}]})), "cases[0].code");
    assert_eq!(field(json!({"cases": [{"code": "a'", "status": 404}]})), "cases[0].code");
    assert_eq!(
        field(json!({"cases": [{"code": "A", "status": 404, "retryable": 1}]})),
        "cases[0].retryable"
    );
    assert_eq!(field(json!({"cases": "A 404\nA 404"})), "cases[1].code");
    assert_eq!(field(json!({"cases": "A_B 404\na-b 404"})), "cases[1].code");
    assert_eq!(field(json!({"cases": "A 404", "language": "cobol"})), "language");
    assert_eq!(field(json!({"cases": "A 404", "name": "Box"})), "name");
}
