//! Links of a changelog's versions, as definitions or in headings, and their URLs.

use semver::Version;

use crate::text::heading;

/// A link definition's label and URL.
pub(super) fn link(line: &str) -> Option<(&str, &str)> {
    let (label, address) = line.strip_prefix('[')?.split_once("]:")?;
    Some((label, address.trim()))
}

/// The URL of a link definition, or of the link that a heading begins with: `## [1.2.0](https://…) (2026-01-31)`.
fn address(line: &str) -> Option<&str> {
    let linked = || heading(line)?.1.strip_prefix('[')?.split_once("](")?.1.split(')').next();
    link(line).map(|(_, address)| address).or_else(linked)
}

/// The URLs of a forge's pages for comparisons and tags.
pub(super) struct Addresses {
    url: String,
    compare: &'static str,
    tag: &'static str,
    /// Prefix of the version in tags.
    prefix: &'static str,
}

impl Addresses {
    /// The URLs below `url`; existing links show how tags are written.
    pub(super) fn of<'a>(url: &str, lines: impl Iterator<Item = &'a str>) -> Self {
        let (compare, tag) = if url.contains("gitlab") {
            ("/-/compare/", "/-/tags/")
        } else {
            ("/compare/", "/releases/tag/")
        };
        let is_bare = |address: &str| {
            address.split_once("/compare/").is_some_and(|(_, range)| !range.starts_with('v'))
        };
        let is_bare = lines.filter_map(address).any(is_bare);
        Self { url: url.to_owned(), compare, tag, prefix: if is_bare { "" } else { "v" } }
    }

    /// The URL of the changes of a version, or of unreleased changes, since the older version.
    pub(super) fn between(
        &self,
        older: Option<&Version>,
        newer: Option<&Version>,
    ) -> Option<String> {
        let Self { url, compare, tag, prefix } = self;
        let to = newer.map_or_else(|| "HEAD".to_owned(), |version| format!("{prefix}{version}"));
        match (older, newer) {
            (Some(older), _) => Some(format!("{url}{compare}{prefix}{older}...{to}")),
            (None, Some(_)) => Some(format!("{url}{tag}{to}")),
            (None, None) => None,
        }
    }
}

/// The URL of the repository in the compare links among lines.
pub(super) fn repository<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<String> {
    lines.find_map(|line| {
        let (url, _) = address(line)?.split_once("/compare/")?;
        Some(url.trim_end_matches("/-").to_owned())
    })
}
