//! Resolves the references of a JSON Schema: base URIs (`$id`), anchors and embedded resources of one document.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

/// Deepest nesting that is searched.
const DEPTH_LIMIT: usize = 128;
/// Keywords whose value is data and contains no schemas.
const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];
/// The base URI of a document without one.
const NO_BASE: &str = "flow:/";

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

/// The resources and anchors of a document.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// The base URI of every resource by its pointer; the document itself is at the empty one.
    bases: BTreeMap<String, String>,
    /// The pointer of every resource by its URI.
    places: HashMap<String, String>,
    /// The pointers of anchors, by the URI of their resource and their name.
    anchors: HashMap<(String, String), String>,
    /// The pointers of dynamic anchors by their name.
    dynamic: HashMap<String, Vec<String>>,
}

impl Resources {
    pub(super) fn of(document: &Value) -> Self {
        let mut found = Self::default();
        let dialect = document.get("$schema").and_then(Value::as_str).unwrap_or_default();
        // The drafts before 6 call it `id`, which is a common property name elsewhere.
        let is_old = ["draft-03", "draft-04"].iter().any(|old| dialect.contains(old));
        let id = if is_old { "id" } else { "$id" };
        found.bases.insert(String::new(), NO_BASE.to_owned());
        found.places.insert(NO_BASE.to_owned(), String::new());
        found.visit(document, "", NO_BASE, id, 0);
        found
    }

    fn visit(&mut self, value: &Value, at: &str, base: &str, id: &str, depth: usize) {
        if depth > DEPTH_LIMIT {
            return;
        }
        let mut base = base.to_owned();
        if let Some(map) = value.as_object() {
            match map.get(id).and_then(Value::as_str) {
                // The drafts before 2019-09 write an anchor in this form.
                Some(own) if own.starts_with('#') => {
                    self.anchors.insert((base.clone(), own[1..].to_owned()), at.to_owned());
                }
                Some(own) => {
                    let whole = join(&base, own);
                    whole.split('#').next().unwrap_or_default().clone_into(&mut base);
                    self.bases.insert(at.to_owned(), base.clone());
                    self.places.entry(base.clone()).or_insert_with(|| at.to_owned());
                }
                None => {}
            }
            for word in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = map.get(word).and_then(Value::as_str) {
                    let key = (base.clone(), name.to_owned());
                    self.anchors.entry(key).or_insert_with(|| at.to_owned());
                    if word == "$dynamicAnchor" {
                        self.dynamic.entry(name.to_owned()).or_default().push(at.to_owned());
                    }
                }
            }
            for (key, child) in map.iter().filter(|(key, _)| !VALUES.contains(&key.as_str())) {
                let place = format!("{at}/{}", escape(key));
                self.visit(child, &place, &base, id, depth + 1);
            }
        }
        for (index, child) in value.as_array().into_iter().flatten().enumerate() {
            self.visit(child, &format!("{at}/{index}"), &base, id, depth + 1);
        }
    }

    /// The base URI at a position: that of the nearest enclosing resource.
    fn base(&self, at: &str) -> &str {
        let mut place = at;
        loop {
            if let Some(base) = self.bases.get(place) {
                return base;
            }
            place = place.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
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
        let whole = join(self.base(at), reference);
        let (uri, fragment) = whole.split_once('#').unwrap_or((&whole, ""));
        let Some(resource) = self.places.get(uri) else { return Target::Outside };
        let fragment =
            percent_encoding::percent_decode_str(fragment).decode_utf8_lossy().into_owned();
        let pointer = if fragment.is_empty() || fragment.starts_with('/') {
            Some(format!("{resource}{fragment}"))
        } else {
            self.anchors.get(&(uri.to_owned(), fragment)).cloned()
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

/// Resolves a reference against a base URI (RFC 3986, as far as schemas need it).
fn join(base: &str, reference: &str) -> String {
    let has_scheme = reference
        .split_once(':')
        .is_some_and(|(scheme, _)| !scheme.is_empty() && !scheme.contains(['/', '#', '?']));
    if has_scheme {
        return reference.to_owned();
    }
    let base = base.split('#').next().unwrap_or_default();
    if reference.is_empty() || reference.starts_with('#') {
        return format!("{base}{reference}");
    }
    let authority = base.find("://").map_or(0, |at| at + 3);
    let root = base[authority..].find('/').map_or(base.len(), |at| authority + at);
    if reference.starts_with("//") {
        let scheme = base.split(':').next().unwrap_or_default();
        return format!("{scheme}:{reference}");
    }
    if reference.starts_with('/') {
        return format!("{}{reference}", &base[..root]);
    }
    let folder = base.rfind('/').filter(|at| *at >= root).map_or(base.len(), |at| at + 1);
    let slash = if folder == base.len() && !base.ends_with('/') { "/" } else { "" };
    let (path, rest) = match reference.find(['#', '?']) {
        Some(at) => reference.split_at(at),
        None => (reference, ""),
    };
    let mut parts: Vec<&str> = Vec::new();
    let joined = format!("{}{slash}{path}", &base[root.min(folder)..folder]);
    for part in joined.split('/').skip(1) {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{}/{}{rest}", &base[..root], parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn references_are_joined_to_their_base() {
        let cases = [
            ("http://a.example/b/c.json", "d.json#/x", "http://a.example/b/d.json#/x"),
            ("http://a.example/b/c.json", "/d.json", "http://a.example/d.json"),
            ("http://a.example/b/c.json", "../d.json", "http://a.example/d.json"),
            ("http://a.example", "d.json", "http://a.example/d.json"),
            ("http://a.example/b/", "d.json", "http://a.example/b/d.json"),
            ("http://a.example/b", "#x", "http://a.example/b#x"),
            ("http://a.example/b", "urn:x:y", "urn:x:y"),
            ("urn:uuid:1", "#/$defs/a", "urn:uuid:1#/$defs/a"),
            ("flow:/", "item", "flow:/item"),
            ("http://a.example/b", "//c.example/d", "http://c.example/d"),
        ];
        for (base, reference, expected) in cases {
            assert_eq!(join(base, reference), expected, "{base} {reference}");
        }
    }
}
