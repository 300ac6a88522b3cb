//! Texts of a schema never run as code of the modules that are generated from it.

use std::fs;

use serde_json::{Value, json};

use super::execute::{Module, execute};
use super::judge;
use super::making::make;

/// What leaves a string, a comment, a regular expression or a docstring, around code that makes a file.
const ESCAPES: [&str; 12] = [
    "x\", []); JS; //",
    "x\\\", []); JS; //",
    "x', []); JS; //",
    "x`, []); JS; `${JS}",
    "x */ JS; /*",
    "x/u; JS; //",
    "[/]/u; JS; //",
    "x\u{2028}JS; //",
    "x\nPY\n",
    "x\"\"\"\nPY\n\"\"\"",
    "x\"); PY #",
    "x\r\n    \"\"\"\nPY\n",
];

/// A schema with a text at every place that may hold one.
fn schema(text: &str) -> Value {
    // One that is no regular expression is refused.
    let probe = json!({ "schema": { "type": "string", "pattern": text } });
    let pattern = if make("validation-schema-generator", probe).is_ok() { text } else { "^x" };
    let part = |kind: &str| {
        json!({ "type": "object", "title": text, "description": text, "required": [text],
            "properties": { text: { "const": format!("{text}{kind}"), "description": text }, "n": { "type": "integer" } } })
    };
    json!({
        "title": "Main", "description": text, "type": "object", "required": ["id", text],
        "properties": {
            "id": { "type": "integer", "description": text },
            text: { "type": "string", "format": text, "description": text, "default": text, "examples": [text] },
            "words": { "enum": [text, "a", { text: text }] },
            "names": { "type": "string", "pattern": pattern },
            "map": { "type": "object", "additionalProperties": { "oneOf": [part("1"), part("2")] }, "propertyNames": { "pattern": pattern } },
            "tagged": { "oneOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/B" }] },
            "needs": { "type": "object", "dependentRequired": { text: [text] }, "patternProperties": { pattern: { "const": text } } },
        },
        "$defs": { "A": part("a"), "B": part("b"), text: { "type": "object", "properties": { "a": { "type": "string" } } } },
    })
}

#[test]
fn no_text_of_a_schema_runs_as_code() {
    if !judge::are_there(&["node", "node_modules/zod", "venv/bin/python"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("touched");
    let path = file.display();
    let script = format!("globalThis.process.getBuiltinModule(`fs`).writeFileSync(`{path}`, ``)");
    let python = format!("open('{path}', 'w')");
    let mut modules = Vec::new();
    for escape in ESCAPES {
        let text = escape.replace("JS", &script).replace("PY", &python);
        let schema = schema(&text);
        let values = vec![json!({ "id": 1, text: "x" }).to_string(), "{}".to_owned()];
        let module = |library, name: &str, text: &str| Module {
            library,
            text: text.to_owned(),
            name: name.to_owned(),
            values: values.clone(),
        };
        for library in ["zod", "joi", "yup", "pydantic"] {
            let fields = json!({ "schema": schema, "library": library });
            match make("validation-schema-generator", fields) {
                Ok(output) => modules.push(module(library, "Main", &output.artifacts[0].text)),
                Err(fault) => assert!(fault.to_string().contains("pattern"), "{fault}"),
            }
        }
    }
    let verdicts = execute(&modules);
    assert!(!file.exists(), "code ran");
    for (module, verdicts) in modules.iter().zip(verdicts) {
        let place = format!("{} {:?}\n{}", module.library, verdicts, module.text);
        assert!(verdicts.iter().all(Value::is_boolean), "{place}");
    }
    assert!(modules.len() > 40 && fs::read_dir(folder.path()).unwrap().count() == 0);
}
