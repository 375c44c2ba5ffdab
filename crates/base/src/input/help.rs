//! The help and the usage line of a prompt file.

use super::{
    command_line::CommandLine,
    kind::{ValueKind, plain_value},
    property::{Declaration, Property},
};

/// Longest usage line that lists every option.
const MAX_USAGE: usize = 100;

/// Longer names of options have their description on the next line.
const MAX_COLUMN: usize = 30;

pub fn usage(declaration: Option<&Declaration>, command: &str) -> String {
    let Some(declaration) = declaration else { return format!("Usage: {command} [--] [ARGUMENTS]...") };
    let (required, optional): (Vec<&Property>, Vec<&Property>) =
        declaration.fields.properties.iter().partition(|property| property.is_required);
    let bare = required.iter().map(|property| match property.kind.inner() {
        ValueKind::File => format!(" @<{}>", property.name),
        ValueKind::List(_) => format!(" <{}>...", property.name),
        _ => format!(" <{}>", property.name),
    });
    let begin = format!("Usage: {command}{}", bare.collect::<String>());
    let options = optional.iter().map(|property| match property.value_name() {
        _ if property.kind.is_flag() => format!(" [--{}]", declaration.fields.option(property)),
        value => match value.strip_suffix("...") {
            Some(value) => format!(" [--{} {value}]...", declaration.fields.option(property)),
            None => format!(" [--{} {value}]", declaration.fields.option(property)),
        },
    });
    let all = format!("{begin}{}", options.collect::<String>());
    if all.chars().count() <= MAX_USAGE { all } else { format!("{begin} [OPTIONS]") }
}

/// The output of `--help`. A file without an input has only its description.
pub fn help(declaration: &Declaration, has_input: bool, line: &CommandLine) -> String {
    let mut text = String::new();
    if let Some(description) = &declaration.description {
        text.push_str(&format!("{}\n\n", description.trim()));
    }
    text.push_str(&usage(has_input.then_some(declaration), &line.command));
    text.push_str("\n\n");
    if !has_input {
        text.push_str("Arguments that begin with dashes stand behind --.\n\n");
    }
    text.push_str("Options:\n");
    let mut rows: Vec<(String, String)> =
        declaration.fields.properties.iter().map(|property| (option(declaration, property), about(property))).collect();
    rows.push(("-h, --help".to_owned(), "Print this help".to_owned()));
    let column = rows.iter().map(|(name, _)| name.chars().count()).filter(|width| *width <= MAX_COLUMN).max();
    let column = column.unwrap_or_default();
    for (name, about) in &rows {
        text.push_str(row(name, about, column).trim_end());
        text.push('\n');
    }
    if has_input {
        text.push_str(&format!("\n{}", footnotes(declaration, line)));
    }
    text
}

/// An option of a prompt file, for completion in a shell.
#[derive(Debug, PartialEq)]
pub struct FileOption {
    /// Without dashes.
    pub name: String,
    pub about: String,
    /// Whether it takes no value.
    pub is_flag: bool,
    /// The values that it accepts, if they are few.
    pub values: Vec<String>,
}

/// The options of a prompt file, without `--help`.
pub fn file_options(declaration: &Declaration) -> Vec<FileOption> {
    let option = |property: &Property| FileOption {
        name: declaration.fields.option(property),
        about: about(property),
        is_flag: property.kind.is_flag(),
        values: property.kind.choices(),
    };
    declaration.fields.properties.iter().map(option).collect()
}

fn option(declaration: &Declaration, property: &Property) -> String {
    let option = declaration.fields.option(property);
    match property.kind.is_flag() {
        // `--help` alone prints this text.
        _ if option == "help" => format!("--help={}", property.value_name()),
        true => format!("--{option}, --no-{option}"),
        false => format!("--{option} {}", property.value_name()),
    }
}

fn about(property: &Property) -> String {
    let mut notes: Vec<String> = property.limits.clone();
    if property.kind.is_flag() {
        notes.insert(0, "boolean".to_owned());
    }
    if !property.value_name().starts_with('@') && (property.kind.takes_file() || property.kind.item(0).takes_file()) {
        notes.insert(0, "as @PATH".to_owned());
    }
    if property.is_required {
        notes.push("required".to_owned());
    }
    if let Some(default) = &property.default {
        let shown = plain_value(default);
        notes.push(format!("default: {}", if shown.is_empty() { "\"\"" } else { &shown }));
    }
    let notes = if notes.is_empty() { String::new() } else { format!("[{}]", notes.join(", ")) };
    match &property.description {
        Some(description) => format!("{} {notes}", description.trim()).trim_end().to_owned(),
        None => notes,
    }
}

fn row(name: &str, about: &str, column: usize) -> String {
    let indent = " ".repeat(column + 4);
    let about = about.replace('\n', &format!("\n{indent}"));
    match name.chars().count() {
        width if width > column => format!("  {name}\n{indent}{about}"),
        width => format!("  {name}{}  {about}", " ".repeat(column - width)),
    }
}

fn footnotes(declaration: &Declaration, line: &CommandLine) -> String {
    let reads_input = line.sources.other_use().is_none();
    let required: Vec<&Property> =
        declaration.fields.properties.iter().filter(|property| property.is_required).collect();
    let mut text = String::new();
    if !required.is_empty() {
        text.push_str("Required input can be given as bare words, in this order.");
        if reads_input && required.iter().any(|property| property.kind.is_text()) {
            text.push_str(" The last string that is\nmissing is read from standard input.");
        }
        text.push('\n');
    }
    let (dash, whole) = if reads_input { (", - is standard input", "|-") } else { ("", "") };
    let file = if declaration.takes_files() { "a file or its text" } else { "the text of a file" };
    text.push_str(&format!("A value @PATH is {file}{dash}. Objects are written as JSON, lists by\n"));
    let command = line.name();
    text.push_str(&format!(
        "repeating the option. `{command} --input JSON|@FILE{whole} FILE` gives the whole input.\n"
    ));
    text
}
