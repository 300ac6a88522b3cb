//! Difficult inputs for code generators, with values that match and values that do not.

#![allow(clippy::too_many_lines, reason = "a table of values is read best in one piece")]

use serde_json::{Map, Value, json};

/// An input of either skill, the name of its main type, and values.
pub(crate) struct Case {
    pub(crate) title: &'static str,
    pub(crate) fields: Value,
    pub(crate) name: &'static str,
    pub(crate) good: Vec<Value>,
    pub(crate) bad: Vec<Value>,
}

fn case(
    title: &'static str,
    fields: Value,
    name: &'static str,
    (good, bad): (Value, Value),
) -> Case {
    let list = |value: Value| value.as_array().unwrap().clone();
    Case { title, fields, name, good: list(good), bad: list(bad) }
}

/// Every case.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = plain();
    cases.extend(hostile());
    cases.extend(composed());
    cases
}

const SHOP: &str = "User: id uuid, email email, age int min 0 optional, role enum(admin|user), posts Post[], nick string null\n\
                    Post: title string min 1 max 5, price decimal(10,2) min 0 optional, tags map<string>, draft bool";

fn plain() -> Vec<Case> {
    let id = "6f2c1a52-8a1e-4d52-9b3b-0d2f6b1c7e11";
    let user =
        json!({ "id": id, "email": "a@b.example", "role": "admin", "posts": [], "nick": null });
    let with = |key: &str, value: Value| {
        let mut user = user.clone();
        user[key] = value;
        user
    };
    let post = |title: &str| json!([{ "title": title, "tags": { "a": "b" }, "draft": false }]);
    let mut lacking = user.clone();
    lacking.as_object_mut().unwrap().remove("role");
    vec![
        case(
            "text",
            json!({ "source": SHOP }),
            "User",
            (
                json!([
                    user,
                    with("age", json!(1.0)),
                    with("posts", post("😀😀😀😀😀")),
                    with("extra", json!(1))
                ]),
                json!([
                    lacking,
                    with("age", json!(-1)),
                    with("age", json!(null)),
                    with("age", json!(1.5)),
                    with("age", json!(true)),
                    with("age", json!("1")),
                    with("role", json!("root")),
                    with("email", json!("a")),
                    with("id", json!("")),
                    with("posts", post("")),
                    with("posts", post("abcdef")),
                    with("nick", json!(1)),
                    with("posts", json!(null)),
                    null,
                    [],
                    "x",
                    1,
                ]),
            ),
        ),
        case(
            "samples",
            json!({ "name": "Order", "samples": [
            { "id": 1, "at": "2026-01-31T09:30:00Z", "lines": [{ "sku": "a", "n": 1 }], "by": { "1": 2, "2": 3 } },
            { "id": 2, "at": "2026-02-01T09:30:00Z", "lines": [{ "sku": "b", "n": 1.5 }], "by": { "7": 9 }, "note": null },
        ] }),
            "Order",
            (
                json!([
                    { "id": 1, "at": "2026-01-31T09:30:00Z", "lines": [], "by": {} },
                    { "id": 2, "at": "2026-02-01T09:30:00Z", "lines": [{ "sku": "b", "n": 2 }], "by": { "x": 9 }, "note": null },
                ]),
                json!([
                    { "id": "1", "at": "2026-01-31T09:30:00Z", "lines": [], "by": {} },
                    { "id": 1, "lines": [], "by": {} },
                    { "id": 1, "at": 5, "lines": [], "by": {} },
                    { "id": 1, "at": "2026-01-31T09:30:00Z", "lines": [{ "sku": "b" }], "by": {} },
                    { "id": 1, "at": "2026-01-31T09:30:00Z", "lines": [], "by": { "a": "b" } },
                ]),
            ),
        ),
        case(
            "openapi",
            json!({ "openapi": { "openapi": "3.0.3", "components": { "schemas": {
            "Pet": { "type": "object", "required": ["name"], "additionalProperties": false, "properties": {
                "name": { "type": "string", "nullable": true }, "owner": { "$ref": "#/components/schemas/Owner" } } },
            "Owner": { "type": "object", "properties": { "pets": { "type": "array", "uniqueItems": true,
                "items": { "$ref": "#/components/schemas/Pet" } } } },
        } } } }),
            "Pet",
            (
                json!([{ "name": null }, { "name": "a", "owner": { "pets": [{ "name": "b" }] } }]),
                json!([{}, { "name": 1 }, { "name": "a", "other": 1 }, { "name": "a", "owner": { "pets": [{}] } },
                { "name": "a", "owner": { "pets": [{ "name": "b" }, { "name": "b" }] } }, { "name": "a", "owner": null }]),
            ),
        ),
    ]
}

fn hostile() -> Vec<Case> {
    let keys = [
        "class",
        "default",
        "first name",
        "a\"b",
        "a'b",
        "a\\b",
        "a`b${c}",
        "a.b",
        "[0]",
        "a\nb",
        "",
        "名前",
        "😀",
        "1st",
        "_x",
        "model_config",
        "json",
        "copy",
        "self",
        "list",
        "str",
        "Any",
        "not",
        "await",
        "*/",
        "//",
        "\u{2028}",
        "Field",
        "check",
        "value",
        "types",
        "a-b",
        "a_b",
        "z",
        "yup",
        "Joi",
        "None",
        "__class__",
        "validate",
        "schema",
        "\"\"\"",
    ];
    let mut properties = Map::new();
    let mut good = Map::new();
    for key in keys {
        properties.insert(
            key.into(),
            json!({ "type": "integer", "description": format!("It is \"{key}\" */ \"\"\"") }),
        );
        good.insert(key.into(), json!(1));
    }
    let bad: Vec<Value> = keys
        .iter()
        .map(|key| {
            let mut bad = good.clone();
            bad.insert((*key).into(), json!("x"));
            Value::Object(bad)
        })
        .collect();
    let many: Map<String, Value> =
        (0..1000).map(|at| (format!("field{at}"), json!({ "type": "string" }))).collect();
    let closed = json!({ "type": "object", "additionalProperties": false, "properties": { "a": { "type": "string" } } });
    let hidden = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    vec![
        case(
            "hostile keys",
            json!({ "name": "class", "schema": { "type": "object", "properties": properties,
            "required": keys.as_slice(), "additionalProperties": false } }),
            "Class",
            (json!([good]), Value::Array(bad)),
        ),
        case(
            "1,000 fields",
            json!({ "schema": { "type": "object", "properties": many } }),
            "Root",
            (json!([{}, { "field999": "x" }]), json!([{ "field999": 1 }])),
        ),
        case(
            "inborn keys",
            json!({ "schema": { "type": "object", "required": ["__proto__", "toString"],
            "properties": hidden(r#"{ "__proto__": { "type": "number" }, "constructor": { "type": "string" } }"#) } }),
            "Root",
            (
                Value::Array(vec![hidden(r#"{ "__proto__": 1, "toString": 2 }"#)]),
                Value::Array(vec![
                    hidden(r#"{ "__proto__": "x", "toString": 2 }"#),
                    json!({ "toString": 2 }),
                    json!({}),
                    hidden(r#"{ "__proto__": 1, "toString": 2, "constructor": 3 }"#),
                ]),
            ),
        ),
        case(
            "inborn keys in values",
            json!({ "schema": closed }),
            "Root",
            (
                json!([{}, { "a": "b" }]),
                Value::Array(vec![
                    hidden(r#"{ "__proto__": 1 }"#),
                    hidden(r#"{ "constructor": 1 }"#),
                    json!({ "b": 1 }),
                ]),
            ),
        ),
        case(
            "inborn keys in maps",
            json!({ "schema": { "type": "object", "additionalProperties": { "type": "string" } } }),
            "Root",
            (
                Value::Array(vec![json!({}), hidden(r#"{ "__proto__": "x", "toString": "y" }"#)]),
                Value::Array(vec![
                    hidden(r#"{ "__proto__": 1 }"#),
                    json!({ "toString": 1 }),
                    json!({ "": null }),
                ]),
            ),
        ),
        case(
            "hostile words",
            json!({ "schema": { "enum": ["__proto__", "a\"b", "", "\n", "constructor", "*/", "'"] } }),
            "Root",
            (
                json!(["__proto__", "a\"b", "", "\n", "constructor"]),
                json!(["a", "toString", null, 1, {}, []]),
            ),
        ),
        case(
            "empty",
            json!({ "schema": {} }),
            "Root",
            (json!([null, 1, "x", [], {}, true]), json!([])),
        ),
        case(
            "no members",
            json!({ "schema": { "type": "object", "additionalProperties": false } }),
            "Root",
            (json!([{}]), json!([{ "a": 1 }, [], null, ""])),
        ),
    ]
}

fn composed() -> Vec<Case> {
    let tree = json!({ "title": "Tree", "type": "object", "required": ["value"], "properties": {
        "value": { "type": ["string", "integer"] }, "left": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] },
        "children": { "type": "array", "items": { "$ref": "#" }, "maxItems": 2 },
        "names": { "$ref": "#/$defs/Names" } },
        "$defs": { "Names": { "type": "object", "additionalProperties": { "$ref": "#/$defs/Names" } } } });
    let mixed = json!({ "type": "object", "properties": {
        "one": { "oneOf": [{ "type": "integer", "multipleOf": 3 }, { "type": "integer", "multipleOf": 5 }] },
        "none": { "type": "null" }, "step": { "type": "number", "multipleOf": 0.01 },
        "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false, "minItems": 1 },
        "code": { "type": "string", "pattern": "^\\p{Lu}[\\d\\s]*$" }, "any": { "pattern": "^a" },
        "set": { "type": "array", "uniqueItems": true }, "when": { "type": "string", "format": "date-time" },
        "whole": { "type": "integer", "exclusiveMinimum": 0, "maximum": 1e16 } },
        "required": ["any"], "dependentRequired": { "pair": ["code"] } });
    vec![
        case(
            "tree",
            json!({ "schema": tree }),
            "Tree",
            (
                json!([{ "value": "a" }, { "value": 1, "left": null, "children": [{ "value": 2, "left": { "value": 3 } }],
                "names": { "a": { "b": {} } } }]),
                json!([{}, { "value": 1.5 }, { "value": "a", "left": {} }, { "value": 1, "children": [{ "value": true }] },
                { "value": "a", "names": { "a": { "b": 1 } } }, { "value": "a", "children": [null] },
                { "value": 1, "children": [{ "value": 1 }, { "value": 1 }, { "value": 1 }] }]),
            ),
        ),
        case(
            "formats",
            json!({ "schema": { "type": "object", "properties": {
                "ip": { "format": "ipv6" }, "four": { "type": "string", "format": "ipv4" }, "day": { "type": "string", "format": "date" },
                "clock": { "type": "string", "format": "time" }, "link": { "type": "string", "format": "uri" },
                "mail": { "type": "string", "format": "email" }, "at": { "format": "date-time" } } } }),
            "Root",
            (
                json!([{ "ip": "::1" }, { "ip": "1:2:3:4:5:6:7:8" }, { "ip": "::ffff:192.168.0.1" }, { "ip": 5 },
                    { "four": "10.0.0.255" }, { "day": "2024-02-29" }, { "clock": "23:59:59.5+02:00" },
                    { "link": "https://example.com/a?b=%20#c" }, { "mail": "a+b@example.com" }, { "at": "2024-02-29t00:00:00z" }]),
                json!([{ "ip": "1:2:3:4:5:6:7" }, { "ip": ":::" }, { "ip": "1:2:3:4:5:6:7:1.2.3.4" }, { "ip": "::1\n" },
                    { "four": "10.0.0.256" }, { "four": "10.0.0" }, { "four": "" }, { "day": "2023-02-29" }, { "day": "2024-02-29\n" },
                    { "day": "2024-2-9" }, { "clock": "24:00:00Z" }, { "clock": "12:00:00" }, { "link": "//a" }, { "link": "a b" },
                    { "mail": "a@" }, { "mail": ".a@b.c" }, { "mail": "" }, { "at": "2024-02-29 00:00:00Z" },
                    { "at": "2024-02-30T00:00:00Z" }, { "day": "\u{661}\u{661}\u{661}\u{661}-01-01" }]),
            ),
        ),
        case(
            "round and round",
            json!({ "schema": { "anyOf": [{ "type": "array", "items": { "$ref": "#" } }, { "type": "string" },
                { "type": "object", "additionalProperties": { "$ref": "#/$defs/Other" } }],
                "$defs": { "Other": { "type": "object", "minProperties": 1, "additionalProperties": { "$ref": "#" } } } } }),
            "Root",
            (
                json!(["a", [], [["b"], {}], { "a": { "b": ["c"] } }]),
                json!([1, [1], { "a": {} }, { "a": { "b": 1 } }, null]),
            ),
        ),
        case(
            "refined",
            json!({ "schema": { "type": "object", "properties": { "a": { "type": "integer" }, "kind": { "enum": ["x", "y"] },
                "list": { "type": "array", "items": { "type": "integer" }, "contains": { "const": 7 } } },
                "required": ["kind"], "minProperties": 2, "dependentRequired": { "list": ["a"] },
                "if": { "properties": { "kind": { "const": "x" } } }, "then": { "required": ["a"] } } }),
            "Root",
            (
                json!([{ "kind": "x", "a": 1 }, { "kind": "y", "b": 1 }, { "kind": "y", "a": 1, "list": [1, 7.0] }]),
                json!([{ "kind": "x" }, { "kind": "y" }, { "kind": "x", "b": 1 }, { "kind": "y", "list": [7] },
                    { "kind": "y", "a": 1, "list": [1] }, { "kind": "y", "a": 1, "list": [7, "7"] }, { "kind": "z", "a": 1 }]),
            ),
        ),
        case(
            "mixed",
            json!({ "schema": mixed }),
            "Root",
            (
                json!([{ "any": 1 }, { "any": null }, { "any": "ab", "one": 3 }, { "any": 1, "one": 10, "none": null, "step": 0.07 },
                { "any": 1, "pair": ["a", 1.0], "code": "Ä 12" }, { "any": 1, "set": [1, true, [], {}, "1"] },
                { "any": 1, "when": "2024-02-29T00:00:00+01:00" }, { "any": 1, "whole": 1e15 }]),
                json!([{}, { "any": "b" }, { "any": 1, "one": 15 }, { "any": 1, "one": 7 }, { "any": 1, "none": 0 },
                { "any": 1, "step": 0.075 }, { "any": 1, "pair": ["a"] }, { "any": 1, "pair": [], "code": "A" },
                { "any": 1, "pair": ["a", 1, 1], "code": "A" }, { "any": 1, "code": "ä" }, { "any": 1, "code": "A\u{660}" },
                { "any": 1, "set": [1, 1.0] }, { "any": 1, "set": [{ "a": 1, "b": 2 }, { "b": 2, "a": 1 }] },
                { "any": 1, "when": "2023-02-29T00:00:00Z" }, { "any": 1, "whole": 0 }, { "any": 1, "whole": 0.5 }]),
            ),
        ),
    ]
}
