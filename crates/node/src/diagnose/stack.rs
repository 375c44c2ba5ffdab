//! Parses QuickJS stack traces: ` at name (file:line:column)`, or ` at file:line:column`.
//!
//! Columns in a stack count UTF-8 bytes, as QuickJS counts them; a diagnostic's count characters.

use super::source::Sources;
use crate::loader::{self, Modules, is_package};
use lmthing_base::diagnostic::{Diagnostic, Frame, Location};
use lmthing_base::parser::{Access, AccessKind};

/// A frame.
pub(super) struct RawFrame {
    /// The column counts bytes.
    pub(super) frame: Frame,
    /// The name of the called function: that of the frame above. `None` for the innermost frame or without a name.
    pub(super) called: Option<String>,
    /// Whether it is the innermost frame, native ones included.
    pub(super) is_innermost: bool,
}

/// The frames of `stack` that lie in the user's files, innermost first.
pub(super) fn frames(modules: &Modules, stack: &str) -> Vec<RawFrame> {
    let stack = loader::with_source_positions(modules, stack);
    let mut called = None;
    let mut frames = Vec::new();
    let mut is_innermost = true;
    for line in stack.lines() {
        let Some(call) = line.trim_start().strip_prefix("at ") else { continue };
        let (function, location) = parse(call);
        if let Some(location) = location.filter(|location| modules.is_file(&location.path)) {
            let frame = Frame { function: function.clone(), location };
            frames.push(RawFrame { frame, called: called.take(), is_innermost });
        }
        called = function;
        is_innermost = false;
    }
    frames
}

/// `frames` without those of the constructors of an error with these classes: an error is shown where it is made.
pub(super) fn without_constructors(mut frames: Vec<RawFrame>, classes: &[String]) -> Vec<RawFrame> {
    let is_constructor =
        |raw: &RawFrame| raw.is_innermost && raw.frame.function.as_ref().is_some_and(|name| classes.contains(name));
    while frames.len() > 1 && is_constructor(&frames[0]) {
        frames.remove(0);
        frames[0].is_innermost = true;
    }
    frames
}

/// The frames to show, each at the name of its callee.
pub(super) fn shown(sources: &Sources<'_>, frames: Vec<RawFrame>) -> Vec<Frame> {
    frames.into_iter().map(|raw| shown_frame(sources, raw)).collect()
}

fn shown_frame(sources: &Sources<'_>, raw: RawFrame) -> Frame {
    let Frame { function, mut location } = raw.frame;
    // Package files are not the author's and often large.
    if !is_package(&location.path) {
        let source = sources.of(&location.path);
        let sites = source.accesses_at(location.line, location.column);
        let calls: Vec<&Access> = sites.into_iter().filter(|site| site.kind != AccessKind::Read).collect();
        let callee = match &raw.called {
            // The name in the trace is the function's own and may differ from the one in the text.
            Some(called) => calls.iter().find(|site| is_named(site, called)),
            None if raw.is_innermost => None,
            None => calls.first().filter(|_| calls.len() == 1),
        };
        if let Some(callee) = callee {
            (location.line, location.column) = source.position(callee.offset);
        }
    }
    Frame { function, location: sources.in_characters(location) }
}

/// Whether a call in the text has the name that a trace gives it: `parse`, `Object.parse`, `new Thing`.
fn is_named(site: &Access, called: &str) -> bool {
    let name = called.rsplit(['.', ' ']).next().unwrap_or(called);
    !name.is_empty() && site.name() == name
}

/// Parses `name (file:line:column)`; a native function has no position.
fn parse(call: &str) -> (Option<String>, Option<Location>) {
    let (function, place) = match call.strip_suffix(')').and_then(|call| call.rsplit_once(" (")) {
        Some((function, place)) => (Some(function), place),
        None => (None, call),
    };
    // `<eval>` and `<anonymous>` are no function names.
    let function = function.filter(|name| !name.starts_with('<')).map(str::to_owned);
    (function, location(place))
}

fn location(place: &str) -> Option<Location> {
    // From the right, as a path may contain colons.
    let (rest, column) = place.rsplit_once(':')?;
    let (path, line) = rest.rsplit_once(':')?;
    Some(Location { path: path.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
}

/// The position to show: the innermost frame of the user's own code, or of a package if there is none.
pub(super) fn place(frames: &[Frame]) -> Option<usize> {
    // An error that a package throws for wrong arguments is shown at the user's call.
    let own = frames.iter().position(|frame| !is_package(&frame.location.path));
    own.or((!frames.is_empty()).then_some(0))
}

/// The chain of imports to a package whose top-level code failed.
pub(super) fn imports(modules: &Modules, sources: &Sources<'_>, diagnostic: &Diagnostic) -> Vec<Frame> {
    let is_own = |frame: &Frame| !is_package(&frame.location.path);
    let outermost = diagnostic.stack.last().map(|frame| &frame.location).or(diagnostic.location.as_ref());
    let Some(outermost) = outermost.filter(|_| !diagnostic.stack.iter().any(is_own)) else { return Vec::new() };
    let chain = loader::import_chain(modules, &outermost.path);
    let frame = |site: loader::ImportSite| Frame {
        function: Some(format!("import '{}'", site.specifier)),
        location: sources.in_characters(site.location),
    };
    chain.into_iter().map(frame).collect()
}
