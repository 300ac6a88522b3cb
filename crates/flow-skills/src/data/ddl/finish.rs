//! The last step, which needs every table: spelling of names, columns that references omit, nullable columns, and the
//! notes.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::names::respell;
use super::{Reader, types};
use crate::data::{Model, ObjectRules, Table};
use crate::output::Result;

impl Reader {
    pub(super) fn finish(mut self) -> Result<(Model, Vec<String>)> {
        // Notes are about statements besides the skipped ones.
        let is_empty = !self.unreadable.is_empty() || self.notes.is_empty();
        if self.model.entities.is_empty() && is_empty {
            return Err(self.refused());
        }
        let entities = self.model.entities.iter();
        let primary: IndexMap<String, Vec<String>> = entities
            .filter_map(|(name, own)| Some((name.clone(), own.table.as_ref()?.primary_key.clone())))
            .collect();
        let mut lost = Vec::new();
        for (own, entity) in &mut self.model.entities {
            let object = &mut entity.shape.object;
            let Some(table) = &mut entity.table else { continue };
            enumerate(object, table, &self.enums);
            let columns = &object.properties;
            let lists = [&mut table.primary_key, &mut object.required];
            let lists = lists.into_iter().chain(&mut table.unique).chain(&mut table.indexes);
            lists.for_each(|list| respell(list, columns));
            for relation in &mut table.relations {
                respell(&mut relation.columns, columns);
                respell(std::slice::from_mut(&mut relation.to), &primary);
                if relation.to_columns.is_empty() {
                    relation.to_columns = primary.get(&relation.to).cloned().unwrap_or_default();
                }
            }
            table.relations.retain(|relation| {
                let is_there = primary.contains_key(&relation.to);
                if !is_there {
                    lost.push(format!(
                        "{own}.{}: the reference to {} is left out: that table is not here",
                        relation.columns.join(", "),
                        relation.to
                    ));
                }
                is_there
            });
            let required: HashSet<&String> = object.required.iter().collect();
            for (name, shape) in &mut object.properties {
                types::nullable(shape, !required.contains(name));
            }
        }
        let unreadable = self.unreadable.into_iter().map(|own| format!("not read: {own}"));
        self.notes.extend(lost.into_iter().chain(unreadable).chain(self.skipped.notes()));
        Ok((self.model, self.notes.into_iter().collect()))
    }
}

/// Gives the columns of enums the values that these have at the end.
fn enumerate(object: &mut ObjectRules, table: &Table, enums: &IndexMap<String, Vec<String>>) {
    for (name, column) in table.native.iter().flat_map(|own| &own.columns) {
        let labels = column.enumeration.as_ref().and_then(|own| enums.get(own));
        if let (Some(labels), Some(shape)) = (labels, object.properties.get_mut(name)) {
            let item = match &mut shape.array.items {
                Some(item) => item,
                None => shape,
            };
            item.enumeration = Some(labels.iter().map(|own| own.as_str().into()).collect());
        }
    }
}
