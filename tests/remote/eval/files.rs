//! Rows and variants that name files (docs/reference/map.md#files).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::Lab;

const PROMPT: &str = "
import { z } from 'zod';
export const input = z.object({ pic: z.file(), more: z.array(z.file()).optional() });
export const config = { model: 'lab:m' };
export default ({ $ }, { pic, more = [] }) => { $`${pic.name}${pic}${more}`; };
";

/// The eval of a folder `d`, in which its files are.
fn lab(rows: &str, variants: &str) -> Lab {
    let lab = Lab::new("");
    lab.folder.write("d/p.lmt.mjs", PROMPT);
    let scores = "export const scores = { right: ({ text, row }) => text === row.want };";
    let eval = format!("export const file = './p.lmt.mjs';\nexport const rows = {rows};\n{scores}\n{variants}\n");
    lab.folder.write("d/e.eval.lmt.mjs", &eval);
    for name in ["a.png", "in/b.png", "v.png"] {
        lab.folder.write(&format!("d/{name}"), &picture(name));
    }
    lab
}

/// What counts as a picture by its first bytes.
fn picture(content: &str) -> String {
    format!("GIF89a\u{1}{content}")
}

fn eval(lab: &Lab, arguments: &str) -> crate::support::Outcome {
    crate::support::Outcome::of(&mut lab.command_of("d/e.eval.lmt.mjs", arguments))
}

/// The contents of the pictures that were asked for since the last call, sorted.
fn taken(lab: &Lab) -> Vec<Vec<String>> {
    let content = |part: &Value| {
        let data = part["image_url"]["url"].as_str()?.strip_prefix("data:image/gif;base64,")?;
        Some(String::from_utf8(STANDARD.decode(data).unwrap()).unwrap())
    };
    let asked = lab.take_asked().into_iter();
    let mut all: Vec<Vec<String>> = asked
        .map(|asked| asked.body["messages"][0]["content"].as_array().unwrap().iter().filter_map(content).collect())
        .collect();
    all.sort();
    all
}

#[test]
fn rows_and_variants_name_files() {
    let rows = "[{ pic: 'a.png', want: 'a.png' }, { pic: '@in/b.png', more: ['a.png'], want: 'b.png' },
        { pic: new File(['GIF89a\\x01own'], 'own.gif'), want: 'own.gif' }]";
    let variants = "export const variants = { plain: {}, other: { input: { pic: 'v.png' } },
        own: { input: { pic: new File(['GIF89a\\x01mine'], 'mine.gif') } } };";
    let lab = lab(rows, variants);
    let outcome = eval(&lab, "--variants plain,other,own -o out.jsonl");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let [a, b, v, own, mine] = ["a.png", "in/b.png", "v.png", "own", "mine"].map(picture);
    let with_a = |pic: &String| vec![pic.clone(), a.clone()];
    let mut expected = vec![vec![a.clone()], with_a(&b), vec![own]];
    expected.extend([vec![v.clone()], with_a(&v), vec![v], vec![mine.clone()], with_a(&mine), vec![mine]]);
    expected.sort();
    assert_eq!(taken(&lab), expected);
    let lines = lab.lines();
    assert_eq!(
        (&lines[0]["input"]["pic"], lines[0]["scores"]["right"]["pass"].as_bool()),
        (&"a.png".into(), Some(true))
    );
    // Nothing is asked again, also for files that the eval file makes when it is loaded.
    assert_eq!((eval(&lab, "-o out.jsonl").code, taken(&lab).len()), (0, 0));
    lab.folder.write("d/in/b.png", &picture("new"));
    assert_eq!(eval(&lab, "-o out.jsonl").code, 0);
    assert!(taken(&lab).contains(&with_a(&picture("new"))));
    lab.folder.write("d/v.png", &picture("newer"));
    assert_eq!(eval(&lab, "-o out.jsonl").code, 0);
    assert_eq!(taken(&lab).len(), 3, "all rows of the variant that names the file");
}

#[test]
fn paths_of_a_table_count_from_its_folder() {
    let lab = lab("'in/rows.csv'", "");
    lab.folder.write("d/in/rows.csv", "pic,want\nb.png,b.png\n../a.png,a.png\n");
    let outcome = eval(&lab, "-f json");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(taken(&lab), [[picture("a.png")], [picture("in/b.png")]]);
    lab.folder.write("d/in/rows.csv", "pic,want\nb.png,b.png\nnone.png,a.png\n");
    let outcome = eval(&lab, "");
    assert_eq!((outcome.code, taken(&lab).len()), (1, 0), "{outcome:?}");
    for part in
        ["row 2 of d/in/rows.csv (line 3): pic: cannot read the file none.png", "paths in rows count from", "/d/in\n"]
    {
        assert!(outcome.stderr.contains(part), "{part}: {outcome:?}");
    }
}
