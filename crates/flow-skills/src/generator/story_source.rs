//! What acceptance criteria and test cases are made from: the output of the skill before, a story of the project and a
//! text, as one story with its scenarios.

use crate::input::kind::Upstream;
use crate::output::{Fault, Result};
use crate::project_state::{Context, recorded};
use crate::story::criteria::{self, Criteria};
use crate::story::gherkin::Read;
use crate::story::scenario::Scenario;
use crate::story::{Story, data, document};

/// Reads the text in `field`, which may be the id of a story too, and what the skill before and the project have.
pub(super) fn read(
    upstream: Option<&Upstream>,
    from_story: Option<&str>,
    field: &str,
    text: Option<&str>,
    context: &Context,
) -> Result<Read> {
    let mut read = Read::default();
    if let Some(upstream) = upstream {
        read.story = upstream.read::<Story>()?.unwrap_or_default();
        read.notes.extend(criteria::unused(&read.story));
        if let Some(Criteria { story, scenarios }) = upstream.read()? {
            (read.story, read.scenarios) = (story, scenarios);
        }
    }
    if let Some(id) = from_story {
        read.story = recorded::story_of(id, context)?;
    }
    if let Some(text) = text {
        let more = if let Some(story) = recorded::named_alone(text, context)? {
            Read { story, ..Read::default() }
        } else {
            let more = document::criteria(text, field)?;
            read.notes.extend(criteria::unused(&more.story));
            more
        };
        read.story.complete(more.story);
        read.scenarios.extend(more.scenarios);
        read.notes.extend(more.notes);
    }
    Ok(read)
}

/// The criteria of what was read, and notes; `missing` is the fault if nothing was.
pub(super) fn criteria(read: Read, missing: Fault) -> Result<(Criteria, Vec<String>)> {
    let Read { mut story, mut scenarios, mut notes } = read;
    scenarios.iter_mut().for_each(Scenario::remove_blanks);
    story.complete_title();
    if story.title.is_empty() && scenarios.is_empty() {
        return Err(missing);
    }
    story.check()?;
    data::model(&story.data, &story.title)?;
    let (criteria, more) = Criteria::of(story, scenarios);
    notes.extend(more);
    Ok((criteria, notes))
}
