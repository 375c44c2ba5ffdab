// Runs Node in build scripts, which include this file.

use std::error::Error;
use std::path::Path;
use std::process::Command;

fn describe<'a>(action: &'a str, path: &'a Path) -> impl Fn(std::io::Error) -> Box<dyn Error> + 'a {
    move |error| format!("cannot {action} {}: {error}", path.display()).into()
}

/// The folder of the crate. Read at run time: clones that share a build folder may share the compiled build script.
fn crate_folder() -> Result<std::path::PathBuf, Box<dyn Error>> {
    std::env::var_os("CARGO_MANIFEST_DIR").map(Into::into).ok_or_else(|| "CARGO_MANIFEST_DIR is not set".into())
}

/// Fails with advice when Node is missing or older than 20.
fn check_node() -> Result<(), Box<dyn Error>> {
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

fn run_in(directory: &Path, command: &mut Command) -> Result<(), Box<dyn Error>> {
    let shown = format!("{command:?}");
    let output = command.current_dir(directory).output().map_err(|error| format!("cannot run {shown}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("{shown} failed ({}):\n{}", output.status, text.trim()).into())
}

/// A published crate has the files in its folder `dist` (`npm run bundle` before publishing), so that building it needs no Node.
fn published_files(crate_folder: &Path) -> Option<std::path::PathBuf> {
    let dist = crate_folder.join("dist");
    (crate_folder.join(".cargo_vcs_info.json").exists() && dist.is_dir()).then_some(dist)
}

/// Ends the build script, with a message that cargo shows as it is.
#[expect(clippy::exit, reason = "a panic would print a backtrace of the build script above the message")]
fn finish(result: Result<(), String>) {
    if let Err(message) = result {
        println!("cargo:error={}", message.replace('\n', "\ncargo:error="));
        std::process::exit(1);
    }
}
