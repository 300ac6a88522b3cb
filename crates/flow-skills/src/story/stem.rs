//! Stems of English words, so that forms of one verb compare equal.

/// The stem of an English word, roughly: `creates`, `creating` and `created` give `creat`.
pub(super) fn stem(word: &str) -> String {
    let word = word.to_lowercase().replace('’', "'");
    let word = word.strip_suffix("'s").unwrap_or(&word);
    let short = |stem: &&str| stem.len() >= 3;
    let cut = ["ing", "ied", "ies", "ed", "es", "s", "e", "y"].iter().find_map(|end| {
        let stem = word
            .strip_suffix(end)
            .filter(short)
            .filter(|_| !(*end == "s" && word.ends_with("ss")))?;
        Some(stem)
    });
    let stem = cut.unwrap_or(word);
    let mut last = stem.chars().rev();
    let doubled = last.next().zip(last.next()).is_some_and(|(a, b)| a == b && !"slze".contains(a));
    let stem = if doubled && cut.is_some() { &stem[..stem.len() - 1] } else { stem };
    stem.trim_end_matches(['e', 'i', 'y']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_verb_share_a_stem() {
        for forms in [
            &["create", "creates", "creating", "created"][..],
            &["log", "logging", "logged", "logs"],
            &["copy", "copies", "copied", "copying"],
            &["share", "shared", "sharing"],
            &["cancel", "cancelling", "cancels"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(
                stems
                    .iter()
                    .all(|stem| stem.trim_end_matches('l') == stems[0].trim_end_matches('l')),
                "{stems:?}"
            );
        }
    }
}
