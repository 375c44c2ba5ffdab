//! `node:fs`: every operation of [`super::fs_operations`] and its neighbours twice, blocking and as a promise.
//!
//! A native takes one array of arguments and never throws for a failed operation: it gives `{value}` or
//! `{code, number, text}`, from which the JavaScript half makes Node's error, so that its stack shows the caller.

use rquickjs::{Ctx, FromJs, Function, IntoJs, Object, Result, Value, convert::List, prelude::Async};

use super::bytes::Bytes;
use super::fs_error::{FsError, FsResult};
use super::{fs_attributes as attributes, fs_descriptors as descriptors, fs_operations as operations};
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
fn export<'js, A, T>(exports: &Object<'js>, name: &str, run: fn(A) -> FsResult<T>) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
{
    let ctx = exports.ctx();
    exports.set(name, Function::new(ctx.clone(), move |List(arguments): List<A>| Outcome(run(arguments)))?)?;
    let run_later = move |ctx: Ctx<'js>, List(arguments): List<A>| async move {
        // The program stays alive for a file operation under way, as Node's does.
        let _alive = KeepAlive::new(&ctx);
        let outcome = tokio::task::spawn_blocking(move || run(arguments)).await;
        Outcome(outcome.unwrap_or(Err(FsError { code: "ECANCELED", number: 0, text: "operation canceled" })))
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
    export(exports, "readFile", |(path, flags): (String, u32)| operations::read_file(&path, flags).map(Bytes))?;
    export(exports, "writeFile", |(path, bytes, flags, mode): (String, Bytes, u32, u32)| {
        operations::write_file(&path, &bytes.0, flags, mode)
    })?;
    export(exports, "access", |(path, mode): (String, u32)| operations::access(&path, mode))?;
    export(exports, "readDirectory", |(path, recursive): (String, bool)| {
        operations::read_directory(&path, recursive).map(|entries| entries.into_iter().map(List).collect::<Vec<_>>())
    })?;
    export(exports, "makeDirectory", |(path, recursive, mode): (String, bool, u32)| {
        operations::make_directory(&path, recursive, mode)
    })?;
    export(exports, "remove", |(path, recursive, force): (String, bool, bool)| {
        operations::remove(&path, recursive, force)
    })?;
    export(exports, "unlink", |(path,): (String,)| operations::unlink(&path))?;
    export(exports, "removeDirectory", |(path,): (String,)| operations::remove_directory(&path))?;
    export(exports, "rename", |(from, to): (String, String)| operations::rename(&from, &to))?;
    export(exports, "copyFile", |(from, to, exclusive): (String, String, bool)| {
        operations::copy_file(&from, &to, exclusive)
    })?;
    export(exports, "makeTemporaryDirectory", |(prefix,): (String,)| operations::make_temporary_directory(&prefix))?;
    export(exports, "realPath", |(path,): (String,)| operations::real_path(&path))?;
    export(exports, "readLink", |(path,): (String,)| operations::read_link(&path))?;
    export(exports, "symbolicLink", |(target, path): (String, String)| operations::symbolic_link(&target, &path))?;
    export(exports, "hardLink", |(existing, path): (String, String)| operations::hard_link(&existing, &path))
}

fn export_attributes(exports: &Object<'_>) -> Result<()> {
    export(exports, "stat", |(path, follow): (String, bool)| attributes::stat(&path, follow))?;
    export(exports, "fileSystem", |(path,): (String,)| attributes::file_system(&path))?;
    export(exports, "changeMode", |(path, mode): (String, u32)| attributes::change_mode(&path, mode))?;
    export(exports, "changeOwner", |(path, user, group, follow): (String, u32, u32, bool)| {
        attributes::change_owner(&path, user, group, follow)
    })?;
    export(exports, "setTimes", |(path, accessed, modified, follow): (String, f64, f64, bool)| {
        attributes::set_times(&path, accessed, modified, follow)
    })?;
    export(exports, "truncate", |(path, length): (String, f64)| attributes::truncate(&path, length as u64))
}

/// What works on the numbers that `open` gives.
fn export_descriptors(exports: &Object<'_>) -> Result<()> {
    export(exports, "open", |(path, flags, mode): (String, u32, u32)| descriptors::open(&path, flags, mode))?;
    export(exports, "close", |(file,): (i32,)| descriptors::close(file))?;
    export(exports, "read", |(file, length, position): (i32, usize, Option<f64>)| {
        descriptors::read(file, length, position.map(|position| position as u64)).map(Bytes)
    })?;
    export(exports, "readAll", |(file,): (i32,)| descriptors::read_all(file).map(Bytes))?;
    export(exports, "write", |(file, bytes, position): (i32, Bytes, Option<f64>)| {
        descriptors::write(file, &bytes.0, position.map(|position| position as u64)).map(|count| count as f64)
    })?;
    export(exports, "writeAll", |(file, bytes): (i32, Bytes)| descriptors::write_all(file, &bytes.0))?;
    export(exports, "statOpen", |(file,): (i32,)| descriptors::stat(file))?;
    export(exports, "truncateOpen", |(file, length): (i32, f64)| descriptors::truncate(file, length as u64))?;
    export(exports, "sync", |(file, data_only): (i32, bool)| descriptors::sync(file, data_only))?;
    export(exports, "changeModeOpen", |(file, mode): (i32, u32)| descriptors::change_mode(file, mode))?;
    export(exports, "changeOwnerOpen", |(file, user, group): (i32, u32, u32)| {
        descriptors::change_owner(file, user, group)
    })?;
    export(exports, "setTimesOpen", |(file, accessed, modified): (i32, f64, f64)| {
        descriptors::set_times(file, accessed, modified)
    })
}
