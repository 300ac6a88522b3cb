//! An endpoint as an object, such as a program writes it: its line in the notation of endpoints.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::input::values::{Int, Line, Word};
use crate::output::{Result, bad, bad_text};

/// An endpoint.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EndpointFields {
    /// The HTTP method.
    method: Word,
    /// The path, with parameters as {name} or :name.
    #[schemars(extend("x-labels" = ["url", "route", "endpoint"]))]
    path: Word,
    /// What it does.
    #[schemars(extend("x-labels" = ["description", "name", "title"]))]
    summary: Option<Line>,
    /// The parameters of its query: names such as q or limit=int, or an object of names and types.
    #[schemars(extend("x-labels" = ["parameters", "params", "query_params"]))]
    query: Option<Value>,
    /// The body of the request: the name of a type, or an object of names and types.
    #[schemars(extend("x-labels" = ["body", "request_body", "requestBody"]))]
    request: Option<Value>,
    /// The body of the response: the name of a type, or an object of names and types.
    #[schemars(extend("x-labels" = ["returns", "response_body"]))]
    response: Option<Value>,
    /// The status of a successful response.
    status: Option<Int<100, 399>>,
    /// The statuses of errors. Default: the usual ones.
    #[serde(default)]
    errors: Vec<Int<400, 599>>,
    /// False if no authentication is required.
    auth: Option<bool>,
}

impl EndpointFields {
    /// Its line in the notation; `field` is its name in the input.
    pub(super) fn line(&self, field: &str) -> Result<String> {
        let mut line = format!("{} {}", self.method, self.path);
        if let Some(query) = &self.query {
            let names = pairs(query, "=", &format!("{field}.query"))?;
            line.push('?');
            line.push_str(&names.join("&"));
        }
        for (name, arrow, body) in
            [("request", "<-", &self.request), ("response", "->", &self.response)]
        {
            if let Some(body) = body {
                let body = self::body(body, &format!("{field}.{name}"))?;
                line.extend([" ", arrow, " ", &body]);
            }
        }
        let statuses = self.status.map(Int::get).into_iter();
        for status in statuses.chain(self.errors.iter().map(|status| status.get())) {
            line.extend([" ", &status.to_string()]);
        }
        if self.auth == Some(false) {
            line += " public";
        }
        if let Some(summary) = &self.summary {
            if summary.contains(';') {
                let field = format!("{field}.summary");
                return Err(bad_text(&field, summary, "text without a semicolon"));
            }
            line.extend([" : ", summary]);
        }
        Ok(line)
    }
}

fn body(value: &Value, field: &str) -> Result<String> {
    match value {
        Value::String(name) => Ok(name.clone()),
        fields => Ok(format!("{{{}}}", pairs(fields, ": ", field)?.join(", "))),
    }
}

/// Names with their types, with a mark between them.
fn pairs(value: &Value, mark: &str, field: &str) -> Result<Vec<String>> {
    let listed = |items: &Vec<Value>| {
        let names = items.iter().map(|item| item.as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>()
    };
    let pairs = match value {
        Value::String(names) => Some(vec![names.clone()]),
        Value::Array(items) => listed(items),
        Value::Object(members) => {
            let pair =
                |(name, kind): (&String, &Value)| Some(format!("{name}{mark}{}", kind.as_str()?));
            members.iter().map(pair).collect()
        }
        _ => None,
    };
    let allowed = r#"the name of a type, or names with types such as {"email": "string"}; schemas stand in source=… by their names"#;
    pairs.ok_or_else(|| bad(field, value, allowed))
}
