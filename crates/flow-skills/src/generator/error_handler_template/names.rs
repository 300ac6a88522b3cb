//! Names of classes: derived from the codes, and distinct from those of the language and the file itself.

use std::collections::HashSet;

use heck::ToUpperCamelCase;

use super::Case;
use crate::output::{Result, bad_text};
use crate::text::lists;

/// Class names that a language defines.
const TAKEN: &str = include_str!("names.txt");

/// Checks the name of the base class of all errors.
pub(super) fn base(name: &str) -> Result<()> {
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && ["Error", "Exception", "Failure"].iter().any(|end| name.ends_with(end))
        && name.len() <= 60
        && !lists(TAKEN, name);
    if is_name {
        return Ok(());
    }
    let allowed = "a class name that ends in Error, Exception or Failure, such as ShopError, and that no language has";
    Err(bad_text("name", name, allowed))
}

/// Assigns a unique name to each case.
pub(super) fn name_all(cases: &mut [Case], base: &str) -> Result<()> {
    let (mut codes, mut names) = (HashSet::new(), HashSet::new());
    for (at, case) in cases.iter_mut().enumerate() {
        let path = format!("cases[{at}].code");
        if !codes.insert(case.code.clone()) {
            return Err(bad_text(&path, &case.code, "a code that no other case has"));
        }
        case.name = name(&case.code, base);
        if !names.insert(case.name.clone()) {
            let allowed = format!("a code of another name: {} is another case's class", case.name);
            return Err(bad_text(&path, &case.code, &allowed));
        }
    }
    Ok(())
}

fn name(code: &str, base: &str) -> String {
    let camel = code.to_upper_camel_case();
    let stem = camel.strip_suffix("Error").unwrap_or(&camel);
    let name = format!("{stem}Error");
    let is_taken = lists(TAKEN, &name) || name == base;
    if is_taken { format!("{stem}CaseError") } else { name }
}
