//! `lmthing worker` in a build without the feature.

use crate::support::{Folder, HELLO};

#[test]
fn the_error_names_builds_with_a_worker() {
    let folder = Folder::of(HELLO);
    let outcome = folder.run("worker p.lmt.mjs");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    for words in ["this build of lmthing has no worker", "the release archives", "--features worker"] {
        assert!(outcome.stderr.contains(words), "{outcome:?}");
    }
    assert!(folder.run("worker --help").stdout.contains("--register"));
}
