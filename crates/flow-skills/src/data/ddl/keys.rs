//! Keys, indexes, conditions and references.

use indexmap::IndexMap;
use sqlparser::ast::{
    CreateIndex, DeferrableInitial, Expr, ForeignKeyConstraint, FunctionArguments, Ident,
    IndexColumn, OrderBySort, ReferentialAction, TableConstraint,
};

use super::columns::spelled;
use super::{Reader, checks, names};
use crate::data::{
    KeyKind, KeyName, NativeCheck, NativeIndex, ObjectRules, OnDelete, Relation, Shape, SqlDialect,
    Table,
};

enum Columns {
    Plain(Vec<String>),
    /// Expressions or prefixes: the text, and the plain columns at its beginning.
    Other(String, Vec<String>),
}

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
        name: Option<String>,
    ) {
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            let columns = columns.to_vec();
            self.keys(table, |keys| keys.names.push(KeyName { kind, columns, name }));
        }
    }

    pub(super) fn constraint(&mut self, table: &str, constraint: TableConstraint) {
        let text = |name: Option<Ident>| name.map(|own| own.value);
        match constraint {
            TableConstraint::PrimaryKey(key) => {
                let columns = match self.columns(table, &key.columns) {
                    Columns::Plain(columns) => columns,
                    Columns::Other(text, columns) => {
                        match self.native(table) {
                            Some(native) => native.primary_key = Some(text),
                            None => self.note(format!(
                                "{table}: the primary key {text} is kept without its prefixes"
                            )),
                        }
                        columns
                    }
                };
                for column in &columns {
                    self.require(table, column);
                }
                self.named(table, KeyKind::Primary, &columns, text(key.name));
                self.keys(table, |keys| keys.primary_key = columns);
            }
            TableConstraint::Unique(key) => {
                let name = text(key.name).or_else(|| text(key.index_name));
                self.indexed(table, name, "UNIQUE", &key.columns, "");
            }
            TableConstraint::ForeignKey(key) => self.foreign_key(table, key),
            TableConstraint::Check(check) => self.check(table, text(check.name), &check.expr),
            TableConstraint::Index(index) => {
                self.indexed(table, text(index.name), "", &index.columns, "");
            }
            TableConstraint::FulltextOrSpatial(index) => {
                let kind = if index.fulltext { "FULLTEXT" } else { "SPATIAL" };
                let list: Vec<String> = index.columns.iter().map(ToString::to_string).collect();
                let body = format!("({})", list.join(", "));
                self.native_index(table, text(index.opt_index_name), kind, body, Vec::new());
            }
            other => self.note(format!("{table}: {other} is not kept")),
        }
    }

    /// An index over plain columns, or one that only its own dialect can express.
    fn indexed(
        &mut self,
        table: &str,
        name: Option<String>,
        kind: &str,
        columns: &[IndexColumn],
        rest: &str,
    ) {
        match self.columns(table, columns) {
            Columns::Plain(columns) if rest.is_empty() => {
                let is_unique = kind == "UNIQUE";
                let own = if is_unique { KeyKind::Unique } else { KeyKind::Index };
                self.named(table, own, &columns, name);
                self.keys(table, |keys| {
                    if is_unique { keys.unique.push(columns) } else { keys.indexes.push(columns) }
                });
            }
            other => {
                let (text, plain) = match other {
                    Columns::Other(text, plain) => (text, plain),
                    Columns::Plain(columns) => {
                        let list: Vec<_> = columns.iter().map(|own| self.quoted(own)).collect();
                        (list.join(", "), columns)
                    }
                };
                let rest = if rest.is_empty() { "()" } else { rest };
                let body = rest.replacen("()", &format!("({text})"), 1);
                self.native_index(table, name, kind, body, plain);
            }
        }
    }

    fn quoted(&self, name: &str) -> String {
        match self.dialect {
            Some(SqlDialect::MySql) => format!("`{}`", name.replace('`', "``")),
            _ => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    fn native_index(
        &mut self,
        table: &str,
        name: Option<String>,
        kind: &str,
        body: String,
        columns: Vec<String>,
    ) {
        let is_kept = self.is_portable(&body);
        let is_special = body.starts_with("USING gi");
        let extensions: Vec<String> =
            self.extensions.iter().filter(|_| is_special).cloned().collect();
        match self.native(table) {
            Some(native) if is_kept => {
                native.extensions.extend(extensions);
                native.indexes.push(NativeIndex { name, kind: kind.into(), body, columns });
            }
            _ => {
                let note = format!("{table}: the {kind} index {body} is not kept");
                self.note(note.replace("  ", " "));
            }
        }
    }

    pub(super) fn index(&mut self, index: &CreateIndex) {
        let Some(table) = self.key(&index.table_name) else {
            let table = &index.table_name;
            if !self.partitions.contains(&names::last(table)) {
                self.note(format!("an index on {table}, which is not here, is left out"));
            }
            return;
        };
        let include: Vec<String> = index.include.iter().map(ToString::to_string).collect();
        let method = index.using.as_ref().map(|own| own.to_string().to_lowercase());
        let parts = [
            method.filter(|own| own != "btree").map(|own| format!("USING {own} ")),
            Some("()".to_owned()),
            (!include.is_empty()).then(|| format!(" INCLUDE ({})", include.join(", "))),
            (index.nulls_distinct == Some(false)).then(|| " NULLS NOT DISTINCT".to_owned()),
            index.predicate.as_ref().map(|own| format!(" WHERE {}", spelled(&own.to_string()))),
        ];
        let rest: String = parts.into_iter().flatten().collect();
        let rest = if rest == "()" { String::new() } else { rest };
        let kind = if index.unique { "UNIQUE" } else { "" };
        let name = index.name.as_ref().map(|own| names::name(own, self.dialect));
        if let (true, Columns::Plain(columns)) =
            (index.unique, self.columns(&table, &index.columns))
        {
            // Otherwise it would become a constraint.
            let name = name.clone().unwrap_or_default();
            let own = KeyName { kind: KeyKind::UniqueIndex, columns, name };
            self.keys(&table, |keys| keys.names.push(own));
        }
        self.indexed(&table, name, kind, &index.columns, &rest);
    }

    fn columns<'a>(&self, table: &str, columns: &'a [IndexColumn]) -> Columns {
        let bare = |own: &'a IndexColumn| match &own.column.expr {
            Expr::Nested(inner) if matches!(**inner, Expr::Identifier(_)) => &**inner,
            other => other,
        };
        let plain = |own: &'a IndexColumn| match bare(own) {
            Expr::Identifier(ident) => Some((self.column_name(table, ident), Self::is_plain(own))),
            // A prefix, `name(10)`.
            Expr::Function(function) if matches!(&function.args, FunctionArguments::List(list) if list.args.len() == 1) =>
            {
                let ident = function.name.0.first()?.as_ident()?;
                let known = self.model.entities.get(table)?;
                let name = self.column_name(table, ident);
                known.shape.object.properties.contains_key(&name).then_some((name, false))
            }
            _ => None,
        };
        let names: Vec<Option<(String, bool)>> = columns.iter().map(plain).collect();
        if names.iter().all(|own| matches!(own, Some((_, true)))) {
            return Columns::Plain(names.into_iter().flatten().map(|(name, _)| name).collect());
        }
        let text = columns.iter().zip(&names).map(|(own, name)| match (&own.column.expr, name) {
            // A quoted name cannot be taken for a call with a prefix length.
            (Expr::Function(function), Some((name, _))) => {
                let rest = own.to_string().replacen(&function.name.to_string(), "", 1);
                format!("{}{rest}", self.quoted(name))
            }
            _ => own.to_string(),
        });
        let text: Vec<String> = text.collect();
        let first = names.into_iter().map_while(|own| own.map(|(name, _)| name)).collect();
        Columns::Other(spelled(&text.join(", ")), first)
    }

    /// Whether a column of an index has no order, collation or operator class.
    fn is_plain(own: &IndexColumn) -> bool {
        let options = &own.column.options;
        own.operator_class.is_none()
            && !matches!(options.sort, Some(OrderBySort::Desc | OrderBySort::Using(_)))
            && options.nulls_first.is_none()
    }

    pub(super) fn check(&mut self, table: &str, name: Option<String>, check: &Expr) {
        self.check_text(table, name, check, None, &spelled(&check.to_string()));
    }

    /// Adds a condition: to the shapes if it is a bound on a column, and as text for its own dialect. `value` names the
    /// column that VALUE stands for in a domain.
    pub(super) fn check_text(
        &mut self,
        table: &str,
        name: Option<String>,
        check: &Expr,
        value: Option<&str>,
        text: &str,
    ) {
        if self.json(table, text) {
            return;
        }
        let is_portable = self.is_portable(text);
        let Some(entity) = self.model.entities.get_mut(table) else { return };
        let columns = &mut entity.shape.object.properties;
        let is_in_shape = match value.and_then(|own| Some((own, columns.get(own)?.clone()))) {
            Some((own, shape)) => {
                let mut alone = IndexMap::from([("value".to_owned(), shape)]);
                let is_kept = checks::apply(check, &mut alone);
                if let Some(shape) = alone.swap_remove("value") {
                    columns.insert(own.to_owned(), shape);
                }
                is_kept
            }
            None => checks::apply(check, columns),
        };
        match self.native(table) {
            Some(native) if is_portable => {
                native.checks.push(NativeCheck { name, condition: text.to_owned(), is_in_shape });
            }
            _ if is_in_shape => {}
            _ => self.note(format!("{table}: CHECK ({text}) is not kept: no bound on one column")),
        }
    }

    /// MariaDB spells the type `json` as `CHECK (json_valid(…))` on a long text.
    fn json(&mut self, table: &str, condition: &str) -> bool {
        let inner = condition.strip_prefix("json_valid(").and_then(|rest| rest.strip_suffix(')'));
        let Some(column) = inner.map(|own| own.trim_matches('`').to_owned()) else { return false };
        let own = self.native_column(table, &column);
        let Some(own) = own.filter(|own| own.sql.starts_with("longtext")) else { return false };
        "json".clone_into(&mut own.sql);
        if let Some(shape) = self.shape(table, &column) {
            let description = shape.description.take();
            *shape = Shape { description, ..Shape::default() };
        }
        true
    }

    fn action(&mut self, table: &str, event: &str, action: Option<ReferentialAction>) -> OnDelete {
        match action {
            None | Some(ReferentialAction::Restrict | ReferentialAction::NoAction) => {
                OnDelete::Restrict
            }
            Some(ReferentialAction::Cascade) => OnDelete::Cascade,
            Some(ReferentialAction::SetNull) => OnDelete::SetNull,
            Some(ReferentialAction::SetDefault) => {
                self.note(format!("{table}: ON {event} SET DEFAULT is not kept: it refuses"));
                OnDelete::Restrict
            }
        }
    }

    pub(super) fn foreign_key(&mut self, table: &str, key: ForeignKeyConstraint) {
        let columns: Vec<String> =
            key.columns.iter().map(|own| self.column_name(table, own)).collect();
        self.named(table, KeyKind::Foreign, &columns, key.name.map(|own| own.value));
        let on_delete = self.action(table, "DELETE", key.on_delete);
        let on_update = self.action(table, "UPDATE", key.on_update);
        let late = key.characteristics.map(|own| (own.deferrable, own.initially));
        let is_deferred = matches!(late, Some((_, Some(DeferrableInitial::Deferred))));
        if matches!(late, Some((Some(true), None | Some(DeferrableInitial::Immediate)))) {
            self.note(format!("{table}: DEFERRABLE INITIALLY IMMEDIATE is not kept: the reference is checked at once"));
        }
        let to = self.key(&key.foreign_table);
        let referred = key.referred_columns.iter().map(|own| names::ident(own, self.dialect));
        let relation = Relation {
            columns,
            to: to.unwrap_or_else(|| names::name(&key.foreign_table, self.dialect)),
            to_columns: referred.collect(),
            on_delete,
            on_update,
            is_deferred,
        };
        self.keys(table, |keys| keys.relations.push(relation));
    }
}
