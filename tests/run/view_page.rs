//! The page of `lmthing view` in headless Chromium, driven by `tests/run/view/check.mjs`. Skipped if there is no
//! Chromium.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::support::{Folder, skipped};

/// Names of Chromium on the PATH.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Arguments of `generate.mjs`, one run each.
const RUNS: [&[&str]; 7] =
    [&["full"], &["hostile"], &["started"], &["waiting"], &["wide"], &["steps", "999"], &["many", "10000"]];

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
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run/view").join(script)).stdin(Stdio::null());
    command
}

#[test]
fn the_page_works_in_chromium() {
    const TEST: &str = "the_page_works_in_chromium";
    let Some(chromium) = chromium() else {
        return skipped(
            TEST,
            "there is no Chromium on the PATH (apt-get install chromium), and LMTHING_CHROMIUM names none",
        );
    };
    let folder = Folder::new(&[]);
    for run in RUNS {
        let generated = node("generate.mjs").args(run).output().unwrap();
        assert!(generated.status.success(), "{generated:?}");
        let name = run[0];
        folder.write(&format!("{name}.jsonl"), &String::from_utf8(generated.stdout).unwrap());
        let outcome = folder.run(&format!("view {name}.jsonl -o {name}.html"));
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
    let mut check = node("check.mjs");
    check.arg(chromium).arg(folder.path(""));
    if let Some(pictures) = env::var_os("LMTHING_VIEW_PICTURES") {
        check.arg(pictures);
    }
    let checked = check.output().unwrap();
    let reported = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{reported}{}", String::from_utf8_lossy(&checked.stderr));
    println!("{reported}");
}
