//! Line notations: printed values read back, and examples have their form.

use flow::skill::input::notation::arrows::{self, Arrow, Chain, Node};
use flow::skill::input::notation::endpoints::{self, Body, Endpoint, METHODS, Parameter};
use flow::skill::input::notation::entities::{self, Entity, Field, Mark};
use flow::skill::input::notation::errors::{self, ErrorCase};
use flow::skill::input::notation::list::{self, Item};
use flow::skill::input::notation::{Notation, bounds};
use flow::skill::story::sentence::{self, StorySentence};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;

/// A name that is not a keyword of any notation.
const NAME: &str = "[A-Z][a-z]{2,6}x";

fn body() -> impl Strategy<Value = Body> {
    let named = "[A-Z][a-z]{1,5}(\\[\\])?".prop_map(Body::Named);
    let fields = "[a-z]{1,5}( string)?(, [a-z]{1,5}){0,2}".prop_map(Body::Fields);
    prop_oneof![named, fields]
}

fn field() -> impl Strategy<Value = Field> {
    let mark = prop_oneof![
        Just(Mark::Pk),
        Just(Mark::Unique),
        Just(Mark::Index),
        Just(Mark::Nullable),
        "[0-4][0-9]{2}".prop_map(Mark::Min),
        "[5-9][0-9]{2}".prop_map(Mark::Max),
        "/[a-z,; ]{1,6}x/".prop_map(Mark::Pattern),
        (NAME, option::of(NAME), any::<bool>())
            .prop_map(|(entity, field, is_many)| Mark::Reference { entity, field, is_many }),
    ];
    let kind = prop_oneof![
        Just("uuid".to_owned()),
        Just("decimal(10,2)".to_owned()),
        Just("enum(a|b)".to_owned()),
        Just("map<string>".to_owned()),
        Just("int[]".to_owned())
    ];
    (NAME, any::<bool>(), option::of(kind), vec(mark, 0..3))
        .prop_map(|(name, is_optional, kind, marks)| Field { name, is_optional, kind, marks })
}

/// The text of a value in its notation. The program itself writes lists alone.
trait Print {
    fn print(&self) -> String;
}

impl Print for Entity {
    fn print(&self) -> String {
        let fields: Vec<String> = self.fields.iter().map(Print::print).collect();
        format!("{}: {}", self.name, fields.join(", "))
    }
}

impl Print for Field {
    fn print(&self) -> String {
        let kind = self.kind.iter().cloned();
        let words = [self.name.clone()].into_iter().chain(kind);
        let words = words.chain(self.marks.iter().map(Print::print));
        let words = words.chain(self.is_optional.then(|| "optional".to_owned()));
        words.collect::<Vec<_>>().join(" ")
    }
}

impl Print for Mark {
    fn print(&self) -> String {
        match self {
            Self::Pk => "pk".to_owned(),
            Self::Unique => "unique".to_owned(),
            Self::Index => "index".to_owned(),
            Self::Nullable => "nullable".to_owned(),
            Self::Min(value) => format!("min {value}"),
            Self::Max(value) => format!("max {value}"),
            Self::Pattern(value) => format!("pattern {value}"),
            Self::Format(value) => format!("format {value}"),
            Self::Default(value) => format!("default {value}"),
            Self::Reference { entity, field, is_many } => {
                let field = field.as_ref().map(|field| format!(".{field}")).unwrap_or_default();
                format!("-> {entity}{field}{}", if *is_many { "[]" } else { "" })
            }
        }
    }
}

impl Print for Endpoint {
    fn print(&self) -> String {
        let mut text = format!("{} {}", self.method, self.path);
        for (at, Parameter { name, kind }) in self.query.iter().enumerate() {
            let kind = kind.as_ref().map(|kind| format!("={kind}")).unwrap_or_default();
            text = format!("{text}{}{name}{kind}", if at == 0 { '?' } else { '&' });
        }
        for (arrow, body) in [("<-", &self.request), ("->", &self.response)] {
            text = match body {
                None => text,
                Some(Body::Named(name)) => format!("{text} {arrow} {name}"),
                Some(Body::Fields(fields)) => format!("{text} {arrow} {{{fields}}}"),
            };
        }
        for status in self.status.iter().chain(&self.errors) {
            text = format!("{text} {status}");
        }
        text + &self.summary.as_ref().map(|own| format!(" : {own}")).unwrap_or_default()
    }
}

impl Print for Chain {
    fn print(&self) -> String {
        let mut text = self.first.to_string();
        for (arrow, node) in &self.rest {
            let arrow = if *arrow == Arrow::Solid { "->" } else { "-->" };
            text = format!("{text} {arrow} {node}");
        }
        text + &self.label.as_ref().map(|label| format!(": {label}")).unwrap_or_default()
    }
}

impl Print for ErrorCase {
    fn print(&self) -> String {
        let message = self.message.as_ref().map(|own| format!(": {own}")).unwrap_or_default();
        let status = self.status.map(|status| format!(" {status}")).unwrap_or_default();
        format!("{}{status}{message}", self.name)
    }
}

impl Print for Item {
    fn print(&self) -> String {
        self.to_string()
    }
}

impl Print for StorySentence {
    fn print(&self) -> String {
        let benefit = self.benefit.as_ref().map(|own| format!(" so that {own}"));
        format!("As a {} I want {}{}", self.role, self.want, benefit.unwrap_or_default())
    }
}

impl Print for bounds::Bounds {
    fn print(&self) -> String {
        let limit = match (&self.least, &self.most, self.is_excluded) {
            (Some(least), Some(most), _) => format!("between {least} and {most}"),
            (Some(least), None, true) => format!("more than {least}"),
            (Some(least), None, false) => format!("at least {least}"),
            (None, Some(most), true) => format!("less than {most}"),
            (None, Some(most), false) => format!("at most {most}"),
            (None, None, _) => String::new(),
        };
        self.unit.as_ref().map_or(limit.clone(), |unit| format!("{limit} {unit}"))
    }
}

fn printed<T: Print>(all: &[T]) -> String {
    all.iter().map(Print::print).collect::<Vec<_>>().join("\n")
}

proptest! {
    #[test]
    fn entities_read_back(names in btree_set(NAME, 1..4), mut fields in vec(vec(field(), 1..4), 4)) {
        let fields = fields.iter_mut();
        let all: Vec<Entity> = names.into_iter().zip(fields).enumerate().map(|(at, (name, fields))| {
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            fields.dedup_by(|a, b| a.name == b.name);
            Entity { name, line: at + 1, fields: std::mem::take(fields) }
        }).collect();
        prop_assert_eq!(entities::read(&printed(&all)), Ok(all));
    }

    #[test]
    fn endpoints_read_back(
        paths in btree_set("/[a-z]{1,5}(/\\{[a-z]{1,4}\\})?", 1..4), method in 0..METHODS.len(),
        request in option::of(body()), response in option::of(body()),
        query in vec(("[a-z]{1,4}", option::of("[a-z]{3,5}")), 0..3), status in option::of(100_u16..400),
        errors in btree_set(400_u16..600, 0..3), summary in option::of("[a-z]{1,5}( [a-z]{1,5})?"),
    ) {
        let all: Vec<Endpoint> = paths.into_iter().map(|path| Endpoint {
            method: METHODS[method].to_owned(), path, request: request.clone(), response: response.clone(), status,
            query: query.iter().map(|(name, kind)| Parameter { name: name.clone(), kind: kind.clone() }).collect(),
            errors: errors.iter().copied().collect(), summary: summary.clone(),
        }).collect();
        prop_assert_eq!(endpoints::read(&printed(&all)), Ok(all));
    }

    #[test]
    fn arrows_read_back(names in vec((NAME, option::of(NAME), any::<bool>()), 2..6), label in option::of("[a-z]{1,5}: [a-z]{1,5}")) {
        let node = |(name, group, _): &(String, Option<String>, bool)| Node { name: name.clone(), group: group.clone() };
        let rest = names[1..].iter().map(|part| (if part.2 { Arrow::Solid } else { Arrow::Dashed }, node(part)));
        let all = vec![Chain { first: node(&names[0]), rest: rest.collect(), label }];
        prop_assert_eq!(arrows::read(&printed(&all)), Ok(all));
    }

    #[test]
    fn errors_read_back(names in btree_set("[a-z]{2,6}( [a-z]{2,6}){0,3}", 1..4), status in 400_u16..600, message in option::of("[A-Z][a-z ]{1,9}x")) {
        // The first has its status always: without any, a text is no list of errors.
        let cases = names.into_iter().enumerate().map(|(at, name)| {
            let is_bare = at > 0 && name.split(' ').count() <= 3;
            ErrorCase { name, status: (!is_bare).then_some(status), message: message.clone() }
        });
        let all: Vec<ErrorCase> = cases.collect();
        prop_assert_eq!(errors::read(&printed(&all)), Ok(all));
    }

    #[test]
    fn lists_read_back(parts in vec((option::of("[a-z]{2,6}"), option::of("[a-z]{2,6}"), any::<bool>(), "[a-z]{1,6}( [a-z]{1,6}){0,3}"), 1..5)) {
        let all: Vec<Item> = parts.into_iter().enumerate().map(|(at, (kind, scope, breaking, text))| Item {
            line: at + 1, scope: scope.filter(|_| kind.is_some()), is_breaking: breaking && kind.is_some(), kind, text,
        }).collect();
        prop_assert_eq!(list::read(&printed(&all)), Ok(all));
    }

    #[test]
    fn stories_read_back(role in "[a-z]{3,8}x", want in "to [a-z]{3,8}x", benefit in option::of("[a-z]{3,8}x")) {
        let sentence = StorySentence { role, want, benefit };
        let text = sentence.print();
        prop_assert_eq!(sentence::split(&text), Some((sentence, "")));
    }

    #[test]
    fn bounds_read_back(
        low in -999_i64..999, high in -999_i64..999, sides in 0..3, unit in option::of("[A-Z]B"),
        is_excluded in any::<bool>(),
    ) {
        let bounds = bounds::Bounds {
            least: (sides != 1).then(|| low.into()), most: (sides != 0).then(|| high.into()),
            unit: unit.clone(), is_excluded: sides != 2 && is_excluded,
        };
        prop_assert_eq!(bounds::find(&format!("a value {}.", bounds.print())), [bounds]);
    }

    /// No text causes a panic, and a parsed value prints as text that parses to the same.
    #[test]
    fn any_text_is_read_or_refused(text in "[a-zA-Z0-9 :;,>\\[\\]{}()/|#.\n-]{0,60}") {
        if let Ok(all) = arrows::read(&text) { prop_assert_eq!(arrows::read(&printed(&all)), Ok(all)); }
        if let Ok(all) = endpoints::read(&text) { prop_assert_eq!(endpoints::read(&printed(&all)), Ok(all)); }
        let _ = (entities::read(&text), errors::read(&text), list::read(&text), sentence::split(&text), bounds::find(&text));
    }
}

const ALL: [Notation; 5] =
    [Notation::Entities, Notation::Endpoints, Notation::Arrows, Notation::Errors, Notation::List];

#[test]
fn every_example_is_of_its_form_and_on_the_page() {
    let page = include_str!("../../docs/notation.md");
    for notation in ALL {
        assert!(notation.is_unambiguous(notation.example()), "{notation:?}");
        assert!(page.contains(&format!("`{}`", notation.example())), "{notation:?}");
    }
    assert!(sentence::split(sentence::EXAMPLE).is_some());
    assert!(page.contains(&format!("`{}`", sentence::EXAMPLE)));
}
