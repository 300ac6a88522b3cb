//! An endpoint as an object, such as a program writes it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::input::values::{Int, Line, Word};
use crate::notation::Misfit;
use crate::notation::endpoints::{self, Body, Endpoint};
use crate::output::{Result, bad};

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
    /// The endpoint; `field` is its name in the input.
    pub(super) fn endpoint(&self, field: &str) -> Result<Endpoint> {
        let (path, parameters) = fits(&self.path, endpoints::path, field, "path")?;
        let query = self.query.as_ref().map(|query| pairs(query, "=", &format!("{field}.query")));
        let query = parameters.into_iter().chain(query.transpose()?.into_iter().flatten());
        let read = |_: &str| endpoints::query(query);
        let status = |given: i64| u16::try_from(given).ok();
        Ok(Endpoint {
            method: fits(&self.method, endpoints::method, field, "method")?,
            query: fits(&self.path, read, field, "query")?,
            path,
            request: body(self.request.as_ref(), field, "request")?,
            response: body(self.response.as_ref(), field, "response")?,
            status: self.status.and_then(|given| status(given.get())),
            errors: self.errors.iter().filter_map(|given| status(given.get())).collect(),
            is_public: self.auth == Some(false),
            summary: self.summary.as_ref().map(ToString::to_string),
        })
    }
}

/// What a text is read as, or the error of the member `name` of an endpoint.
fn fits<'a, T>(
    text: &'a str,
    read: impl FnOnce(&'a str) -> std::result::Result<T, String>,
    field: &str,
    name: &str,
) -> Result<T> {
    read(text).map_err(|why| {
        Misfit::new(1, text, why, endpoints::EXAMPLE).fault(&format!("{field}.{name}"))
    })
}

fn body(value: Option<&Value>, field: &str, name: &str) -> Result<Option<Body>> {
    let body = |value: &Value| match value {
        Value::String(text) => fits(text, endpoints::body, field, name),
        fields => {
            let fields = pairs(fields, ": ", &format!("{field}.{name}"))?;
            Ok(Body::Fields(fields.join(", ")))
        }
    };
    value.map(body).transpose()
}

/// Names with their types, with a mark between them.
fn pairs(value: &Value, mark: &str, field: &str) -> Result<Vec<String>> {
    let listed = |items: &Vec<Value>| {
        let names = items.iter().map(|item| item.as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>()
    };
    let pairs = match value {
        Value::String(names) => Some(endpoints::parameters(names)),
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
