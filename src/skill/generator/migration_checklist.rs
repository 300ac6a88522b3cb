//! `migration-checklist`: what to do before, during and after a move of data from one place to another, each phase with
//! its way back. The words are the template's; here are the phases, the queries and what is not known.

use serde_json::{Value, json};

use super::source::{choice, given};
use crate::skill::engine;
use crate::skill::filters::markdown;
use crate::skill::input::{Context, Input};
use crate::skill::output::{Artifact, Fault, Output, Result};

const SKILL: &str = "migration-checklist";
const STRATEGIES: [&str; 4] = ["big-bang", "phased", "dual-write", "blue-green"];

/// Writes the checklist.
///
/// # Errors
/// When it is not said from where and to where.
pub(super) fn generate(input: &Input, context: &Context) -> Result<Output> {
    let from = required(input, "from", "where the data are now, such as MySQL 8")?;
    let to = required(input, "to", "where they are to be, such as PostgreSQL 15")?;
    let strategy = choice(input, "strategy", &STRATEGIES)?;
    let tables = tables(input)?;
    let mut open = Vec::new();
    if tables.is_empty() {
        open.push(
            "Which tables or data sets move? Without them there are no count queries.".to_owned(),
        );
    }
    if input.text("strategy").is_none() {
        open.push("Which strategy is it: big-bang, phased, dual-write or blue-green? The list is for big-bang.".to_owned());
    }
    for (field, question) in [
        ("owner", "Who decides on going on or going back?"),
        ("window", "When may the migration run, and for how long?"),
    ] {
        if input.text(field).is_none() {
            open.push(question.to_owned());
        }
    }
    let count = |place: &str| -> Vec<Value> {
        let query = |name: &String| {
            json!(format!(
                "SELECT {} AS table_name, count(*) AS row_count FROM {};",
                text(place, name),
                quoted(place, name)
            ))
        };
        tables.iter().map(query).collect()
    };
    let data = json!({
        "from": from, "to": to, "strategy": strategy, "date": context.today(),
        "owner": input.text("owner"), "window": input.text("window"),
        "tables": tables, "from_queries": count(from), "to_queries": count(to),
        "open": open.iter().map(|question| markdown(question)).collect::<Vec<_>>(),
    });
    let template =
        crate::skill::catalog::file(SKILL, "assets/checklist.md.tera").unwrap_or_default();
    let written = engine::render(template, &data)?;
    let artifact =
        Artifact { path: "migration-checklist.md".into(), kind: "markdown", text: written };
    Ok(Output { data, artifacts: vec![artifact], open, notes: Vec::new() })
}

fn required<'a>(input: &'a Input, field: &str, description: &str) -> Result<&'a str> {
    input.text(field).filter(|text| !text.trim().is_empty()).ok_or_else(|| Fault::Missing {
        field: field.into(),
        expects: "a text".into(),
        description: description.into(),
    })
}

/// The names of the tables: texts, or objects with a name.
fn tables(input: &Input) -> Result<Vec<String>> {
    let name = |(at, own): (usize, &Value)| {
        let name = own.as_str().or_else(|| own.get("name").and_then(Value::as_str));
        let is_usable = |name: &&str| !name.is_empty() && !name.contains(['\0', '\n', '\r']);
        name.filter(is_usable).map(str::to_owned).ok_or_else(|| Fault::Bad {
            field: format!("tables[{at}]"),
            given: given(own),
            allowed: "the name of a table on one line, or an object with it as name".into(),
        })
    };
    if let Some(names) = input.text("tables") {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        return names.enumerate().map(|(at, own)| name((at, &own.into()))).collect();
    }
    input.list("tables").iter().enumerate().map(name).collect()
}

fn is_mysql(place: &str) -> bool {
    let place = place.to_ascii_lowercase();
    place.contains("mysql") || place.contains("mariadb")
}

fn quoted(place: &str, name: &str) -> String {
    let mark = if is_mysql(place) { '`' } else { '"' };
    format!("{mark}{}{mark}", name.replace(mark, &format!("{mark}{mark}")))
}

fn text(place: &str, name: &str) -> String {
    let text = name.replace('\'', "''");
    format!("'{}'", if is_mysql(place) { text.replace('\\', "\\\\") } else { text })
}
