//! CHECK conditions that are bounds on one column or lists of its values, and literals.

use indexmap::IndexMap;
use serde_json::{Number, Value};
use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator,
    Value as Literal,
};

use super::names::spelling;
use super::types::fit;
use crate::data::{Shape, Type};

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
        Expr::BinaryOp { left, right, .. } => {
            column(left).or_else(|| column(right)).or_else(|| subject(left))
        }
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
            Expr::BinaryOp { left, op, right } => {
                self.compare(left, op, right)
                    || turned(op).is_some_and(|op| self.compare(right, &op, left))
            }
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
        // The type of an enumeration says its values.
        let is_free = self.shape.enumeration.is_none() && self.is_subject(expr);
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
        match (op, value) {
            (BinaryOperator::NotEq, Value::String(text)) if text.is_empty() && is_text => {
                self.shape.string.min_length = Some(1);
            }
            (BinaryOperator::Eq, value) if self.shape.enumeration.is_none() => {
                self.shape.constant = Some(fit(value, &self.shape));
            }
            (op, Value::Number(bound)) if is_number => {
                let rules = &mut self.shape.number;
                let (limit, greater) = match op {
                    BinaryOperator::Gt => (&mut rules.exclusive_minimum, true),
                    BinaryOperator::GtEq => (&mut rules.minimum, true),
                    BinaryOperator::Lt => (&mut rules.exclusive_maximum, false),
                    BinaryOperator::LtEq => (&mut rules.maximum, false),
                    _ => return false,
                };
                narrower(limit, bound, greater);
            }
            _ => return false,
        }
        true
    }
}

fn turned(op: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match op {
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        BinaryOperator::Eq => BinaryOperator::Eq,
        _ => return None,
    })
}

/// Keeps the narrower of two bounds.
fn narrower(limit: &mut Option<Number>, bound: Number, greater: bool) {
    let wins = match limit.as_ref().and_then(Number::as_f64).zip(bound.as_f64()) {
        Some((before, now)) => (now > before) == greater,
        None => true,
    };
    if wins {
        *limit = Some(bound);
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
