//! Opens a page in the browser of a variable or of the system.

use std::{
    env, fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Variables that name a browser; the first that is set wins. A value holds commands separated by colons, which are
/// tried in order, each with or without `%s` for the page.
const VARIABLES: [&str; 2] = ["LMTHING_BROWSER", "BROWSER"];

/// How long a launcher may take to report an error. A program that runs longer is the browser itself.
const ERROR_TIMEOUT: Duration = Duration::from_secs(3);

/// Why no browser shows the page.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NotOpened(String);

pub(super) fn open(page: &Path) -> Result<(), NotOpened> {
    let page = fs::canonicalize(page).map_err(|error| NotOpened(error.to_string()))?;
    let mut whys = Vec::new();
    for command in commands(&page) {
        match start(command) {
            Ok(()) => return Ok(()),
            Err(why) => whys.push(why.0),
        }
    }
    Err(NotOpened(whys.join("; ")))
}

fn commands(page: &Path) -> Vec<Command> {
    let named = VARIABLES.iter().filter_map(|name| env::var(name).ok()).find(|value| !value.trim().is_empty());
    match named {
        Some(value) => split(&value).filter_map(|command| named_command(command, page)).collect(),
        None => system_commands(page),
    }
}

/// Not at colons on Windows, whose paths contain them.
fn split(value: &str) -> impl Iterator<Item = &str> {
    value.split(if cfg!(windows) { '\n' } else { ':' })
}

fn named_command(command: &str, page: &Path) -> Option<Command> {
    // The path of a program may contain spaces.
    if Path::new(command).is_file() {
        let mut whole = Command::new(command);
        whole.arg(page);
        return Some(whole);
    }
    let mut words = command.split_whitespace();
    let mut command = Command::new(words.next()?);
    let mut is_named = false;
    for word in words {
        is_named |= word.contains("%s");
        match word {
            "%s" => command.arg(page),
            word => command.arg(word.replace("%s", &page.to_string_lossy())),
        };
    }
    if !is_named {
        command.arg(page);
    }
    Some(command)
}

#[cfg(target_os = "macos")]
fn system_commands(page: &Path) -> Vec<Command> {
    vec![with_page("open", page)]
}

#[cfg(windows)]
fn system_commands(page: &Path) -> Vec<Command> {
    vec![with_page("explorer", page)]
}

#[cfg(not(any(target_os = "macos", windows)))]
fn system_commands(page: &Path) -> Vec<Command> {
    // `wslview` is for WSL.
    ["xdg-open", "wslview"].map(|program| with_page(program, page)).into()
}

fn with_page(program: &str, page: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(page);
    command
}

fn start(mut command: Command) -> Result<(), NotOpened> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Own group: Ctrl-C must not reach the browser.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => NotOpened(format!("there is no program {program}")),
        _ => NotOpened(format!("{program}: {error}")),
    })?;
    wait(child, &program)
}

fn wait(mut child: Child, program: &str) -> Result<(), NotOpened> {
    let start = Instant::now();
    while start.elapsed() < ERROR_TIMEOUT {
        match child.try_wait() {
            // Explorer exits with 1 even on success.
            Ok(Some(status)) if status.success() || cfg!(windows) => return Ok(()),
            Ok(Some(status)) => return Err(NotOpened(format!("{program} ended with {status}"))),
            Ok(None) => thread::sleep(Duration::from_millis(10)),
            Err(error) => return Err(NotOpened(format!("{program}: {error}"))),
        }
    }
    Ok(())
}
