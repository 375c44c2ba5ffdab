//! Packages from npm. Tests that need them are skipped without npm or a network, in CI, and with
//! `LMTHING_NPM_TESTS=0`; `LMTHING_NPM_TESTS=1` runs them in CI too.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{Folder, skipped};

/// A folder with the packages installed; `None` if that is not possible here.
pub(crate) fn installed(test: &str, packages: &[&str]) -> Option<Folder> {
    if !wanted(test) {
        return None;
    }
    let folder = Folder::new(&[]);
    if install(&folder.path(""), packages) {
        return Some(folder);
    }
    skipped(test, "npm could not install the packages");
    None
}

/// Like [`installed`], for large packages: installed once, next to the build. Tests must not write there.
pub(crate) fn cached(test: &str, packages: &[&str]) -> Option<PathBuf> {
    if !wanted(test) {
        return None;
    }
    // The versions are part of the name, so that another version gets its own folder.
    let name = packages.join(" ").replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.', "-");
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("npm{name}"));
    fs::create_dir_all(&home).expect("a folder next to the build");
    let lock = File::create(home.join("lock")).expect("a file next to the build");
    lock.lock().expect("a lock");
    let whole = home.join("installed");
    if whole.exists() || (install(&home, packages) && File::create(&whole).is_ok()) {
        return Some(home);
    }
    skipped(test, "npm could not install the packages");
    None
}

fn wanted(test: &str) -> bool {
    let wanted = std::env::var("LMTHING_NPM_TESTS").unwrap_or_default();
    let runs = wanted != "0" && (!wanted.is_empty() || std::env::var_os("CI").is_none());
    if !runs {
        skipped(test, "LMTHING_NPM_TESTS=1 runs it, also where CI is set");
    }
    runs
}

fn install(folder: &Path, packages: &[&str]) -> bool {
    fs::write(folder.join("package.json"), "{}").expect("a file in the folder");
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"]).args(packages);
    npm.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    npm.status().is_ok_and(|status| status.success())
}
