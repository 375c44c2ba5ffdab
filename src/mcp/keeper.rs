//! The process between us and a server that is a program: it ends the server, and what the server has started, when we close
//! its standard input, and that happens even when we are killed. Must not know what is said.
//!
//! What we write goes through it; what the server writes comes to us directly.

use std::{
    collections::HashSet,
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, ChildStdin, Command, ExitCode, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::{Duration, Instant},
};

use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{Pid, Signal, getpid, kill_process},
};
use signal_hook::{consts::SIGTERM, iterator::Signals};

use crate::permission::FileRights;

/// The hidden subcommand: `main.rs` hands over to [`main`] when the first argument is this.
pub const SUBCOMMAND: &str = "__mcp-server";

/// How long a server may take to end by itself once its input is closed.
const GRACE: Duration = Duration::from_millis(400);

/// How long it may take once it was asked to.
const PATIENCE: Duration = Duration::from_millis(400);

/// What a shell says of a program that cannot be started.
pub(super) const NOT_STARTED: i32 = 127;

enum Happened {
    /// Whoever started us is gone, or done.
    InputClosed,
    /// We are asked to end.
    Asked,
    /// The server ended with this code.
    Ended(i32),
}

/// The permissions of a server as an argument. Compressed: a single argument is limited to 128 KiB, and the permissions may name
/// thousands of folders.
///
/// # Errors
/// They cannot be packed.
pub(super) fn packed(rights: &Option<FileRights>) -> io::Result<String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    serde_json::to_writer(&mut encoder, rights)?;
    Ok(BASE64_STANDARD.encode(encoder.finish()?))
}

fn unpacked(argument: &str) -> Option<Option<FileRights>> {
    let bytes = BASE64_STANDARD.decode(argument).ok()?;
    serde_json::from_reader(DeflateDecoder::new(bytes.as_slice())).ok()
}

/// Runs `RIGHTS COMMAND ARGS…` until the server ends or is no longer needed. `RIGHTS` are the file permissions of the server, as
/// [`packed`] writes them; `null` for everything.
pub fn main(arguments: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    let arguments: Vec<_> = arguments.collect();
    let [rights, command, arguments @ ..] = &arguments[..] else { return ExitCode::FAILURE };
    let Some(rights) = unpacked(&rights.to_string_lossy()) else { return ExitCode::FAILURE };
    #[cfg(target_os = "linux")]
    {
        // Without it what a server leaves behind is not ours to end; nothing else depends on it.
        let _ = rustix::process::set_child_subreaper(Some(getpid()));
    }
    let mut server = Command::new(command);
    server.args(arguments).stdin(Stdio::piped()).process_group(0);
    let code = match spawn(&mut server, rights) {
        Ok(server) => keep(server),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{} cannot be started: {error}", command.to_string_lossy());
            NOT_STARTED
        }
    };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Starts the server, from a thread that has given up what the server may not do: we still have to see what it has started.
fn spawn(server: &mut Command, rights: Option<FileRights>) -> io::Result<Child> {
    let Some(rights) = rights else { return server.spawn() };
    let start = || {
        rights.confine()?;
        server.spawn()
    };
    std::thread::scope(|scope| scope.spawn(start).join())
        .unwrap_or_else(|_| Err(io::Error::other("the thread that starts it failed")))
}

fn keep(mut server: Child) -> i32 {
    let pid = i32::try_from(server.id()).ok().and_then(Pid::from_raw);
    let (sender, happened) = channel();
    let input = server.stdin.take();
    let own = sender.clone();
    std::thread::spawn(move || pass_on(input, &own));
    let own = sender.clone();
    std::thread::spawn(move || watch_input(&own));
    if let Ok(mut signals) = Signals::new([SIGTERM]) {
        let own = sender.clone();
        std::thread::spawn(move || signals.forever().for_each(|_| drop(own.send(Happened::Asked))));
    }
    std::thread::spawn(move || {
        let code = server.wait().map_or(1, |status| status.code().or(status.signal().map(|n| 128 + n)).unwrap_or(1));
        drop(sender.send(Happened::Ended(code)));
    });
    let mut ended = None;
    match happened.recv() {
        Ok(Happened::Ended(code)) => ended = Some(code),
        Ok(Happened::InputClosed) => ended = wait(&happened, GRACE),
        Ok(Happened::Asked) | Err(_) => {}
    }
    for signal in [Signal::TERM, Signal::KILL] {
        let left = left_over(pid.filter(|_| ended.is_none()));
        if left.is_empty() {
            break;
        }
        for pid in left {
            // It may have ended in the meantime.
            let _ = kill_process(pid, signal);
        }
        ended = ended.or_else(|| wait(&happened, PATIENCE));
        wait_for_rest(pid.filter(|_| ended.is_none()));
    }
    ended.unwrap_or(128 + SIGTERM)
}

/// Copies what we are told to the server until the end of it.
fn pass_on(mut server: Option<ChildStdin>, happened: &Sender<Happened>) {
    let mut input = io::stdin().lock();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                // A server that does not listen any more may still have something to say.
                if server.as_mut().is_some_and(|server| server.write_all(&buffer[..count]).is_err()) {
                    server = None;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    drop(server);
    drop(happened.send(Happened::InputClosed));
}

/// Waits until nobody can write to our standard input any more. A server that does not read what it was sent keeps
/// [`pass_on`] from seeing that.
fn watch_input(happened: &Sender<Happened>) {
    let input = io::stdin();
    let mut watched = [PollFd::new(&input, PollFlags::empty())];
    while let Err(Errno::INTR) = poll(&mut watched, None) {}
    let is_gone = watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR);
    if is_gone {
        // What was written last is passed on to a server that reads.
        std::thread::sleep(GRACE);
        drop(happened.send(Happened::InputClosed));
    }
}

/// The code that the server ends with, if it does so in time.
fn wait(happened: &Receiver<Happened>, span: Duration) -> Option<i32> {
    let end = Instant::now() + span;
    loop {
        match happened.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(Happened::Ended(code)) => return Some(code),
            // We are ending it already.
            Ok(Happened::Asked | Happened::InputClosed) => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Gives what the server has started a moment to end.
fn wait_for_rest(server: Option<Pid>) {
    let end = Instant::now() + PATIENCE;
    while !left_over(server).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The server, if it still runs, and every process that it has started.
fn left_over(server: Option<Pid>) -> HashSet<Pid> {
    let mut found: HashSet<Pid> = server.into_iter().collect();
    descendants(getpid(), &mut found);
    found
}

/// Linux says which they are; they are ours even when their parents are gone.
fn descendants(of: Pid, found: &mut HashSet<Pid>) {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", of.as_raw_nonzero())) else { return };
    for task in tasks.flatten() {
        let Ok(children) = std::fs::read_to_string(task.path().join("children")) else { continue };
        for child in children.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)) {
            if !is_zombie(child) {
                found.insert(child);
                descendants(child, found);
            }
        }
    }
}

fn is_zombie(pid: Pid) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    // The name stands in parentheses and may hold any others.
    state.is_ok_and(|state| state.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X'])))
}
