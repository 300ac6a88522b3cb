//! Modules of `type-definitions` for the TypeScript compiler: matching values are assignable.

use std::fmt::Write as _;

use serde_json::Value;

use super::cases;
use super::making::make;

fn types(fields: &Value) -> String {
    make("type-definitions", fields).unwrap().artifacts[0].text.clone()
}

/// The types of every case, and modules in which its values are assigned to them.
pub(super) fn modules() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (at, case) in cases::all().iter().enumerate() {
        files.push((format!("t{at}"), types(&case.fields)));
        // A parameter accepts members that its type does not name, and does not widen `"a"` to `string`.
        let mut uses = format!(
            "import type {{ {} as T }} from \"./t{at}\";\ndeclare function take<V extends T>(value: V): void;\n",
            case.name
        );
        // A compiler treats `__proto__` in a literal differently from JSON.
        for value in case.good.iter().filter(|value| !value.to_string().contains("__proto__\":")) {
            let _ = writeln!(uses, "take({value});");
        }
        files.push((format!("u{at}"), uses + "take;\n"));
    }
    files
}
