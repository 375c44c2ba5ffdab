//! `-v`: a line a step and a line a tool call on stderr.

use std::rc::Rc;

use console::truncate_str;

use super::figures::{cost, seconds, tokens};
use crate::{
    chat::ToolResult,
    cli::Printer,
    event::{Agent, Event, EventKind, EventReader},
};

/// How wide a line may be where there is no terminal to ask.
const WIDTH: usize = 100;

/// What arguments keep of a narrow terminal.
const LEAST: usize = 8;

/// Tells of steps and tools as they end, agents indented below whoever called them.
pub(in crate::cli) fn verbose(printer: Rc<Printer>) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        let indent = "  ".repeat(event.agent.path().len());
        let line = match event.kind {
            EventKind::StepFinish { number, step, model, took } => {
                let figures = [seconds(*took), tokens(&step.usage), cost(step.cost)].join(" · ");
                format!("{}step {number} · {model} · {figures}", who(event.agent, &printer))
            }
            EventKind::ToolResult { result, took } => {
                let time = if result.output.is_error() { "failed, " } else { "" };
                let time = format!("{time}{}", seconds(*took));
                let width = printer.stderr_columns().map_or(WIDTH, usize::from);
                tool(result, &time, width.saturating_sub(indent.len() + 2), &printer)
            }
            // The call that an agent answers has a line of its own.
            EventKind::AgentFinish { steps, took, error } if event.agent.tool_call_id().is_none() => {
                let count = if *steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
                let failed = if error.is_some() { " · failed" } else { "" };
                format!("{}done · {count} · {}{failed}", who(event.agent, &printer), seconds(*took))
            }
            _ => return,
        };
        printer.stderr_dim(&format!("{indent}{line}"));
    })
}

fn who(agent: &Agent, printer: &Printer) -> String {
    if agent.is_root() { String::new() } else { format!("{}: ", shown_name(agent.name(), printer)) }
}

/// A name on one line, without what a terminal would act on.
fn shown_name(name: &str, printer: &Printer) -> String {
    printer.stderr_part(name).chars().filter(|c| !c.is_control()).collect()
}

/// `  name {arguments…} · time`, the arguments cut so that all of it fits.
fn tool(result: &ToolResult, time: &str, width: usize, printer: &Printer) -> String {
    // Before they are cut: half a secret is not found any more.
    let arguments = printer.stderr_part(&result.input.value().to_string());
    // Not for the terminal to act on.
    let arguments: String = arguments.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let name = shown_name(&result.tool_name, printer);
    let rest = console::measure_text_width(&name) + time.len() + 4;
    let arguments = truncate_str(&arguments, width.saturating_sub(rest).max(LEAST), "…");
    format!("  {name} {arguments} · {time}")
}
