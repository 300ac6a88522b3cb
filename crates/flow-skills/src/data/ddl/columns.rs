//! Columns: their types, defaults and other options.

use indexmap::IndexMap;
use serde_json::{Number, Value};
use sqlparser::ast::{
    ArrayElemTypeDef, BinaryOperator, ColumnDef, ColumnOption, ColumnOptionDef, DataType,
    EnumMember, Expr, ForeignKeyConstraint, FunctionArg, FunctionArgExpr, FunctionArguments,
    GeneratedAs, Ident, UnaryOperator, Value as Literal,
};

use super::names::spelling;
use super::{Reader, names};
use crate::data::decimal::Decimal;
use crate::data::{Generated, KeyKind, Shape, SqlDialect, SqlType, Type, type_names};
use crate::text::lists;

/// Functions whose value is the time.
const NOW: &str = "now current_timestamp localtimestamp current_date";
/// Functions whose value is a new UUID.
const UUID: &str = "gen_random_uuid uuid_generate_v4 uuid_generate_v1 uuid newid public.uuid_generate_v4 public.gen_random_uuid";
/// Functions whose value is the next number.
const SEQUENCE: &str = "nextval pg_catalog.nextval";

impl Reader {
    pub(super) fn column_name(&self, table: &str, column: &Ident) -> String {
        let name = names::ident(column, self.dialect);
        let columns = self.model.entities.get(table).map(|entity| &entity.shape.object.properties);
        columns.and_then(|columns| spelling(columns, &name)).cloned().unwrap_or(name)
    }

    pub(super) fn column(&mut self, table: &str, column: ColumnDef) {
        let key = names::ident(&column.name, self.dialect);
        let read = shape(&column.data_type, &self.enums, self.dialect);
        if let Some(note) = read.note {
            self.note(format!("{table}.{key}: {note}"));
        }
        self.object(table, |object| _ = object.properties.insert(key.clone(), read.shape));
        if let (Some(source), Some(sql)) = (self.source(table), read.sql) {
            source.columns.insert(key.clone(), sql);
        }
        if read.is_identity {
            self.identity(table, &column.name);
        }
        for ColumnOptionDef { name, option } in column.options {
            self.option(table, &key, option, name);
        }
    }

    fn option(&mut self, table: &str, column: &str, option: ColumnOption, name: Option<Ident>) {
        let ident = || Ident::with_quote('"', column);
        match option {
            ColumnOption::Null => {}
            ColumnOption::NotNull => self.require(table, column),
            ColumnOption::Default(value) => self.default_value(table, column, &value),
            ColumnOption::PrimaryKey(_) => {
                self.require(table, column);
                self.keys(table, |keys| keys.primary_key = vec![column.to_owned()]);
            }
            ColumnOption::Unique(_) => {
                self.named(table, KeyKind::Unique, &[column.to_owned()], name);
                self.keys(table, |keys| keys.unique.push(vec![column.to_owned()]));
            }
            ColumnOption::ForeignKey(key) => {
                let columns = vec![ident()];
                self.foreign_key(table, ForeignKeyConstraint { columns, name, ..key });
            }
            ColumnOption::Check(check) => self.check(table, name, &check.expr),
            ColumnOption::Comment(text) => {
                if let Some(shape) = self.shape(table, column) {
                    shape.description = Some(text).filter(|text| !text.is_empty());
                }
            }
            ColumnOption::CharacterSet(_) | ColumnOption::Collation(_) => {
                self.leave("character set or collation");
            }
            ColumnOption::OnUpdate(_) => self.leave("ON UPDATE clause of a column"),
            ColumnOption::DialectSpecific(words) => {
                let text: Vec<_> = words.iter().map(ToString::to_string).collect();
                match text.join(" ").to_uppercase().as_str() {
                    "AUTO_INCREMENT" | "AUTOINCREMENT" => self.identity(table, &ident()),
                    _ => self.leave("option of a column"),
                }
            }
            ColumnOption::Generated { generated_as, generation_expr: None, .. } => {
                if matches!(generated_as, GeneratedAs::Always) {
                    self.leave("GENERATED ALWAYS clause, which becomes BY DEFAULT,");
                }
                self.identity(table, &ident());
            }
            ColumnOption::Identity(_) => self.identity(table, &ident()),
            ColumnOption::Generated { .. } => self.leave("generated expression"),
            _ => self.leave("option of a column"),
        }
    }

    /// A column that gets the next number.
    pub(super) fn identity(&mut self, table: &str, column: &Ident) {
        let column = self.column_name(table, column);
        self.require(table, &column);
        self.generate(table, &column, Generated::Identity);
    }

    /// The default that PostgreSQL's dumps state after a table: the next number of a sequence.
    pub(super) fn set_default(&mut self, table: &str, column: &Ident, value: &Expr) {
        if lists(SEQUENCE, &function(value)) {
            self.identity(table, column);
        } else {
            self.leave("ALTER TABLE … ALTER COLUMN statement");
        }
    }

    fn default_value(&mut self, table: &str, column: &str, value: &Expr) {
        let generated = match function(value).as_str() {
            word if lists(SEQUENCE, word) => {
                self.require(table, column);
                Some(Generated::Identity)
            }
            word if lists(NOW, word) => Some(Generated::Now),
            word if lists(UUID, word) => Some(Generated::Uuid),
            _ => None,
        };
        if let Some(generated) = generated {
            return self.generate(table, column, generated);
        }
        let Some(shape) = self.shape(table, column) else { return };
        match literal(value) {
            Some(Value::Null) => {}
            Some(literal) => match fit(literal, shape) {
                Value::String(text) if is_computed(&text, shape) => {
                    self.leave("default expression");
                }
                value => shape.default = Some(value),
            },
            None => self.leave("default expression"),
        }
    }

    pub(super) fn require(&mut self, table: &str, column: &str) {
        self.object(table, |object| {
            if !object.required.iter().any(|name| name == column) {
                object.required.push(column.to_owned());
            }
        });
    }

    fn generate(&mut self, table: &str, column: &str, generated: Generated) {
        self.keys(table, |keys| _ = keys.generated.insert(column.to_owned(), generated));
    }
}

/// Whether a database takes a text for another value: PostgreSQL's words for times, and lists but for the empty one.
fn is_computed(text: &str, shape: &Shape) -> bool {
    let is_text = shape.types == [Type::String] && shape.string.format.is_none();
    shape.types == [Type::Array]
        || !is_text && lists("now today tomorrow yesterday", &text.to_lowercase())
}

/// The function that is a default, in lower case; empty if the default is another expression.
fn function(value: &Expr) -> String {
    let name = match uncast(value) {
        // SQLite's other word for it.
        call @ Expr::Function(_) if call.to_string().to_lowercase() == "datetime('now')" => {
            "now".to_owned()
        }
        Expr::Function(function) => function.name.to_string(),
        Expr::Identifier(name) => name.value.clone(),
        _ => String::new(),
    };
    name.to_lowercase()
}

pub(super) struct Read {
    pub(super) shape: Shape,
    pub(super) is_identity: bool,
    /// The type in its own dialect; `None` if it is more than words and digits.
    pub(super) sql: Option<SqlType>,
    pub(super) note: Option<String>,
}

impl Read {
    fn new(shape: Shape, sql: String, is_enumeration: bool) -> Self {
        let sql = Some(SqlType { sql, is_enumeration }).filter(SqlType::is_plain);
        Self { shape, is_identity: false, sql, note: None }
    }
}

/// The values of a column type; `enums` are the enum types that the DDL declares.
pub(super) fn shape(
    kind: &DataType,
    enums: &IndexMap<String, Vec<String>>,
    dialect: Option<SqlDialect>,
) -> Read {
    match kind {
        DataType::Unspecified => Read::new(Shape::default(), String::new(), false),
        DataType::Enum(members, _) => {
            let name = |member: &EnumMember| match member {
                EnumMember::Name(name) | EnumMember::NamedValue(name, _) => name.clone(),
            };
            Read::new(one_of(members.iter().map(name)), "enum".to_owned(), true)
        }
        DataType::Set(_) => {
            let note = Some("the type SET becomes text".to_owned());
            Read { note, sql: None, ..Read::new(Shape::of(Type::String), String::new(), false) }
        }
        DataType::Array(
            ArrayElemTypeDef::SquareBracket(item, _)
            | ArrayElemTypeDef::AngleBracket(item)
            | ArrayElemTypeDef::Parenthesis(item),
        ) => {
            let item = shape(item, enums, dialect);
            let mut list = Shape::of(Type::Array);
            list.array.items = Some(Box::new(item.shape));
            let sql = item.sql.map(|item| SqlType { sql: format!("{}[]", item.sql), ..item });
            Read { shape: list, sql, ..item }
        }
        _ => by_text(kind, enums, dialect),
    }
}

fn by_text(
    kind: &DataType,
    enums: &IndexMap<String, Vec<String>>,
    dialect: Option<SqlDialect>,
) -> Read {
    let text = kind.to_string().replace(['"', '`'], "").to_uppercase();
    let last = text.rsplit('.').next().unwrap_or(&text).to_lowercase();
    if let Some(labels) = enums.get(&last) {
        return Read::new(one_of(labels.iter().cloned()), last, true);
    }
    let text = text.trim_start_matches("PG_CATALOG.").trim_start_matches("PUBLIC.");
    let is_identity = type_names::is_numbered(&text.to_lowercase());
    let is_sqlite = dialect == Some(SqlDialect::Sqlite);
    let sql = if is_sqlite { kind.to_string().replace('"', "") } else { spelled(text) };
    let sql = if is_identity { sql.replace("serial", "int") } else { sql };
    let known = named(text).or_else(|| is_sqlite.then(|| by_affinity(text)));
    let known = known.or_else(|| lists(TEXTUAL, &head(text)).then(|| Shape::of(Type::String)));
    let note = known.is_none().then(|| {
        format!("the type {kind} is not known: any value is allowed, and the database must have it")
    });
    Read { is_identity, note, ..Read::new(known.unwrap_or_default(), sql, false) }
}

/// Types of PostgreSQL and MySQL that the model holds as text.
const TEXTUAL: &str = "BIT VARBIT TSVECTOR TSQUERY CIDR MACADDR MACADDR8 XML POINT LINE LSEG BOX PATH POLYGON CIRCLE \
    INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE DATERANGE INT4MULTIRANGE NUMMULTIRANGE TSTZMULTIRANGE OID REGCLASS \
    REGTYPE REGPROC NAME JSONPATH PG_LSN TXID_SNAPSHOT XID CID TID GEOMETRY LINESTRING MULTIPOINT MULTILINESTRING \
    MULTIPOLYGON GEOMETRYCOLLECTION INET6 INET4 INTERVAL";

fn head(text: &str) -> String {
    let head = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
    head.unwrap_or_default().to_uppercase()
}

/// A type in the spelling that is usual.
fn spelled(text: &str) -> String {
    let text = text.to_lowercase();
    [
        ("character varying", "varchar"),
        ("timestamp with time zone", "timestamptz"),
        ("timestamp without time zone", "timestamp"),
    ]
    .into_iter()
    .fold(text, |text, (long, short)| text.replace(long, short))
}

/// SQLite's type affinity: any word is a type, and its parts determine the preferred values.
fn by_affinity(text: &str) -> Shape {
    const AFFINITIES: [(&str, Type, Option<&str>); 4] = [
        ("INT", Type::Integer, Some("int64")),
        ("CHAR CLOB TEXT", Type::String, None),
        ("REAL FLOA DOUB", Type::Number, None),
        ("BLOB", Type::String, Some("bytes")),
    ];
    let is_it = |words: &str| words.split(' ').any(|word| text.contains(word));
    let affinity = AFFINITIES.iter().find(|(words, ..)| is_it(words));
    let Some((_, kind, format)) = affinity else { return Shape::default() };
    let mut shape = Shape::of(*kind);
    shape.string.format = format.map(str::to_owned);
    shape
}

/// A type by its text, such as `DECIMAL(10,2) UNSIGNED`.
fn named(text: &str) -> Option<Shape> {
    let head = head(text).to_lowercase();
    let arguments = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(a, _)| a);
    let first = arguments.and_then(|a| a.split([',', ' ']).next()?.trim().parse::<u64>().ok());
    if head == "tinyint" && first == Some(1) {
        return Some(Shape::of(Type::Boolean));
    }
    let mut shape = type_names::of_sql(&head)?;
    if type_names::is_sized(&head) {
        shape.string.max_length = first;
    }
    if let (Some("decimal"), Some(digits)) = (shape.string.format.as_deref(), arguments) {
        shape.string.format = Some(Decimal::format(Decimal::read(digits)));
    }
    if text.ends_with("UNSIGNED") {
        shape.number.minimum = Some(Number::from(0));
        if shape.string.format.as_deref() == Some("int32") {
            shape.string.format = Some("int64".into());
        }
    }
    Some(shape)
}

fn one_of(values: impl Iterator<Item = String>) -> Shape {
    Shape { enumeration: Some(values.map(Value::String).collect()), ..Shape::of(Type::String) }
}

/// A literal as a value of the column: `0` in a boolean column is false, `'1'` in a numeric one is 1.
pub(super) fn fit(literal: Value, shape: &Shape) -> Value {
    match (shape.types.as_slice(), &literal) {
        ([Type::Boolean], Value::Number(number)) => Value::Bool(number.as_i64() != Some(0)),
        ([Type::Integer | Type::Number], Value::String(text)) => {
            serde_json::from_str(text).ok().filter(Value::is_number).unwrap_or(literal)
        }
        ([Type::Array], Value::String(text)) if text == "{}" => Value::Array(Vec::new()),
        ([] | [Type::Array | Type::Object], Value::String(text)) => {
            serde_json::from_str(text).unwrap_or(literal)
        }
        _ => literal,
    }
}

/// Number of digits of a fraction that a number of 64 bits keeps.
const DIGITS: usize = 15;

/// The column of a condition, and its shape under it; `None` if it is another condition.
pub(super) fn read(check: &Expr, columns: &IndexMap<String, Shape>) -> Option<(String, Shape)> {
    let name = spelling(columns, subject(check)?)?;
    let mut bound = Bound { name, shape: columns.get(name)?.clone() };
    bound.narrow(check).then(|| (name.clone(), bound.shape))
}

/// The first column of a condition.
fn subject(check: &Expr) -> Option<&str> {
    match check {
        Expr::Nested(inner) => subject(inner),
        Expr::BinaryOp { left, .. } => column(left).or_else(|| subject(left)),
        Expr::Between { expr, .. } | Expr::InList { expr, .. } => column(expr),
        Expr::AnyOp { left, .. } => column(left),
        _ => None,
    }
}

struct Bound<'a> {
    name: &'a str,
    shape: Shape,
}

impl Bound<'_> {
    /// Puts a condition into the shape; false if it is not a bound on the column.
    fn narrow(&mut self, check: &Expr) -> bool {
        match check {
            Expr::Nested(inner) => self.narrow(inner),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.narrow(left) && self.narrow(right)
            }
            Expr::BinaryOp { left, op, right } => self.compare(left, op, right),
            Expr::Between { expr, negated: false, low, high } => {
                self.compare(expr, &BinaryOperator::GtEq, low)
                    && self.compare(expr, &BinaryOperator::LtEq, high)
            }
            Expr::InList { expr, list, negated: false } => self.list(expr, list),
            // PostgreSQL's dumps write lists in this way.
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => {
                match uncast(right) {
                    Expr::Array(array) => self.list(left, &array.elem),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn is_subject(&self, expr: &Expr) -> bool {
        column(expr).is_some_and(|name| name.eq_ignore_ascii_case(self.name))
    }

    fn list(&mut self, expr: &Expr, list: &[Expr]) -> bool {
        let values: Option<Vec<_>> = list.iter().map(literal).collect();
        // The type of an enumeration says its values, and a list of lengths is no list of values.
        let is_free = self.shape.enumeration.is_none()
            && self.is_subject(expr)
            && !matches!(uncast(expr), Expr::Function(_));
        let Some(values) = values.filter(|_| is_free) else { return false };
        let fitted = values.into_iter().map(|value| fit(value, &self.shape)).collect();
        self.shape.enumeration = Some(fitted);
        true
    }

    /// `column op literal`, or `length(column) op literal`.
    fn compare(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) -> bool {
        let Some(value) = literal(right).filter(|_| self.is_subject(left)) else { return false };
        let is_text = self.shape.types == [Type::String] && self.shape.string.format.is_none();
        if matches!(uncast(left), Expr::Function(_)) {
            let bound = value.as_u64().filter(|_| is_text);
            return bound.is_some_and(|bound| length(&mut self.shape, op, bound));
        }
        let is_number =
            self.shape.types.iter().any(|kind| matches!(kind, Type::Integer | Type::Number));
        let Value::Number(bound) = value else { return false };
        let rules = &mut self.shape.number;
        let limit = match op {
            BinaryOperator::Gt => &mut rules.exclusive_minimum,
            BinaryOperator::GtEq => &mut rules.minimum,
            BinaryOperator::Lt => &mut rules.exclusive_maximum,
            BinaryOperator::LtEq => &mut rules.maximum,
            _ => return false,
        };
        is_number && limit.replace(bound).is_none()
    }
}

fn length(shape: &mut Shape, op: &BinaryOperator, bound: u64) -> bool {
    let rules = &mut shape.string;
    match op {
        BinaryOperator::GtEq => rules.min_length = Some(bound),
        BinaryOperator::Gt => rules.min_length = Some(bound.saturating_add(1)),
        BinaryOperator::LtEq => rules.max_length = Some(bound),
        BinaryOperator::Lt => rules.max_length = bound.checked_sub(1),
        BinaryOperator::Eq => {
            (rules.min_length, rules.max_length) = (Some(bound), Some(bound));
        }
        _ => return false,
    }
    true
}

/// An expression without brackets and casts around it.
pub(super) fn uncast(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => uncast(inner),
        other => other,
    }
}

/// The column of `column` and of `length(column)`.
fn column(expr: &Expr) -> Option<&str> {
    let function = match uncast(expr) {
        Expr::Identifier(ident) => return Some(&ident.value),
        Expr::Function(function) => function,
        _ => return None,
    };
    let name = function.name.to_string().to_lowercase();
    if !matches!(name.as_str(), "length" | "char_length" | "character_length") {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] => match uncast(inner) {
            Expr::Identifier(ident) => Some(&ident.value),
            _ => None,
        },
        _ => None,
    }
}

/// A literal's value; `None` if the expression is not a literal, or a number with more digits than a value has.
pub(super) fn literal(expr: &Expr) -> Option<Value> {
    match uncast(expr) {
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match literal(expr)? {
            Value::Number(number) => serde_json::from_str(&format!("-{number}")).ok(),
            _ => None,
        },
        Expr::Value(value) => match &value.value {
            Literal::Number(text, _) => {
                let digits = text.bytes().filter(u8::is_ascii_digit).count();
                let number: Number = serde_json::from_str(text).ok()?;
                (!number.is_f64() || digits <= DIGITS).then_some(Value::Number(number))
            }
            Literal::Boolean(value) => Some(Value::Bool(*value)),
            Literal::Null => Some(Value::Null),
            Literal::SingleQuotedString(text)
            | Literal::DoubleQuotedString(text)
            | Literal::EscapedStringLiteral(text) => Some(Value::String(text.clone())),
            _ => None,
        },
        _ => None,
    }
}
