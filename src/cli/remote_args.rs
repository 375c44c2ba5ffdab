//! Options for runs on a Restate server (docs/reference/remote.md). Doc comments of options are help texts.

use std::{ffi::OsString, path::Path};

use clap::{Args, builder::NonEmptyStringValueParser};

use super::failure::WrongUsage;
use lmthing_serve::service_of;
use lmthing_system::remote::{Address, read_address};

/// Where a file is run.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct RemoteArgs {
    /// Have it run by `lmthing worker` at the Restate server whose ingress has this address, such as http://127.0.0.1:8080
    #[arg(long, value_name = "URL", value_parser = read_address)]
    pub(super) on: Option<Address>,

    /// With --on: the service, when it is not called as the file
    #[arg(long, value_name = "NAME", requires = "on", value_parser = NonEmptyStringValueParser::new())]
    service: Option<String>,
}

impl RemoteArgs {
    /// The name of the file's service.
    pub(super) fn service(&self, file: &Path) -> String {
        self.service.clone().unwrap_or_else(|| service_of(file))
    }

    /// The options as arguments.
    pub(super) fn words(&self) -> Vec<String> {
        let on = self.on.as_ref().map(|on| ["--on".to_owned(), on.to_string()]);
        let service = self.service.as_ref().map(|service| ["--service".to_owned(), service.clone()]);
        on.into_iter().chain(service).flatten().collect()
    }
}

/// Refuses options that only work where the file runs.
pub(super) fn refuse_local_options<'a>(given: impl IntoIterator<Item = (bool, &'a str)>) -> Result<(), WrongUsage> {
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(WrongUsage::new(
            format!("{option} cannot be used with --on: it is for where the file runs"),
            "give it to lmthing worker",
        )),
        None => Ok(()),
    }
}

/// Moves `--on URL`, and with it `--service NAME` and `--key KEY`, from after the file to before it. After the file,
/// arguments are the file's own: only an address as value makes `--on` ours, and nothing after `--` is.
pub(super) fn move_remote_options(file_and_words: &mut Vec<OsString>) -> Vec<OsString> {
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
pub(super) fn option(words: &[OsString], at: usize, end: usize, name: &str) -> Option<(usize, OsString)> {
    let word = words.get(at)?;
    if word == name {
        return words[..end].get(at + 1).map(|value| (2, value.clone()));
    }
    let value = word.to_str()?.strip_prefix(name)?.strip_prefix('=')?;
    Some((1, value.into()))
}

/// Parses the value of `--key`.
pub(super) fn key(typed: &str) -> Result<String, &'static str> {
    let is_good = !typed.is_empty() && typed.chars().all(|letter| letter.is_ascii_graphic());
    is_good.then(|| typed.to_owned()).ok_or("expected letters, digits and signs without spaces")
}

fn is_address(value: &OsString) -> bool {
    value.to_str().is_some_and(|value| value.starts_with("http://") || value.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(line: &str) -> (String, String) {
        let mut words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        let moved = move_remote_options(&mut words);
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
