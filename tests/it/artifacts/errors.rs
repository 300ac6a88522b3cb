//! `error-handler-template`: each language's strict checker accepts the file, and when run, each case has its
//! status.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::golden::{example_output, golden};
use super::judge;
use super::making::{HOSTILE, make};
use crate::support::{self, Project};

const NAME: &str = "error-handler-template";
const LANGUAGES: [(&str, &str); 2] = [("typescript", "ts"), ("python", "py")];
/// Reserved words, names of classes, and names that the template uses.
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

/// Inputs: the example, one case, and codes and texts that break careless code.
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
        (0..500).map(|at| json!(format!("CASE_{at} {}", 400 + at % 200))).collect();
    vec![
        example,
        json!({"cases": "ONE 404"}),
        json!({"cases": hostile}),
        json!({"cases": many, "name": "TheFailure"}),
    ]
}

/// Each input in a language: the text, and the expected result of each case.
fn made(language: &str) -> Vec<(String, Value)> {
    let make = |mut fields: Value| {
        fields["language"] = language.into();
        let output = make(NAME, fields).unwrap();
        (output.artifacts[0].text.clone(), output.data["cases"].clone())
    };
    inputs().into_iter().map(make).collect()
}

/// Runs compiled modules: prints what the handler returns for the class of each case, and for another
/// error.
const RUN: &str = r"
import fs from 'node:fs';
const found = [];
for (const { file, cases } of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const module = await import(file);
  const logged = [];
  const logger = { warn: (...a) => logged.push(['warn', ...a]), error: (...a) => logged.push(['error', ...a]) };
  for (const c of cases) {
    const cause = new Error('why');
    const thrown = new module[c.name]('secret', { cause });
    const response = module.handleError(thrown, logger);
    const { status, body: { error } } = response;
    const [level, code, own] = logged.at(-1);
    const same = status === c.status && error.code === c.code && error.message === c.message
      && error.retryable === c.retryable && level === (c.status < 500 ? 'warn' : 'error') && code === c.code
      && own === thrown && own.message === 'secret' && own.cause === cause && own.name === c.name
      && own instanceof Error && !JSON.stringify(response).includes('secret');
    if (!same) found.push({ file, c, response });
  }
  const foreign = module.handleError('secret', logger);
  if (foreign.status !== 500 || JSON.stringify(foreign).includes('secret')) found.push({ file, foreign });
}
console.log(JSON.stringify(found));
";

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
fn typescript_is_strict_and_runs() {
    let Some(tsc) = judge::find("node_modules/.bin/tsc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let made = made("typescript");
    let files = write(folder.path(), "ts", &made);
    let strict = [
        "--strict",
        "--noUncheckedIndexedAccess",
        "--exactOptionalPropertyTypes",
        "--noUnusedLocals",
        "--noUnusedParameters",
        "--noImplicitOverride",
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
    let job = made
        .iter()
        .enumerate()
        .map(|(at, (_, cases))| json!({"file": out.join(format!("e{at}.js")), "cases": cases}));
    assert_eq!(judge::node(RUN, &job.collect()), json!([]));
}

#[test]
fn python_is_strict_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut mypy) = judge::mypy(folder.path()) else { return };
    let made = made("python");
    let files = write(folder.path(), "py", &made);
    judge::said(mypy.args(&files));
    let cases: Vec<&Value> = made.iter().map(|(_, cases)| cases).collect();
    fs::write(folder.path().join("cases.json"), serde_json::to_vec(&cases).unwrap()).unwrap();
    let run = r"
import importlib, json, logging, sys
logging.disable(logging.CRITICAL)
sys.path.insert(0, '.')
for at, cases in enumerate(json.load(open('cases.json'))):
    m = importlib.import_module(f'e{at}')
    for c in cases:
        try:
            raise getattr(m, c['name'])('secret') from KeyError('why')
        except Exception as error:
            r = m.handle_error(error)
        body = {name: c[name] for name in ('code', 'message', 'retryable')}
        assert r == (c['status'], {'error': body}), c
    foreign = m.handle_error(KeyError('secret'))
    assert foreign.status == 500 and 'secret' not in json.dumps(foreign.body)
";
    let python = judge::find("venv/bin/python").unwrap();
    judge::said(Command::new(python).args(["-c", run]).current_dir(folder.path()));
}

/// Three errors in the user's words, in each language.
#[test]
fn three_errors_take_at_most_sixty_lines() {
    for cases in [
        "user not found 404, payment declined 402, out of stock 409",
        "too many requests 429; bank is down 503: Your bank does not answer, try again.\nslow reply 504",
    ] {
        for (language, _) in LANGUAGES {
            let output = make(NAME, json!({"cases": cases, "language": language})).unwrap();
            let text = &output.artifacts[0].text;
            assert!(text.lines().count() <= 60, "{} lines: {text}", text.lines().count());
            assert_eq!(output.data["cases"].as_array().unwrap().len(), 3);
        }
    }
}

#[test]
fn words_become_codes_and_messages_and_a_code_stays() {
    let cases = |fields: Value| make(NAME, fields).unwrap().data["cases"].clone();
    let said = "python: user not found 404, card's limit reached 402: Try another card, please. ; NO_STOCK 409\n- 503 bank is down";
    let wanted = json!([
        {"code": "USER_NOT_FOUND", "status": 404, "message": "User not found.", "retryable": false, "name": "UserNotFoundError"},
        {"code": "CARDS_LIMIT_REACHED", "status": 402, "message": "Try another card, please.", "retryable": false, "name": "CardsLimitReachedError"},
        {"code": "NO_STOCK", "status": 409, "message": "No stock.", "retryable": false, "name": "NoStockError"},
        {"code": "BANK_IS_DOWN", "status": 503, "message": "Bank is down.", "retryable": true, "name": "BankIsDownError"},
    ]);
    assert_eq!(cases(json!({"cases": said})), wanted);
    let listed = json!(["user not found 404", "card's limit reached 402: Try another card, please.", "NO_STOCK 409", {"code": "BANK_IS_DOWN", "status": 503, "message": "Bank is down."}]);
    assert_eq!(cases(json!({"cases": listed, "language": "py"})), wanted);
    let named = json!([{"name": "NotFound", "status": 404}, {"name": "bank is down"}]);
    let named = cases(json!({"cases": named}));
    let told = |at: usize| ["code", "status", "message"].map(|field| named[at][field].clone());
    assert_eq!(told(0), [json!("NotFound"), json!(404), json!("Not found.")]);
    assert_eq!(told(1), [json!("BANK_IS_DOWN"), json!(500), json!("Bank is down.")]);
}

/// The language precedes the cases, is a field, or has a label; content comes from a file, a pipe or arguments.
#[test]
fn the_language_is_given_in_any_of_three_ways() {
    let project = Project::new();
    project.write("cases.txt", "user not found 404\npayment declined 402\n");
    project.write(
        "labels.md",
        "Language: python\n\nErrors:\n- user not found 404\n- payment declined 402\n",
    );
    let run = |words: &[&str]| project.flow(&[&["skill", NAME], words].concat()).expect(0).out;
    let python = run(&["python: user not found 404, payment declined 402"]);
    assert!(
        python.starts_with("\"\"\"Errors")
            && python.contains("class PaymentDeclinedError(AppError):")
    );
    assert_eq!(run(&["--input", "cases.txt", "language=py"]), python);
    assert_eq!(run(&["--input", "labels.md"]), python);
    let mut piped = project.command();
    piped.args(["skill", NAME, "language=python"]);
    let piped = support::fed(&mut piped, b"user not found 404; payment declined 402");
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), python);
    let both = project.flow(&["skill", NAME, "python: a 404", "language=ts"]).expect(2).err;
    assert!(both.contains("\"language\" is \"typescript\", but must be python"), "{both}");
}

#[test]
fn a_sentence_is_refused_with_the_form() {
    let project = Project::new();
    for (text, part) in [
        (
            "When a user is not found, log it, and answer politely",
            "\"When a user is not found\" has no status from 400 to 599",
        ),
        ("Handle errors for payments, timeouts and unknown users", "no status from 400 to 599"),
        (
            "user not found 404, and then we retry the payment",
            "\"and then we retry the payment\" has no status",
        ),
        ("it should return 200 or 404 for users, depending", "no status"),
        (
            "cobol: user not found 404",
            "\"cobol\", but must be cases, or before them one of typescript",
        ),
    ] {
        let said = project.flow(&["skill", NAME, text]).expect(2).err;
        assert!(said.contains(part), "{said}");
        assert!(said.contains("the form is `") || text.starts_with("cobol"), "{said}");
    }
}

#[test]
fn bad_input_is_named() {
    let said = |fields: Value| make(NAME, fields).unwrap_err().to_string();
    for (fields, wanted) in [
        (json!({}), "the field \"cases\" is missing"),
        (json!({"cases": []}), "the field \"cases\" is missing"),
        (json!({"cases": " "}), "the field \"cases\" is missing"),
        (
            json!({"cases": "A"}),
            "the field \"cases\", line 1: \"A\" has no status from 400 to 599 after its name; the form is `A 400`",
        ),
        (json!({"cases": "a 404\nb x"}), "line 2: \"b x\" has no status"),
        (json!({"cases": "A 200"}), "line 1: \"A 200\" has no status"),
        (json!({"cases": ["a 404", "b"]}), "\"cases[1]\", line 1: \"b\" has no status"),
        (json!({"cases": [{"status": 404}]}), "\"cases[0].code\" is missing"),
        (
            json!({"cases": [{"code": "A", "status": -1}]}),
            "\"cases[0].status\" is -1, but must be a whole number from 400 to 599",
        ),
        (
            json!({"cases": [{"code": "ä", "status": 404}]}),
            "\"cases[0].code\" is \"ä\", but must be a letter",
        ),
        (
            json!({"cases": [{"code": "A", "status": 404, "retryable": 1}]}),
            "\"cases[0].retryable\" is 1, but must be true or false",
        ),
        (json!({"cases": "A 404\nA 404"}), "line 2: \"A 404\" is given twice"),
        (
            json!({"cases": "A_B 404\na b 404"}),
            "\"cases[1].code\" is \"A_B\", but must be a code that no other case has",
        ),
        (
            json!({"cases": "A_B 404\nA-B 404"}),
            "\"cases[1].code\" is \"A-B\", but must be a code of another name",
        ),
        (
            json!({"cases": "A 404", "language": "cobol"}),
            "\"language\" is \"cobol\", but must be one of typescript, python",
        ),
        (json!({"cases": "A 404", "name": "Box"}), "\"name\" is \"Box\""),
    ] {
        let said = said(fields.clone());
        assert!(said.contains(wanted), "{fields}: {said}");
    }
}
