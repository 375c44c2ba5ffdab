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
}
