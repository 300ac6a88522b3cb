//! Random types: each is a small tree that can be written as a JSON Schema and, independently of the generators, as
//! TypeScript.

#![allow(clippy::too_many_lines, reason = "one arm for each type is read best in one piece")]

use serde_json::{Map, Value, json};

/// The names of the definitions beside the root.
pub(super) const DEFINITIONS: [&str; 3] = ["Alpha", "Beta", "Gamma"];
/// Patterns, each with strings that match and one that does not.
pub(super) const PATTERNS: [(&str, [&str; 2], &str); 3] = [
    ("^[a-z]+$", ["abc", "q"], "Q1"),
    (r"^\d{2,4}$", ["12", "2026"], "1"),
    ("^x-", ["x-", "x-trace"], "y-x-"),
];
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

/// A type of JSON values.
#[derive(Debug, Clone)]
pub(super) enum Type {
    Boolean,
    Integer {
        least: Option<i64>,
        most: Option<i64>,
        format: Option<&'static str>,
    },
    Number {
        above: Option<i32>,
        most: Option<i32>,
        step: Option<f64>,
    },
    Text {
        least: Option<usize>,
        most: Option<usize>,
    },
    Pattern(usize),
    Format(usize),
    /// One of several strings, numbers and booleans.
    Listed(Vec<Value>),
    Constant(Value),
    List {
        item: Box<Type>,
        least: Option<usize>,
        most: Option<usize>,
        is_distinct: bool,
    },
    Tuple {
        items: Vec<Type>,
        rest: Rest,
    },
    Map {
        names: Vec<&'static str>,
        value: Box<Type>,
    },
    Object(Object),
    /// One of several types, by `anyOf` or `oneOf`.
    Union {
        word: &'static str,
        branches: Vec<Type>,
    },
    /// All of several types of objects.
    All(Vec<Type>),
    /// An object that has one of several groups of members besides its own.
    Extended {
        base: Object,
        branches: Vec<Object>,
    },
    /// The type or null; by a list of types where that is possible and wanted.
    Nullable {
        inner: Box<Type>,
        is_short: bool,
    },
    /// A definition; the root is the one after the last.
    Reference(usize),
    Anything,
}

/// The items of a tuple after those with a position.
#[derive(Debug, Clone)]
pub(super) enum Rest {
    Forbidden,
    Typed(Box<Type>),
}

/// An object with named members.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub(super) members: Vec<Member>,
    pub(super) extra: Extra,
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) kind: Type,
    pub(super) is_required: bool,
}

/// Members besides the named ones.
#[derive(Debug, Clone)]
pub(super) enum Extra {
    Unspecified,
    Allowed,
    Forbidden,
    Typed(Box<Type>),
}

/// A root and its definitions.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) root: Type,
    pub(super) definitions: Vec<Type>,
}

impl Document {
    /// The type of a reference.
    pub(super) fn target(&self, at: usize) -> &Type {
        self.definitions.get(at).unwrap_or(&self.root)
    }

    /// The document as a JSON Schema.
    pub(super) fn schema(&self) -> Value {
        let mut schema = self.root.schema();
        schema["title"] = json!("Root");
        for (name, definition) in DEFINITIONS.iter().zip(&self.definitions) {
            schema["$defs"][name] = definition.schema();
        }
        schema
    }

    /// Whether there are values about which the document says nothing.
    pub(super) fn has_untyped(&self) -> bool {
        matches!(self.root, Type::Anything) || self.schema().to_string().contains("{}")
    }

    /// The document as TypeScript, each type with this suffix.
    pub(super) fn script(&self, suffix: &str) -> String {
        let all = DEFINITIONS.iter().zip(&self.definitions).chain([(&"Root", &self.root)]);
        let written = |(name, kind): (&&str, &Type)| {
            format!("type {name}{suffix} = {};\n", kind.script(suffix))
        };
        all.map(written).collect::<Vec<_>>().concat()
    }
}

/// The keywords that have a value.
fn keywords(pairs: &[(&str, Value)]) -> Value {
    let given = pairs.iter().filter(|(_, value)| !value.is_null());
    Value::Object(given.map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

impl Type {
    pub(super) fn schema(&self) -> Value {
        let all = |types: &[Self]| Value::from(types.iter().map(Self::schema).collect::<Vec<_>>());
        match self {
            Self::Boolean => json!({ "type": "boolean" }),
            Self::Integer { least, most, format } => keywords(&[
                ("type", json!("integer")),
                ("minimum", json!(least)),
                ("maximum", json!(most)),
                ("format", json!(format)),
            ]),
            Self::Number { above, most, step } => keywords(&[
                ("type", json!("number")),
                ("exclusiveMinimum", json!(above)),
                ("maximum", json!(most)),
                ("multipleOf", json!(step)),
            ]),
            Self::Text { least, most } => keywords(&[
                ("type", json!("string")),
                ("minLength", json!(least)),
                ("maxLength", json!(most)),
            ]),
            Self::Pattern(at) => json!({ "type": "string", "pattern": PATTERNS[*at].0 }),
            Self::Format(at) => json!({ "type": "string", "format": FORMATS[*at].0 }),
            Self::Listed(values) => json!({ "enum": values }),
            Self::Constant(value) => json!({ "const": value }),
            Self::List { item, least, most, is_distinct } => keywords(&[
                ("type", json!("array")),
                ("items", item.schema()),
                ("minItems", json!(least)),
                ("maxItems", json!(most)),
                ("uniqueItems", json!(is_distinct.then_some(true))),
            ]),
            Self::Tuple { items, rest } => json!({
                "type": "array", "prefixItems": all(items), "minItems": items.len(),
                "items": match rest {
                    Rest::Forbidden => json!(false),
                    Rest::Typed(item) => item.schema(),
                },
            }),
            Self::Map { names, value } if names.is_empty() => {
                json!({ "type": "object", "additionalProperties": value.schema() })
            }
            Self::Map { names, value } => json!({ "type": "object",
                "propertyNames": { "enum": names }, "additionalProperties": value.schema() }),
            Self::Object(object) => object.schema(),
            Self::Union { word, branches } => json!({ *word: all(branches) }),
            Self::All(parts) => json!({ "allOf": all(parts) }),
            Self::Extended { base, branches } => {
                let mut schema = base.schema();
                schema["oneOf"] = branches.iter().map(Object::schema).collect();
                schema
            }
            Self::Nullable { inner, is_short } => {
                let mut schema = inner.schema();
                match schema.get("type").cloned() {
                    Some(kind) if *is_short => schema["type"] = json!([kind, "null"]),
                    _ => schema = json!({ "anyOf": [schema, { "type": "null" }] }),
                }
                schema
            }
            Self::Reference(at) => json!({ "$ref": DEFINITIONS
                .get(*at)
                .map_or("#".to_owned(), |name| format!("#/$defs/{name}")) }),
            Self::Anything => json!({}),
        }
    }

    fn script(&self, suffix: &str) -> String {
        let joined = |types: &[Self], sign: &str| {
            let texts: Vec<String> = types.iter().map(|kind| kind.script(suffix)).collect();
            format!("({})", texts.join(sign))
        };
        match self {
            Self::Boolean => "boolean".to_owned(),
            Self::Integer { .. } | Self::Number { .. } => "number".to_owned(),
            Self::Text { .. } | Self::Pattern(_) | Self::Format(_) => "string".to_owned(),
            Self::Constant(value) => value.to_string(),
            Self::Listed(values) => {
                let texts: Vec<String> = values.iter().map(Value::to_string).collect();
                format!("({})", texts.join(" | "))
            }
            Self::List { item, .. } => format!("{}[]", item.script(suffix)),
            Self::Tuple { items, rest } => {
                let mut texts: Vec<String> = items.iter().map(|kind| kind.script(suffix)).collect();
                if let Rest::Typed(item) = rest {
                    texts.push(format!("...{}[]", item.script(suffix)));
                }
                format!("[{}]", texts.join(", "))
            }
            Self::Map { names, value } if names.is_empty() => {
                format!("{{ [key: string]: {} }}", value.script(suffix))
            }
            Self::Map { names, value } => {
                let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
                format!("{{ [K in {}]?: {} }}", names.join(" | "), value.script(suffix))
            }
            Self::Object(object) => object.script(suffix),
            Self::Union { branches, .. } => joined(branches, " | "),
            Self::All(parts) => joined(parts, " & "),
            Self::Extended { base, branches } => {
                let texts: Vec<String> = branches.iter().map(|own| own.script(suffix)).collect();
                format!("({} & ({}))", base.script(suffix), texts.join(" | "))
            }
            // The groups of members are those of objects, so null is none of them.
            Self::Nullable { inner, is_short: true }
                if matches!(**inner, Self::Extended { .. }) =>
            {
                inner.script(suffix)
            }
            Self::Nullable { inner, .. } => format!("({} | null)", inner.script(suffix)),
            Self::Reference(at) => {
                format!("{}{suffix}", DEFINITIONS.get(*at).unwrap_or(&"Root"))
            }
            Self::Anything => "unknown".to_owned(),
        }
    }
}

impl Object {
    fn schema(&self) -> Value {
        let properties: Map<String, Value> = (self.members.iter())
            .map(|member| (member.name.to_owned(), member.kind.schema()))
            .collect();
        let required = self.members.iter().filter(|member| member.is_required);
        let required: Vec<&str> = required.map(|member| member.name).collect();
        keywords(&[
            ("type", json!("object")),
            ("required", if required.is_empty() { Value::Null } else { json!(required) }),
            ("properties", Value::Object(properties)),
            (
                "additionalProperties",
                match &self.extra {
                    Extra::Unspecified => Value::Null,
                    Extra::Allowed => json!(true),
                    Extra::Forbidden => json!(false),
                    Extra::Typed(kind) => kind.schema(),
                },
            ),
        ])
    }

    fn script(&self, suffix: &str) -> String {
        let member = |member: &Member| {
            let mark = if member.is_required { "" } else { "?" };
            format!("{:?}{mark}: {};", member.name, member.kind.script(suffix))
        };
        let mut texts: Vec<String> = self.members.iter().map(member).collect();
        if matches!(self.extra, Extra::Allowed | Extra::Typed(_)) {
            // TypeScript has no type for the members that are not named.
            texts.push("[key: string]: unknown;".to_owned());
        }
        format!("{{ {} }}", texts.join(" "))
    }
}
