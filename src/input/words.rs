//! Which words are options, which are their values, and which stand alone. Must not know what values mean.

use std::{iter::Peekable, slice::Iter};

use super::{
    command_line::CommandLine,
    kind::Kind,
    problem::{Problem, quoted},
    property::{Declaration, Fields, Target},
};
use crate::diagnostic::closest;

/// The words, sorted.
#[derive(Default)]
pub(super) struct Sorted<'a> {
    /// In the order of their first appearance; an option given again stands where it stood.
    pub(super) options: Vec<Given<'a>>,
    pub(super) bare: Vec<&'a str>,
}

/// An option that was given.
pub(super) struct Given<'a> {
    /// The property it stands for, from the outermost object inwards.
    pub(super) path: Vec<String>,
    pub(super) kind: &'a Kind,
    /// The option as it was written last: `--days`.
    pub(super) shown: String,
    /// Its values, one for each time it was given.
    pub(super) words: Vec<Word<'a>>,
}

/// What was given with an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Word<'a> {
    /// Nothing: the option itself says it.
    Flag(bool),
    Text(&'a str),
}

type Rest<'a> = Peekable<Iter<'a, String>>;

/// Sorts the words of a command line.
///
/// # Errors
/// An option that there is not, or that lacks its value.
pub(super) fn sort<'a>(declaration: &'a Declaration, line: &'a CommandLine) -> Result<Sorted<'a>, Problem> {
    let mut sorted = Sorted::default();
    let mut rest = line.words.iter().peekable();
    while let Some(word) = rest.next() {
        if word == "--" {
            sorted.bare.extend(rest.by_ref().map(String::as_str));
        } else if is_option(word) {
            sorted.option(declaration, line, &word[2..], &mut rest)?;
        } else if is_short_option(word) {
            return Err(unknown(declaration, line, word));
        } else {
            sorted.bare.push(word);
        }
    }
    Ok(sorted)
}

/// Whether a word is an option: text may begin with dashes as well, in a list or a line of Markdown.
fn is_option(word: &str) -> bool {
    let Some(option) = word.strip_prefix("--") else { return false };
    let name = option.split('=').next().unwrap_or_default();
    !name.is_empty() && !name.starts_with('-') && !name.contains(char::is_whitespace)
}

/// Whether a word looks like `-d`; `-5` and `- item` are values.
fn is_short_option(word: &str) -> bool {
    let begins_with_letter = |rest: &str| rest.starts_with(char::is_alphabetic);
    word.strip_prefix('-').is_some_and(begins_with_letter) && !word.contains(char::is_whitespace)
}

impl<'a> Sorted<'a> {
    fn option(
        &mut self,
        declaration: &'a Declaration,
        line: &'a CommandLine,
        text: &'a str,
        rest: &mut Rest<'a>,
    ) -> Result<(), Problem> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let fields = &declaration.fields;
        if fields.known(name).is_none()
            && let Some(target) = negated(fields, name)
        {
            if let Some(value) = value {
                return Err(Problem::new(format!("--{name} takes no value, got {}", quoted(value))));
            }
            self.add(target, name, Word::Flag(false));
            return Ok(());
        }
        let target = fields.find(name).ok_or_else(|| unknown(declaration, line, &format!("--{name}")))?;
        let word = match value {
            Some(value) => Word::Text(value),
            None if target.kind.is_flag() => match rest.next_if(|word| *word == "true" || *word == "false") {
                Some(word) => Word::Text(word),
                None => Word::Flag(true),
            },
            None => Word::Text(following(name, target.kind, rest)?),
        };
        self.add(target, name, word);
        Ok(())
    }

    fn add(&mut self, target: Target<'a>, name: &str, word: Word<'a>) {
        let Target { path, kind } = target;
        let shown = format!("--{name}");
        match self.options.iter_mut().find(|given| given.path == path) {
            Some(given) => {
                given.shown = shown;
                given.words.push(word);
            }
            None => self.options.push(Given { path, kind, shown, words: vec![word] }),
        }
    }
}

/// The property that `no-…` or `no…` turns off.
fn negated<'a>(fields: &'a Fields, name: &str) -> Option<Target<'a>> {
    let camel = |rest: &&str| rest.starts_with(char::is_uppercase);
    let rest = name.strip_prefix("no-").or_else(|| name.strip_prefix("no").filter(camel))?;
    fields.known(rest).filter(|target| target.kind.is_flag())
}

/// The word behind an option.
fn following<'a>(name: &str, kind: &Kind, rest: &mut Rest<'a>) -> Result<&'a str, Problem> {
    let word = rest.next_if(|word| *word != "--" && !is_option(word));
    word.map(String::as_str).ok_or_else(|| {
        let item = if let Kind::List(item) = kind.inner() { item } else { kind };
        let problem = Problem::new(format!("--{name} needs a value: expected {}, got nothing", item.expected()));
        match rest.peek() {
            Some(next) => problem.hint(format!("a value that begins with dashes is given as --{name}={next}")),
            None => problem,
        }
    })
}

/// An option that there is not, with what may have been meant.
fn unknown(declaration: &Declaration, line: &CommandLine, option: &str) -> Problem {
    let problem = Problem::new(format!("unknown option {option}"));
    let name = option.trim_start_matches('-');
    let off = name.strip_prefix("no-").and_then(|name| declaration.fields.known(name));
    if let Some(target) = off {
        let on = &name["no-".len()..];
        return problem.hint(format!("only a boolean can be turned off; --{on} takes {}", target.kind.expected()));
    }
    if (line.own_options)().iter().any(|own| own == name) {
        return problem.hint(format!("an option of lmthing run stands before the file: lmthing run {option} … FILE"));
    }
    let options: Vec<String> =
        declaration.fields.properties.iter().map(|property| declaration.fields.option(property)).collect();
    match closest(name, options.iter().map(String::as_str).chain(["help"])) {
        Some(near) => problem.hint(format!("did you mean --{near}?")),
        None if option.starts_with("--") => problem,
        None => problem.hint("options have two dashes; behind -- everything is a bare word"),
    }
}
