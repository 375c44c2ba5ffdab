//! Reading QuickJS stack traces: `    at name (file:line:column)`, or `    at file:line:column`.

use crate::diagnostic::{Frame, Location};
use crate::script::loader::Modules;

/// The frames of `stack` that lie in the user's files, innermost first.
pub(super) fn frames(modules: &Modules, stack: &str) -> Vec<Frame> {
    stack.lines().filter_map(frame).filter(|frame| modules.is_file(&frame.location.path)).collect()
}

/// Parses one line; the message above the frames and native frames are `None`.
fn frame(line: &str) -> Option<Frame> {
    let call = line.trim_start().strip_prefix("at ")?;
    let (function, place) = match call.strip_suffix(')').and_then(|call| call.rsplit_once(" (")) {
        Some((function, place)) => (Some(function), place),
        None => (None, call),
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    let location = Location { path: path.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? };
    let function = function.filter(|name| !name.starts_with('<')).map(str::to_owned);
    Some(Frame { function, location })
}

/// The place to show: the innermost frame of the user's own code, or, when there is none, of a package.
pub(super) fn place(frames: &[Frame]) -> Option<Location> {
    let own = frames.iter().find(|frame| !frame.location.path.contains("/node_modules/"));
    own.or(frames.first()).map(|frame| frame.location.clone())
}

/// The text of the line of `location`.
pub(super) fn source_line(modules: &Modules, location: &Location) -> Option<String> {
    let text = modules.text_of(&location.path)?;
    text.lines().nth(location.line.checked_sub(1)? as usize).map(str::to_owned)
}
