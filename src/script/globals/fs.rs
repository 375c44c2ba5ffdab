//! `node:fs`: every operation of [`super::fs_operations`] and its neighbours twice, blocking and as a promise.
//!
//! A native takes one array of arguments and never throws for a failed operation: it gives `{value}` or
//! `{code, number, text}`, from which the JavaScript half makes Node's error, so that its stack shows the caller.

use rquickjs::{Array, Ctx, Error, FromJs, Function, IntoJs, Object, Result, Value, convert::List, prelude::Async};

use super::bytes::Bytes;
use super::encoding::text;
use super::fs_asks::{Admitted, Asks};
use super::fs_descriptors::{OpenFiles, open_files};
use super::fs_error::{FsError, FsResult};
use super::fs_opening::Opener;
use super::{fs_attributes as attributes, fs_operations as operations};
use crate::script::event_loop::KeepAlive;
use crate::script::native_module::NativeModule;

/// What an operation came to, on its way to JavaScript.
struct Outcome<T>(FsResult<T>);

impl<'js, T: IntoJs<'js>> IntoJs<'js> for Outcome<T> {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let object = Object::new(ctx.clone())?;
        match self.0 {
            Ok(value) => object.set("value", value)?,
            Err(error) => {
                object.set("code", error.code)?;
                object.set("number", error.number)?;
                object.set("text", error.text)?;
            }
        }
        Ok(object.into_value())
    }
}

/// Exports `name` (blocking) and `nameAsync` (a promise) for an operation on one array of arguments.
fn export<'js, A, T>(exports: &Object<'js>, name: &str, asks: Asks, run: fn(A) -> FsResult<T>) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
{
    export_with(exports, name, asks, run)
}

/// The same for an operation on the files that are open.
fn export_open<'js, A, T>(
    exports: &Object<'js>,
    name: &str,
    asks: Asks,
    run: fn(&OpenFiles, A) -> FsResult<T>,
) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
{
    let files = open_files(exports.ctx())?;
    export_with(exports, name, asks, move |arguments| run(&files, arguments))
}

/// The same for an operation that opens files by their names.
fn export_opening<'js, A, T>(
    exports: &Object<'js>,
    name: &str,
    asks: Asks,
    run: fn(&Opener, A) -> FsResult<T>,
) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
{
    let opener = Opener::of(exports.ctx());
    export_with(exports, name, asks, move |arguments| run(&opener, arguments))
}

fn export_with<'js, A, T, F>(exports: &Object<'js>, name: &str, asks: Asks, run: F) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
    F: Fn(A) -> FsResult<T> + Clone + Send + 'static,
{
    let ctx = exports.ctx();
    let run_at_once = run.clone();
    let run_now = move |ctx: Ctx<'js>, given: Array<'js>| {
        let admitted: Admitted<'js> = asks.admit(&ctx, given)?.map_err(|refusal| ctx.throw(refusal.into_value()))?;
        let List(arguments): List<A> = List::from_js(&ctx, admitted.arguments.into_value())?;
        Ok::<_, Error>(Outcome(run_at_once(arguments)))
    };
    exports.set(name, Function::new(ctx.clone(), run_now)?)?;
    let run_later = move |ctx: Ctx<'js>, given: Array<'js>| {
        // In the call itself, as long as it is known which code calls.
        let admitted = asks.admit(&ctx, given);
        let run = run.clone();
        // A restricted script cannot change anything in between then.
        let done = match &admitted {
            Ok(Ok(admitted)) if admitted.is_done_at_once => {
                let arguments = List::from_js(&ctx, admitted.arguments.clone().into_value());
                Some(arguments.map(|List(arguments)| run(arguments)))
            }
            _ => None,
        };
        async move {
            if let Some(outcome) = done {
                return Ok::<_, Error>(Outcome(outcome?));
            }
            let admitted: Admitted<'js> = admitted?.map_err(|refusal| ctx.throw(refusal.into_value()))?;
            let List(arguments): List<A> = List::from_js(&ctx, admitted.arguments.into_value())?;
            let pins = admitted.pins;
            // The program stays alive for a file operation under way, as Node's does.
            let _alive = KeepAlive::new(&ctx);
            let outcome = tokio::task::spawn_blocking(move || {
                let _pins = pins;
                run(arguments)
            })
            .await;
            let cancelled = FsError { code: "ECANCELED", number: 0, text: "operation canceled" };
            Ok(Outcome(outcome.unwrap_or(Err(cancelled))))
        }
    };
    exports.set(format!("{name}Async"), Function::new(ctx.clone(), Async(run_later))?)
}

/// The native half, as the JavaScript half imports it.
pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/fs", init: exports };

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    export_paths(&exports)?;
    export_attributes(&exports)?;
    export_descriptors(&exports)?;
    Ok(exports)
}

fn export_paths(exports: &Object<'_>) -> Result<()> {
    export_opening(exports, "readFile", Asks::Opens, |opener, (path, flags): (String, u32)| {
        operations::read_file(opener, &path, flags).map(Bytes)
    })?;
    export_opening(exports, "readFileText", Asks::Opens, |opener, (path, flags): (String, u32)| {
        operations::read_file(opener, &path, flags).map(text)
    })?;
    export(exports, "access", Asks::Sees, |(path, mode): (String, u32)| operations::access(&path, mode))?;
    export(exports, "readDirectory", Asks::Sees, |(path, recursive): (String, bool)| {
        operations::read_directory(&path, recursive).map(|entries| entries.into_iter().map(List).collect::<Vec<_>>())
    })?;
    export(exports, "realPath", Asks::Sees, |(path,): (String,)| operations::real_path(&path))?;
    export(exports, "readLink", Asks::SeesEntry, |(path,): (String,)| operations::read_link(&path))?;
    export_path_changes(exports)
}

/// What makes, moves or removes files and folders.
fn export_path_changes(exports: &Object<'_>) -> Result<()> {
    export_opening(
        exports,
        "writeFile",
        Asks::Changes,
        |opener, (path, bytes, flags, mode): (String, Bytes, u32, u32)| {
            operations::write_file(opener, &path, &bytes.0, flags, mode)
        },
    )?;
    export(exports, "makeDirectory", Asks::Makes, |(path, recursive, mode): (String, bool, u32)| {
        operations::make_directory(&path, recursive, mode)
    })?;
    export(exports, "remove", Asks::ChangesEntry, |(path, recursive, force): (String, bool, bool)| {
        operations::remove(&path, recursive, force)
    })?;
    export(exports, "unlink", Asks::ChangesEntry, |(path,): (String,)| operations::unlink(&path))?;
    export(exports, "removeDirectory", Asks::ChangesEntry, |(path,): (String,)| operations::remove_directory(&path))?;
    export(exports, "rename", Asks::Moves, |(from, to): (String, String)| operations::rename(&from, &to))?;
    export_opening(exports, "copyFile", Asks::Copies, |opener, (from, to, exclusive): (String, String, bool)| {
        operations::copy_file(opener, &from, &to, exclusive)
    })?;
    export(exports, "makeTemporaryDirectory", Asks::MakesAt, |(prefix,): (String,)| {
        operations::make_temporary_directory(&prefix)
    })?;
    export(exports, "symbolicLink", Asks::Links, |(target, path): (String, String)| {
        operations::symbolic_link(&target, &path)
    })?;
    export(exports, "hardLink", Asks::Names, |(existing, path): (String, String)| {
        operations::hard_link(&existing, &path)
    })
}

fn export_attributes(exports: &Object<'_>) -> Result<()> {
    export(exports, "stat", Asks::SeesByFlag(1), |(path, follow): (String, bool)| attributes::stat(&path, follow))?;
    export(exports, "fileSystem", Asks::Sees, |(path,): (String,)| attributes::file_system(&path))?;
    export(exports, "changeMode", Asks::Changes, |(path, mode): (String, u32)| attributes::change_mode(&path, mode))?;
    export(exports, "changeOwner", Asks::ChangesByFlag(3), |(path, user, group, follow): (String, u32, u32, bool)| {
        attributes::change_owner(&path, user, group, follow)
    })?;
    export(
        exports,
        "setTimes",
        Asks::ChangesByFlag(3),
        |(path, accessed, modified, follow): (String, f64, f64, bool)| {
            attributes::set_times(&path, accessed, modified, follow)
        },
    )?;
    export_opening(exports, "truncate", Asks::Changes, |opener, (path, length): (String, f64)| {
        attributes::truncate(opener, &path, length as u64)
    })
}

/// What works on the numbers that `open` gives.
fn export_descriptors(exports: &Object<'_>) -> Result<()> {
    let (files, opener) = (open_files(exports.ctx())?, Opener::of(exports.ctx()));
    export_with(exports, "open", Asks::Opens, move |(path, flags, mode): (String, u32, u32)| {
        files.open(&opener, &path, flags, mode)
    })?;
    export_open(exports, "close", Asks::Nothing, |files, (file,): (i32,)| files.close(file))?;
    export_open(exports, "read", Asks::Reads, |files, (file, length, position): (i32, usize, Option<f64>)| {
        files.read(file, length, position.map(|position| position as u64)).map(Bytes)
    })?;
    export_open(exports, "readAll", Asks::Reads, |files, (file,): (i32,)| files.read_all(file).map(Bytes))?;
    export_open(exports, "readAllText", Asks::Reads, |files, (file,): (i32,)| files.read_all(file).map(text))?;
    export_open(exports, "statOpen", Asks::Nothing, |files, (file,): (i32,)| files.stat(file))?;
    export_open(exports, "sync", Asks::Nothing, |files, (file, data_only): (i32, bool)| files.sync(file, data_only))?;
    export_descriptor_changes(exports)
}

fn export_descriptor_changes(exports: &Object<'_>) -> Result<()> {
    export_open(exports, "write", Asks::ChangesOpen, |files, (file, bytes, position): (i32, Bytes, Option<f64>)| {
        files.write(file, &bytes.0, position.map(|position| position as u64)).map(|count| count as f64)
    })?;
    export_open(exports, "writeAll", Asks::ChangesOpen, |files, (file, bytes): (i32, Bytes)| {
        files.write_all(file, &bytes.0)
    })?;
    export_open(exports, "truncateOpen", Asks::ChangesOpen, |files, (file, length): (i32, f64)| {
        files.truncate(file, length as u64)
    })?;
    export_open(exports, "changeModeOpen", Asks::ChangesOpenFile, |files, (file, mode): (i32, u32)| {
        files.change_mode(file, mode)
    })?;
    export_open(exports, "changeOwnerOpen", Asks::ChangesOpenFile, |files, (file, user, group): (i32, u32, u32)| {
        files.change_owner(file, user, group)
    })?;
    export_open(exports, "setTimesOpen", Asks::ChangesOpenFile, |files, (file, accessed, modified): (i32, f64, f64)| {
        files.set_times(file, accessed, modified)
    })
}
