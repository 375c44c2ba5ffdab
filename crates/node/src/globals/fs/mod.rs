//! Native half of `node:fs`: exports every operation twice, blocking and as a promise.
//!
//! A native function takes one array of arguments. It does not throw for a failed operation but returns `{value}` or
//! `{code, number, text}`; JavaScript makes Node's error, so that its stack shows the caller.

mod access;
mod attributes;
mod descriptors;
mod error;
mod opener;
mod operations;
mod watch;

use rquickjs::{Array, Ctx, Error, FromJs, Function, IntoJs, Object, Result, Value, convert::List, prelude::Async};

pub(crate) use self::descriptors::opened;
pub(super) use self::descriptors::set_up;
pub(super) use self::watch::NATIVE as WATCH_NATIVE;

use self::access::{AdmittedCall, FsAccess};
use self::descriptors::{OpenFiles, open_files};
use self::error::{FsError, FsResult};
use self::opener::Opener;
use super::bytes::Bytes;
use super::encoding::text;
use crate::event_loop::KeepAlive;
use crate::native_module::NativeModule;

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

fn export<'js, A, T>(exports: &Object<'js>, name: &str, access: FsAccess, run: fn(A) -> FsResult<T>) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
{
    export_with(exports, name, access, run)
}

fn export_open<'js, A, T>(
    exports: &Object<'js>,
    name: &str,
    access: FsAccess,
    run: fn(&OpenFiles, A) -> FsResult<T>,
) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
{
    let files = open_files(exports.ctx())?;
    export_with(exports, name, access, move |arguments| run(&files, arguments))
}

fn export_opening<'js, A, T>(
    exports: &Object<'js>,
    name: &str,
    access: FsAccess,
    run: fn(&Opener, A) -> FsResult<T>,
) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
{
    let opener = Opener::of(exports.ctx());
    export_with(exports, name, access, move |arguments| run(&opener, arguments))
}

fn export_with<'js, A, T, F>(exports: &Object<'js>, name: &str, access: FsAccess, run: F) -> Result<()>
where
    A: Send + 'static,
    List<A>: FromJs<'js>,
    T: IntoJs<'js> + Send + 'static,
    F: Fn(A) -> FsResult<T> + Clone + Send + 'static,
{
    let ctx = exports.ctx();
    let run_clone = run.clone();
    let run_blocking = move |ctx: Ctx<'js>, given: Array<'js>| {
        let admitted: AdmittedCall<'js> =
            access.admit(&ctx, given)?.map_err(|refusal| ctx.throw(refusal.into_value()))?;
        let List(arguments): List<A> = List::from_js(&ctx, admitted.arguments.into_value())?;
        Ok::<_, Error>(Outcome(run_clone(arguments)))
    };
    exports.set(name, Function::new(ctx.clone(), run_blocking)?)?;
    let run_async = move |ctx: Ctx<'js>, given: Array<'js>| {
        // Checked in the call itself, while the calling code is on the stack.
        let admitted = access.admit(&ctx, given);
        let run = run.clone();
        // Done in the call, so that a restricted script cannot change the path after the check.
        let done = match &admitted {
            Ok(Ok(admitted)) if admitted.is_synchronous => {
                let arguments = List::from_js(&ctx, admitted.arguments.clone().into_value());
                Some(arguments.map(|List(arguments)| run(arguments)))
            }
            _ => None,
        };
        // A pending file operation keeps the program alive, as in Node.
        KeepAlive::during(&ctx.clone(), async move {
            if let Some(outcome) = done {
                return Ok::<_, Error>(Outcome(outcome?));
            }
            let admitted: AdmittedCall<'js> = admitted?.map_err(|refusal| ctx.throw(refusal.into_value()))?;
            let List(arguments): List<A> = List::from_js(&ctx, admitted.arguments.into_value())?;
            let pins = admitted.pins;
            let outcome = tokio::task::spawn_blocking(move || {
                let _pins = pins;
                run(arguments)
            })
            .await;
            let cancelled = FsError { code: "ECANCELED", number: 0, text: "operation canceled" };
            Ok(Outcome(outcome.unwrap_or(Err(cancelled))))
        })
    };
    exports.set(format!("{name}Async"), Function::new(ctx.clone(), Async(run_async))?)
}

pub(super) const NATIVE: NativeModule = NativeModule { name: "lmthing:internal/native/fs", init: exports };

fn exports<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let exports = Object::new(ctx.clone())?;
    export_paths(&exports)?;
    export_attributes(&exports)?;
    export_descriptors(&exports)?;
    Ok(exports)
}

fn export_paths(exports: &Object<'_>) -> Result<()> {
    export_opening(exports, "readFile", FsAccess::Open, |opener, (path, flags): (String, u32)| {
        operations::read_file(opener, &path, flags).map(Bytes)
    })?;
    export_opening(exports, "readFileText", FsAccess::Open, |opener, (path, flags): (String, u32)| {
        operations::read_file(opener, &path, flags).map(text)
    })?;
    export(exports, "access", FsAccess::Read, |(path, mode): (String, u32)| operations::access(&path, mode))?;
    export(exports, "readDirectory", FsAccess::Read, |(path, recursive): (String, bool)| {
        operations::read_directory(&path, recursive).map(|entries| entries.into_iter().map(List).collect::<Vec<_>>())
    })?;
    export(exports, "realPath", FsAccess::Read, |(path,): (String,)| operations::real_path(&path))?;
    export(exports, "readLink", FsAccess::ReadEntry, |(path,): (String,)| operations::read_link(&path))?;
    export_path_changes(exports)
}

fn export_path_changes(exports: &Object<'_>) -> Result<()> {
    export_opening(
        exports,
        "writeFile",
        FsAccess::Write,
        |opener, (path, bytes, flags, mode): (String, Bytes, u32, u32)| {
            operations::write_file(opener, &path, &bytes.0, flags, mode)
        },
    )?;
    export(exports, "makeDirectory", FsAccess::MakeDirectory, |(path, recursive, mode): (String, bool, u32)| {
        operations::make_directory(&path, recursive, mode)
    })?;
    export(exports, "remove", FsAccess::WriteEntry, |(path, recursive, force): (String, bool, bool)| {
        operations::remove(&path, recursive, force)
    })?;
    export(exports, "unlink", FsAccess::WriteEntry, |(path,): (String,)| operations::unlink(&path))?;
    export(exports, "removeDirectory", FsAccess::WriteEntry, |(path,): (String,)| operations::remove_directory(&path))?;
    export(exports, "rename", FsAccess::Rename, |(from, to): (String, String)| operations::rename(&from, &to))?;
    export_opening(exports, "copyFile", FsAccess::Copy, |opener, (from, to, exclusive): (String, String, bool)| {
        operations::copy_file(opener, &from, &to, exclusive)
    })?;
    export(exports, "makeTemporaryDirectory", FsAccess::MakeTemporaryDirectory, |(prefix,): (String,)| {
        operations::make_temporary_directory(&prefix)
    })?;
    export(exports, "symbolicLink", FsAccess::SymbolicLink, |(target, path): (String, String)| {
        operations::symbolic_link(&target, &path)
    })?;
    export(exports, "hardLink", FsAccess::HardLink, |(existing, path): (String, String)| {
        operations::hard_link(&existing, &path)
    })
}

fn export_attributes(exports: &Object<'_>) -> Result<()> {
    export(exports, "stat", FsAccess::ReadByFlag(1), |(path, follow): (String, bool)| attributes::stat(&path, follow))?;
    export(exports, "fileSystem", FsAccess::Read, |(path,): (String,)| attributes::file_system(&path))?;
    export(exports, "changeMode", FsAccess::Write, |(path, mode): (String, u32)| attributes::change_mode(&path, mode))?;
    export(
        exports,
        "changeOwner",
        FsAccess::WriteByFlag(3),
        |(path, user, group, follow): (String, u32, u32, bool)| attributes::change_owner(&path, user, group, follow),
    )?;
    export(
        exports,
        "setTimes",
        FsAccess::WriteByFlag(3),
        |(path, accessed, modified, follow): (String, f64, f64, bool)| {
            attributes::set_times(&path, accessed, modified, follow)
        },
    )?;
    export_opening(exports, "truncate", FsAccess::Write, |opener, (path, length): (String, f64)| {
        attributes::truncate(opener, &path, length as u64)
    })
}

fn export_descriptors(exports: &Object<'_>) -> Result<()> {
    let (files, opener) = (open_files(exports.ctx())?, Opener::of(exports.ctx()));
    export_with(exports, "open", FsAccess::Open, move |(path, flags, mode): (String, u32, u32)| {
        files.open(&opener, &path, flags, mode)
    })?;
    export_open(exports, "close", FsAccess::None, |files, (file,): (i32,)| files.close(file))?;
    export_open(
        exports,
        "read",
        FsAccess::ReadDescriptor,
        |files, (file, length, position): (i32, usize, Option<f64>)| {
            files.read(file, length, position.map(|position| position as u64)).map(Bytes)
        },
    )?;
    export_open(exports, "readAll", FsAccess::ReadDescriptor, |files, (file,): (i32,)| {
        files.read_all(file).map(Bytes)
    })?;
    export_open(exports, "readAllText", FsAccess::ReadDescriptor, |files, (file,): (i32,)| {
        files.read_all(file).map(text)
    })?;
    export_open(exports, "statOpen", FsAccess::None, |files, (file,): (i32,)| files.stat(file))?;
    export_open(exports, "sync", FsAccess::None, |files, (file, data_only): (i32, bool)| files.sync(file, data_only))?;
    export_descriptor_changes(exports)
}

fn export_descriptor_changes(exports: &Object<'_>) -> Result<()> {
    export_open(
        exports,
        "write",
        FsAccess::WriteDescriptor,
        |files, (file, bytes, position): (i32, Bytes, Option<f64>)| {
            files.write(file, &bytes.0, position.map(|position| position as u64)).map(|count| count as f64)
        },
    )?;
    export_open(exports, "writeAll", FsAccess::WriteDescriptor, |files, (file, bytes): (i32, Bytes)| {
        files.write_all(file, &bytes.0)
    })?;
    export_open(exports, "truncateOpen", FsAccess::WriteDescriptor, |files, (file, length): (i32, f64)| {
        files.truncate(file, length as u64)
    })?;
    export_open(exports, "changeModeOpen", FsAccess::WriteDescriptorAttributes, |files, (file, mode): (i32, u32)| {
        files.change_mode(file, mode)
    })?;
    export_open(
        exports,
        "changeOwnerOpen",
        FsAccess::WriteDescriptorAttributes,
        |files, (file, user, group): (i32, u32, u32)| files.change_owner(file, user, group),
    )?;
    export_open(
        exports,
        "setTimesOpen",
        FsAccess::WriteDescriptorAttributes,
        |files, (file, accessed, modified): (i32, f64, f64)| files.set_times(file, accessed, modified),
    )
}
