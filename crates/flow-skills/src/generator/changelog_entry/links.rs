//! Link definitions of a changelog, and the addresses that they lead to.

use semver::Version;

use super::file::File;

/// A link definition's label and address.
pub(super) fn link(line: &str) -> Option<(&str, &str)> {
    let (label, address) = line.strip_prefix('[')?.split_once("]:")?;
    Some((label, address.trim()))
}

/// How a forge's pages of comparisons and of tags are addressed.
pub(super) struct Addresses {
    url: String,
    compare: &'static str,
    tag: &'static str,
    /// What tags have before the version.
    prefix: &'static str,
}

impl Addresses {
    /// Those below `url`; the links that are there tell how tags are written.
    pub(super) fn of<'a>(url: &str, lines: impl Iterator<Item = &'a str>) -> Self {
        let (compare, tag) = if url.contains("gitlab") {
            ("/-/compare/", "/-/tags/")
        } else {
            ("/compare/", "/releases/tag/")
        };
        let is_bare = |(_, address): (&str, &str)| {
            address.split_once("/compare/").is_some_and(|(_, range)| !range.starts_with('v'))
        };
        let is_bare = lines.filter_map(link).any(is_bare);
        Self { url: url.to_owned(), compare, tag, prefix: if is_bare { "" } else { "v" } }
    }

    /// The address of what came with a version, or is not released, since the older one.
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

impl File {
    /// The repository that its links of comparison lead to.
    pub(super) fn url(&self) -> Option<String> {
        self.lines().find_map(|line| {
            let (_, address) = link(line)?;
            let (url, _) = address.split_once("/compare/")?;
            Some(url.trim_end_matches("/-").to_owned())
        })
    }
}
