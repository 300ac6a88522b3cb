//! Writes a model as a module for a validator library of scripts: Zod 4, Joi 18 or Yup 1. A construct that differs
//! between them only in its words is an array of the three spellings, in this order.

use std::cell::Cell;

use serde_json::Value;

use super::kind::{Extra, Form, Kind, Member, Size};
use super::language::{Names, TargetLanguage, is_identifier, is_inherited, quote};
use super::order::Ordered;
use super::typescript::{Types, describe};
use super::unchecked::Unchecked;
use super::{lower, pattern};
use crate::data::decimal::Decimal;
use crate::data::{Model, NumberRules, Shape, StringRules};
use crate::output::Result;

const LANGUAGE: TargetLanguage = TargetLanguage::TypeScript;

/// A library, as an index into the spellings of a construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Library {
    Zod,
    Joi,
    Yup,
}

use Library::{Joi, Yup, Zod};

const IMPORTS: [&str; 3] =
    ["import { z } from \"zod\";", "import Joi from \"joi\";", "import * as yup from \"yup\";"];
const ANY: [&str; 3] = ["z.unknown()", "Joi.any()", "yup.mixed().nullable()"];
const NULL: [&str; 3] =
    ["z.null()", "Joi.valid(null)", "yup.mixed<never>().nullable().oneOf([null])"];
const BOUNDS: [[&str; 4]; 3] = [
    ["min", "max", "gt", "lt"],
    ["min", "max", "greater", "less"],
    ["min", "max", "moreThan", "lessThan"],
];
/// Strings of a format; empty if the library has no word for it.
const FORMATS: [(&str, [&str; 3]); 7] = [
    (
        "date-time",
        [
            "z.iso.datetime({ offset: true })",
            "Joi.string().isoDate()",
            "yup.string().datetime({ allowOffset: true })",
        ],
    ),
    ("date", ["z.iso.date()", "", ""]),
    ("email", ["z.email()", "Joi.string().email({ tlds: false })", "yup.string().email()"]),
    ("uuid", ["z.uuid()", "Joi.string().guid()", "yup.string().uuid()"]),
    ("uri", ["z.url()", "Joi.string().uri()", "yup.string().url()"]),
    ("ipv4", ["z.ipv4()", "Joi.string().ip({ version: \"ipv4\", cidr: \"forbidden\" })", ""]),
    ("ipv6", ["z.ipv6()", "Joi.string().ip({ version: \"ipv6\", cidr: \"forbidden\" })", ""]),
];
/// A function for what a library lacks: references to later schemas, and alternatives.
const HELPERS: [&str; 3] = ["", include_str!("joi_lazy.ts"), include_str!("yup_union.ts")];

pub(crate) fn write(library: Library, model: &Model, unchecked: &Unchecked) -> Result<String> {
    let kinds = lower::entities(model, unchecked);
    let module = Module {
        library,
        model,
        names: &Names::of(model),
        ordered: &Ordered::new(kinds),
        unchecked,
        needs_helper: Cell::default(),
    };
    let define = |(entity, kind): (&&str, &Kind)| {
        unchecked.enter(entity);
        Writer { module: &module, entity }.definition(kind)
    };
    let body: Vec<String> = module.ordered.kinds.iter().map(define).collect::<Result<_>>()?;
    let helper = if module.needs_helper.get() { HELPERS[library as usize] } else { "" };
    let parts = [IMPORTS[library as usize], helper.trim_end(), &body.join("\n\n")];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Ok(parts.join("\n\n") + "\n")
}

/// A model whose module is being written.
struct Module<'m> {
    library: Library,
    model: &'m Model,
    names: &'m Names,
    ordered: &'m Ordered<'m>,
    unchecked: &'m Unchecked,
    /// Whether the definitions call the helper function of the library.
    needs_helper: Cell<bool>,
}

/// Writes the definition of one entity.
#[derive(Clone, Copy)]
struct Writer<'m> {
    module: &'m Module<'m>,
    entity: &'m str,
}

impl Writer<'_> {
    fn pick<T: Copy>(self, spellings: [T; 3]) -> T {
        spellings[self.module.library as usize]
    }

    fn name(&self) -> &str {
        self.module.names.upper(self.entity)
    }

    /// Whether the entity refers to itself, directly or through others, so that its static type cannot be inferred.
    fn is_recursive(self) -> bool {
        self.module.ordered.recursive.contains(self.entity)
    }

    /// Whether a kind is an entity whose static type is explicit, since it is recursive.
    fn has_explicit_type(self, kind: &Kind) -> bool {
        matches!(kind, Kind::Reference(entity) if self.module.ordered.recursive.contains(entity.as_str()))
    }

    fn types(&self) -> Types<'_> {
        Types { names: self.module.names }
    }

    fn type_of(self, kind: &Kind) -> String {
        // The name of the entity, if this is its whole kind and its type is declared.
        let whole = self.module.ordered.kinds.get(self.entity).filter(|_| self.is_recursive());
        if whole.is_some_and(|whole| std::ptr::eq(whole, kind)) {
            return self.name().to_owned();
        }
        self.types().kind(kind, 0)
    }

    /// A name of the entity's schema and of its type.
    fn definition(self, kind: &Kind) -> Result<String> {
        let schema = self.kind(kind, 0)?;
        let name = self.name();
        let shape: Option<&Shape> =
            self.module.model.entities.get(self.entity).map(|entity| &entity.shape);
        let about = describe(shape.and_then(|shape| shape.description.as_deref()), "");
        let declared = || {
            let declared = shape.map(|shape| self.types().entity(self.entity, shape, kind));
            declared.unwrap_or_default()
        };
        let text = match (self.module.library, self.is_recursive()) {
            (Zod, true) => {
                format!("{}\nexport const {name}: z.ZodType<{name}> = {schema};", declared())
            }
            (Zod, false) => format!(
                "{about}export const {name} = {schema};\nexport type {name} = z.infer<typeof {name}>;"
            ),
            (Joi, true) => format!("{about}export const {name}: Joi.Schema = {schema};"),
            (Joi, false) => format!("{about}export const {name} = {schema};"),
            (Yup, true) => format!(
                "{}\nexport const {name} = {schema} as unknown as yup.MixedSchema<{name} | undefined>;",
                declared()
            ),
            (Yup, false) => {
                let inferred = format!("yup.InferType<typeof {name}>");
                // Yup takes every schema but one of an object for an optional one.
                let is_object = self.is_object_schema(kind.not_null());
                let inferred =
                    if is_object { inferred } else { format!("Exclude<{inferred}, undefined>") };
                format!("{about}export const {name} = {schema};\nexport type {name} = {inferred};")
            }
        };
        let note = self.module.unchecked.comment(self.entity);
        Ok(note.map_or_else(String::new, |note| format!("// {note}\n")) + &text)
    }

    /// A kind as a schema, indented by `depth` levels.
    fn kind(self, kind: &Kind, depth: usize) -> Result<String> {
        Ok(match kind {
            Kind::Any => self.pick(ANY).to_owned(),
            Kind::Null => self.pick(NULL).to_owned(),
            Kind::Boolean => {
                self.pick(["z.boolean()", "Joi.boolean()", "yup.boolean()"]).to_owned()
            }
            Kind::Number { form, rules } => self.number(*form, rules),
            Kind::String(rules) => self.string(rules)?,
            Kind::Literal(values) => self.literal(kind, values),
            Kind::Array { item, size } => self.array(item, size, depth)?,
            Kind::Tuple(items) => self.tuple(items, depth)?,
            Kind::Object { fields, extra } => self.object(fields, *extra, depth)?,
            Kind::Map(value) => self.map(kind, value, depth)?,
            Kind::Reference(other) => self.reference(other, ""),
            Kind::Nullable(inner) => self.nullable(inner, depth)?,
            Kind::Union(branches) => {
                let texts = branches.iter().map(|branch| self.kind(branch, depth));
                self.union(kind, &texts.collect::<Result<Vec<_>>>()?.join(", "))
            }
        })
    }

    fn number(self, form: Form, rules: &NumberRules) -> String {
        if let Form::Decimal(digits) = form {
            self.module.unchecked.add(&format!("format {}", quote(&Decimal::format(digits))));
        }
        let mut text = self
            .pick(if form == Form::Whole {
                ["z.int()", "Joi.number().integer()", "yup.number().integer()"]
            } else {
                ["z.number()", "Joi.number()", "yup.number()"]
            })
            .to_owned();
        let bounds =
            [&rules.minimum, &rules.maximum, &rules.exclusive_minimum, &rules.exclusive_maximum];
        for (call, bound) in self.pick(BOUNDS).into_iter().zip(bounds) {
            text += &bound.as_ref().map_or(String::new(), |bound| format!(".{call}({bound})"));
        }
        match (&rules.multiple_of, self.module.library) {
            (None, _) => text,
            (Some(step), Zod) => format!("{text}.multipleOf({step})"),
            (Some(step), Joi) => format!("{text}.multiple({step})"),
            (Some(_), Yup) => {
                self.module.unchecked.add("multipleOf");
                text
            }
        }
    }

    fn string(self, rules: &StringRules) -> Result<String> {
        let format = rules.format.as_deref();
        let word = FORMATS.iter().find(|(name, _)| Some(*name) == format);
        let word = word.map(|(_, words)| self.pick(*words)).filter(|word| !word.is_empty());
        if let Some(format) = format.filter(|_| word.is_none()) {
            self.module.unchecked.add(&format!("format {}", quote(format)));
        }
        // Joi refuses an empty string unless it is allowed; with `min(0)` the other rules apply to it too.
        let joi = match rules {
            StringRules { min_length: Some(1..), .. } => "Joi.string()",
            StringRules { pattern: None, .. } => "Joi.string().allow(\"\")",
            _ => "Joi.string().min(0)",
        };
        let mut text =
            word.unwrap_or_else(|| self.pick(["z.string()", joi, "yup.string()"])).to_owned();
        text += &lengths(rules.min_length, rules.max_length);
        if let Some(pattern) = &rules.pattern {
            let call = self.pick(["regex", "pattern", "matches"]);
            text = format!("{text}.{call}({})", pattern::script_literal(pattern)?);
        }
        Ok(text)
    }

    fn literal(self, kind: &Kind, values: &[Value]) -> String {
        let list = LANGUAGE.values(values);
        let is_text = values.iter().all(Value::is_string);
        match self.module.library {
            Zod if values.len() == 1 => format!("z.literal({list})"),
            // `z.enum` makes an object of its strings, which cannot have this one.
            Zod if is_text && !values.iter().any(|value| value == "__proto__") => {
                format!("z.enum([{list}])")
            }
            Zod => format!("z.literal([{list}])"),
            Joi if is_text => format!("Joi.string().valid({list})"),
            Joi => format!("Joi.valid({list})"),
            Yup if is_text => format!("yup.string().oneOf([{list}])"),
            Yup => format!("yup.mixed<{}>().oneOf([{list}])", self.type_of(kind)),
        }
    }

    fn array(self, item: &Kind, size: &Size, depth: usize) -> Result<String> {
        let text = match self.module.library {
            Joi if *item == Kind::Any => "Joi.array()".to_owned(),
            Yup => format!("yup.array().of({})", self.present(item, depth)?),
            _ => {
                let item = self.kind(item, depth)?;
                format!("{}({item})", self.pick(["z.array", "Joi.array().items", ""]))
            }
        };
        let unique = match (self.module.library, size.unique) {
            (_, false) => "",
            (Joi, true) => ".unique()",
            (Zod, true) if self.is_scalar(item) => {
                ".refine((list) => new Set(list).size === list.length, \"must not have equal items\")"
            }
            (Yup, true) if self.is_scalar(item) => {
                ".test(\"unique\", \"must not have equal items\", (list) => !list || new Set(list).size === list.length)"
            }
            (_, true) => {
                self.module.unchecked.add("uniqueItems");
                ""
            }
        };
        Ok(text + &lengths(size.least, size.most) + unique)
    }

    /// Whether equal values of a kind are the same value for a `Set`.
    fn is_scalar(self, kind: &Kind) -> bool {
        let kind = self.module.ordered.resolved(kind).not_null();
        matches!(kind, Kind::Boolean | Kind::Number { .. } | Kind::String(_) | Kind::Literal(_))
    }

    fn tuple(self, items: &[Kind], depth: usize) -> Result<String> {
        let texts: Result<Vec<_>> = items.iter().map(|item| self.present(item, depth)).collect();
        let (texts, count) = (texts?.join(", "), items.len());
        Ok(match self.module.library {
            Zod => format!("z.tuple([{texts}])"),
            Joi => format!("Joi.array().ordered({texts}).length({count})"),
            Yup => format!("yup.tuple([{texts}])"),
        })
    }

    fn object(self, fields: &[Member], extra: Extra, depth: usize) -> Result<String> {
        // Validators confuse the members that every object of a script inherits with own ones.
        let (inherited, own): (Vec<&Member>, Vec<&Member>) =
            fields.iter().partition(|field| is_inherited(&field.key));
        for field in &inherited {
            self.module.unchecked.add(&format!("the inherited member {}", quote(&field.key)));
        }
        let is_closed = !inherited.is_empty() && extra == Extra::Forbidden;
        let extra = if is_closed { Extra::Allowed } else { extra };
        let members = self.members(&own, depth)?;
        Ok(match (self.module.library, extra) {
            (Zod, Extra::Forbidden) => format!("z.strictObject({members})"),
            (Zod, Extra::Unspecified) => format!("z.object({members})"),
            (Zod, Extra::Allowed) => format!("z.looseObject({members})"),
            (Joi, Extra::Forbidden) => format!("Joi.object({members})"),
            (Joi, _) => format!("Joi.object({members}).unknown()"),
            (Yup, Extra::Forbidden) => format!("yup.object({members}).exact()"),
            (Yup, _) => format!("yup.object({members})"),
        })
    }

    fn members(self, fields: &[&Member], depth: usize) -> Result<String> {
        if fields.is_empty() {
            return Ok("{}".to_owned());
        }
        let pad = "  ".repeat(depth + 1);
        let mut text = "{\n".to_owned();
        for field in fields {
            let member =
                self.module.unchecked.within(&field.key, || self.member(field, depth + 1))?;
            let about = describe(field.description.as_deref(), &pad);
            text = format!("{text}{about}{pad}{member},\n");
        }
        Ok(text + &"  ".repeat(depth) + "}")
    }

    fn member(self, field: &Member, depth: usize) -> Result<String> {
        let key = if is_identifier(&field.key) { field.key.clone() } else { quote(&field.key) };
        let text = if let Some(default) = &field.default {
            format!("{}.default({})", self.kind(&field.kind, depth)?, LANGUAGE.value(default))
        } else if field.required {
            self.present(&field.kind, depth)?
        } else {
            let optional = [".optional()", "", self.optional(&field.kind)];
            self.kind(&field.kind, depth)? + self.pick(optional)
        };
        Ok(format!("{key}: {text}"))
    }

    /// The schema of a member that must be there.
    fn present(self, kind: &Kind, depth: usize) -> Result<String> {
        // A lazy schema of Yup cannot be required itself.
        if let (Yup, Kind::Reference(other)) = (self.module.library, kind)
            && !self.is_defined(other)
        {
            return Ok(self.reference(other, ".defined()"));
        }
        // Yup's `required()` refuses an empty string too.
        let is_full = match kind {
            Kind::Boolean | Kind::Number { .. } | Kind::Array { .. } | Kind::Object { .. } => true,
            Kind::String(StringRules { min_length, format, .. }) => {
                format.is_some() || min_length.is_some_and(|least| least > 0)
            }
            Kind::Literal(values) => !values.iter().any(|value| value == ""),
            _ => false,
        };
        let yup = if is_full { ".required()" } else { ".defined()" };
        Ok(self.kind(kind, depth)? + self.pick(["", ".required()", yup]))
    }

    /// The suffix of an optional member for Yup, which otherwise infers strings in place of literals, and takes an object
    /// that is not given for an empty one.
    fn optional(self, kind: &Kind) -> &'static str {
        let inner = kind.not_null();
        let is_words = matches!(kind, Kind::Literal(values) if values.iter().all(Value::is_string));
        let target = self.module.ordered.resolved(inner).not_null();
        let is_object = matches!(target, Kind::Object { .. }) || self.is_object_schema(target);
        match is_object && !self.has_explicit_type(inner) {
            true => ".default(undefined).optional()",
            false if is_words => ".optional()",
            false => "",
        }
    }

    fn map(self, kind: &Kind, value: &Kind, depth: usize) -> Result<String> {
        let is_any = *value == Kind::Any;
        let value = self.kind(value, depth)?;
        Ok(match self.module.library {
            Zod => format!("z.record(z.string(), {value})"),
            Joi if is_any => "Joi.object()".to_owned(),
            Joi => format!("Joi.object().pattern(/^/, {value})"),
            Yup => {
                if !is_any {
                    self.module.unchecked.add("additionalProperties");
                }
                let typed = self.type_of(kind);
                format!("(yup.object() as unknown as yup.MixedSchema<{typed} | undefined>)")
            }
        })
    }

    fn is_defined(self, other: &str) -> bool {
        self.module.ordered.is_before(other, self.entity)
    }

    /// An entity, with a suffix to its schema.
    fn reference(self, other: &str, suffix: &str) -> String {
        let name = self.module.names.upper(other);
        match self.module.library {
            _ if self.is_defined(other) => format!("{name}{suffix}"),
            Zod => format!("z.lazy(() => {name}{suffix})"),
            Yup => format!("yup.lazy(() => {name}{suffix})"),
            Joi => {
                self.module.needs_helper.set(true);
                format!("Joi.any().custom(lazy(() => {name}))")
            }
        }
    }

    fn nullable(self, inner: &Kind, depth: usize) -> Result<String> {
        let text = self.kind(inner, depth)?;
        let null = self.pick(NULL);
        Ok(match self.module.library {
            Zod => format!("{text}.nullable()"),
            Joi => format!("{text}.allow(null)"),
            Yup => {
                let is_own = match inner {
                    Kind::Reference(_) => self.is_object_schema(inner),
                    other => !matches!(other, Kind::Union(_)),
                };
                if is_own {
                    return Ok(format!("{text}.nullable()"));
                }
                self.module.needs_helper.set(true);
                format!("union<{} | null>({null}, {text})", self.type_of(inner))
            }
        })
    }

    fn union(self, kind: &Kind, texts: &str) -> String {
        match self.module.library {
            Zod => format!("z.union([{texts}])"),
            Joi => format!("Joi.alternatives().try({texts})"),
            Yup => {
                self.module.needs_helper.set(true);
                format!("union<{}>({texts})", self.type_of(kind))
            }
        }
    }

    /// Whether a kind is written as a schema of an object, whose members can be extended and read.
    fn is_object_schema(self, kind: &Kind) -> bool {
        let ordered = self.module.ordered;
        match kind {
            Kind::Object { .. } => true,
            Kind::Reference(entity) => {
                let target = ordered.kinds.get(entity.as_str());
                !self.has_explicit_type(kind)
                    && target.is_some_and(|target| self.is_object_schema(target))
            }
            _ => false,
        }
    }
}

/// The calls for the fewest and most characters or items.
fn lengths(least: Option<u64>, most: Option<u64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) if least == most => format!(".length({least})"),
        _ => {
            let least = least.filter(|least| *least > 0);
            least.map_or(String::new(), |least| format!(".min({least})"))
                + &most.map_or(String::new(), |most| format!(".max({most})"))
        }
    }
}
