//! What a child process is started with, from the plain object that the JavaScript half hands over to a `Command`.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};

use rquickjs::{Ctx, FromJs, Object, Result, Value};

use crate::permission::{Access, Restricted};
use crate::script::{ScriptHost, gate, globals::opened};

/// Where one of the three standard streams of a child leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wiring {
    /// To the script.
    Pipe,
    /// To nowhere.
    Ignore,
    /// To a file descriptor of this program.
    Descriptor(i32),
}

/// `{file, args, argv0, cwd, env, stdio, detached, uid, gid}`.
pub(super) struct ChildOptions {
    pub(super) stdio: [Wiring; 3],
    file: String,
    args: Vec<String>,
    argv0: Option<String>,
    cwd: Option<String>,
    /// Names and values in turn.
    env: Vec<String>,
    detached: bool,
    uid: Option<u32>,
    gid: Option<u32>,
    /// The files among `stdio` that the script has opened.
    files: [Option<Arc<File>>; 3],
    /// What it may reach, of a restricted script.
    confinement: Option<Arc<Restricted>>,
}

impl<'js> FromJs<'js> for ChildOptions {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let object = Object::from_js(ctx, value)?;
        let mut stdio = [Wiring::Ignore; 3];
        for (wiring, given) in stdio.iter_mut().zip(object.get::<_, Vec<i32>>("stdio")?) {
            *wiring = match given {
                -1 => Wiring::Pipe,
                -2 => Wiring::Ignore,
                descriptor => Wiring::Descriptor(descriptor),
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
    /// Lets the child write to where this program's own text goes, if it is to: after what waits to be written, and not
    /// where a script must not write.
    pub(super) fn make_room(&mut self, host: &dyn ScriptHost) {
        let outputs = &mut self.stdio[1..];
        if host.diverts_stdout() {
            outputs
                .iter_mut()
                .filter(|wiring| **wiring == Wiring::Descriptor(1))
                .for_each(|wiring| *wiring = Wiring::Descriptor(2));
        }
        if outputs.iter().any(|wiring| matches!(wiring, Wiring::Descriptor(1 | 2))) {
            host.flush();
        }
    }

    /// Throws when the program may not be started. Of a restricted script it is the file that was looked at, and nothing in
    /// its environment makes another of it.
    pub(super) fn check(&mut self, ctx: &Ctx<'_>) -> Result<()> {
        self.files = self.stdio.map(|wiring| match wiring {
            Wiring::Descriptor(descriptor) => opened(ctx, descriptor),
            Wiring::Pipe | Wiring::Ignore => None,
        });
        let Some(rights) = gate::restricted(ctx) else { return gate::check(ctx, Access::Run(&self.file)) };
        let folder = self.cwd.as_deref().map(Path::new);
        let found = rights.program(&self.file, folder).map_err(|refusal| gate::throw(ctx, refusal))?;
        gate::check_variables(ctx, self.env.iter().step_by(2))?;
        if let Some(found) = found {
            self.argv0.get_or_insert_with(|| self.file.clone());
            self.file = found.display().to_string();
        }
        if !self.env.iter().step_by(2).any(|name| name == "PATH") {
            self.env.extend(["PATH".to_owned(), std::env::var("PATH").unwrap_or_default()]);
        }
        self.confinement = rights.of_restricted().cloned();
        Ok(())
    }

    /// Has it started: of a restricted script by a thread that has given up its own rights before.
    pub(super) fn start<T: Send>(&self, start: impl FnOnce(Command) -> io::Result<T> + Send) -> io::Result<T> {
        let command = self.command()?;
        let Some(rights) = self.confinement.clone() else { return start(command) };
        let handle = tokio::runtime::Handle::try_current().ok();
        let start = move || {
            let _inside = handle.as_ref().map(tokio::runtime::Handle::enter);
            rights.of_programs().and_program(&self.file).confine()?;
            start(command)
        };
        std::thread::scope(|scope| {
            let ended = scope.spawn(start).join();
            ended.unwrap_or_else(|_| Err(io::Error::other("the thread that starts programs failed")))
        })
    }

    /// What one of its standard streams is.
    fn stream(&self, index: usize) -> io::Result<Stdio> {
        let own = [0, 1, 2][index];
        match (self.stdio[index], &self.files[index]) {
            (Wiring::Pipe, _) => Ok(Stdio::piped()),
            (Wiring::Ignore, _) => Ok(Stdio::null()),
            // The open file itself: opening it by its name or number could give more than the script has.
            (Wiring::Descriptor(_), Some(file)) => Ok(file.try_clone()?.into()),
            (Wiring::Descriptor(descriptor), None) if descriptor == own => Ok(Stdio::inherit()),
            (Wiring::Descriptor(3..), None) if self.confinement.is_some() => Err(bad_descriptor()),
            (Wiring::Descriptor(descriptor), None) => descriptor_stdio(descriptor, own),
        }
    }

    /// Whether it may outlive the run once it is `unref`ed.
    pub(super) fn is_detached(&self) -> bool {
        self.detached
    }

    /// The command to start.
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
            // A group of its own: Ctrl-C in the terminal does not reach it.
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
        _ => reopened(descriptor, own == 0)?.into(),
    })
}

#[cfg(not(unix))]
fn descriptor_stdio(_descriptor: i32, _own: i32) -> io::Result<Stdio> {
    Err(io::ErrorKind::InvalidInput.into())
}

/// The file behind a descriptor that lmthing was started with, opened once more: the number alone cannot be passed on without
/// `unsafe` code. Output goes to the end, as with the usual log file.
#[cfg(unix)]
fn reopened(descriptor: i32, is_input: bool) -> io::Result<File> {
    let path = format!("/dev/fd/{descriptor}");
    let opened = if is_input { File::open(&path) } else { OpenOptions::new().append(true).open(&path) };
    opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => bad_descriptor(),
        _ => error,
    })
}

/// There is no such open file.
fn bad_descriptor() -> io::Error {
    #[cfg(unix)]
    {
        io::Error::from_raw_os_error(libc::EBADF)
    }
    #[cfg(not(unix))]
    io::ErrorKind::InvalidInput.into()
}
