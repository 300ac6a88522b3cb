//! Renders a template with data. Only this module uses `tera`.

use serde::Serialize;
use serde_json::{Map, Value};
use tera::{Context, Tera};

use super::catalog;
use crate::output::{Fault, Result, value};
use crate::text::fence::Fence;

const NAME: &str = "template";
/// The components of pages on the project's state: head, tables, truncated lists, open questions.
const PAGE: (&str, &str) = ("page", include_str!("page.md.tera"));

/// The variables that a template reads and does not set, sorted.
pub(crate) fn placeholders(template: &str) -> Result<Vec<String>> {
    let tera = with_template(template)?;
    let mut names: Vec<String> =
        tera.get_template_variables(NAME).map_err(fault)?.into_iter().map(str::to_owned).collect();
    names.sort_unstable();
    Ok(names)
}

/// Renders a template whose variables are the fields themselves, for custom templates. It limits neither time nor
/// memory ([`super::sandbox`] does).
pub(crate) fn render_fields(template: &str, fields: &Map<String, Value>) -> Result<String> {
    let mut context = Context::new();
    for (name, value) in fields {
        context.insert(name.clone(), value);
    }
    with_template(template)?.render(NAME, &context).map_err(fault)
}

fn empty() -> Tera {
    let mut tera = Tera::new();
    tera.autoescape_on(Vec::<&'static str>::new());
    tera
}

fn with_template(template: &str) -> Result<Tera> {
    let mut tera = empty();
    tera.add_raw_template(NAME, template).map_err(fault)?;
    Ok(tera)
}

#[allow(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn fault(error: tera::Error) -> Fault {
    // The report's first line says why, and its second where; the rest shows the place.
    let report = error.to_string();
    let mut lines = report.lines();
    let reason = lines.next().unwrap_or_default().trim_start_matches("error: ");
    let place = lines.find_map(|line| line.trim().strip_prefix("--> template:")?.split_once(':'));
    let place =
        place.map(|(line, column)| format!(" (line {line}, column {column})")).unwrap_or_default();
    Fault::Refused(format!("the template is invalid: {reason}{place}"))
}

/// Renders one of a skill's own templates. It may use the components of `page.md.tera`.
pub(crate) fn render_own(skill: &str, template: &str, data: &impl Serialize) -> Result<String> {
    let source = catalog::file(skill, template)
        .ok_or_else(|| Fault::Refused(format!("the skill {skill} has no {template}")))?;
    let mut tera = empty();
    tera.add_raw_templates([PAGE, (NAME, source)]).map_err(fault)?;
    let mut context = Context::new();
    context.insert("data", &value(data)?);
    tera.render(NAME, &context).map_err(fault)
}

/// Renders one of a skill's own templates as a page: outside of code without blanks at line ends and consecutive empty
/// lines, and with one newline at the end.
pub(crate) fn render_page(skill: &str, template: &str, data: &impl Serialize) -> Result<String> {
    let text = render_own(skill, template, data)?;
    let mut out = String::with_capacity(text.len());
    let mut fence = Fence::default();
    for line in text.lines() {
        let is_code = fence.holds(line);
        let line = if is_code { line } else { line.trim_end() };
        if is_code || !(line.is_empty() && (out.is_empty() || out.ends_with("\n\n"))) {
            out.push_str(line);
            out.push('\n');
        }
    }
    Ok(out.trim_end().to_owned() + "\n")
}
