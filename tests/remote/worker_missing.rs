//! `lmthing worker` in a build without the feature.

use crate::support::{Folder, HELLO};

#[test]
fn it_says_where_there_is_one() {
    let folder = Folder::of(HELLO);
    let ended = folder.run("worker p.lmt.mjs");
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    for words in ["this build of lmthing has no worker", "the release archives", "--features worker"] {
        assert!(ended.stderr.contains(words), "{ended:?}");
    }
    assert!(folder.run("worker --help").stdout.contains("--register"));
}
