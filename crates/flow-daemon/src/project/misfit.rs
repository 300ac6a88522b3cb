//! An error in a settings file: the key, its line, and the accepted values.

use crate::model::json::Members;

/// An error in the value of a key, or an unknown key.
#[derive(Debug)]
pub(super) struct Misfit {
    /// The key, after its section.
    keys: Vec<String>,
    what: String,
    next: Option<String>,
}

impl Misfit {
    /// An error `what` at a key of a section; without a section, the key is at the top level.
    pub(super) fn new(section: Option<&str>, key: &str, what: String) -> Self {
        let keys = section.into_iter().chain([key]).map(str::to_owned).collect();
        Self { keys, what, next: None }
    }

    /// Adds the remedy to the message.
    pub(super) fn next(self, next: String) -> Self {
        Self { next: Some(next), ..self }
    }

    /// The message, with the line of the key in the text of the file.
    pub(super) fn within(&self, text: &str) -> String {
        let line = line(text, &self.keys).map(|line| format!(" (line {line})")).unwrap_or_default();
        let next = self.next.as_ref().map(|next| format!("; {next}")).unwrap_or_default();
        format!("{}{line}{next}", self.what)
    }
}

/// The line of a key, from 1; of a duplicate key, that of the last one, whose value is used.
fn line(text: &str, keys: &[String]) -> Option<usize> {
    let mut object = text;
    let mut key = None;
    for name in keys {
        let members: Members<'_> = serde_json::from_str(object).ok()?;
        let member = members.list.into_iter().rev().find(|member| member.name == name.as_str())?;
        (key, object) = (Some(member.key), member.value);
    }
    // Both are slices of the same text.
    let begins = (key?.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    Some(text.get(..begins)?.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_that_of_the_key_which_is_read() {
        let text = "{\n\"port\": 1,\n\"files\": {\n \"bus\": 2\n},\"port\":\n3}";
        let line = |keys: &[&str]| {
            line(text, &keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(line(&["port"]), Some(5));
        assert_eq!(line(&["files", "bus"]), Some(4));
        assert_eq!(line(&["files", "port"]), None);
        assert_eq!(line(&["bus"]), None);
        assert_eq!(line(&[]), None);
    }
}
