//! Literals of SQL as values.

use serde_json::{Number, Value};
use sqlparser::ast::{Expr, UnaryOperator, Value as Literal};

use crate::data::{Shape, Type};
use crate::text::lists;

/// Number of digits of a fraction that a number of 64 bits keeps.
const DIGITS: usize = 15;

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

/// The texts that databases take for false and for true.
const FALSE: &str = "0 f false n no off";
const TRUE: &str = "1 t true y yes on";

/// A literal as a value of the column: `0` and `'0'` in a boolean column are false, `'1'` in a numeric one is 1.
pub(super) fn fit(literal: Value, shape: &Shape) -> Value {
    match (shape.types.as_slice(), &literal) {
        ([Type::Boolean], Value::Number(number)) => Value::Bool(number.as_i64() != Some(0)),
        ([Type::Boolean], Value::String(text)) if lists(FALSE, &text.to_lowercase()) => {
            false.into()
        }
        ([Type::Boolean], Value::String(text)) if lists(TRUE, &text.to_lowercase()) => true.into(),
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

/// An expression without brackets and casts around it.
pub(super) fn uncast(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => uncast(inner),
        other => other,
    }
}
