//! `type-definitions`, judged by the TypeScript compiler: what fits assigns, what does not is an error in its line.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Module, cases, compile, execute, has, run};

fn types(fields: &Value, guards: bool) -> String {
    let mut fields = fields.clone();
    fields["guards"] = json!(guards);
    run("type-definitions", &fields).unwrap().artifacts[0].text.clone()
}

#[test]
fn types_and_guards_compile_strictly_and_samples_assign() {
    if !has("node_modules/typescript") {
        return;
    }
    let mut files = Vec::new();
    for (at, case) in cases::all().iter().enumerate() {
        files.push((format!("t{at}.ts"), types(&case.fields, false)));
        files.push((format!("g{at}.ts"), types(&case.fields, true)));
        let mut uses = format!("import type {{ {} as T }} from \"./t{at}\";\n", case.name);
        // What a compiler reads of `__proto__` in a literal is not what JSON means.
        let said = case.good.iter().filter(|value| !value.to_string().contains("__proto__\":"));
        for (number, value) in said.enumerate() {
            let _ = writeln!(
                uses,
                "const v{number} = {value};\nexport const w{number}: T = v{number} as const;"
            );
        }
        files.push((format!("u{at}.ts"), uses.replace(" as const", "")));
    }
    let said = compile(&files);
    let wrong: Vec<&str> = said.lines().filter(|line| !is_widened(line)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A literal that is held in a constant is widened: `"a"` becomes a `string`, a pair a list.
fn is_widened(line: &str) -> bool {
    line.is_empty() || line.starts_with(' ')
}

#[test]
fn mutated_samples_do_not_assign() {
    if !has("node_modules/typescript") {
        return;
    }
    let sample = json!({ "id": 1, "at": "2026-01-31", "role": "a", "tags": ["x"], "in": { "n": 1, "s": null }, "ok": true });
    let other =
        json!({ "id": 2, "at": "2026-01-31", "role": "b", "tags": [], "in": { "n": 1, "s": "y" } });
    let text = types(&json!({ "samples": [sample, other], "name": "Thing" }), false);
    let mut mutated = Vec::new();
    for (path, value) in [
        ("/id", json!("1")),
        ("/at", json!(5)),
        ("/tags", json!("x")),
        ("/tags/0", json!(1)),
        ("/in", json!([])),
        ("/in/n", json!(null)),
        ("/in/s", json!(3)),
        ("/ok", json!("yes")),
        ("/role", json!(null)),
    ] {
        let mut copy = sample.clone();
        *copy.pointer_mut(path).unwrap() = value;
        mutated.push(copy);
    }
    for key in ["id", "at", "role", "tags", "in"] {
        let mut copy = sample.clone();
        copy.as_object_mut().unwrap().remove(key);
        mutated.push(copy);
    }
    let mut uses = "import type { Thing } from \"./t\";\n".to_owned();
    let _ = writeln!(uses, "export const a: Thing = {sample}; export const b: Thing = {other};");
    for (at, value) in mutated.iter().enumerate() {
        let _ = writeln!(uses, "export const m{at}: Thing = {value};");
    }
    let said = compile(&[("t.ts".into(), text), ("u.ts".into(), uses)]);
    let lines: Vec<u32> = said
        .lines()
        .filter_map(|line| line.strip_prefix("u.ts(")?.split(',').next()?.parse().ok())
        .collect();
    for at in 0..mutated.len() {
        assert!(
            lines.contains(&(u32::try_from(at).unwrap() + 3)),
            "{} assigns\n{said}",
            mutated[at]
        );
    }
    assert!(!lines.contains(&2), "{said}");
}

#[test]
fn guards_tell_what_fits() {
    if !has("node_modules/typescript") {
        return;
    }
    let cases = cases::all();
    let module = |case: &cases::Case| Module {
        library: "guard",
        text: types(&case.fields, true),
        name: format!("is{}", case.name),
        values: case.good.iter().chain(&case.bad).map(Value::to_string).collect(),
    };
    let modules: Vec<Module> = cases.iter().map(module).collect();
    for (case, found) in cases.iter().zip(execute(&modules)) {
        for (at, found) in found.iter().enumerate() {
            assert_eq!(
                found.as_bool(),
                Some(at < case.good.len()),
                "{}, value {at}: {found}",
                case.title
            );
        }
    }
}
