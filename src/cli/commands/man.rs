//! `lmthing man`: the manual page, made of what the command line knows of itself.

use std::fmt::Write;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::cli::{ExitCode, Printer, args::Cli};

/// What no option says, in the macros of `man(7)`.
const CLOSING: &str = include_str!("man.roff");

/// Prints the page, with all commands, for `man -l -`.
pub(in crate::cli) fn run(printer: &Printer) -> ExitCode {
    printer.text(&page());
    printer.flush();
    ExitCode::Done
}

fn page() -> String {
    let mut program = Cli::command();
    program.build();
    let commands: Vec<Command> = program.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let man = Man::new(program).title("LMTHING").manual("lmthing").date("");
    let mut page = part(|out| man.render_title(out));
    page += &part(|out| man.render_name_section(out));
    page += ".SH SYNOPSIS\n\\fBlmthing\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n.br\n\\fBlmthing\\fR \\fIFILE\\fR [\\fIINPUT\\fR]...\n";
    page += &part(|out| man.render_description_section(out));
    for command in commands {
        page += &of_command(command, "lmthing");
    }
    page + CLOSING
}

/// A section with what a command does, how it is called, and its options; and one for each of those below it.
fn of_command(command: Command, above: &str) -> String {
    let name = format!("{above} {}", command.get_name());
    let below: Vec<Command> = command.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let closing = command.get_after_help().map(|text| escaped(&text.to_string())).unwrap_or_default();
    let man = Man::new(command);
    let mut section = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(section, ".SH \"{}\"", name.to_uppercase());
    section += &without_heading(&part(|out| man.render_description_section(out)));
    section += ".PP\n";
    section += &without_heading(&part(|out| man.render_synopsis_section(out)));
    section += &without_heading(&part(|out| man.render_options_section(out)));
    if !closing.is_empty() {
        let _ = writeln!(section, ".PP\n.nf\n{closing}\n.fi");
    }
    below.into_iter().for_each(|command| section += &of_command(command, &name));
    section
}

fn part(render: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = render(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A part of a page of its own as a part of a section: without its heading, and without the preamble that defines an
/// apostrophe once more.
fn without_heading(part: &str) -> String {
    let is_text = |line: &&str| !line.starts_with(".SH") && !line.starts_with(".ie ") && !line.starts_with(".el ");
    part.lines().filter(is_text).fold(String::new(), |text, line| text + line + "\n")
}

/// Text as roff takes it.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let is_request = |line: &str| line.starts_with(['.', '\'']);
    let lines = text.lines().map(|line| if is_request(line) { format!("\\&{line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}
