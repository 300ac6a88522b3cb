//! The last step, which needs every table: the tables and columns of references, nullable columns, and the notes.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::{Reader, columns};
use crate::data::Model;
use crate::output::Result;

impl Reader {
    pub(super) fn finish(mut self) -> Result<(Model, Vec<String>)> {
        if self.model.entities.is_empty() {
            return Err(self.refused());
        }
        let entities = self.model.entities.iter();
        let primary: IndexMap<String, Vec<String>> = entities
            .filter_map(|(name, source)| {
                Some((name.clone(), source.table.as_ref()?.primary_key.clone()))
            })
            .collect();
        for (name, entity) in &mut self.model.entities {
            let object = &mut entity.shape.object;
            let Some(table) = &mut entity.table else { continue };
            for relation in &mut table.relations {
                let known = self.keys.get(&relation.to.to_ascii_lowercase());
                if let Some(key) = known.filter(|_| !primary.contains_key(&relation.to)) {
                    relation.to.clone_from(key);
                }
                if relation.to_columns.is_empty() {
                    relation.to_columns = primary.get(&relation.to).cloned().unwrap_or_default();
                }
            }
            table.relations.retain(|relation| {
                let is_there = primary.contains_key(&relation.to);
                if !is_there {
                    self.notes.insert(format!(
                        "{name}.{}: the reference to {} is left out: that table is not here",
                        relation.columns.join(", "),
                        relation.to
                    ));
                }
                is_there
            });
            let required: HashSet<&String> = object.required.iter().collect();
            for (name, shape) in &mut object.properties {
                columns::nullable(shape, !required.contains(name));
            }
        }
        let unreadable =
            self.unreadable.into_iter().map(|statement| format!("not read: {statement}"));
        self.notes.extend(unreadable.chain(self.unread.notes()));
        Ok((self.model, self.notes.into_iter().collect()))
    }
}
