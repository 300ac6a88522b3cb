//! Link definitions of a changelog, and the addresses that they lead to.

/// A link definition's label and address.
pub(super) fn link(line: &str) -> Option<(&str, &str)> {
    let (label, address) = line.strip_prefix('[')?.split_once("]:")?;
    Some((label, address.trim()))
}

/// How a forge's pages of comparisons and of tags are addressed.
pub(super) struct Addresses<'a> {
    url: &'a str,
    compare: &'static str,
    tag: &'static str,
    /// What tags have before the version.
    prefix: &'static str,
}

impl<'a> Addresses<'a> {
    /// Those below `url`; the links that are there tell how tags are written.
    pub(super) fn of(url: &'a str, links: &[String]) -> Self {
        let (compare, tag) = if url.contains("gitlab") {
            ("/-/compare/", "/-/tags/")
        } else {
            ("/compare/", "/releases/tag/")
        };
        let is_bare = |(_, address): (&str, &str)| {
            address.split_once("/compare/").is_some_and(|(_, range)| !range.starts_with('v'))
        };
        let is_bare = links.iter().filter_map(|line| link(line)).any(is_bare);
        Self { url, compare, tag, prefix: if is_bare { "" } else { "v" } }
    }

    fn tagged(&self, label: &str) -> String {
        format!("{}{}", self.prefix, label.trim_start_matches('v'))
    }

    /// The address of what came with a version, or is not released, since the older one.
    pub(super) fn between(&self, older: Option<&str>, label: Option<&str>) -> Option<String> {
        let Self { url, compare, tag, .. } = self;
        let newer = label.map_or("HEAD".to_owned(), |label| self.tagged(label));
        match older {
            Some(older) => Some(format!("{url}{compare}{}...{newer}", self.tagged(older))),
            None => label.map(|_| format!("{url}{tag}{newer}")),
        }
    }
}
