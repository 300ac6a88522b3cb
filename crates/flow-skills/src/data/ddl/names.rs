//! Names as DDL spells them.

use sqlparser::ast::{Ident, ObjectName};

pub(super) fn respell(list: &mut [String], names: &[String]) {
    for name in list {
        if !names.contains(name)
            && let Some(same) = names.iter().find(|other| other.eq_ignore_ascii_case(name))
        {
            name.clone_from(same);
        }
    }
}

pub(super) fn last(name: &ObjectName) -> String {
    name.0
        .last()
        .and_then(|part| part.as_ident())
        .map_or_else(|| name.to_string(), |i| i.value.clone())
}

pub(super) fn values(idents: Vec<Ident>) -> Vec<String> {
    idents.into_iter().map(|ident| ident.value).collect()
}
