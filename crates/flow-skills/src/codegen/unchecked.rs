//! What a generated validator does not check, although the schema says it: a comment at each entity, and one note for
//! each keyword, as for what types leave out.

use std::cell::RefCell;

use indexmap::{IndexMap, IndexSet};

use super::language::is_identifier;
use super::language::quote;
use crate::text::first;

/// Number of places that a note names.
const NAMED: usize = 5;
/// The keyword of a default that no writer can write: of another type than its member, a list or an object that is not empty, or
/// beside a reference.
pub(super) const DEFAULT: &str = "default";
/// Keywords without which a type has more values; the others restrict the values of a type.
pub(super) const OF_TYPES: &str = "allOf const enum false patternProperties prefixItems";

/// Keywords that are not checked, by the entity and its member in which they are.
#[derive(Debug, Default)]
pub(crate) struct Unchecked {
    /// The entity that is being lowered or written, and the members down to the place.
    entity: RefCell<String>,
    members: RefCell<Vec<String>>,
    keywords: RefCell<IndexMap<String, IndexSet<(String, String)>>>,
}

impl Unchecked {
    /// Begins with an entity.
    pub(crate) fn enter(&self, entity: &str) {
        entity.clone_into(&mut self.entity.borrow_mut());
        self.members.borrow_mut().clear();
    }

    /// Works inside of a member of the entity.
    pub(crate) fn within<T>(&self, member: &str, work: impl FnOnce() -> T) -> T {
        self.members.borrow_mut().push(member.to_owned());
        let done = work();
        self.members.borrow_mut().pop();
        done
    }

    /// The member of the entity at the current place.
    fn member(&self) -> String {
        self.members.borrow().first().map_or_else(String::new, |member| {
            if is_identifier(member) { member.clone() } else { quote(member) }
        })
    }

    /// Records a keyword of the current place.
    pub(crate) fn add(&self, keyword: &str) {
        let place = (self.entity.borrow().clone(), self.member());
        self.keywords.borrow_mut().entry(keyword.to_owned()).or_default().insert(place);
    }

    /// The text of the comment at an entity.
    pub(crate) fn comment(&self, entity: &str) -> Option<String> {
        let keywords = self.keywords.borrow();
        let keyword = |(keyword, places): (&String, &IndexSet<(String, String)>)| {
            let places_of_entity = places.iter().filter(|(name, _)| name == entity);
            let members: Vec<&str> = places_of_entity.map(|(_, member)| member.as_str()).collect();
            let named: Vec<&str> =
                members.iter().copied().filter(|member| !member.is_empty()).collect();
            match (members.is_empty(), named.is_empty()) {
                (true, _) => None,
                (false, true) => Some(keyword.clone()),
                _ => Some(format!("{keyword} ({})", first(named, NAMED, " and "))),
            }
        };
        let checks = keywords.iter().filter(|(keyword, _)| *keyword != DEFAULT);
        let all: Vec<String> = checks.filter_map(keyword).collect();
        (!all.is_empty()).then(|| format!("Not checked: {}.", all.join(", ")))
    }

    /// One note for each keyword that `is_told` selects.
    pub(crate) fn notes(&self, is_told: impl Fn(&str) -> bool) -> Vec<String> {
        let note = |(keyword, places): (&String, &IndexSet<(String, String)>)| {
            let place = |(entity, member): &(String, String)| match member.as_str() {
                "" => entity.clone(),
                member => format!("{entity}.{member}"),
            };
            let places = first(places.iter().map(place), NAMED, " and ");
            format!("left out: {keyword} of {places}")
        };
        self.keywords.borrow().iter().filter(|(keyword, _)| is_told(keyword)).map(note).collect()
    }
}
