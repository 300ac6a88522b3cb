//! The code that `validation-schema-generator` writes compiles and is typed. `suite.rs` runs the JSON Schema Test Suite.

use serde_json::json;

use super::cases;
use super::execute::{Module, execute};
use super::making::make;
use super::suite::libraries;

/// The validators of every case for these libraries.
pub(super) fn modules(libraries: &[&str]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for library in libraries {
        for (at, case) in cases::all().iter().enumerate() {
            let mut fields = case.fields.clone();
            fields["library"] = json!(library);
            let output = make("validation-schema-generator", &fields).unwrap();
            files.push((format!("{library}{at}"), output.artifacts[0].text.clone()));
        }
    }
    files
}

#[test]
fn defaults_and_the_digits_of_decimals_are_checked() {
    let source = "Config: port int default 3000, mode enum(a|b) default a, price decimal(4,2)";
    let module = |library: &'static str| {
        let fields = json!({ "source": source, "library": library });
        let text = make("validation-schema-generator", fields).unwrap().artifacts[0].text.clone();
        let values =
            [r#"{"price": 9.25}"#, r#"{"price": 9.25, "port": "x"}"#, r#"{"price": 9.255}"#];
        Module { library, text, name: "Config".into(), values: values.map(str::to_owned).into() }
    };
    let modules: Vec<Module> = libraries().map(module).collect();
    for (module, found) in modules.iter().zip(execute(&modules)) {
        // Only Python has decimal numbers.
        let is_exact = module.library == "pydantic";
        assert_eq!(found, [json!(true), json!(false), json!(!is_exact)], "{}", module.library);
    }
}
