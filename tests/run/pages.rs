//! Pages in headless Chromium, driven by scripts in Node.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::support::{Folder, skipped};

/// Names of Chromium on the PATH.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

fn chromium() -> Option<PathBuf> {
    if let Some(path) = env::var_os("LMTHING_CHROMIUM") {
        return Some(path.into());
    }
    let path = env::var_os("PATH")?;
    let places = env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

fn node(script: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run").join(script)).stdin(Stdio::null());
    command
}

/// What a script below `tests/run` prints.
pub(crate) fn printed(script: &str, arguments: &[&str]) -> String {
    let output = node(script).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the checks of a script on the pages that `write` puts into a folder. Skipped if there is no Chromium.
#[allow(clippy::print_stdout, reason = "the figures of a page, with --nocapture")]
pub(crate) fn check(test: &str, script: &str, write: impl FnOnce(&Folder)) {
    let Some(chromium) = chromium() else {
        return skipped(
            test,
            "there is no Chromium on the PATH (apt-get install chromium), and LMTHING_CHROMIUM names none",
        );
    };
    let folder = Folder::new(&[]);
    write(&folder);
    let mut check = node(script);
    check.arg(chromium).arg(folder.path(""));
    if let Some(pictures) = env::var_os("LMTHING_VIEW_PICTURES") {
        check.arg(pictures);
    }
    let checked = check.output().unwrap();
    let reported = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{reported}{}", String::from_utf8_lossy(&checked.stderr));
    println!("{reported}");
}
