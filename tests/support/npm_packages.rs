//! Packages from npm, for tests of what others have made. Without npm or a network, in CI, or where a machine says so with
//! `LMTHING_NPM_TESTS=0`, such a test is skipped with a word; `LMTHING_NPM_TESTS=1` runs it in CI too.

use std::process::{Command, Stdio};

use crate::{run_support::Folder, skipped::skipped};

/// A folder with the packages installed, unless that cannot be.
pub fn installed(test: &str, packages: &[&str]) -> Option<Folder> {
    let wanted = std::env::var("LMTHING_NPM_TESTS").unwrap_or_default();
    if wanted == "0" || (wanted.is_empty() && std::env::var_os("CI").is_some()) {
        skipped(test, "LMTHING_NPM_TESTS=1 runs it, also where CI is set");
        return None;
    }
    let folder = Folder::new(&[("package.json", "{}")]);
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"]).args(packages);
    npm.current_dir(folder.path("")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if npm.status().is_ok_and(|status| status.success()) {
        return Some(folder);
    }
    skipped(test, "npm could not install the packages");
    None
}
