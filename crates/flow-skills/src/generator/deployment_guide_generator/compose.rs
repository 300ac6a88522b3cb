//! The fields of a guide from a compose file: of one of its services, the image and the names of the variables.

use serde_json::{Map, Value};

use super::target::tag;
use crate::output::{Fault, Result, bad_text};
use crate::project_state::say;

/// Members of a compose file besides its services.
const OTHERS: [&str; 5] = ["services", "volumes", "networks", "configs", "secrets"];

/// The fields with those of a compose file in place of its members; none if they have none. `notes` gets what is left out.
pub(super) fn fields(
    given: &Map<String, Value>,
    notes: &mut Vec<String>,
) -> Result<Option<Map<String, Value>>> {
    let Some(services) = given.get("services").and_then(Value::as_object) else { return Ok(None) };
    let names = || say::ids(services.keys().map(String::as_str));
    let stated = given.get("service").and_then(Value::as_str);
    let name = match (stated, services.keys().next()) {
        (Some(name), _) if services.contains_key(name) => name,
        (Some(name), _) => return Err(bad_text("service", name, &format!("one of {}", names()))),
        (None, Some(name)) if services.len() == 1 => name,
        (None, first) => {
            let first = first.map_or("NAME", String::as_str);
            return Err(Fault::Refused(format!(
                "the input is a compose file; add service={first}, or another of its services: {}",
                names()
            )));
        }
    };
    let mut fields = given.clone();
    fields.retain(|field, _| !OTHERS.contains(&field.as_str()));
    // The version of the file's own format, such as 3.8.
    if fields.get("version").and_then(Value::as_str).is_some_and(|version| version.len() <= 3) {
        fields.shift_remove("version");
    }
    let mut add = |field: &str, value: Value| _ = fields.entry(field).or_insert(value);
    add("target", "docker compose".into());
    add("service", name.into());
    let service = &services[name];
    let image = service["image"].as_str().filter(|image| !image.contains('$'));
    if let Some(image) = image {
        add("image", image.into());
        notes.extend(tag(image).map(|tag| {
            format!(
                "the steps set $VERSION: write ${{VERSION}} for the tag {tag} in the compose file"
            )
        }));
    }
    let names: Vec<Value> = match &service["environment"] {
        Value::Object(members) => members.keys().map(|name| name.as_str().into()).collect(),
        Value::Array(items) => {
            let items = items.iter().filter_map(Value::as_str);
            items.map(|item| item.split('=').next().unwrap_or(item).into()).collect()
        }
        _ => Vec::new(),
    };
    add("env", names.into());
    let others: Vec<&str> =
        services.keys().map(String::as_str).filter(|other| *other != name).collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("; the services {}", say::ids(others))
    };
    notes.push(format!(
        "left out of the compose file: all of {name} but its image and the names of its variables{others}"
    ));
    Ok(Some(fields))
}
