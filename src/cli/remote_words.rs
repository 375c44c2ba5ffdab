use std::ffi::OsString;

/// Moves `--on URL`, and with it `--service NAME` and `--key KEY`, from after the file to before it. After the file,
/// arguments are the file's own: only an address as value makes `--on` ours, and nothing after `--` is.
pub(super) fn in_front(file_and_words: &mut Vec<OsString>) -> Vec<OsString> {
    let end = file_and_words.iter().position(|word| word == "--").unwrap_or(file_and_words.len());
    let is_asked =
        (1..end).any(|at| option(file_and_words, at, end, "--on").is_some_and(|(_, value)| is_address(&value)));
    let mut moved = Vec::new();
    if !is_asked {
        return moved;
    }
    let (mut at, mut end) = (1, end);
    while at < end {
        let known = ["--on", "--service", "--key"].into_iter();
        let found = known.filter_map(|name| Some((name, option(file_and_words, at, end, name)?))).next();
        match found {
            Some((name, (words, value))) if name != "--on" || is_address(&value) => {
                moved.extend([OsString::from(name), value]);
                file_and_words.drain(at..at + words);
                end -= words;
            }
            _ => at += 1,
        }
    }
    moved
}

/// Parses the option at a position: number of arguments, and value.
fn option(words: &[OsString], at: usize, end: usize, name: &str) -> Option<(usize, OsString)> {
    let word = words.get(at)?;
    if word == name {
        return words[..end].get(at + 1).map(|value| (2, value.clone()));
    }
    let value = word.to_str()?.strip_prefix(name)?.strip_prefix('=')?;
    Some((1, value.into()))
}

fn is_address(value: &OsString) -> bool {
    value.to_str().is_some_and(|value| value.starts_with("http://") || value.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(line: &str) -> (String, String) {
        let mut words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let moved = in_front(&mut words);
        let text = |words: &[OsString]| words.join(" ".as_ref()).to_string_lossy().into_owned();
        (text(&moved), text(&words))
    }

    #[test]
    fn an_address_makes_on_an_option() {
        for (line, front, rest) in [
            ("f --on http://h:1", "--on http://h:1", "f"),
            ("f Rome --on=https://h --units m", "--on https://h", "f Rome --units m"),
            ("f --key k --on http://h --service=s x", "--key k --on http://h --service s", "f x"),
            ("f --on yes", "", "f --on yes"),
            ("f --key k --service s", "", "f --key k --service s"),
            ("f --on", "", "f --on"),
            ("f -- --on http://h", "", "f -- --on http://h"),
        ] {
            assert_eq!(moved(line), (front.to_owned(), rest.to_owned()), "{line}");
        }
    }
}
