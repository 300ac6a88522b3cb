//! What the statements of a migration do to tables that have rows: the lock that each takes, what it loses, and why rows
//! need values first.

use indexmap::IndexSet;
use serde::Serialize;
use sqlparser::ast::{
    AlterColumnOperation, AlterTable, AlterTableOperation as Operation, ColumnDef, ColumnOption,
    ObjectType, Statement as Ast, TableConstraint,
};

use super::dialect::dialect_of;
use super::kind::{self, StatementClass};
use super::statements::Statement;
use super::{parse, statements};
use crate::data::SqlDialect;
use crate::output::{Fault, Result};
use crate::stack;
use crate::text::{first, lists};

/// Longest text of a statement, in characters.
const SHOWN: usize = 200;
/// Number of words by which a note names a statement.
const NAMED: usize = 4;
/// Other statements than those on tables that are listed, as they change rows or names.
const ROWS: &str = "UPDATE DELETE TRUNCATE INSERT RENAME";

const UNFILLED: &str = "NOT NULL fails on rows without a value, which are filled first";
const UNFIT: &str = "those that do not fit stop the migration";
const UNCHECKED: &str =
    "those that exist are checked by VALIDATE CONSTRAINT, which stops on one that does not fit";
const RETYPED: &str = "values that the new type does not hold";
const DEFAULTED: &str = "they get the implicit default of the type, such as 0 or an empty text: give a DEFAULT where that is wrong";
const ABSENT: &str = "none: SQLite has no such statement; make a new table, and copy the rows";
const RENAMED: &str = "programs that use the old name fail";
const CONCURRENTLY: &str =
    "CONCURRENTLY fails inside a transaction: run it outside of BEGIN and COMMIT";

/// Functions with one value for a statement.
const ONCE: [&str; 2] = ["now(", "current_"];

/// What a migration does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The dialect of the SQL, as far as it shows.
    pub(crate) dialect: Option<SqlDialect>,
    /// In the order of the statements.
    pub(crate) parts: Vec<Part>,
    /// The statements that are not read, each with its line.
    pub(crate) unread: Vec<String>,
}

/// A statement, or an action of one, and what it does to a table with rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Part {
    pub(crate) sql: String,
    /// The lock that it takes, and for how long.
    pub(crate) lock: String,
    pub(crate) loss: Option<&'static str>,
    /// What rows need before.
    pub(crate) rows: Option<&'static str>,
    /// What its transaction, and the clauses that say how it is carried out, mean for it.
    pub(crate) notes: Vec<String>,
}

/// A lock, as the manuals of PostgreSQL and of MySQL (its online DDL) describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lock {
    Short,
    /// Of a column that is added or dropped, whose rows need not be written.
    Column,
    Index,
    /// Of an index that is a constraint.
    Unique,
    Foreign,
    Scan,
    Rewrite,
    Validate,
    /// Of rows, for as long as their transaction takes.
    Rows,
}

impl Lock {
    fn text(self, dialect: Option<SqlDialect>) -> &'static str {
        match (self, dialect == Some(SqlDialect::MySql)) {
            (Self::Rows, _) if dialect == Some(SqlDialect::Sqlite) => {
                "on other writes, until its transaction ends"
            }
            (Self::Short, _) | (Self::Column, false) => "short, after the running transactions",
            (Self::Column, true) => {
                "short; where ALGORITHM=INSTANT is not possible, the table is built anew while writes go on"
            }
            (Self::Index | Self::Unique, true) => "short; writes go on while the index is built",
            (Self::Index | Self::Foreign, false) => "on writes, while every row is read",
            (Self::Unique | Self::Scan, false) => "while every row is read",
            (Self::Foreign | Self::Scan | Self::Rewrite, true) => {
                "on writes, while every row may be written anew"
            }
            (Self::Rewrite, false) => "while every row may be written anew",
            (Self::Validate, _) => "on other changes of the table, while every row is read",
            (Self::Rows, true) => "on the rows that it reads",
            (Self::Rows, false) => "on the rows that it changes",
        }
    }
}

/// The lock on the tables that a statement refers to; empty if there is none.
fn of_referred(tables: &IndexSet<String>, dialect: Option<SqlDialect>) -> String {
    let tables = first(tables, NAMED, " and ");
    match dialect {
        _ if tables.is_empty() => String::new(),
        Some(SqlDialect::Sqlite) => String::new(),
        Some(SqlDialect::MySql) => format!("on the definition of {tables}"),
        Some(SqlDialect::Postgres) | None => format!("on writes to {tables}"),
    }
}

fn effect(lock: Lock, dialect: Option<SqlDialect>) -> Part {
    Part { lock: lock.text(dialect).to_owned(), ..Part::default() }
}

/// The tables that the conditions of a column refer to.
fn referred_by(column: &ColumnDef) -> impl Iterator<Item = String> {
    column.options.iter().filter_map(|option| match &option.option {
        ColumnOption::ForeignKey(key) => Some(key.foreign_table.to_string()),
        _ => None,
    })
}

/// The table that a constraint refers to.
fn referred(constraint: &TableConstraint) -> Option<String> {
    match constraint {
        TableConstraint::ForeignKey(key) => Some(key.foreign_table.to_string()),
        _ => None,
    }
}

impl Changes {
    /// Reads the statements in a dialect, without one in that of which they have the most marks.
    ///
    /// # Errors
    /// When none of them changes a table.
    pub(crate) fn read(text: &str, dialect: Option<SqlDialect>) -> Result<Self> {
        stack::run(|| {
            let dialect = dialect.or_else(|| dialect_of(text));
            let (all, _) = statements::split(text, dialect);
            let mut changes = Self { dialect, ..Self::default() };
            let mut is_in_transaction = false;
            for statement in &all {
                let head = statement.head();
                let start = changes.parts.len();
                if !is_of_tables(statement) {
                    match kind::title(&head).as_str() {
                        "session" => is_in_transaction = opens(&head).unwrap_or(is_in_transaction),
                        _ => changes.unread.push(placed(statement)),
                    }
                    continue;
                }
                match parse::parse(statement, dialect) {
                    Ok(parsed) => changes.add(&parsed.ast),
                    Err(why) => changes.unread.push(format!("{} ({why})", placed(statement))),
                }
                let note = of_transaction(statement, dialect, is_in_transaction);
                let parts = changes.parts[start..].iter_mut();
                parts.for_each(|part| part.notes.extend(note.map(str::to_owned)));
            }
            if changes.parts.is_empty() {
                let found =
                    Some(first(&changes.unread, NAMED, " and ")).filter(|all| !all.is_empty());
                return Err(Fault::Unreadable(format!(
                    "the SQL has no statement that changes a table or its rows (found: {}); give the statements of the migration, such as `ALTER TABLE users ADD COLUMN nickname text`",
                    found.as_deref().unwrap_or("none")
                )));
            }
            Ok(changes)
        })
    }

    fn add(&mut self, statement: &Ast) {
        let dialect = self.dialect;
        let effect = |lock| effect(lock, dialect);
        let part = match statement {
            Ast::AlterTable(alter) => return self.alter(alter),
            Ast::CreateTable(table)
                if table.query.is_some() && dialect == Some(SqlDialect::MySql) =>
            {
                effect(Lock::Rows)
            }
            Ast::CreateTable(table) => {
                let columns = table.columns.iter().flat_map(referred_by);
                let tables = columns.chain(table.constraints.iter().filter_map(referred));
                let others: IndexSet<String> = tables.collect();
                let lock = match of_referred(&others, dialect) {
                    none if none.is_empty() => "none on other tables".to_owned(),
                    others => format!("{others}, {}", Lock::Short.text(dialect)),
                };
                return self.push(
                    &format!("CREATE TABLE {}", table.name),
                    Part { lock, ..Part::default() },
                );
            }
            Ast::CreateIndex(index) => Part {
                rows: index.unique.then_some(UNFIT),
                ..effect(if index.concurrently { Lock::Short } else { Lock::Index })
            },
            Ast::Drop { object_type: ObjectType::Table, .. } => {
                Part { loss: Some("the table with its rows"), ..effect(Lock::Short) }
            }
            Ast::Truncate(_) => Part { loss: Some("the rows"), ..effect(Lock::Short) },
            Ast::Update(_) => Part { loss: Some("the values before"), ..effect(Lock::Rows) },
            Ast::Delete(_) => Part { loss: Some("the rows that it deletes"), ..effect(Lock::Rows) },
            Ast::Insert(_) if dialect == Some(SqlDialect::Postgres) || dialect.is_none() => {
                Part { lock: "on the rows that it adds".to_owned(), ..Part::default() }
            }
            Ast::Insert(_) => effect(Lock::Rows),
            Ast::RenameTable(_) => renaming(dialect),
            _ => effect(Lock::Short),
        };
        self.push(&statement.to_string(), part);
    }

    fn alter(&mut self, alter: &AlterTable) {
        // How a server is to carry out the others is no change.
        let (ways, all): (Vec<&Operation>, Vec<_>) =
            alter.operations.iter().partition(|operation| {
                matches!(operation, Operation::Algorithm { .. } | Operation::Lock { .. })
            });
        let ways: Vec<String> = ways.iter().map(ToString::to_string).collect();
        let asked = format!("asks for {}, and fails where that is not possible", ways.join(", "));
        for operation in all {
            let mut part = altered(operation, self.dialect);
            part.notes.extend((!ways.is_empty()).then(|| asked.clone()));
            self.push(&format!("ALTER TABLE {} {operation}", alter.name), part);
        }
    }

    fn push(&mut self, sql: &str, mut part: Part) {
        let mut text: String = sql.chars().take(SHOWN).collect();
        if text.len() < sql.len() {
            text.push('…');
        }
        part.sql = text;
        self.parts.push(part);
    }
}

/// Whether a statement of a session begins a transaction, or ends one.
fn opens(head: &[String]) -> Option<bool> {
    match head.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["BEGIN", ..] | ["START", "TRANSACTION", ..] => Some(true),
        ["ROLLBACK", "TO", ..] | ["ROLLBACK", _, "TO", ..] => None,
        ["COMMIT" | "END" | "ROLLBACK", ..] => Some(false),
        _ => None,
    }
}

/// What a transaction means for a statement on tables. MySQL ends one before each that is not of rows alone.
fn of_transaction(
    statement: &Statement,
    dialect: Option<SqlDialect>,
    is_in_transaction: bool,
) -> Option<&'static str> {
    let mut words = statement.text.split_whitespace().take(NAMED);
    if words.any(|word| word.eq_ignore_ascii_case("CONCURRENTLY")) {
        return Some(CONCURRENTLY);
    }
    let is_held = is_in_transaction && dialect != Some(SqlDialect::MySql);
    is_held.then_some("held until COMMIT")
}

/// The first words of a statement with its line, for a note.
fn placed(statement: &Statement) -> String {
    let words: Vec<&str> = statement.text.split_whitespace().take(NAMED).collect();
    let mut text: String = words.join(" ").chars().take(SHOWN).collect();
    if statement.text.split_whitespace().nth(NAMED).is_some() {
        text.push_str(" …");
    }
    format!("line {}: {text}", statement.line)
}

/// Whether a statement changes tables, or the rows that they have. Rows that a dump or a seed inserts are not listed.
fn is_of_tables(statement: &Statement) -> bool {
    let head = statement.head();
    let verb = head.first().map(String::as_str).unwrap_or_default();
    match kind::of(&head) {
        StatementClass::Table => verb != "COMMENT" && kind::title(&head) != "CREATE TYPE",
        StatementClass::Other(title) if verb == "DROP" => {
            lists("TABLE INDEX", title.trim_start_matches("DROP "))
        }
        StatementClass::Other(_) if verb == "INSERT" => {
            !statement.text.to_uppercase().contains("VALUES")
        }
        StatementClass::Other(_) => lists(ROWS, verb),
        StatementClass::Unknown => false,
    }
}

/// What an action of ALTER TABLE does.
fn altered(operation: &Operation, dialect: Option<SqlDialect>) -> Part {
    let effect = |lock| effect(lock, dialect);
    let retyped = |options: &[ColumnOption]| Part {
        rows: options.contains(&ColumnOption::NotNull).then_some(UNFILLED),
        loss: Some(RETYPED),
        ..effect(Lock::Rewrite)
    };
    match operation {
        Operation::AddColumn { column_def, .. } if is_refused(column_def, dialect) => {
            Part { lock: ABSENT.to_owned(), ..Part::default() }
        }
        Operation::AddColumn { column_def, .. } => {
            let rows = match dialect {
                Some(SqlDialect::MySql) => DEFAULTED,
                Some(SqlDialect::Sqlite) => "NOT NULL without a default fails: give a default",
                _ => {
                    "NOT NULL without a default fails: add it without, fill it, and set NOT NULL then"
                }
            };
            let part = effect(of_new_column(column_def));
            let part = Part { rows: needs_values(column_def).then_some(rows), ..part };
            referring(part, referred_by(column_def), dialect)
        }
        Operation::DropColumn { .. } => {
            let is_copied = dialect == Some(SqlDialect::Sqlite);
            let lock = if is_copied { Lock::Rewrite } else { Lock::Column };
            Part { loss: Some("its values"), ..effect(lock) }
        }
        Operation::ChangeColumn { old_name, new_name, options, .. } => {
            let renamed = (old_name != new_name).then(|| RENAMED.to_owned());
            Part { notes: renamed.into_iter().collect(), ..retyped(options) }
        }
        Operation::ModifyColumn { options, .. } => retyped(options),
        Operation::RenameColumn { .. } | Operation::RenameTable { .. } => renaming(dialect),
        _ if dialect == Some(SqlDialect::Sqlite) => {
            Part { lock: ABSENT.to_owned(), ..Part::default() }
        }
        Operation::DropPrimaryKey { .. } => effect(Lock::Scan),
        Operation::SetLogged | Operation::SetUnlogged => effect(Lock::Rewrite),
        Operation::AlterColumn { op: AlterColumnOperation::SetDataType { .. }, .. } => retyped(&[]),
        Operation::AlterColumn { op: AlterColumnOperation::SetNotNull, .. } => {
            Part { rows: Some(UNFILLED), ..effect(Lock::Scan) }
        }
        Operation::ValidateConstraint { .. } => {
            Part { rows: Some(UNFIT), ..effect(Lock::Validate) }
        }
        Operation::AddConstraint { constraint, not_valid } => {
            let (lock, rows) = match constraint {
                _ if *not_valid => (Lock::Short, Some(UNCHECKED)),
                TableConstraint::Index(_) => (Lock::Index, None),
                TableConstraint::FulltextOrSpatial(_) => (Lock::Scan, None),
                TableConstraint::PrimaryKeyUsingIndex(_) | TableConstraint::UniqueUsingIndex(_) => {
                    (Lock::Short, None)
                }
                TableConstraint::ForeignKey(_) => (Lock::Foreign, Some(UNFIT)),
                TableConstraint::Unique(_) | TableConstraint::PrimaryKey(_) => {
                    (Lock::Unique, Some(UNFIT))
                }
                _ => (Lock::Scan, Some(UNFIT)),
            };
            referring(Part { rows, ..effect(lock) }, referred(constraint), dialect)
        }
        _ => effect(Lock::Short),
    }
}

/// Whether SQLite refuses to add a column to a table with rows: one of a key, or with a default that is not constant.
fn is_refused(column: &ColumnDef, dialect: Option<SqlDialect>) -> bool {
    let is_it = |option: &ColumnOption| match option {
        ColumnOption::PrimaryKey(_) | ColumnOption::Unique(_) => true,
        ColumnOption::Default(value) => {
            let text = value.to_string().to_lowercase();
            text.contains('(') || text.starts_with("current_")
        }
        _ => false,
    };
    dialect == Some(SqlDialect::Sqlite) && column.options.iter().any(|option| is_it(&option.option))
}

fn renaming(dialect: Option<SqlDialect>) -> Part {
    Part { notes: vec![RENAMED.to_owned()], ..effect(Lock::Short, dialect) }
}

/// A part with the lock on the tables that it refers to.
fn referring(
    mut part: Part,
    tables: impl IntoIterator<Item = String>,
    dialect: Option<SqlDialect>,
) -> Part {
    let others = of_referred(&tables.into_iter().collect(), dialect);
    if !others.is_empty() {
        part.lock = format!("{}, and {others}", part.lock);
    }
    part
}

/// The lock for a new column: its values may have to be written to each row, or its conditions hold for each.
fn of_new_column(column: &ColumnDef) -> Lock {
    let is_checked = |option: &ColumnOption| {
        use ColumnOption::{Check, PrimaryKey, Unique};
        matches!(option, Check(_) | Unique(_) | PrimaryKey(_))
    };
    match column.options.iter().any(|option| is_checked(&option.option)) {
        _ if is_computed(column) => Lock::Rewrite,
        true => Lock::Scan,
        false => Lock::Column,
    }
}

/// Whether a new column is NOT NULL, and nothing gives the rows that exist a value.
fn needs_values(column: &ColumnDef) -> bool {
    let has =
        |is: fn(&ColumnOption) -> bool| column.options.iter().any(|option| is(&option.option));
    let is_given = |option: &ColumnOption| {
        matches!(
            option,
            ColumnOption::Default(_) | ColumnOption::Generated { .. } | ColumnOption::Identity(_)
        )
    };
    has(|option| matches!(option, ColumnOption::NotNull)) && !has(is_given) && !is_serial(column)
}

fn is_serial(column: &ColumnDef) -> bool {
    column.data_type.to_string().to_uppercase().contains("SERIAL")
}

/// Whether each row that exists gets a value of its own: a number, a computed value, or that of a function which is called for
/// each row.
fn is_computed(column: &ColumnDef) -> bool {
    is_serial(column)
        || column.options.iter().any(|option| match &option.option {
            ColumnOption::Generated { .. } | ColumnOption::Identity(_) => true,
            ColumnOption::Default(value) => {
                let text = value.to_string().to_lowercase();
                text.contains('(')
                    && !text.starts_with('\'')
                    && !ONCE.iter().any(|function| text.starts_with(function))
            }
            _ => false,
        })
}
