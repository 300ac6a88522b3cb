//! Link definitions of a changelog's versions, and their URLs.

use semver::Version;

/// A link definition's label and URL.
pub(super) fn link(line: &str) -> Option<(&str, &str)> {
    let (label, address) = line.strip_prefix('[')?.split_once("]:")?;
    Some((label, address.trim()))
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
        let is_gitlab = url.contains("gitlab");
        let compare = if is_gitlab { "/-/compare/" } else { "/compare/" };
        let tag = if is_gitlab { "/-/tags/" } else { "/releases/tag/" };
        let mut ranges = lines.filter_map(|line| Some(link(line)?.1.split_once("/compare/")?.1));
        let is_bare = ranges.any(|range| !range.starts_with('v'));
        Self { url: url.to_owned(), compare, tag, prefix: if is_bare { "" } else { "v" } }
    }

    /// The URL of the changes of a version, or of unreleased changes, since the older version.
    pub(super) fn between(
        &self,
        older: Option<&Version>,
        newer: Option<&Version>,
    ) -> Option<String> {
        let Self { url, compare, tag, prefix } = self;
        let to = newer.map(|version| format!("{prefix}{version}"));
        let Some(older) = older else { return Some(format!("{url}{tag}{}", to?)) };
        let to = to.as_deref().unwrap_or("HEAD");
        Some(format!("{url}{compare}{prefix}{older}...{to}"))
    }
}

/// The URL of the repository in the compare links among lines.
pub(super) fn repository<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<String> {
    lines.find_map(|line| {
        let (url, _) = link(line)?.1.split_once("/compare/")?;
        Some(url.trim_end_matches("/-").to_owned())
    })
}
