//! The options of a prompt file, found without running it.

use std::{
    env,
    ffi::OsStr,
    io::Read,
    process::{Child, Command as Process, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use lmthing_base::input::{Declaration, FileOption, file_options};

/// In which a shell asks for completions.
pub(super) const COMPLETION_VARIABLE: &str = "LMTHING_COMPLETE";

/// How long the process may take to start, in addition to loading the file.
const START_TIME: Duration = Duration::from_millis(500);

const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The options of a prompt file, which may take this long to load. It is loaded in a process without rights, as it is not
/// to be run yet; a file that cannot be loaded there has none.
pub(in crate::cli) fn options_of_file(file: &OsStr, limit: Duration) -> Vec<FileOption> {
    let describe = || {
        let mut process = Process::new(env::current_exe().ok()?);
        let limit_text = format!("{}ms", limit.as_millis());
        process.args(["__describe", "--restrict", "--limit", &limit_text]).arg(file).env_remove(COMPLETION_VARIABLE);
        let child = process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let offer: Value = serde_json::from_str(&output_in_time(child, limit + START_TIME)?).ok()?;
        let declaration = Declaration::new(Some(offer.get("input").filter(|schema| schema.is_object())?), None).ok()?;
        Some(file_options(&declaration))
    };
    describe().unwrap_or_default()
}

/// What a process prints until it ends; `None` if that takes too long. Native work of a file, such as a wait that
/// blocks, knows no limit of its own.
fn output_in_time(mut child: Child, limit: Duration) -> Option<String> {
    let deadline = Instant::now() + limit;
    let mut stdout = child.stdout.take()?;
    // A process blocks on a full pipe, so its output is read while it runs.
    let reader = thread::spawn(move || {
        let mut output = String::new();
        stdout.read_to_string(&mut output).ok().map(|_| output)
    });
    while child.try_wait().ok()?.is_none() {
        if Instant::now() >= deadline {
            // Fails only if it has ended by now.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(POLL_INTERVAL);
    }
    reader.join().ok()?
}
