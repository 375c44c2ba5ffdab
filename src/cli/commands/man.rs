//! `lmthing man`: generates the manual page from the command line definition.

use std::fmt::Write;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::cli::{ExitCode, Printer, args::Cli};

/// Sections that no option describes, in macros of `man(7)`.
const CLOSING: &str = include_str!("man.roff");

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

/// Section of a command, followed by those of its subcommands.
fn of_command(command: Command, above: &str) -> String {
    let name = format!("{above} {}", command.get_name());
    let below: Vec<Command> = command.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let closing = command.get_after_help().map(|text| escaped(&text.to_string())).unwrap_or_default();
    let man = Man::new(command);
    let mut section = String::new();
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
    let _ = render(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn without_heading(part: &str) -> String {
    let is_text = |line: &&str| !line.starts_with(".SH") && !line.starts_with(".ie ") && !line.starts_with(".el ");
    part.lines().filter(is_text).fold(String::new(), |text, line| text + line + "\n")
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let is_request = |line: &str| line.starts_with(['.', '\'']);
    let lines = text.lines().map(|line| if is_request(line) { format!("\\&{line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}
