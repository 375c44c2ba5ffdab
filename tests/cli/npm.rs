//! The npm packages: `node --test` runs the files of `npm/test` with the program under test. Skipped on other systems
//! than Linux on x86-64, and without the package managers that `npm ci` installs in `npm/test`.

use std::{env, process::Command};

use crate::support::{root, skipped};

fn passes(test: &str, file: &str, needs: &str) {
    let is_required = env::var_os("LMTHING_REQUIRE_NPM").is_some();
    let missing = (!root().join(needs).exists()).then(|| format!("no {needs}; run `npm ci` there (.ci/run does it)"));
    let other = (!cfg!(all(target_os = "linux", target_arch = "x86_64"))).then(|| "another system".to_owned());
    if let Some(why) = other.or(missing.filter(|_| !is_required)) {
        return skipped(test, &why);
    }
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=tap", file]).current_dir(root().join("npm/test"));
    node.env("LMTHING_TEST_BINARY", env!("CARGO_BIN_EXE_lmthing")).env_remove("NODE_OPTIONS");
    match node.output() {
        Err(error) if !is_required => skipped(test, &format!("node cannot be started: {error}")),
        output => {
            let output = output.expect("node starts");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        }
    }
}

#[test]
fn the_client_runs_prompt_files() {
    passes("the_client_runs_prompt_files", "client.test.mjs", "npm/package");
}

#[test]
fn the_launcher_passes_everything_on() {
    passes("the_launcher_passes_everything_on", "launcher.test.mjs", "runtime-js/node_modules");
}

#[test]
fn package_managers_install_the_packages() {
    passes("package_managers_install_the_packages", "managers.test.mjs", "npm/test/node_modules");
}

#[test]
fn prompt_files_are_clean_under_typescript() {
    passes("prompt_files_are_clean_under_typescript", "types.test.mjs", "runtime-js/node_modules");
}
