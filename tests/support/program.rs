//! Runs the binary on files in a folder of their own, and reads what it prints.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

#[cfg(unix)]
use super::processes;

/// Says two words and is done.
pub const HELLO: &str = "
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'Hello ' }, { type: 'text', text: 'world' }];
export default async ({ $ }) => { console.log('from the script'); $`go`; };
";

/// How long a text or an end may take to come, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder with files.
pub struct Folder(tempfile::TempDir);

/// What a run printed and ended with.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    /// A folder with one prompt file, `p.lmt.mjs`.
    pub fn of(source: &str) -> Self {
        Folder::new(&[("p.lmt.mjs", source)])
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lmthing"));
        command.args(arguments.split_whitespace()).current_dir(self.0.path()).env("NO_COLOR", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs to the end.
    pub fn run(&self, arguments: &str) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }

    /// Starts on a terminal of so many columns; both streams come as stdout.
    #[cfg(target_os = "linux")]
    pub fn start_on_terminal(&self, arguments: &str, columns: usize) -> Running {
        let program = env!("CARGO_BIN_EXE_lmthing");
        let line = format!("stty rows 24 cols {columns}; exec {program} {arguments}");
        let mut command = Command::new("script");
        command.args(["-qefc", &line, "/dev/null"]).current_dir(self.0.path()).env("NO_COLOR", "1");
        command.env_remove("CI").env("TERM", "xterm");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::of(&mut command)
    }

    pub fn start(&self, arguments: &str) -> Running {
        Running::of(&mut self.command(arguments))
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Ended {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ended {
    pub fn object(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn events(&self) -> Vec<Value> {
        assert!(self.stdout.ends_with('\n'), "whole lines: {self:?}");
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    }
}

/// A run that is under way.
pub struct Running {
    child: Child,
    stdout: Heard,
    stderr: Heard,
}

impl Running {
    pub fn of(command: &mut Command) -> Self {
        Running::new(command.spawn().unwrap())
    }

    fn new(mut child: Child) -> Self {
        let stdout = Heard::of(child.stdout.take().unwrap());
        let stderr = Heard::of(child.stderr.take().unwrap());
        Running { child, stdout, stderr }
    }

    /// Types on the terminal.
    pub fn type_text(&mut self, text: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    /// Waits until stdout has the text so often.
    pub fn wait_for(&mut self, text: &str, times: usize) {
        self.stdout.wait_for(text, times);
    }

    /// The same for stderr.
    pub fn wait_for_stderr(&mut self, text: &str, times: usize) {
        self.stderr.wait_for(text, times);
    }

    /// Sends a signal by its name.
    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        processes::signal(self.child.id(), name);
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for the end.
    pub fn end(mut self) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "the process did not end: {:?}", self.stdout.seen);
            thread::sleep(Duration::from_millis(5));
        };
        let (stdout, stderr) = (self.stdout.all(), self.stderr.all());
        Ended { code: status.code().unwrap_or(-1), stdout, stderr }
    }
}

impl Drop for Running {
    /// Also when a test fails: a watched run has no end of its own.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One stream of a run, piece by piece.
struct Heard {
    pieces: Receiver<String>,
    seen: String,
}

impl Heard {
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
        Heard { pieces, seen: String::new() }
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

    /// What came until the end.
    fn all(&mut self) -> String {
        while let Ok(piece) = self.pieces.recv_timeout(Duration::from_secs(5)) {
            self.seen.push_str(&piece);
        }
        std::mem::take(&mut self.seen)
    }
}

/// Puts a file in the place of another, as editors do.
pub fn replace(folder: &Folder, name: &str, text: &str) {
    let beside = folder.path(&format!("{name}.new"));
    let mut file = fs::File::create(&beside).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    drop(file);
    fs::rename(beside, folder.path(name)).unwrap();
}
