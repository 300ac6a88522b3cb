//! Draws JSON Schemas and values of them. A reference to any definition occurs only where a value can do without it: in
//! optional members, lists that may be empty, maps, and beside null. Elsewhere only earlier definitions are referred to.

use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Map, Value, json};

/// The names of the definitions; a reference after the last is one to the root.
const DEFINITIONS: [&str; 3] = ["Alpha", "Beta", "Gamma"];
/// Deepest nesting of types below a definition, and of values before only what is required is drawn.
const DEPTH: usize = 3;
/// Names of members: ordinary ones, and such that are words or methods of a target language.
const NAMES: [&str; 18] = [
    "id", "name", "count", "tags", "owner", "type", "items", "class", "from", "date", "copy",
    "a-name", "2nd", "model_x", "_id", "default", "str", "größe",
];
const WORDS: [&str; 6] = ["red", "green", "blue", "a b", "", "None"];
/// Patterns, each with strings that match.
const PATTERNS: [(&str, [&str; 2]); 3] =
    [("^[a-z]+$", ["abc", "q"]), (r"^\d{2,4}$", ["12", "2026"]), ("^x-", ["x-", "x-trace"])];
/// Formats, each with a string that every library accepts and one that every library refuses.
pub(super) const FORMATS: [(&str, &str, &str); 8] = [
    ("date-time", "2026-01-31T09:30:00Z", "yesterday"),
    ("date", "2026-01-31", "2026-02-30"),
    ("time", "09:30:00Z", "half past nine"),
    ("email", "ada@mail.example", "ada"),
    ("uuid", "6f2c1a52-8a1e-4d52-9b3b-0d2f6b1c7e11", "6f2c1a52"),
    ("uri", "https://a.example/x", "no address"),
    ("ipv4", "192.0.2.1", "192.0.2.256"),
    ("ipv6", "2001:db8::1", "2001:db8::1::2"),
];

/// A source of random schemas and values.
pub(super) struct Draw(TestRng);

/// Whether a schema has references. A required member that refers to its own object would have no finite value.
fn refers(schema: &Value) -> bool {
    schema.to_string().contains("$ref")
}

fn is_object(schema: &Value) -> bool {
    schema["type"] == "object"
        && schema.get("properties").is_some()
        && schema.get("oneOf").is_none()
}

/// Without rules for members that are not named.
fn open(mut object: Value) -> Value {
    object.as_object_mut().unwrap().shift_remove("additionalProperties");
    object
}

fn reference(at: usize) -> Value {
    let name = DEFINITIONS.get(at).map(|name| format!("#/$defs/{name}"));
    json!({ "$ref": name.unwrap_or_else(|| "#".to_owned()) })
}

/// A required member of this name beside the others.
fn insert(object: &mut Value, name: &str, member: Value) {
    object["properties"][name] = member;
    let is_known = object["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
    match &mut object["required"] {
        Value::Array(_) if is_known => {}
        Value::Array(all) => all.push(json!(name)),
        none => *none = json!([name]),
    }
}

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list of values.
    pub(super) fn one(&mut self, all: &Value) -> Value {
        all[self.below(all.as_array().unwrap().len())].clone()
    }

    /// `count` different ones of a list, at most as many as it has.
    fn several<T: Clone>(&mut self, all: &[T], count: usize) -> Vec<T> {
        let mut left = all.to_vec();
        (0..count.min(all.len())).map(|_| left.remove(self.below(left.len()))).collect()
    }

    /// A schema of this type with some of these keywords, each with one of its values.
    fn typed(&mut self, kind: &str, keywords: &Value) -> Value {
        let mut schema = json!({ "type": kind });
        for (keyword, values) in keywords.as_object().unwrap() {
            if self.chance(35) {
                schema[keyword] = self.one(values);
            }
        }
        schema
    }

    /// A root with definitions.
    pub(super) fn document(&mut self) -> Value {
        let mut definitions: Vec<Value> = Vec::new();
        for _ in DEFINITIONS {
            let own = self.outer(&definitions);
            definitions.push(own);
        }
        let mut root = self.outer(&definitions);
        root["title"] = json!("Root");
        for (name, definition) in DEFINITIONS.iter().zip(definitions) {
            root["$defs"][name] = definition;
        }
        root
    }

    /// A type that is mostly an object.
    fn outer(&mut self, before: &[Value]) -> Value {
        if self.chance(65) { open(self.object(before, 1)) } else { self.kind(before, 1) }
    }

    /// A type behind these definitions, to which it may refer.
    fn kind(&mut self, before: &[Value], depth: usize) -> Value {
        if depth >= DEPTH || self.chance(40) {
            return self.simple();
        }
        let deeper = depth + 1;
        match self.below(12) {
            0 if !before.is_empty() => reference(self.below(before.len())),
            0 | 1 => self.nullable(before, deeper),
            2 | 3 => self.list(before, deeper),
            4 => {
                json!({ "type": "object", "additionalProperties": self.any(before, deeper) })
            }
            5 => self.union(before, deeper),
            6 => self.tagged(before, deeper),
            7 => self.all(before, deeper),
            8 => {
                let items: Vec<Value> =
                    (0..=self.below(3)).map(|_| self.kind(before, deeper)).collect();
                json!({ "type": "array", "prefixItems": items, "minItems": items.len(), "items": false })
            }
            9 => {
                // An object that has one of two groups of members besides its own.
                let mut object = open(self.object(before, deeper));
                let branch = |name: &str| json!({ "type": "object", "required": [name], "properties": { name: self.simple() } });
                object["oneOf"] = ["x", "y"].into_iter().map(branch).collect();
                object
            }
            _ => self.object(before, deeper),
        }
    }

    /// A type or null; by a list of types where that is possible and wanted.
    fn nullable(&mut self, before: &[Value], depth: usize) -> Value {
        let mut inner = self.not_null(before, depth);
        if inner["type"].is_string() && self.chance(50) {
            inner["type"] = json!([inner["type"], "null"]);
            return inner;
        }
        json!({ "anyOf": [inner, { "type": "null" }] })
    }

    /// A type that does not say that null is allowed.
    fn not_null(&mut self, before: &[Value], depth: usize) -> Value {
        loop {
            let kind = self.kind(before, depth);
            let last = kind["anyOf"].as_array().and_then(|branches| branches.last());
            let is_null = kind["type"].is_array() || last == Some(&json!({ "type": "null" }));
            if !is_null && kind != json!({}) {
                return kind;
            }
        }
    }

    /// A type where a value may do without it, so that any definition may be referred to.
    fn any(&mut self, before: &[Value], depth: usize) -> Value {
        let reference = reference(self.below(DEFINITIONS.len() + 1));
        match self.below(10) {
            0 | 1 => reference,
            2 => json!({ "anyOf": [reference, { "type": "null" }] }),
            _ => self.kind(before, depth),
        }
    }

    fn simple(&mut self) -> Value {
        match self.below(16) {
            0 => json!({ "type": "boolean" }),
            1..=3 => {
                let rules = json!({ "minimum": [-5, 0, 1, 10], "maximum": [11, 100, 5_000_000_000_i64],
                    "format": ["int32", "int64"] });
                self.typed("integer", &rules)
            }
            4 | 5 => {
                let steps = json!([0.5, 2.0]);
                self.typed("number", &json!({ "exclusiveMinimum": [-2, 0], "maximum": [10, 1000], "multipleOf": steps }))
            }
            6 | 7 => {
                self.typed("string", &json!({ "minLength": [0, 1, 2, 3], "maxLength": [4, 7, 11] }))
            }
            8 => json!({ "type": "string", "pattern": PATTERNS[self.below(PATTERNS.len())].0 }),
            9 | 10 => json!({ "type": "string", "format": FORMATS[self.below(FORMATS.len())].0 }),
            11 | 12 => {
                let count = 1 + self.below(4);
                json!({ "enum": self.several(&WORDS, count) })
            }
            13 => {
                let all = [json!("one"), json!(2), json!(3), json!(true), json!(-4), json!("2")];
                let count = 2 + self.below(3);
                json!({ "enum": self.several(&all, count) })
            }
            14 => json!({ "const": self.one(&json!(["x", 7, false, -2])) }),
            _ => json!({}),
        }
    }

    fn list(&mut self, before: &[Value], depth: usize) -> Value {
        let lengths =
            json!({ "minItems": [0, 1, 2], "maxItems": [3, 4, 5], "uniqueItems": [true] });
        let mut list = self.typed("array", &lengths);
        let is_filled = list["minItems"].as_u64() > Some(0);
        list["items"] = if is_filled { self.kind(before, depth) } else { self.any(before, depth) };
        list
    }

    fn object(&mut self, before: &[Value], depth: usize) -> Value {
        let mut object = json!({ "type": "object", "properties": {} });
        let count = 1 + self.below(4);
        for name in self.several(&NAMES, count) {
            if self.chance(55) {
                insert(&mut object, name, self.kind(before, depth));
            } else {
                object["properties"][name] = self.any(before, depth);
            }
        }
        match self.below(10) {
            0 | 1 => object["additionalProperties"] = json!(false),
            2 => object["additionalProperties"] = json!(true),
            3 => object["additionalProperties"] = self.any(before, depth),
            _ => {}
        }
        object
    }

    fn union(&mut self, before: &[Value], depth: usize) -> Value {
        let mut branches: Vec<Value> =
            (0..2 + self.below(2)).map(|_| self.not_null(before, depth)).collect();
        if self.chance(30) && !before.is_empty() {
            branches.push(reference(self.below(before.len())));
        }
        json!({ ["anyOf", "oneOf"][self.below(2)]: branches })
    }

    /// A union whose objects have different words in a member.
    fn tagged(&mut self, before: &[Value], depth: usize) -> Value {
        let tag = ["kind", "type"][self.below(2)];
        let branch = |word: &str| {
            let mut object = self.object(before, depth);
            insert(&mut object, tag, json!({ "const": word }));
            object
        };
        let branches: Vec<Value> = ["cat", "dog", "fish"].map(branch).into();
        json!({ ["anyOf", "oneOf"][self.below(2)]: branches })
    }

    /// An intersection of objects, as it expresses inheritance. Where two have a member in common, it has one type.
    fn all(&mut self, before: &[Value], depth: usize) -> Value {
        let bases: Vec<usize> = (0..before.len()).filter(|at| is_object(&before[*at])).collect();
        let mut parts = Vec::new();
        let mut known: Map<String, Value> = Map::new();
        if let Some(base) = self.several(&bases, 1).pop().filter(|_| self.chance(80)) {
            parts.push(reference(base));
            known.extend(before[base]["properties"].as_object().unwrap().clone());
        }
        while parts.len() < 2 {
            let mut object = open(self.object(before, depth));
            for (name, member) in object["properties"].as_object_mut().unwrap() {
                *member = known.entry(name).or_insert_with(|| member.clone()).clone();
            }
            let is_endless = |name: &Value| refers(&known[name.as_str().unwrap()]);
            if let Some(Value::Array(required)) = object.get_mut("required") {
                required.retain(|name| !is_endless(name));
            }
            parts.push(object);
        }
        json!({ "allOf": parts })
    }

    /// A value of a schema of a document; nearly always a valid one.
    pub(super) fn value(&mut self, document: &Value, schema: &Value, depth: usize) -> Value {
        let is_deep = depth > 2 * DEPTH;
        let deeper = depth + 1;
        if let Some(place) = schema["$ref"].as_str() {
            let target = document.pointer(place.trim_start_matches('#')).unwrap();
            return self.value(document, target, deeper);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if schema.get("enum").is_some() {
            return self.one(&schema["enum"]);
        }
        let is_nullable =
            schema["type"].is_array() || schema["anyOf"][1] == json!({ "type": "null" });
        if is_nullable && (is_deep || self.chance(30)) {
            return Value::Null;
        }
        let number = |keyword: &str, usual: i64| schema[keyword].as_i64().unwrap_or(usual);
        let kind = if is_nullable && schema["type"].is_array() {
            &schema["type"][0]
        } else {
            &schema["type"]
        };
        match kind.as_str() {
            Some("boolean") => json!(self.chance(50)),
            Some("integer") => {
                let least = number("minimum", -3);
                json!(self.0.random_range(least..=number("maximum", 2_000).max(least)))
            }
            Some("number") => {
                let ends = [number("exclusiveMinimum", -8), number("maximum", 20)];
                let [above, most] = ends.map(|end| i32::try_from(end).unwrap());
                json!(f64::from(self.0.random_range(above..most)) + [0.5, 1.0][self.below(2)])
            }
            Some("string") => self.text(schema),
            Some("array") => self.items(document, schema, depth),
            Some(_) => self.members(document, schema, depth).into(),
            None if is_nullable => self.value(document, &schema["anyOf"][0], deeper),
            None => {
                if let Some(parts) = schema["allOf"].as_array() {
                    let parts =
                        parts.iter().filter_map(|part| match self.value(document, part, depth) {
                            Value::Object(own) => Some(own),
                            _ => None,
                        });
                    return Value::Object(parts.flatten().collect());
                }
                match schema.get("anyOf").or_else(|| schema.get("oneOf")) {
                    Some(branches) => {
                        let branch = self.one(branches);
                        self.value(document, &branch, deeper)
                    }
                    None => self.one(&json!([null, "any", [1, "a"], { "k": 1 }])),
                }
            }
        }
    }

    fn text(&mut self, schema: &Value) -> Value {
        if let Some((_, matching)) = PATTERNS.iter().find(|(own, _)| schema["pattern"] == *own) {
            return json!(matching[self.below(2)]);
        }
        if let Some((_, value, _)) = FORMATS.iter().find(|(own, ..)| schema["format"] == *own) {
            return json!(value);
        }
        let least = schema["minLength"].as_u64().unwrap_or(0);
        let most = schema["maxLength"].as_u64().unwrap_or(least + 5);
        let count = self.0.random_range(least..=most);
        json!((0..count).map(|_| ['a', 'Z', '7', ' ', 'é'][self.below(5)]).collect::<String>())
    }

    fn items(&mut self, document: &Value, schema: &Value, depth: usize) -> Value {
        if let Some(items) = schema["prefixItems"].as_array() {
            return items.iter().map(|item| self.value(document, item, depth + 1)).collect();
        }
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let more = if depth > 2 * DEPTH { 0 } else { self.below(3) as u64 };
        (0..least + more).map(|_| self.value(document, &schema["items"], depth + 1)).collect()
    }

    fn members(&mut self, document: &Value, schema: &Value, depth: usize) -> Map<String, Value> {
        let is_deep = depth > 2 * DEPTH;
        let mut all = Map::new();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&json!(name)) || !is_deep && self.chance(60) {
                all.insert(name.clone(), self.value(document, member, depth + 1));
            }
        }
        if schema.get("oneOf").is_some() {
            let branch = self.one(&schema["oneOf"]);
            all.extend(self.members(document, &branch, depth));
        }
        let extra = &schema["additionalProperties"];
        if is_deep || *extra == false || !self.chance(40) {
            return all;
        }
        // A map has only such members.
        let (name, value) = if extra.is_object() {
            ("left", self.value(document, extra, depth + 1))
        } else {
            ("more", json!(["anything"]))
        };
        all.insert(name.to_owned(), value);
        all
    }
}
