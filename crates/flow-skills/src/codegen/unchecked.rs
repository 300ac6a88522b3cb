//! What a generated validator does not check, although the schema says it: a comment at each entity, and one note for
//! each keyword, as for what types leave out.

use std::cell::RefCell;

use indexmap::{IndexMap, IndexSet};

use super::language::is_identifier;
use super::language::quote;
use crate::text::{first, lists};

/// Number of places that a note names.
const NAMED: usize = 5;
/// The keyword of a default that no writer can write: of another type than its member, a list or an object that is not empty, or
/// beside a reference.
pub(super) const DEFAULT: &str = "default";
/// Keywords that types of TypeScript could say.
pub(super) const OF_TYPES: &str = "$dynamicRef $recursiveRef additionalProperties allOf const deprecated enum false if not \
    patternProperties prefixItems propertyNames readOnly writeOnly";
/// Keywords of types that restrict no value, so that a validator has nothing to check.
const ANNOTATIONS: &str = "deprecated readOnly writeOnly";

/// Keywords that are not checked, each with the entities and the places in which they are.
#[derive(Debug, Default)]
pub(crate) struct Unchecked {
    /// The entity that is being lowered or written, and the members down to the place.
    path: RefCell<Vec<String>>,
    keywords: RefCell<IndexMap<String, IndexSet<(String, String)>>>,
}

impl Unchecked {
    /// Begins with an entity.
    pub(crate) fn enter(&self, entity: &str) {
        *self.path.borrow_mut() = vec![entity.to_owned()];
    }

    /// Works inside of a member of the entity.
    pub(crate) fn within<T>(&self, member: &str, work: impl FnOnce() -> T) -> T {
        self.path.borrow_mut().push(member.to_owned());
        let done = work();
        self.path.borrow_mut().pop();
        done
    }

    /// Records a keyword of the current place.
    pub(crate) fn add(&self, keyword: &str) {
        let path = self.path.borrow();
        let entity = path.first().cloned().unwrap_or_default();
        // Any text may be a name: a line break would end the comment that it is written into.
        let named = |name: &str| if is_identifier(name) { name.to_owned() } else { quote(name) };
        let place = match path.get(1) {
            None => named(&entity),
            Some(member) => format!("{}.{}", named(&entity), named(member)),
        };
        self.keywords.borrow_mut().entry(keyword.to_owned()).or_default().insert((entity, place));
    }

    /// Each keyword with its places, such as `pattern of User.zip`, of those that `is_told` selects by keyword and entity.
    fn listed(&self, is_told: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let one = |(keyword, places): (&String, &IndexSet<(String, String)>)| {
            let told = places.iter().filter(|(entity, _)| is_told(keyword, entity));
            let places = first(told.map(|(_, place)| place), NAMED, " and ");
            (!places.is_empty()).then(|| format!("{keyword} of {places}"))
        };
        self.keywords.borrow().iter().filter_map(one).collect()
    }

    /// The text of the comment at an entity.
    pub(crate) fn comment(&self, entity: &str) -> Option<String> {
        let all = self
            .listed(|keyword, own| own == entity && keyword != DEFAULT && is_checkable(keyword));
        (!all.is_empty()).then(|| format!("Not checked: {}.", all.join(", ")))
    }

    /// One note for each keyword that `is_told` selects.
    pub(crate) fn notes(&self, is_told: impl Fn(&str) -> bool) -> Vec<String> {
        let all = self.listed(|keyword, _| is_told(keyword));
        all.into_iter().map(|one| format!("left out: {one}")).collect()
    }
}

/// Whether a keyword restricts values.
pub(crate) fn is_checkable(keyword: &str) -> bool {
    !lists(ANNOTATIONS, keyword)
}
