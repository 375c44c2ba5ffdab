//! Turns the options of a child process, a plain JavaScript object, into a `Command`.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use rquickjs::{Ctx, FromJs, Object, Result, Value};

use crate::{ScriptHost, gate, globals::opened};
use lmthing_base::permission::{Access, Restricted};

/// Destination of one of a child's standard streams.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StdioTarget {
    Pipe,
    Ignore,
    /// A file descriptor of this process.
    Descriptor(i32),
}

/// `{file, args, argv0, cwd, env, stdio, detached, uid, gid}`.
pub(super) struct ChildOptions {
    pub(super) stdio: [StdioTarget; 3],
    file: String,
    args: Vec<String>,
    argv0: Option<String>,
    cwd: Option<String>,
    /// Names and values in turn.
    env: Vec<String>,
    detached: bool,
    uid: Option<u32>,
    gid: Option<u32>,
    /// The files in `stdio` that the script opened.
    files: [Option<Arc<File>>; 3],
    /// Limits of a restricted script, which the child inherits.
    confinement: Option<Arc<Restricted>>,
}

impl<'js> FromJs<'js> for ChildOptions {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let object = Object::from_js(ctx, value)?;
        let mut stdio = [StdioTarget::Ignore; 3];
        for (target, given) in stdio.iter_mut().zip(object.get::<_, Vec<i32>>("stdio")?) {
            *target = match given {
                -1 => StdioTarget::Pipe,
                -2 => StdioTarget::Ignore,
                descriptor => StdioTarget::Descriptor(descriptor),
            };
        }
        Ok(ChildOptions {
            stdio,
            file: object.get("file")?,
            args: object.get("args")?,
            argv0: object.get("argv0")?,
            cwd: object.get("cwd")?,
            env: object.get("env")?,
            detached: object.get("detached")?,
            uid: object.get("uid")?,
            gid: object.get("gid")?,
            files: Default::default(),
            confinement: None,
        })
    }
}

impl ChildOptions {
    /// Flushes buffered output before the child writes to the same streams. Redirects standard output where it is
    /// diverted.
    pub(super) fn prepare_output(&mut self, host: &dyn ScriptHost) {
        let outputs = &mut self.stdio[1..];
        if host.diverts_stdout() {
            outputs
                .iter_mut()
                .filter(|target| **target == StdioTarget::Descriptor(1))
                .for_each(|target| *target = StdioTarget::Descriptor(2));
        }
        if outputs.iter().any(|target| matches!(target, StdioTarget::Descriptor(1 | 2))) {
            host.flush();
        }
    }

    /// Throws when the program may not be started. For a restricted script, `file` becomes the path that was checked,
    /// so that the environment cannot select another program.
    pub(super) fn check(&mut self, ctx: &Ctx<'_>) -> Result<()> {
        self.files = self.stdio.map(|target| match target {
            StdioTarget::Descriptor(descriptor) => opened(ctx, descriptor),
            StdioTarget::Pipe | StdioTarget::Ignore => None,
        });
        let Some(rights) = gate::restricted(ctx) else { return gate::check(ctx, Access::Run(&self.file)) };
        let folder = self.cwd.as_deref().map(Path::new);
        let program = rights.program(&self.file, folder).map_err(|refusal| gate::throw_denied(ctx, refusal))?;
        gate::check_variables(ctx, self.env.iter().step_by(2))?;
        if let Some(program) = program {
            self.argv0.get_or_insert_with(|| self.file.clone());
            self.file = program.display().to_string();
        }
        if !self.env.iter().step_by(2).any(|name| name == "PATH") {
            self.env.extend(["PATH".to_owned(), std::env::var("PATH").unwrap_or_default()]);
        }
        self.confinement = rights.restricted_rights().cloned();
        Ok(())
    }

    /// Starts the child. For a restricted script, on a thread that has given up its rights first.
    pub(super) fn start<T: Send>(&self, start: impl FnOnce(Command) -> io::Result<T> + Send) -> io::Result<T> {
        let command = self.command()?;
        let Some(rights) = self.confinement.clone() else { return start(command) };
        let handle = tokio::runtime::Handle::try_current().ok();
        let start = move || {
            let _inside = handle.as_ref().map(tokio::runtime::Handle::enter);
            rights.program_rights().and_program(&self.file).confine()?;
            start(command)
        };
        std::thread::scope(|scope| {
            let result = scope.spawn(start).join();
            result.unwrap_or_else(|_| Err(io::Error::other("the thread that starts programs failed")))
        })
    }

    fn stream(&self, index: usize) -> io::Result<Stdio> {
        let own = [0, 1, 2][index];
        match (self.stdio[index], &self.files[index]) {
            (StdioTarget::Pipe, _) => Ok(Stdio::piped()),
            (StdioTarget::Ignore, _) => Ok(Stdio::null()),
            // A duplicate of the open file: opening it again by name or number could give more access than the script
            // has.
            (StdioTarget::Descriptor(_), Some(file)) => Ok(file.try_clone()?.into()),
            (StdioTarget::Descriptor(descriptor), None) if descriptor == own => Ok(Stdio::inherit()),
            (StdioTarget::Descriptor(3..), None) if self.confinement.is_some() => Err(bad_descriptor()),
            (StdioTarget::Descriptor(descriptor), None) => descriptor_stdio(descriptor, own),
        }
    }

    pub(super) fn is_detached(&self) -> bool {
        self.detached
    }

    fn command(&self) -> io::Result<Command> {
        let mut command = Command::new(&self.file);
        command.args(&self.args).env_clear().envs(self.env.chunks_exact(2).map(|pair| (&pair[0], &pair[1])));
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command.stdin(self.stream(0)?).stdout(self.stream(1)?).stderr(self.stream(2)?);
        self.set_unix(&mut command);
        Ok(command)
    }

    #[cfg(unix)]
    fn set_unix(&self, command: &mut Command) {
        use std::os::unix::process::CommandExt;
        if let Some(argv0) = &self.argv0 {
            command.arg0(argv0);
        }
        if self.detached {
            // Its own process group, which Ctrl-C in the terminal does not reach.
            command.process_group(0);
        }
        if let Some(uid) = self.uid {
            command.uid(uid);
        }
        if let Some(gid) = self.gid {
            command.gid(gid);
        }
    }

    #[cfg(not(unix))]
    fn set_unix(&self, _command: &mut Command) {
        let _ = (&self.argv0, self.detached, self.uid, self.gid);
    }
}

#[cfg(unix)]
fn descriptor_stdio(descriptor: i32, own: i32) -> io::Result<Stdio> {
    use std::os::fd::AsFd;
    Ok(match descriptor {
        0 => io::stdin().as_fd().try_clone_to_owned()?.into(),
        1 => io::stdout().as_fd().try_clone_to_owned()?.into(),
        2 => io::stderr().as_fd().try_clone_to_owned()?.into(),
        _ => reopen(descriptor, own == 0)?.into(),
    })
}

#[cfg(not(unix))]
fn descriptor_stdio(_descriptor: i32, _own: i32) -> io::Result<Stdio> {
    Err(io::ErrorKind::InvalidInput.into())
}

/// Opens the file behind an inherited descriptor again: passing on the number itself would need `unsafe` code. Output
/// is appended, as to a log file.
#[cfg(unix)]
fn reopen(descriptor: i32, is_input: bool) -> io::Result<File> {
    let path = format!("/dev/fd/{descriptor}");
    let opened = if is_input { File::open(&path) } else { OpenOptions::new().append(true).open(&path) };
    opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => bad_descriptor(),
        _ => error,
    })
}

fn bad_descriptor() -> io::Error {
    #[cfg(unix)]
    {
        io::Error::from_raw_os_error(libc::EBADF)
    }
    #[cfg(not(unix))]
    io::ErrorKind::InvalidInput.into()
}
