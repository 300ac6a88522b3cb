//! What the statements of a migration do to tables that have rows: the lock that each takes, what it loses, and why rows
//! need values first.

use serde::Serialize;
use sqlparser::ast::{
    AlterColumnOperation, AlterTableOperation as Operation, ColumnDef, ColumnOption, ObjectType,
    Statement as Ast,
};

use super::dialect::dialect_of;
use super::kind::{self, StatementClass};
use super::statements::Statement;
use super::{parse, statements};
use crate::data::SqlDialect;
use crate::output::{Fault, Result};
use crate::stack;
use crate::text::lists;

/// Longest text of a statement, in characters.
const SHOWN: usize = 200;
/// Number of words by which a note names a statement.
const NAMED: usize = 4;
/// Other statements than those on tables that are listed, as they change rows or names.
const ROWS: &str = "UPDATE DELETE TRUNCATE INSERT RENAME";

const SHORT: &str = "short, after the running transactions";
const SCAN: &str = "while every row is read";
const REWRITE: &str = "while every row may be written anew";
const UNFILLED: &str = "NOT NULL fails on rows without a value, which are filled first";
const UNFIT: &str = "those that do not fit stop the migration";
const UNCHECKED: &str =
    "those that exist are checked by VALIDATE CONSTRAINT, which stops on one that does not fit";
const RETYPED: &str = "values that the new type does not hold";

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
    pub(crate) lock: &'static str,
    pub(crate) loss: Option<&'static str>,
    /// What rows need before.
    pub(crate) rows: Option<&'static str>,
    /// What its transaction, and the clauses that say how it is carried out, mean for it.
    pub(crate) notes: Vec<String>,
}

fn effect(lock: &'static str) -> Part {
    Part { sql: String::new(), lock, loss: None, rows: None, notes: Vec::new() }
}

fn loses(lock: &'static str, loss: &'static str) -> Part {
    Part { loss: Some(loss), ..effect(lock) }
}

impl Changes {
    /// Reads the statements.
    ///
    /// # Errors
    /// When none of them is one on tables.
    pub(crate) fn read(text: &str) -> Result<Self> {
        stack::run(|| {
            let dialect = dialect_of(text);
            let (all, _) = statements::split(text, dialect);
            let mut changes = Self { dialect, ..Self::default() };
            let mut is_in_transaction = false;
            for statement in &all {
                let head = statement.head();
                let first = changes.parts.len();
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
                if is_in_transaction {
                    let note = in_transaction(statement, dialect);
                    let parts = changes.parts[first..].iter_mut();
                    parts.for_each(|part| part.notes.extend(note.map(str::to_owned)));
                }
            }
            if changes.parts.is_empty() {
                let why = "the SQL cannot be read: it has no statement on a table";
                return Err(Fault::Unreadable(why.to_owned()));
            }
            Ok(changes)
        })
    }

    fn add(&mut self, statement: &Ast) {
        if let Ast::AlterTable(alter) = statement {
            // How a server is to carry out the others is no change.
            let (ways, all): (Vec<&Operation>, Vec<_>) =
                alter.operations.iter().partition(|operation| {
                    matches!(operation, Operation::Algorithm { .. } | Operation::Lock { .. })
                });
            let ways: Vec<String> = ways.iter().map(ToString::to_string).collect();
            let asked =
                format!("asks for {}, and fails where that is not possible", ways.join(", "));
            let notes: Vec<String> = (!ways.is_empty()).then_some(asked).into_iter().collect();
            for operation in all {
                let part = Part { notes: notes.clone(), ..altered(operation) };
                self.push(&format!("ALTER TABLE {} {operation}", alter.name), part);
            }
            return;
        }
        let effect = match statement {
            Ast::CreateTable(table) => {
                return self
                    .push(&format!("CREATE TABLE {}", table.name), effect("none on other tables"));
            }
            Ast::CreateIndex(index) => Part {
                rows: index.unique.then_some(UNFIT),
                ..effect(if index.concurrently {
                    SHORT
                } else {
                    "on writes, while every row is read"
                })
            },
            Ast::Drop { object_type: ObjectType::Table, .. } => {
                loses(SHORT, "the table with its rows")
            }
            Ast::Truncate(_) => loses(SHORT, "the rows"),
            Ast::Update(_) => loses("on the rows that it changes", "the values before"),
            Ast::Delete(_) => loses("on the rows that it deletes", "these rows"),
            Ast::Insert(_) => effect("on the rows that it adds"),
            _ => effect(SHORT),
        };
        self.push(&statement.to_string(), effect);
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
fn in_transaction(statement: &Statement, dialect: Option<SqlDialect>) -> Option<&'static str> {
    let mut words = statement.text.split_whitespace().take(NAMED);
    match dialect {
        _ if words.any(|word| word.eq_ignore_ascii_case("CONCURRENTLY")) => {
            Some("CONCURRENTLY fails inside a transaction: put it outside of BEGIN and COMMIT")
        }
        Some(SqlDialect::MySql) => None,
        _ => Some("held until COMMIT"),
    }
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
fn altered(operation: &Operation) -> Part {
    let retyped = |options: &[ColumnOption]| Part {
        rows: options.contains(&ColumnOption::NotNull).then_some(UNFILLED),
        ..loses(REWRITE, RETYPED)
    };
    match operation {
        Operation::AddColumn { column_def, .. } => {
            let rows =
                "NOT NULL without a default fails: add it without, fill it, and set NOT NULL then";
            let lock = if is_computed(column_def) { REWRITE } else { SHORT };
            Part { rows: needs_values(column_def).then_some(rows), ..effect(lock) }
        }
        Operation::DropColumn { .. } => loses(SHORT, "its values"),
        Operation::ChangeColumn { options, .. } | Operation::ModifyColumn { options, .. } => {
            retyped(options)
        }
        Operation::AlterColumn { op: AlterColumnOperation::SetDataType { .. }, .. } => retyped(&[]),
        Operation::AlterColumn { op: AlterColumnOperation::SetNotNull, .. } => {
            Part { rows: Some(UNFILLED), ..effect(SCAN) }
        }
        Operation::AddConstraint { not_valid: true, .. } => {
            Part { rows: Some(UNCHECKED), ..effect(SHORT) }
        }
        Operation::AddConstraint { .. } => Part { rows: Some(UNFIT), ..effect(SCAN) },
        _ => effect(SHORT),
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
