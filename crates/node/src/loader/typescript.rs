//! Turns TypeScript files into JavaScript and maps stack traces back to the source.
//!
//! Types are replaced by spaces, so that positions stay valid. Modules with enums, namespaces, parameter properties or
//! decorators are compiled; their stack traces are mapped when they are read, also by scripts.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use rquickjs::{Ctx, Function, Result};

use super::modules::Modules;
use super::position;
use crate::builtin::{INTERNAL_PREFIX, import_builtin};
use crate::error::ScriptError;
use lmthing_base::parser::{JavaScript, MAX_NESTING, Parser, SyntaxProblem, nested_too_deep, nesting_message};

const MAX_CONVERTED: usize = 64;

thread_local! {
    /// What the engines of this thread converted last, by the text: every row of a map loads the same files.
    static CONVERTED: RefCell<HashMap<String, Rc<JavaScript>>> = RefCell::default();
}

/// The JavaScript of the module `name`. If positions moved, `modules` gets the position map.
///
/// Compiled code starts below the last line of the text. So the line shows whether a position is in the code or the
/// text, and no trace is mapped twice.
pub(super) fn strip(modules: &Modules, name: &str, text: &str) -> std::result::Result<String, ScriptError> {
    let javascript = converted(&**modules.parser(), name, text)?;
    let Some(positions) = &javascript.positions else { return Ok(javascript.code.clone()) };
    let lines = text.split('\n').count();
    modules.add_positions(name, u32::try_from(lines).unwrap_or(u32::MAX), positions.clone());
    Ok("\n".repeat(lines) + &javascript.code)
}

fn converted(parser: &dyn Parser, name: &str, text: &str) -> std::result::Result<Rc<JavaScript>, ScriptError> {
    if let Some(known) = CONVERTED.with_borrow(|converted| converted.get(text).cloned()) {
        return Ok(known);
    }
    check_nesting(name, text, MAX_NESTING)?;
    let javascript = Rc::new(parser.to_javascript(text).map_err(|problem| syntax_error(name, text, problem))?);
    CONVERTED.with_borrow_mut(|converted| {
        if converted.len() == MAX_CONVERTED {
            converted.clear();
        }
        converted.insert(text.to_owned(), javascript.clone());
    });
    Ok(javascript)
}

/// The JavaScript of a CommonJS file in TypeScript, with the layout of its text.
pub(super) fn erase(parser: &dyn Parser, name: &str, text: &str) -> std::result::Result<String, ScriptError> {
    converted(parser, name, text).map(|javascript| javascript.code.clone())
}

/// Refuses a text with brackets nested deeper than `max`.
pub(super) fn check_nesting(name: &str, text: &str, max: usize) -> std::result::Result<(), ScriptError> {
    let problem = |offset| SyntaxProblem { offset, code: 0, message: nesting_message(max) };
    nested_too_deep(text, max).map_or(Ok(()), |offset| Err(syntax_error(name, text, problem(offset))))
}

fn syntax_error(name: &str, text: &str, problem: SyntaxProblem) -> ScriptError {
    ScriptError::syntax(problem.message, position::locate(name, text, problem.offset))
}

/// Makes `error.stack` map positions, once a module needs it.
pub(super) fn show_source_positions(ctx: &Ctx<'_>, modules: &Rc<Modules>) -> Result<()> {
    if !modules.has_positions() {
        return Ok(());
    }
    let modules = Rc::clone(modules);
    let translate =
        Function::new(ctx.clone(), move |stack: String| with_source_positions(&modules, &stack).into_owned())?;
    let bootstrap = import_builtin(ctx, &format!("{INTERNAL_PREFIX}bootstrap"))?;
    bootstrap.get::<_, Function>("showFramesThrough")?.call((translate,))
}

/// Maps the positions of compiled modules in a stack trace to their text; removes frames that the compiler added.
pub(crate) fn with_source_positions<'a>(modules: &Modules, stack: &'a str) -> Cow<'a, str> {
    if !modules.has_positions() {
        return Cow::Borrowed(stack);
    }
    let lines = stack.split_inclusive('\n').filter_map(|line| match place(line) {
        Some((before, path, position, after)) => {
            let (line, column) = modules.source_position(path, position.0, position.1)?;
            Some(Cow::Owned(format!("{before}{path}:{line}:{column}{after}")))
        }
        None => Some(Cow::Borrowed(line)),
    });
    Cow::Owned(lines.collect())
}

/// Splits ` at name (path:line:column)` or ` at path:line:column` into the part before the path, path, position, and
/// rest.
fn place(line: &str) -> Option<(&str, &str, (u32, u32), &str)> {
    let end = line.trim_end().trim_end_matches(')').len();
    let (call, after) = line.split_at(end);
    let (rest, column) = call.rsplit_once(':')?;
    let (head, line) = rest.rsplit_once(':')?;
    let path = head.rsplit_once(" (").map_or_else(|| head.trim_start().strip_prefix("at "), |(_, path)| Some(path))?;
    let before = &head[..head.len() - path.len()];
    Some((before, path, (line.parse().ok()?, column.parse().ok()?), after))
}
