//! What the build scripts of `crates/data` and `crates/runtime` share: where their files are, and how Node is run.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// What a build script takes its files from.
pub enum Files {
    /// The folder `runtime-js` of a clone: Node makes the files.
    Sources(PathBuf),
    /// The folder `dist` of a published package, which `.ci/crates` has filled, so that building needs no Node.
    Bundled(PathBuf),
}

impl Files {
    /// Finds the files of the crate whose build script calls.
    ///
    /// # Errors
    /// If there are neither sources nor bundled files.
    pub fn find() -> Result<Self, Box<dyn Error>> {
        // Read at run time: clones that share a build folder may share the compiled build script.
        let folder =
            std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).ok_or("CARGO_MANIFEST_DIR is not set")?;
        let (sources, bundled) = (folder.join("../../runtime-js"), folder.join("dist"));
        match (sources.is_dir(), bundled.is_dir()) {
            (true, _) => Ok(Files::Sources(sources)),
            (false, true) => Ok(Files::Bundled(bundled)),
            (false, false) => {
                let folder = folder.display();
                Err(format!("{folder} was packaged without its folder dist: `.ci/crates` makes packages with it")
                    .into())
            }
        }
    }
}

/// Turns an error about a file into a message: "cannot read dist/prices.bin: …".
pub fn describe<'a>(action: &'a str, path: &'a Path) -> impl Fn(io::Error) -> Box<dyn Error> + 'a {
    move |error| format!("cannot {action} {}: {error}", path.display()).into()
}

/// Checks that Node is there.
///
/// # Errors
/// If it is missing or older than 20.
pub fn check_node() -> Result<(), Box<dyn Error>> {
    const ADVICE: &str = "Building lmthing needs Node 20 or newer and npm on the PATH (running it needs neither).";
    let output = Command::new("node")
        .arg("--version")
        .output()
        .map_err(|error| format!("cannot run `node`: {error}\n{ADVICE}"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major >= 20 => Ok(()),
        _ => Err(format!("the `node` on the PATH is {version:?}\n{ADVICE}").into()),
    }
}

/// Runs a command in a folder.
///
/// # Errors
/// If it cannot be started or fails, with what it wrote to standard error.
pub fn run_in(directory: &Path, command: &mut Command) -> Result<(), Box<dyn Error>> {
    let shown = format!("{command:?}");
    let output = command.current_dir(directory).output().map_err(|error| format!("cannot run {shown}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("{shown} failed ({}):\n{}", output.status, text.trim()).into())
}

/// Ends a build script, with an error that cargo shows as it is: a panic would print a backtrace above the message.
#[expect(clippy::print_stdout, reason = "cargo reads what a build script prints")]
pub fn end(action: &str, result: Result<(), Box<dyn Error>>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    let message = format!("cannot {action}: {error}");
    println!("cargo:error={}", message.replace('\n', "\ncargo:error="));
    ExitCode::FAILURE
}
