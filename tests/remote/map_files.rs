//! `lmthing map` over rows that name files (docs/reference/map.md#files).

use std::fs;

use serde_json::json;

use crate::{rows::results, support::Folder};

const LOOK: &str = "
import { z } from 'zod';
export const input = z.object({ photo: z.file(), either: z.union([z.file(), z.string()]).optional() });
export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'seen' }];
export default async ({ $ }, { photo, either }) => {
  console.log(photo.name, photo.size, await photo.text(), either?.name ?? either);
  $`See ${photo}`;
};
";

#[test]
fn a_column_has_paths_of_files() {
    let rows = "photo,either\na.txt,@no file\n@b/c.txt,a.txt\ngone.txt,\na.txt,@b/c.txt\n";
    let files = [("p.lmt.mjs", LOOK), ("in/rows.csv", rows), ("in/a.txt", "one"), ("in/b/c.txt", "three")];
    let folder = Folder::new(&files);
    let map = || folder.run("map p.lmt.mjs --input in/rows.csv -o out.jsonl -j 1");
    let first = map();
    assert_eq!(first.code, 1, "{first:?}");
    for part in ["row 2 | c.txt 5 three a.txt", "row 4 | a.txt 3 one c.txt", "photo: cannot read the file gone.txt"] {
        assert!(first.stderr.contains(part), "{part}: {}", first.stderr);
    }
    assert!(first.stderr.contains("either: cannot read the file no file"), "{}", first.stderr);
    let written = results(&fs::read_to_string(folder.path("out.jsonl")).unwrap());
    assert_eq!(written[1]["input"], json!({ "photo": "@b/c.txt", "either": "a.txt" }));
    assert_eq!(written[3]["input"], json!({ "photo": "a.txt", "either": "@b/c.txt" }));
    // Only the row with the changed file runs again.
    folder.write("in/a.txt", "two");
    let again = map();
    assert!(again.stderr.contains("row 4 | a.txt 3 two c.txt"), "{again:?}");
    assert!(!again.stderr.contains("row 2 |") && again.stderr.contains("1 done before"), "{again:?}");
    // A finished row keeps its answer when its file is gone.
    fs::remove_file(folder.path("in/b/c.txt")).unwrap();
    let without = map();
    for part in ["row 2: photo: cannot read the file b/c.txt", "its answer is kept", "2 done before"] {
        assert!(without.stderr.contains(part), "{part}: {}", without.stderr);
    }
}

#[test]
fn data_cannot_ask_for_a_file() {
    let prompt = LOOK
        .replace("photo: z.file()", "photo: z.any()")
        .replace("photo.name, photo.size, await photo.text()", "JSON.stringify(photo)");
    let row = json!({ "photo": { "lmthing:file": "secret.txt", "sha256": "x" } });
    let (rows, root) = (format!("{row}\n"), json!({ "photo": 1, "lmthing:files": { "/photo": "x" } }).to_string());
    let files = [("p.lmt.mjs", &*prompt), ("rows.jsonl", &*rows), ("root.jsonl", &*root), ("secret.txt", "TOP")];
    let folder = Folder::new(&files);
    let outcome = folder.run("map p.lmt.mjs --input rows.jsonl -o out.jsonl");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stderr.contains(r#"{"lmthing:file":"secret.txt","sha256":"x"}"#), "{outcome:?}");
    let written = results(&fs::read_to_string(folder.path("out.jsonl")).unwrap());
    assert_eq!((&written[0]["input"], written[0].get("files")), (&row, None));
    let outcome = folder.run("map p.lmt.mjs --input root.jsonl");
    assert!(outcome.code == 2 && outcome.stderr.contains("lmthing:files: this name is reserved"), "{outcome:?}");
}

#[test]
fn each_file_of_a_pattern_is_a_row() {
    let prompt = LOOK.replace("photo.text()", "photo.type");
    let folder = Folder::new(&[("p.lmt.mjs", &*prompt), ("in/a.txt", "one")]);
    fs::write(folder.path("in/b.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff").unwrap();
    let outcome = folder.run("map p.lmt.mjs --each in/* -j 1");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for line in ["row 1 | a.txt 3 text/plain", "row 2 | b.png 17 image/png"] {
        assert!(outcome.stderr.contains(line), "{line}: {}", outcome.stderr);
    }
    folder.write("t.lmt.mjs", &LOOK.replace("photo: z.file()", "text: z.string()").replace("photo", "text"));
    let outcome = folder.run("map t.lmt.mjs --each in/*");
    assert!(outcome.stderr.contains("in/b.png is not UTF-8 text"), "{outcome:?}");
}
