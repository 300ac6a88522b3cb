//! The pages at `/` and `/projects`: the embedded files of the folder `web`, a link to the top-level one, so that the
//! published crate contains them. It does not know the state; the pages use the API.

use std::sync::LazyLock;

use bytes::Bytes;
use http::{Method, StatusCode};
use xxhash_rust::xxh3::xxh3_64;

use super::errors::method_not_allowed;
use super::etag::{self, validated};
use super::reply::{Media, Reply};
use super::view::Request;

/// Largest size of the files that the first screen of a page needs, and of all files of both pages, in bytes. They are sent uncompressed.
pub const LARGEST_FIRST_SCREEN: usize = 80 * 1024;
/// See [`LARGEST_FIRST_SCREEN`].
pub const LARGEST_PAGES: usize = 160 * 1024;
/// Largest size of the files that draw the pictures, in bytes. They are loaded when one is looked at.
pub const LARGEST_PICTURES: usize = 40 * 1024;

/// An embedded file.
#[derive(Debug)]
pub struct File {
    /// Its path on the server.
    pub path: &'static str,
    /// Its media type.
    pub media: Media,
    /// Its embedded content.
    pub text: &'static str,
}

macro_rules! files {
    ($($path:literal $media:ident $name:literal,)*) => {
        &[$(File { path: $path, media: Media::$media, text: include_str!(concat!("../../web/", $name)) }),*]
    };
}

/// Every file of the page.
pub const FILES: &[File] = files! {
    "/" Html "index.html",
    "/projects" ProjectsHtml "projects.html",
    "/web/style.css" Css "style.css",
    "/web/icon.svg" Svg "icon.svg",
    "/web/app.js" Script "app.js",
    "/web/dom.js" Script "dom.js",
    "/web/text.js" Script "text.js",
    "/web/data.js" Script "data.js",
    "/web/live.js" Script "live.js",
    "/web/parts.js" Script "parts.js",
    "/web/now.js" Script "now.js",
    "/web/board.js" Script "board.js",
    "/web/lists.js" Script "lists.js",
    "/web/messages.js" Script "messages.js",
    "/web/record.js" Script "record.js",
    "/web/picture.js" Script "picture.js",
    "/web/pictures.css" Css "pictures.css",
    "/web/lanes.js" Script "lanes.js",
    "/web/graph.js" Script "graph.js",
    "/web/layout.js" Script "layout.js",
    "/web/progress.js" Script "progress.js",
    "/web/worktrees.js" Script "worktrees.js",
    "/web/histogram.js" Script "histogram.js",
    "/web/news.js" Script "news.js",
    "/web/bell.js" Script "bell.js",
    "/web/projects.js" Script "projects.js",
    "/web/servers.js" Script "servers.js",
    "/web/projects.css" Css "projects.css",
};

/// The validators of [`FILES`], in their order: a file changes only with the program.
static TAGS: LazyLock<Vec<Bytes>> = LazyLock::new(|| {
    FILES.iter().map(|file| etag::quoted(xxh3_64(file.text.as_bytes()))).collect()
});

/// Answers a request for one of the files; `None` if there is no such file. Parameters are ignored: the state of the
/// page is in the fragment of its address, which browsers do not send.
pub(super) fn answer(request: Request<'_>) -> Option<Reply> {
    let trimmed = |path: &str| path.strip_suffix('/').unwrap_or(path).len();
    let path = &request.path[..trimmed(request.path)];
    let (file, tag) =
        FILES.iter().zip(TAGS.iter()).find(|(file, _)| file.path[..trimmed(file.path)] == *path)?;
    Some(match *request.method {
        Method::GET | Method::HEAD => {
            let is_known = etag::is_named(tag, request.if_none_match);
            let body = || Bytes::from_static(file.text.as_bytes());
            Reply { media: file.media, ..validated(tag, is_known, body) }
        }
        Method::OPTIONS => Reply::empty(StatusCode::NO_CONTENT),
        _ => method_not_allowed(request.method),
    })
}
