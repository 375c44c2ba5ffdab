//! Separates options with their values from bare words.

use std::{iter::Peekable, slice::Iter};

use super::{
    command_line::{CommandLine, is_option, is_short_option},
    kind::ValueKind,
    own_options::{before_the_file, is_own, near_own},
    problem::{InputProblem, quoted},
    property::{Declaration, ObjectFields, Target},
};
use crate::diagnostic::closest;

#[derive(Default)]
pub(super) struct ParsedArguments<'a> {
    pub(super) options: Vec<GivenOption<'a>>,
    pub(super) bare: Vec<&'a str>,
}

pub(super) struct GivenOption<'a> {
    /// The path of its property, from the outermost object inwards.
    pub(super) path: Vec<String>,
    pub(super) kind: &'a ValueKind,
    pub(super) shown: String,
    pub(super) words: Vec<OptionValue<'a>>,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum OptionValue<'a> {
    Flag(bool),
    Text(&'a str),
}

type Rest<'a> = Peekable<Iter<'a, String>>;

/// Parses the arguments after the file.
///
/// # Errors
/// An unknown option, or one without its value.
pub(super) fn parse_arguments<'a>(
    declaration: &'a Declaration,
    line: &'a CommandLine,
) -> Result<ParsedArguments<'a>, InputProblem> {
    let mut sorted = ParsedArguments::default();
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

impl<'a> ParsedArguments<'a> {
    fn option(
        &mut self,
        declaration: &'a Declaration,
        line: &'a CommandLine,
        text: &'a str,
        rest: &mut Rest<'a>,
    ) -> Result<(), InputProblem> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let fields = &declaration.fields;
        if fields.known(name).is_none()
            && let Some(target) = negated(fields, name)
        {
            if let Some(value) = value {
                return Err(InputProblem::new(format!("--{name} takes no value, got {}", quoted(value))));
            }
            self.add(target, name, OptionValue::Flag(false));
            return Ok(());
        }
        // A schema that takes any property does not take options of the command: `--restrict` would have no effect there.
        let is_taken = fields.known(name).is_some() || !is_own(&(line.own_options)(), &format!("--{name}"));
        let target = fields.find(name).filter(|_| is_taken);
        let target = target.ok_or_else(|| unknown(declaration, line, &format!("--{name}")))?;
        let word = match value {
            Some(value) => OptionValue::Text(value),
            None if target.kind.is_flag() => match rest.next_if(|word| *word == "true" || *word == "false") {
                Some(word) => OptionValue::Text(word),
                None => OptionValue::Flag(true),
            },
            None => OptionValue::Text(following(name, target.kind, rest)?),
        };
        self.add(target, name, word);
        Ok(())
    }

    fn add(&mut self, target: Target<'a>, name: &str, word: OptionValue<'a>) {
        let Target { path, kind } = target;
        let shown = format!("--{name}");
        match self.options.iter_mut().find(|given| given.path == path) {
            Some(given) => {
                given.shown = shown;
                given.words.push(word);
            }
            None => self.options.push(GivenOption { path, kind, shown, words: vec![word] }),
        }
    }
}

/// The property that `no-…` or `no…` turns off.
fn negated<'a>(fields: &'a ObjectFields, name: &str) -> Option<Target<'a>> {
    let camel = |rest: &&str| rest.starts_with(char::is_uppercase);
    let rest = name.strip_prefix("no-").or_else(|| name.strip_prefix("no").filter(camel))?;
    fields.known(rest).filter(|target| target.kind.is_flag())
}

fn following<'a>(name: &str, kind: &ValueKind, rest: &mut Rest<'a>) -> Result<&'a str, InputProblem> {
    let word = rest.next_if(|word| *word != "--" && !is_option(word));
    word.map(String::as_str).ok_or_else(|| {
        let item = if let ValueKind::List(item) = kind.inner() { item } else { kind };
        let problem = InputProblem::new(format!("--{name} needs a value: expected {}, got nothing", item.expected()));
        match rest.peek() {
            Some(next) => problem.hint(format!("a value that begins with dashes is given as --{name}={next}")),
            None => problem,
        }
    })
}

fn unknown(declaration: &Declaration, line: &CommandLine, option: &str) -> InputProblem {
    let problem = InputProblem::new(format!("unknown option {option}"));
    let name = option.trim_start_matches('-');
    let off = name.strip_prefix("no-").and_then(|name| declaration.fields.known(name));
    if let Some(target) = off {
        let on = &name["no-".len()..];
        return problem.hint(format!("only a boolean can be turned off; --{on} takes {}", target.kind.expected()));
    }
    let own = (line.own_options)();
    if is_own(&own, option) {
        return problem.hint(before_the_file(line, option));
    }
    let options: Vec<String> =
        declaration.fields.properties.iter().map(|property| declaration.fields.option(property)).collect();
    if let Some(near) = closest(name, options.iter().map(String::as_str).chain(["help"])) {
        return problem.hint(format!("did you mean --{near}?"));
    }
    match near_own(&own, option) {
        Some(near) => problem.hint(format!("did you mean --{near}? {}", before_the_file(line, &near))),
        None if option.starts_with("--") => problem,
        None => problem.hint("options have two dashes; behind -- everything is a bare word"),
    }
}
