//! CHECK conditions that are bounds on one column, and literals.

use indexmap::IndexMap;
use serde_json::{Number, Value};
use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator,
    Value as Literal,
};

use super::types::fit;
use crate::data::Shape;

/// The columns of a table, with what they were before a condition changed them.
struct Columns<'t> {
    all: &'t mut IndexMap<String, Shape>,
    /// By their places, in the order of the changes.
    before: Vec<(usize, Shape)>,
}

/// Puts a condition into the columns' shapes; false, with nothing changed, when it is not a bound on columns.
pub(super) fn apply(check: &Expr, columns: &mut IndexMap<String, Shape>) -> bool {
    let mut changed = Columns { all: columns, before: Vec::new() };
    let is_kept = condition(check, &mut changed);
    if !is_kept {
        for (at, shape) in changed.before.into_iter().rev() {
            if let Some((_, own)) = changed.all.get_index_mut(at) {
                *own = shape;
            }
        }
    }
    is_kept
}

fn condition(check: &Expr, columns: &mut Columns<'_>) -> bool {
    match check {
        Expr::Nested(inner) => condition(inner, columns),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            condition(left, columns) && condition(right, columns)
        }
        Expr::BinaryOp { left, op, right } => {
            compare(left, op, right, columns)
                || turned(op).is_some_and(|op| compare(right, &op, left, columns))
        }
        Expr::Between { expr, negated: false, low, high } => {
            compare(expr, &BinaryOperator::GtEq, low, columns)
                && compare(expr, &BinaryOperator::LtEq, high, columns)
        }
        Expr::InList { expr, list, negated: false } => {
            let Some(shape) = column(expr).and_then(|name| find(columns, name)) else {
                return false;
            };
            let values: Option<Vec<_>> = list.iter().map(literal).collect();
            let Some(values) = values else { return false };
            shape.enumeration = Some(values.into_iter().map(|value| fit(value, shape)).collect());
            true
        }
        Expr::RLike { negated: false, expr, pattern, .. } => regex(expr, pattern, columns),
        _ => false,
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

/// `column op literal`, or `length(column) op literal`.
fn compare(left: &Expr, op: &BinaryOperator, right: &Expr, columns: &mut Columns<'_>) -> bool {
    if *op == BinaryOperator::PGRegexMatch {
        return regex(left, right, columns);
    }
    let Some(value) = literal(right) else { return false };
    if let Some(name) = length_of(left) {
        let (Some(shape), Some(bound)) = (find(columns, name), value.as_u64()) else {
            return false;
        };
        return length(shape, op, bound);
    }
    let Some(shape) = column(left).and_then(|name| find(columns, name)) else { return false };
    match (op, value) {
        (BinaryOperator::NotEq, Value::String(text)) if text.is_empty() => {
            shape.string.min_length = Some(1);
        }
        (BinaryOperator::Eq, value) => shape.constant = Some(fit(value, shape)),
        (op, Value::Number(bound)) => {
            let rules = &mut shape.number;
            let (own, greater) = match op {
                BinaryOperator::Gt => (&mut rules.exclusive_minimum, true),
                BinaryOperator::GtEq => (&mut rules.minimum, true),
                BinaryOperator::Lt => (&mut rules.exclusive_maximum, false),
                BinaryOperator::LtEq => (&mut rules.maximum, false),
                _ => return false,
            };
            narrow(own, bound, greater);
        }
        _ => return false,
    }
    true
}

/// Keeps the narrower of two bounds.
fn narrow(own: &mut Option<Number>, bound: Number, greater: bool) {
    let wins = match own.as_ref().and_then(Number::as_f64).zip(bound.as_f64()) {
        Some((before, now)) => (now > before) == greater,
        None => true,
    };
    if wins {
        *own = Some(bound);
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

fn regex(left: &Expr, right: &Expr, columns: &mut Columns<'_>) -> bool {
    let Some(shape) = column(left).and_then(|name| find(columns, name)) else { return false };
    let Some(Value::String(pattern)) = literal(right) else { return false };
    shape.string.pattern = Some(pattern);
    true
}

fn find<'c>(columns: &'c mut Columns<'_>, name: &str) -> Option<&'c mut Shape> {
    let at = columns.all.keys().position(|own| own.eq_ignore_ascii_case(name))?;
    let (_, shape) = columns.all.get_index_mut(at)?;
    columns.before.push((at, shape.clone()));
    Some(shape)
}

fn column(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(ident) => Some(&ident.value),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => column(inner),
        _ => None,
    }
}

/// The column of `length(column)`.
fn length_of(expr: &Expr) -> Option<&str> {
    let Expr::Function(function) = expr else { return None };
    let name = function.name.to_string().to_lowercase();
    if !matches!(name.as_str(), "length" | "char_length" | "character_length") {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] => column(inner),
        _ => None,
    }
}

/// A literal's value; `None` if the expression is not a literal.
pub(super) fn literal(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => literal(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match literal(expr)? {
            Value::Number(number) => serde_json::from_str(&format!("-{number}")).ok(),
            _ => None,
        },
        Expr::Value(value) => match &value.value {
            Literal::Number(text, _) => serde_json::from_str(text).ok(),
            Literal::Boolean(value) => Some(Value::Bool(*value)),
            Literal::Null => Some(Value::Null),
            other => other.clone().into_string().map(Value::String),
        },
        _ => None,
    }
}
