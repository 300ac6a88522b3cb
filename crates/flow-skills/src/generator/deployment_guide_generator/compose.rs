//! The fields of a guide from a compose file: of one of its services, the image and the names of the variables.

use serde_json::{Map, Value};

use super::target::tag;
use crate::output::{Fault, Result, bad_text};
use crate::project_state::say;

/// Members of a compose file besides its services.
const OTHERS: [&str; 5] = ["services", "volumes", "networks", "configs", "secrets"];

/// Removes the version of the format of a compose file, such as 3.8, which is none of the service.
pub(super) fn remove_version(members: &mut Map<String, Value>) {
    if members.contains_key("services") {
        members.shift_remove("version");
    }
}

/// The fields with those of a compose file in place of its members; none if they have none. `notes` gets what is left out.
pub(super) fn fields(
    given: &Map<String, Value>,
    notes: &mut Vec<String>,
) -> Result<Option<Map<String, Value>>> {
    let Some(services) = given.get("services").and_then(Value::as_object) else { return Ok(None) };
    let names = say::ids(services.keys().map(String::as_str));
    let only = services.keys().next().filter(|_| services.len() == 1).map(String::as_str);
    let Some(name) = given.get("service").and_then(Value::as_str).or(only) else {
        let what = format!(
            "the input is a compose file; add service=NAME with one of its services: {names}"
        );
        return Err(Fault::Refused(what));
    };
    let Some(service) = services.get(name) else {
        return Err(bad_text("service", name, &format!("one of {names}")));
    };
    let mut fields = given.clone();
    fields.retain(|field, _| !OTHERS.contains(&field.as_str()));
    let mut add = |field: &str, value: Value| _ = fields.entry(field).or_insert(value);
    add("target", "docker compose".into());
    add("service", name.into());
    let image = service["image"].as_str().filter(|image| !image.contains('$'));
    if let Some(image) = image {
        add("image", image.into());
        notes.extend(tag(image).map(|tag| {
            format!(
                "the steps set $VERSION: write ${{VERSION}} for the tag {tag} in the compose file"
            )
        }));
    }
    let variables: Vec<Value> = match &service["environment"] {
        Value::Object(members) => members.keys().map(|name| name.as_str().into()).collect(),
        Value::Array(items) => {
            let items = items.iter().filter_map(Value::as_str);
            items.map(|item| item.split('=').next().unwrap_or(item).into()).collect()
        }
        _ => Vec::new(),
    };
    add("env", variables.into());
    notes.push(format!(
        "of the compose file ({names}) the guide has the image of {name} and the names of its variables only"
    ));
    Ok(Some(fields))
}
