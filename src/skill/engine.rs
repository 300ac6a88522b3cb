//! Renders a template with data. It and [`super::filters`] alone know `tera`.

use serde_json::Value;
use tera::{Context, Tera};

use super::filters;
use super::output::{Fault, Result};

/// Renders one template over `data`, which it sees under the name `data`. Nothing is escaped by itself: each target's
/// filter is the template's to name.
///
/// # Errors
/// When the template is wrong, or asks for what is not there.
pub fn render(template: &str, data: &Value) -> Result<String> {
    let mut tera = Tera::new();
    tera.autoescape_on(Vec::<&'static str>::new());
    filters::register(&mut tera);
    let fault =
        |error: tera::Error| Fault::Refused(format!("the template could not be rendered: {error}"));
    tera.add_raw_template("template", template).map_err(fault)?;
    let mut context = Context::new();
    context.insert("data", data);
    tera.render("template", &context).map_err(fault)
}
