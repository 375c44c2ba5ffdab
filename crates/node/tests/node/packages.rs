//! ES module packages from npm, installed once below the target directory.
//!
//! Needs npm and its registry the first time; if npm cannot install, the test is skipped, unless `LMTHING_REQUIRE_NPM`
//! is set.

use std::path::PathBuf;
use std::process::Command;

use crate::skipped::skipped;

const PACKAGE_JSON: &str = r#"{
  "private": true,
  "type": "module",
  "dependencies": {
    "camelcase": "8.0.0",
    "date-fns": "4.1.0",
    "escape-string-regexp": "5.0.0",
    "marked": "15.0.12",
    "p-limit": "6.2.0",
    "yocto-queue": "1.2.1"
  }
}"#;

/// The directory with the installed packages, or the reason why there is none.
fn installed() -> Result<PathBuf, String> {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let stamp = directory.join("node_modules/.installed.json");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == PACKAGE_JSON) {
        return Ok(directory);
    }
    std::fs::create_dir_all(&directory).expect("a file in the target directory");
    std::fs::write(directory.join("package.json"), PACKAGE_JSON).expect("a file in the target directory");
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let arguments = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
    let output = Command::new(npm).args(arguments).current_dir(&directory).output();
    let output = output.map_err(|error| format!("{npm} cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("npm cannot install the packages: {}", String::from_utf8_lossy(&output.stderr)));
    }
    std::fs::write(stamp, PACKAGE_JSON).expect("a file in the target directory");
    Ok(directory)
}

#[test]
fn real_packages_work() {
    let directory = match installed() {
        Ok(directory) => directory,
        Err(why) if std::env::var_os("LMTHING_REQUIRE_NPM").is_some() => panic!("{why}"),
        Err(why) => return skipped("real_packages_work", why.lines().next().unwrap_or_default()),
    };
    let entry = directory.join("main.mjs");
    std::fs::write(&entry, include_str!("packages.mjs")).expect("a file in the target directory");
    let outcome = crate::engine::run_file(&entry, &[]);
    assert_eq!(outcome.error, None);
    let expected = "[ 1, 2, 3 ]
a 1 [ 'b' ]
2024-03-01 true
<h1>Title</h1>
<ul>
<li><em>one</em></li>
<li><code>two</code></li>
</ul>
a\\.b\\*c fooBarBaz
";
    assert_eq!(outcome.stdout, expected);
}
