//! Served files that change are reloaded within three seconds.

use std::{
    fs,
    os::unix::fs::symlink,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    client::Client,
    served::{running, saying, tool, wait_for_text, wait_for_tools},
    support::{Folder, replace},
};

#[test]
fn files_come_and_go() {
    let folder = Folder::new(&[("p/one.lmt.mjs", &saying("one"))]);
    let mut client = Client::connect(&folder, "mcp p");
    folder.write("p/deep/down/two.lmt.mjs", &saying("two"));
    wait_for_tools(&mut client, &["one", "two"]);
    folder.write("p/deep/one.lmt.mjs", &saying("another"));
    wait_for_tools(&mut client, &["deep_one", "p_one", "two"]);
    assert_eq!(client.text("deep_one", json!({})), "another");
    fs::remove_dir_all(folder.path("p/deep")).unwrap();
    wait_for_tools(&mut client, &["one"]);
    fs::remove_dir_all(folder.path("p")).unwrap();
    wait_for_tools(&mut client, &[]);
    folder.write("p/three.lmt.mjs", &saying("three"));
    wait_for_tools(&mut client, &["three"]);
    fs::rename(folder.path("p/three.lmt.mjs"), folder.path("p/four.lmt.mjs")).unwrap();
    wait_for_tools(&mut client, &["four"]);
}

#[test]
fn changes_of_imports_reload_a_file() {
    let lines = "import { word } from './lib/word.mjs';\nexport const description = word;";
    let folder = Folder::new(&[
        ("a.lmt.mjs", &running(lines, "")),
        ("b.lmt.mjs", &saying("b")),
        ("lib/word.mjs", "export const word = 'first';"),
    ]);
    let mut client = Client::connect(&folder, "mcp a.lmt.mjs b.lmt.mjs");
    assert_eq!(tool(&mut client, "a")["description"], "first");
    replace(&folder, "lib/word.mjs", "export { word } from './more.mjs';");
    client.wait_for_stderr("a.lmt.mjs is not served: ");
    wait_for_tools(&mut client, &["b"]);
    folder.write("lib/more.mjs", "export const word = 'second';");
    client.wait_for_stderr("a.lmt.mjs is served again");
    wait_for_tools(&mut client, &["a", "b"]);
    assert_eq!(tool(&mut client, "a")["description"], "second");
    fs::remove_file(folder.path("lib/more.mjs")).unwrap();
    wait_for_tools(&mut client, &["b"]);
}

#[test]
fn a_file_that_breaks_is_named_once_for_each_reason() {
    let folder = Folder::new(&[("a.lmt.mjs", &saying("first")), ("b.lmt.mjs", &saying("b"))]);
    let mut client = Client::connect(&folder, "mcp .");
    for (number, reason) in ["one", "one", "two"].into_iter().enumerate() {
        folder.write("a.lmt.mjs", &running(&format!("throw new Error('reason {reason}'); // {number}"), ""));
        client.wait_for_stderr(&format!("a.lmt.mjs is not served: reason {reason}"));
        wait_for_tools(&mut client, &["b"]);
    }
    replace(&folder, "a.lmt.mjs", &saying("mended"));
    wait_for_tools(&mut client, &["a", "b"]);
    wait_for_text(&mut client, "a", "mended");
    let printed = client.close().stderr;
    assert_eq!(printed.matches("is not served").count(), 2, "{printed}");
    assert_eq!(printed.matches("a.lmt.mjs is served again").count(), 1, "{printed}");
}

#[test]
fn named_files_and_links_are_followed() {
    let folder = Folder::new(&[("store1/l.lmt.mjs", &saying("1")), ("store2/l.lmt.mjs", &saying("2"))]);
    folder.write("named.lmt.mjs", &saying("named"));
    symlink(folder.path("store1"), folder.path("link")).unwrap();
    let mut client = Client::connect(&folder, "mcp link named.lmt.mjs");
    assert_eq!(client.text("l", json!({})), "1");
    fs::remove_file(folder.path("named.lmt.mjs")).unwrap();
    wait_for_tools(&mut client, &["l"]);
    folder.write("named.lmt.mjs", &running("export const description = 'back';", ""));
    wait_for_tools(&mut client, &["l", "named"]);
    fs::remove_file(folder.path("link")).unwrap();
    symlink(folder.path("store2"), folder.path("link")).unwrap();
    wait_for_text(&mut client, "l", "2");
    folder.write("store2/m.lmt.mjs", &saying("m"));
    wait_for_tools(&mut client, &["l", "m", "named"]);
}

#[test]
fn files_that_load_without_end_do_not_keep_the_others_waiting() {
    let endless: Vec<String> = (0..5).map(|index| format!("endless{index}.lmt.mjs")).collect();
    let folder = Folder::new(&[("good.lmt.mjs", &saying("before"))]);
    endless.iter().for_each(|name| folder.write(name, "for (;;);"));
    let mut client = Client::connect(&folder, "mcp .");
    wait_for_tools(&mut client, &["good"]);
    let start = Instant::now();
    folder.write("good.lmt.mjs", &running("export const description = 'after';", ""));
    while tool(&mut client, "good")["description"] != "after" {
        assert!(start.elapsed() < Duration::from_secs(9), "it waits for the others");
    }
}
