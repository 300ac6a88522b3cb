//! Conditions on one column: bounds of its value or length, and lists of its values. Others are not read.

use indexmap::IndexMap;
use serde_json::{Number, Value};
use sqlparser::ast::{BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::literals::{fit, literal, uncast};
use super::names::spelling;
use crate::data::{Shape, SqlDialect, Type};

/// The column of a condition, and its shape under it; `None` if it is another condition.
pub(super) fn bound_of(
    check: &Expr,
    columns: &IndexMap<String, Shape>,
    dialect: Option<SqlDialect>,
) -> Option<(String, Shape)> {
    let name = spelling(columns, first_column(check)?)?;
    let mut bound = Bound { name, shape: columns.get(name)?.clone(), dialect };
    bound.add(check).then(|| (name.clone(), bound.shape))
}

/// The first column of a condition.
fn first_column(check: &Expr) -> Option<&str> {
    match check {
        Expr::Nested(inner) => first_column(inner),
        Expr::BinaryOp { left, .. } => match Operand::of(left) {
            Some(operand) => Some(operand.column),
            None => first_column(left),
        },
        Expr::Between { expr, .. } | Expr::InList { expr, .. } => Some(Operand::of(expr)?.column),
        Expr::AnyOp { left, .. } => Some(Operand::of(left)?.column),
        _ => None,
    }
}

/// What is compared: a column, or its length.
struct Operand<'a> {
    column: &'a str,
    /// The function of the length, in lower case.
    length: Option<String>,
}

impl<'a> Operand<'a> {
    fn of(expr: &'a Expr) -> Option<Self> {
        let function = match uncast(expr) {
            Expr::Identifier(ident) => return Some(Self { column: &ident.value, length: None }),
            Expr::Function(function) => function,
            _ => return None,
        };
        let name = function.name.to_string().to_lowercase();
        if !matches!(name.as_str(), "length" | "char_length" | "character_length") {
            return None;
        }
        let FunctionArguments::List(list) = &function.args else { return None };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] = list.args.as_slice() else {
            return None;
        };
        match uncast(inner) {
            Expr::Identifier(ident) => Some(Self { column: &ident.value, length: Some(name) }),
            _ => None,
        }
    }
}

struct Bound<'a> {
    name: &'a str,
    shape: Shape,
    dialect: Option<SqlDialect>,
}

impl Bound<'_> {
    /// Puts a condition into the shape; false if it is not a bound on the column.
    fn add(&mut self, check: &Expr) -> bool {
        match check {
            Expr::Nested(inner) => self.add(inner),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.add(left) && self.add(right)
            }
            Expr::BinaryOp { left, op, right } => self.add_comparison(left, op, right),
            Expr::Between { expr, negated: false, low, high } => {
                self.add_comparison(expr, &BinaryOperator::GtEq, low)
                    && self.add_comparison(expr, &BinaryOperator::LtEq, high)
            }
            Expr::InList { expr, list, negated: false } => self.add_list(expr, list),
            // PostgreSQL's dumps write lists in this way.
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => {
                match uncast(right) {
                    Expr::Array(array) => self.add_list(left, &array.elem),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// The operand of a comparison, if that is the column of this bound.
    fn operand<'e>(&self, expr: &'e Expr) -> Option<Operand<'e>> {
        Operand::of(expr).filter(|operand| operand.column.eq_ignore_ascii_case(self.name))
    }

    fn add_list(&mut self, expr: &Expr, list: &[Expr]) -> bool {
        let Some(Operand { length: None, .. }) = self.operand(expr) else { return false };
        let Some(values) = list.iter().map(literal).collect::<Option<Vec<_>>>() else {
            return false;
        };
        // The type of an enumeration says its values.
        if self.shape.enumeration.is_some() {
            return false;
        }
        let fitted = values.into_iter().map(|value| fit(value, &self.shape)).collect();
        self.shape.enumeration = Some(fitted);
        true
    }

    /// `column op literal`, or `length(column) op literal`.
    fn add_comparison(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) -> bool {
        let Some(operand) = self.operand(left) else { return false };
        match (literal(right), operand.length) {
            (Some(Value::Number(bound)), Some(function)) => {
                // In MySQL, length counts bytes.
                let is_bytes = function == "length" && self.dialect == Some(SqlDialect::MySql);
                bound.as_u64().is_some_and(|bound| !is_bytes && self.add_length(op, bound))
            }
            (Some(Value::Number(bound)), None) => self.add_limit(op, bound),
            _ => false,
        }
    }

    fn add_limit(&mut self, op: &BinaryOperator, bound: Number) -> bool {
        let mut types = self.shape.types.iter();
        let is_number = types.any(|kind| matches!(kind, Type::Integer | Type::Number));
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

    fn add_length(&mut self, op: &BinaryOperator, bound: u64) -> bool {
        let rules = &mut self.shape.string;
        if self.shape.types != [Type::String] || rules.format.is_some() {
            return false;
        }
        let (least, most) = match op {
            BinaryOperator::GtEq => (Some(bound), None),
            BinaryOperator::Gt => (Some(bound.saturating_add(1)), None),
            BinaryOperator::LtEq => (None, Some(bound)),
            // No text is shorter than an empty one.
            BinaryOperator::Lt if bound == 0 => return false,
            BinaryOperator::Lt => (None, Some(bound - 1)),
            BinaryOperator::Eq => (Some(bound), Some(bound)),
            _ => return false,
        };
        // Of several bounds the tighter one holds, also of that of the type.
        rules.min_length = rules.min_length.max(least);
        rules.max_length = match (rules.max_length, most) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        true
    }
}
