//! Native half of `fs.watch`: the system's change notifications as Node's two kinds of events.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use notify::event::ModifyKind;
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rquickjs::{Ctx, Function, Object, Result, convert::List, prelude::Async};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::error::FsError;
use crate::gate;
use crate::native_module::NativeModule;
use lmthing_base::permission::Access;

pub(crate) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/fs-watch", init: exports };

/// `rename` or `change`, and the name relative to the watched folder.
type Change = (&'static str, String);

/// Node's name of an event; `None` for events that it does not report, such as reading.
fn kind(event: &Event) -> Option<&'static str> {
    match event.kind {
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => Some("rename"),
        EventKind::Modify(_) | EventKind::Any => Some("change"),
        EventKind::Access(_) | EventKind::Other => None,
    }
}

/// The changed path relative to `watched`; for `watched` itself, its own name.
fn name_of(path: &Path, watched: &Path) -> String {
    let relative = path.strip_prefix(watched).ok().filter(|rest| !rest.as_os_str().is_empty());
    let own = || path.file_name().map(PathBuf::from).unwrap_or_default();
    relative.map_or_else(own, PathBuf::from).to_string_lossy().into_owned()
}

fn start(
    path: &str,
    recursive: bool,
    changes: UnboundedSender<Change>,
) -> std::result::Result<RecommendedWatcher, FsError> {
    let watched = std::fs::canonicalize(path)?;
    let mode = if recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
    let place = watched.clone();
    let tell = move |event: notify::Result<Event>| {
        let Ok(event) = event else { return };
        let Some(kind) = kind(&event) else { return };
        // A rename within the folder is reported once for each name and once for both.
        let both = matches!(event.kind, EventKind::Modify(ModifyKind::Name(notify::event::RenameMode::Both)));
        for path in event.paths.iter().filter(|_| !both) {
            // Fails while the watcher is being dropped.
            let _ = changes.send((kind, name_of(path, &place)));
        }
    };
    let failed = |error: notify::Error| match error.kind {
        notify::ErrorKind::Io(error) => FsError::from(error),
        notify::ErrorKind::MaxFilesWatch => FsError { code: "ENOSPC", number: 28, text: "no space left on device" },
        _ => FsError { code: "UNKNOWN", number: 0, text: "unknown error" },
    };
    let mut watcher = RecommendedWatcher::new(tell, Config::default()).map_err(failed)?;
    watcher.watch(&watched, mode).map_err(failed)?;
    Ok(watcher)
}

/// `{value: {next(), close()}}` or `{code, number, text}`; `next` resolves to `[kind, name]`, or to undefined when the
/// watcher is closed.
fn watch<'js>(ctx: Ctx<'js>, path: String, recursive: bool) -> Result<Object<'js>> {
    gate::check(&ctx, Access::Read(&path))?;
    let outcome = Object::new(ctx.clone())?;
    let (sender, receiver) = unbounded_channel();
    let watcher = match start(&path, recursive, sender) {
        Ok(watcher) => watcher,
        Err(error) => {
            outcome.set("code", error.code)?;
            outcome.set("number", error.number)?;
            outcome.set("text", error.text)?;
            return Ok(outcome);
        }
    };
    let object = Object::new(ctx.clone())?;
    let receiver = Rc::new(tokio::sync::Mutex::new(receiver));
    let next = move || next_change(receiver.clone());
    object.set("next", Function::new(ctx.clone(), Async(next))?)?;
    // Dropping the watcher closes the channel, which ends `next`.
    let watcher = RefCell::new(Some(watcher));
    object.set("close", Function::new(ctx.clone(), move || drop(watcher.take()))?)?;
    outcome.set("value", object)?;
    Ok(outcome)
}

async fn next_change(receiver: Rc<tokio::sync::Mutex<UnboundedReceiver<Change>>>) -> Option<List<Change>> {
    receiver.lock().await.recv().await.map(List)
}

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    exports.set("watch", Function::new(ctx.clone(), watch)?)?;
    Ok(exports)
}
