//! Keys, indexes, conditions and references.

use sqlparser::ast::{
    CreateIndex, Expr, ForeignKeyConstraint, Ident, IndexColumn, NullsDistinctOption, OrderBySort,
    ReferentialAction, TableConstraint,
};

use super::{Reader, conditions, names};
use crate::data::sql::SqlDialect;
use crate::data::{Entity, KeyKind, KeyName, ObjectRules, OnDelete, Relation, Table};

const SPECIAL: &str = "index with an expression, order, prefix, condition or method";

impl Reader {
    pub(super) fn keys(&mut self, table: &str, change: impl FnOnce(&mut Table)) {
        let entity = self.model.entities.get_mut(table);
        entity.and_then(|entity| entity.table.as_mut()).map(change);
    }

    pub(super) fn object(&mut self, table: &str, change: impl FnOnce(&mut ObjectRules)) {
        if let Some(entity) = self.model.entities.get_mut(table) {
            change(&mut entity.shape.object);
        }
    }

    pub(super) fn named(
        &mut self,
        table: &str,
        kind: KeyKind,
        columns: &[String],
        name: Option<Ident>,
    ) {
        if let Some(name) = name.filter(|name| !name.value.is_empty()) {
            let (columns, name) = (columns.to_vec(), name.value);
            self.keys(table, |keys| keys.names.push(KeyName { kind, columns, name }));
        }
    }

    pub(super) fn constraint(&mut self, table: &str, constraint: TableConstraint) {
        match constraint {
            TableConstraint::PrimaryKey(key) => {
                let Some(columns) = self.columns(table, &key.columns) else {
                    return self.leave("primary key with prefixes");
                };
                for column in &columns {
                    self.require(table, column);
                }
                self.named(table, KeyKind::Primary, &columns, key.name);
                self.keys(table, |keys| keys.primary_key = columns);
            }
            TableConstraint::Unique(key) => {
                if matches!(key.nulls_distinct, NullsDistinctOption::NotDistinct) {
                    self.leave("NULLS NOT DISTINCT clause");
                }
                let columns = self.columns(table, &key.columns);
                self.key_over(table, KeyKind::Unique, key.name.or(key.index_name), columns);
            }
            TableConstraint::ForeignKey(key) => self.foreign_key(table, key),
            TableConstraint::Check(check) => self.check(table, check.name, &check.expr),
            TableConstraint::Index(index) => {
                let columns = self.columns(table, &index.columns);
                self.key_over(table, KeyKind::Index, index.name, columns);
            }
            TableConstraint::FulltextOrSpatial(_) => self.leave("FULLTEXT or SPATIAL index"),
            _ => self.leave("exclusion or other constraint"),
        }
    }

    /// A unique key or an index, if it is over plain columns.
    fn key_over(
        &mut self,
        table: &str,
        kind: KeyKind,
        name: Option<Ident>,
        columns: Option<Vec<String>>,
    ) {
        let Some(columns) = columns else { return self.leave(SPECIAL) };
        self.named(table, kind, &columns, name);
        self.keys(table, |keys| {
            let list = if kind == KeyKind::Index { &mut keys.indexes } else { &mut keys.unique };
            list.push(columns);
        });
    }

    pub(super) fn index(&mut self, index: &CreateIndex) {
        let Some(table) = self.key(&index.table_name) else {
            return self.leave("index of a table that is not here");
        };
        let method = index.using.as_ref().map(|method| method.to_string().to_lowercase());
        let is_plain = method.is_none_or(|method| method == "btree")
            && index.include.is_empty()
            && index.nulls_distinct != Some(false)
            && index.predicate.is_none();
        let columns = self.columns(&table, &index.columns).filter(|_| is_plain);
        let name = index.name.as_ref().map(|name| names::name(name, self.dialect));
        if let (true, Some(columns)) = (index.unique, &columns) {
            let (columns, name) = (columns.clone(), name.clone().unwrap_or_default());
            let key = KeyName { kind: KeyKind::UniqueIndex, columns, name };
            self.keys(&table, |keys| keys.names.push(key));
        }
        let kind = if index.unique { KeyKind::Unique } else { KeyKind::Index };
        self.key_over(&table, kind, name.map(Ident::new), columns);
    }

    /// The columns of a key; `None` if one has an expression, an order, a prefix or an operator class.
    fn columns(&self, table: &str, columns: &[IndexColumn]) -> Option<Vec<String>> {
        let plain = |item: &IndexColumn| {
            let options = &item.column.options;
            let is_plain = item.operator_class.is_none()
                && !matches!(options.sort, Some(OrderBySort::Desc | OrderBySort::Using(_)))
                && options.nulls_first.is_none();
            let mut expr = &item.column.expr;
            while let Expr::Nested(inner) = expr {
                expr = inner;
            }
            match expr {
                Expr::Identifier(ident) if is_plain => Some(self.column_name(table, ident)),
                _ => None,
            }
        };
        columns.iter().map(plain).collect()
    }

    /// Adds a condition to the shape of its column, if it is a bound or a list of values and the only one of the column.
    pub(super) fn check(&mut self, table: &str, name: Option<Ident>, check: &Expr) {
        let entity = self.model.entities.get_mut(table);
        let Some(Entity { shape, table: Some(keys) }) = entity else { return };
        let columns = &mut shape.object.properties;
        let bound = conditions::bound_of(check, columns, self.dialect);
        let Some((column, shape)) = bound.filter(|(column, _)| !keys.has_check(column)) else {
            return self.leave("CHECK condition");
        };
        let name = name.map(|name| name.value).unwrap_or_default();
        keys.names.push(KeyName { kind: KeyKind::Check, columns: vec![column.clone()], name });
        columns.insert(column, shape);
    }

    fn action(&mut self, action: Option<ReferentialAction>) -> OnDelete {
        match action {
            None | Some(ReferentialAction::NoAction) => OnDelete::NoAction,
            // One word has the meaning of the other there.
            Some(ReferentialAction::Restrict) if self.dialect == Some(SqlDialect::MySql) => {
                OnDelete::NoAction
            }
            Some(ReferentialAction::Restrict) => OnDelete::Restrict,
            Some(ReferentialAction::Cascade) => OnDelete::Cascade,
            Some(ReferentialAction::SetNull) => OnDelete::SetNull,
            Some(ReferentialAction::SetDefault) => {
                self.leave("SET DEFAULT clause, which becomes NO ACTION,");
                OnDelete::NoAction
            }
        }
    }

    pub(super) fn foreign_key(&mut self, table: &str, key: ForeignKeyConstraint) {
        let columns: Vec<String> =
            key.columns.iter().map(|column| self.column_name(table, column)).collect();
        self.named(table, KeyKind::Foreign, &columns, key.name);
        let on_delete = self.action(key.on_delete);
        let on_update = self.action(key.on_update);
        if key.characteristics.is_some_and(|options| options.deferrable == Some(true)) {
            self.leave("DEFERRABLE clause");
        }
        let to = self.key(&key.foreign_table);
        let referred = key.referred_columns.iter().map(|column| names::ident(column, self.dialect));
        let relation = Relation {
            columns,
            to: to.unwrap_or_else(|| names::name(&key.foreign_table, self.dialect)),
            to_columns: referred.collect(),
            on_delete,
            on_update,
        };
        self.keys(table, |keys| keys.relations.push(relation));
    }
}
