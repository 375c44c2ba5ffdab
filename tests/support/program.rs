//! Runs the binary in a temporary folder and reads what it prints.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Command, Output, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

#[cfg(unix)]
use super::processes;
use super::wait::{KilledOnDrop, PATIENCE, wait_for_exit};

/// A prompt file whose model answers "Hello world".
pub(crate) const HELLO: &str = "
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello ' }, { type: 'text', text: 'world' }];
export default async ({ $ }) => { console.log('from the script'); $`go`; };
";

/// The program under test.
pub(crate) fn lmthing() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lmthing"))
}

/// A temporary folder with files.
pub(crate) struct Folder(tempfile::TempDir);

/// How a process ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// -1 after a signal.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    /// A folder with one file, `p.lmt.mjs`.
    pub(crate) fn of(source: &str) -> Self {
        Folder::new(&[("p.lmt.mjs", source)])
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The lines of a file; none if it does not exist.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        fs::read_to_string(self.path(name)).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// A command in the folder, with piped output and no input. Arguments are separated by whitespace.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = lmthing();
        command.args(arguments.split_whitespace()).current_dir(self.0.path()).env("NO_COLOR", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The same without any environment variable of the tests.
    pub(crate) fn bare_command(&self, arguments: &str) -> Command {
        let mut command = self.command(arguments);
        command.env_clear();
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        Outcome::of(&mut self.command(arguments))
    }

    /// Runs with a text on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Outcome {
        Outcome::with_input(self.command("").args(arguments), input)
    }

    /// The text with the path of the folder shown as `DIR`.
    pub(crate) fn anonymize(&self, text: &str) -> String {
        text.replace(&*self.0.path().canonicalize().unwrap().to_string_lossy(), "DIR")
    }

    /// Starts on a terminal of this width, through `script`: stdout has both streams.
    #[cfg(target_os = "linux")]
    pub(crate) fn start_on_terminal(&self, arguments: &str, columns: usize) -> Running {
        let line = format!("stty rows 24 cols {columns}; exec {} {arguments}", env!("CARGO_BIN_EXE_lmthing"));
        let mut command = Command::new("script");
        command.args(["-qefc", &line, "/dev/null"]).current_dir(self.0.path()).env("NO_COLOR", "1");
        command.env_remove("CI").env("TERM", "xterm");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::of(&mut command)
    }

    pub(crate) fn start(&self, arguments: &str) -> Running {
        Running::of(&mut self.command(arguments))
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Outcome {
    /// Runs a command to its end.
    pub(crate) fn of(command: &mut Command) -> Self {
        Outcome::from(command.output().unwrap())
    }

    /// Runs a command to its end, with a text on standard input.
    pub(crate) fn with_input(command: &mut Command, input: &str) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The process may end without reading its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Outcome::from(child.wait_with_output().unwrap())
    }

    /// Standard output as one JSON value.
    pub(crate) fn object(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The lines of standard output as JSON values.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert!(self.stdout.ends_with('\n'), "whole lines: {self:?}");
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    }
}

/// A process that runs. Dropping it kills it.
pub(crate) struct Running {
    child: KilledOnDrop,
    stdout: OutputStream,
    stderr: OutputStream,
}

impl Running {
    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = OutputStream::of(child.stdout.take().unwrap());
        let stderr = OutputStream::of(child.stderr.take().unwrap());
        Running { child: KilledOnDrop(child), stdout, stderr }
    }

    /// Writes to standard input, which is a pipe or a terminal.
    pub(crate) fn type_text(&mut self, text: &str) {
        let stdin = self.child.0.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    /// Waits until stdout has the text this many times.
    pub(crate) fn wait_for(&mut self, text: &str, times: usize) {
        self.stdout.wait_for(text, times);
    }

    /// Waits until stderr has the text this many times.
    pub(crate) fn wait_for_stderr(&mut self, text: &str, times: usize) {
        self.stderr.wait_for(text, times);
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        processes::signal(self.child.0.id(), name);
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.0.try_wait().unwrap().is_some()
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Outcome {
        let status = wait_for_exit(&mut self.child.0, || self.stdout.seen.clone());
        let (stdout, stderr) = (self.stdout.all(), self.stderr.all());
        Outcome { code: status.code().unwrap_or(-1), stdout, stderr }
    }
}

/// What a process has written to one of its streams.
struct OutputStream {
    pieces: Receiver<String>,
    seen: String,
}

impl OutputStream {
    fn of(stream: impl Read + Send + 'static) -> Self {
        let (sender, pieces) = channel();
        let mut reader = BufReader::new(stream);
        thread::spawn(move || {
            let mut piece = Vec::new();
            loop {
                let available = reader.fill_buf().unwrap_or_default();
                let length = available.len();
                if length == 0 {
                    return;
                }
                piece.extend_from_slice(available);
                reader.consume(length);
                if let Ok(text) = std::str::from_utf8(&piece) {
                    let _ = sender.send(text.to_owned());
                    piece.clear();
                }
            }
        });
        OutputStream { pieces, seen: String::new() }
    }

    fn wait_for(&mut self, text: &str, times: usize) {
        let start = Instant::now();
        while self.seen.matches(text).count() < times {
            match self.pieces.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
                Ok(piece) => self.seen.push_str(&piece),
                Err(error) => panic!("{text:?} did not come {times} times ({error}): {:?}", self.seen),
            }
        }
    }

    /// Everything until the end of the stream.
    fn all(&mut self) -> String {
        while let Ok(piece) = self.pieces.recv_timeout(Duration::from_secs(5)) {
            self.seen.push_str(&piece);
        }
        std::mem::take(&mut self.seen)
    }
}

/// Replaces a file by renaming another over it, as editors do.
pub(crate) fn replace(folder: &Folder, name: &str, text: &str) {
    let sibling = folder.path(&format!("{name}.new"));
    let mut file = fs::File::create(&sibling).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    drop(file);
    fs::rename(sibling, folder.path(name)).unwrap();
}
