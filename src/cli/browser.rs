//! Opens a page in a browser: the one that a variable names, else the system's. Must not know what is on the page.

use std::{
    env, fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// What names a browser, the first that is set: a command, with `%s` for the page or without; several with colons between
/// them are tried one after the other.
const VARIABLES: [&str; 2] = ["LMTHING_BROWSER", "BROWSER"];

/// How long is waited for the program that starts a browser to say that it cannot. One that is the browser itself goes on
/// running.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens the page.
///
/// # Errors
/// Says why none of the commands did.
pub(super) fn open(page: &Path) -> Result<(), String> {
    let page = fs::canonicalize(page).map_err(|error| error.to_string())?;
    let mut whys = Vec::new();
    for command in commands(&page) {
        match start(command) {
            Ok(()) => return Ok(()),
            Err(why) => whys.push(why),
        }
    }
    Err(whys.join("; "))
}

fn commands(page: &Path) -> Vec<Command> {
    let named = VARIABLES.iter().filter_map(|name| env::var(name).ok()).find(|value| !value.trim().is_empty());
    match named {
        Some(value) => split(&value).filter_map(|command| named_command(command, page)).collect(),
        None => system_commands(page),
    }
}

/// A path of Windows has a colon of its own.
fn split(value: &str) -> impl Iterator<Item = &str> {
    value.split(if cfg!(windows) { '\n' } else { ':' })
}

fn named_command(command: &str, page: &Path) -> Option<Command> {
    // The path of a program may have spaces in it.
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
    // The second is for Linux inside Windows.
    ["xdg-open", "wslview"].map(|program| with_page(program, page)).into()
}

fn with_page(program: &str, page: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(page);
    command
}

/// Starts a command; what it says is not for whoever reads what we say.
fn start(mut command: Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C in the terminal is not for the browser.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no program {program}"),
        _ => format!("{program}: {error}"),
    })?;
    wait(child, &program)
}

fn wait(mut child: Child, program: &str) -> Result<(), String> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            // Explorer ends with 1 whatever has come of it.
            Ok(Some(status)) if status.success() || cfg!(windows) => return Ok(()),
            Ok(Some(status)) => return Err(format!("{program} ended with {status}")),
            Ok(None) => thread::sleep(Duration::from_millis(10)),
            Err(error) => return Err(format!("{program}: {error}")),
        }
    }
    Ok(())
}
