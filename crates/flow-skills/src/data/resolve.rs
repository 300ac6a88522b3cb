//! Resolves the references of a JSON Schema within its document: pointers, anchors, and schemas with an `$id`.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

/// Deepest nesting that is searched.
const DEPTH_LIMIT: usize = 128;
/// Keywords whose value is data and contains no schemas.
const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];

/// A member's name as a token of a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The schema at a pointer of the document.
    Inside(String),
    Outside,
    /// A position of this document that does not exist.
    Nowhere,
}

/// The schemas of a document that are named for references.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// The `$id` of each schema that has one, by its pointer; the document itself is at the empty one.
    ids: BTreeMap<String, String>,
    /// The pointers of anchors, by the pointer of the schema with an `$id` around them and their name.
    anchors: HashMap<(String, String), String>,
}

impl Resources {
    pub(super) fn of(document: &Value) -> Self {
        let mut index = Self::default();
        let dialect = document.get("$schema").and_then(Value::as_str).unwrap_or_default();
        // The drafts before 6 call it `id`, which is a common property name elsewhere.
        let is_old = ["draft-03", "draft-04"].iter().any(|old| dialect.contains(old));
        index.ids.insert(String::new(), String::new());
        index.visit(document, "", if is_old { "id" } else { "$id" }, 0);
        index
    }

    fn visit(&mut self, value: &Value, at: &str, id: &str, depth: usize) {
        if depth > DEPTH_LIMIT {
            return;
        }
        if let Some(map) = value.as_object() {
            let text = |word: &str| map.get(word).and_then(Value::as_str);
            // The drafts before 2019-09 write an anchor in the form of an id.
            let (name, older) = match text(id).map(|name| name.trim_end_matches('#')) {
                Some(name) if name.starts_with('#') => (None, Some(&name[1..])),
                name => (name, None),
            };
            if let Some(name) = name {
                self.ids.insert(at.to_owned(), name.to_owned());
            }
            for name in older.into_iter().chain(text("$anchor")).chain(text("$dynamicAnchor")) {
                let key = (self.resource(at).to_owned(), name.to_owned());
                self.anchors.entry(key).or_insert_with(|| at.to_owned());
            }
            for (key, child) in map.iter().filter(|(key, _)| !VALUES.contains(&key.as_str())) {
                self.visit(child, &format!("{at}/{}", escape(key)), id, depth + 1);
            }
        }
        for (index, child) in value.as_array().into_iter().flatten().enumerate() {
            self.visit(child, &format!("{at}/{index}"), id, depth + 1);
        }
    }

    /// The pointer of the nearest schema with an `$id` around a position.
    fn resource<'a>(&self, at: &'a str) -> &'a str {
        let mut place = at;
        while !self.ids.contains_key(place) {
            place = place.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        place
    }

    /// The pointer of the schema with an `$id`: the same, or one that a relative reference is the end of.
    fn identified(&self, uri: &str) -> Option<&str> {
        let end = format!("/{}", uri.trim_start_matches("./").trim_start_matches('/'));
        let is_absolute = uri.contains(':');
        let same = self.ids.iter().find(|(_, id)| *id == uri);
        let ends = || self.ids.iter().find(|(_, id)| !is_absolute && id.ends_with(&end));
        same.or_else(ends).map(|(at, _)| at.as_str())
    }

    /// The target of a reference at a position.
    pub(super) fn resolve(&self, document: &Value, reference: &str, at: &str) -> Target {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if uri.is_empty() { Some(self.resource(at)) } else { self.identified(uri) };
        let Some(resource) = resource else { return Target::Outside };
        let fragment =
            percent_encoding::percent_decode_str(fragment).decode_utf8_lossy().into_owned();
        let pointer = if fragment.is_empty() || fragment.starts_with('/') {
            Some(format!("{resource}{fragment}"))
        } else {
            self.anchors.get(&(resource.to_owned(), fragment)).cloned()
        };
        match pointer.filter(|pointer| document.pointer(pointer).is_some()) {
            Some(pointer) => Target::Inside(pointer),
            None => Target::Nowhere,
        }
    }
}
