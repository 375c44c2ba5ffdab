//! `-v`: a line for each step and tool call on stderr.

use std::rc::Rc;

use console::truncate_str;

use super::{
    cache_line::cache_line,
    numbers::{cost, seconds, tokens},
};
use crate::cli::Printer;
use lmthing_base::{
    chat::ToolResult,
    event::{Agent, Event, EventKind, EventReader},
};

const WIDTH: usize = 100;

const LEAST: usize = 8;

/// Prints steps and tool calls as they end. Agents are indented below their callers.
pub(in crate::cli) fn verbose(printer: Rc<Printer>) -> EventReader {
    Rc::new(move |event: &Event<'_>| {
        let indent = "  ".repeat(event.agent.path().len());
        let line = match event.kind {
            EventKind::StepFinish { number, step, model, took } => {
                let figures = [seconds(*took), tokens(&step.usage), cost(step.cost)].join(" · ");
                let cache = step.cache.as_ref();
                let cache = cache.and_then(|cache| cache_line(cache, &step.usage, |name| shown_name(name, &printer)));
                let cache = cache.map(|cache| format!("\n{indent}  {cache}")).unwrap_or_default();
                format!("{}step {number} · {model} · {figures}{cache}", who(event.agent, &printer))
            }
            EventKind::ToolResult { result, took } => {
                let time = if result.output.is_error() { "failed, " } else { "" };
                let time = format!("{time}{}", seconds(*took));
                let width = printer.stderr_columns().map_or(WIDTH, usize::from);
                tool(result, &time, width.saturating_sub(indent.len() + 2), &printer)
            }
            // An agent that was called as a tool has the line of that call.
            EventKind::AgentFinish { steps, took, error } if event.agent.tool_call_id().is_none() => {
                let count = if *steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
                let failed = if error.is_some() { " · failed" } else { "" };
                format!("{}done · {count} · {}{failed}", who(event.agent, &printer), seconds(*took))
            }
            _ => return,
        };
        printer.stderr_dim_wrapped(&format!("{indent}{line}"));
    })
}

fn who(agent: &Agent, printer: &Printer) -> String {
    if agent.is_root() { String::new() } else { format!("{}: ", shown_name(agent.name(), printer)) }
}

/// A name without control characters.
fn shown_name(name: &str, printer: &Printer) -> String {
    printer.stderr_part(name).chars().filter(|c| !c.is_control()).collect()
}

/// `  name {arguments…} · time`, with the arguments cut to fit.
fn tool(result: &ToolResult, time: &str, width: usize, printer: &Printer) -> String {
    // Redacted before it is cut, as half a secret would not be found.
    let arguments = printer.stderr_part(&result.input.value().to_string());
    let arguments: String = arguments.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let name = shown_name(&result.tool_name, printer);
    let rest = console::measure_text_width(&name) + time.len() + 4;
    let arguments = truncate_str(&arguments, width.saturating_sub(rest).max(LEAST), "…");
    format!("  {name} {arguments} · {time}")
}
