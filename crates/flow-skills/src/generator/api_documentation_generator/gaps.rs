//! What an existing document names and does not have: targets of references, and parameters of paths.

use indexmap::IndexSet;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::text::{first, line};

/// Largest number of places that a note names.
const NAMED: usize = 10;
/// Members whose values are data, in which `$ref` is no reference. `default` and `examples` name responses and examples too.
const DATA: [&str; 3] = ["const", "enum", "example"];

pub(super) fn notes(document: &Value) -> impl Iterator<Item = String> {
    let note = |what: &str, places: IndexSet<String>| {
        let named = first(places.iter().map(|place| line(place)), NAMED, " and ");
        (!places.is_empty()).then(|| format!("the document {what}: {named}"))
    };
    let targets = note("refers to what it does not have", dangling(document));
    let parameters = note("declares no parameter for", undeclared(document));
    targets.into_iter().chain(parameters)
}

/// The references within the document that lead nowhere.
fn dangling(document: &Value) -> IndexSet<String> {
    let leads = |target: &str| !target.starts_with("#/") || resolve(document, target).is_some();
    let mut places = IndexSet::new();
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        let members = value.as_object().into_iter().flatten();
        // References below an id of its own are relative to that.
        if value["$id"].is_string() {
            continue;
        }
        places.extend(value["$ref"].as_str().filter(|target| !leads(target)).map(str::to_owned));
        let parts = members.filter(|(name, _)| !DATA.contains(&name.as_str()));
        let items = value.as_array().into_iter().flatten();
        open.extend(items.chain(parts.map(|(_, value)| value)).rev());
    }
    places
}

/// What a reference leads to; `None` if that is not in the document.
fn resolve<'a>(document: &'a Value, target: &str) -> Option<&'a Value> {
    document.pointer(&percent_decode_str(target.strip_prefix('#')?).decode_utf8().ok()?)
}

/// The parameters in paths that neither the path nor an operation of it declares: `petId of GET /pets/{petId}`.
fn undeclared(document: &Value) -> IndexSet<String> {
    let mut places = IndexSet::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let names = path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0));
        for method in ["get", "put", "post", "delete", "options", "head", "patch", "trace"] {
            let Some(operation) = item.get(method) else { continue };
            let lists = [&item["parameters"], &operation["parameters"]].into_iter();
            let declared = lists.filter_map(Value::as_array).flatten().map(|one| {
                one["$ref"].as_str().map_or(Some(one), |target| resolve(document, target))
            });
            // What another document declares is not known.
            let Some(declared) = declared.collect::<Option<Vec<_>>>() else { continue };
            let has = |name: &str| {
                declared.iter().any(|one| one["in"] == "path" && one["name"].as_str() == Some(name))
            };
            let missing = names.clone().filter(|name| !has(name));
            let method = method.to_uppercase();
            places.extend(missing.map(|name| format!("{name} of {method} {path}")));
        }
    }
    places
}
