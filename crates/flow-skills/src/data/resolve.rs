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
    /// A dynamic reference whose target depends on how the schema is reached.
    Ambiguous,
}

/// The schemas of a document that are named for references.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// The `$id` of each schema that has one, by its pointer; the document itself is at the empty one.
    ids: BTreeMap<String, String>,
    /// The pointers of anchors, by the pointer of the schema with an `$id` around them and their name.
    anchors: HashMap<(String, String), String>,
    /// The pointers of dynamic anchors by their name.
    dynamic: HashMap<String, Vec<String>>,
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
            if let Some(name) = text("$dynamicAnchor") {
                self.dynamic.entry(name.to_owned()).or_default().push(at.to_owned());
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

    /// The target of a reference at a position. A dynamic one has a target only if that does not depend on how the
    /// position is reached.
    pub(super) fn resolve(
        &self,
        document: &Value,
        reference: &str,
        at: &str,
        is_dynamic: bool,
    ) -> Target {
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
        let Some(pointer) = pointer.filter(|pointer| document.pointer(pointer).is_some()) else {
            return Target::Nowhere;
        };
        let name = reference.rsplit('#').next().unwrap_or_default();
        // It is dynamic only if its initial target is a dynamic anchor.
        let is_ambiguous = |anchors: &Vec<String>| anchors.contains(&pointer) && anchors.len() > 1;
        if is_dynamic && self.dynamic.get(name).is_some_and(is_ambiguous) {
            return Target::Ambiguous;
        }
        Target::Inside(pointer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Resources, Target};

    #[test]
    fn references_lead_to_pointers_anchors_and_ids_of_the_document() {
        let document = json!({ "$id": "https://a.example/root.json", "$defs": {
            "Part": { "$id": "part.json", "$defs": { "In": {} } },
            "Far": { "$id": "https://b.example/x/far" },
            "Named": { "$anchor": "named" },
        } });
        let all = Resources::of(&document);
        for (reference, at, wanted) in [
            ("#", "/x", Some("")),
            ("#/$defs/Part", "/x", Some("/$defs/Part")),
            ("#/$defs/In", "/$defs/Part/x", Some("/$defs/Part/$defs/In")),
            ("part.json", "/x", Some("/$defs/Part")),
            ("part.json#/$defs/In", "/x", Some("/$defs/Part/$defs/In")),
            ("https://b.example/x/far", "/x", Some("/$defs/Far")),
            ("https://a.example/root.json#named", "/x", Some("/$defs/Named")),
            ("#named", "/x", Some("/$defs/Named")),
            ("other.json", "/x", None),
            ("https://c.example/far", "/x", None),
        ] {
            let target = wanted.map_or(Target::Outside, |at| Target::Inside(at.to_owned()));
            assert_eq!(all.resolve(&document, reference, at, false), target, "{reference}");
        }
    }
}
