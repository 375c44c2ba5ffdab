//! The command that makes `docs/benchmarks.md`, on the small data next to it.

use std::{collections::BTreeMap, path::Path, process::Command};

use crate::support::{root, skipped};

/// The tables that `run.py --sample` prints, by the name of their part: rows of cells.
fn tables(text: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let mut tables: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    let mut part = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            name.clone_into(&mut part);
        } else if let Some(cells) = line.strip_prefix("| ").and_then(|rest| rest.strip_suffix(" |")) {
            let cells = cells.split(" | ").map(str::to_owned).collect();
            tables.entry(part.clone()).or_default().push(cells);
        }
    }
    tables
}

fn number(cell: &str) -> u64 {
    cell.replace(' ', "").parse().unwrap_or_else(|_| panic!("a number: {cell}"))
}

/// The number of a column in the row that begins with these cells.
fn value(table: &[Vec<String>], row: &[&str], column: &str) -> u64 {
    let place = table[0].iter().position(|name| name == column).expect("a column");
    let found = table.iter().find(|cells| row.iter().zip(cells.iter()).all(|(wanted, cell)| wanted == cell));
    number(&found.unwrap_or_else(|| panic!("a row {row:?}"))[place])
}

#[test]
fn the_instruments_work_on_the_sample() {
    let script = root().join("benches/bfcl/run.py");
    let version = Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).status();
    if !version.is_ok_and(|status| status.success()) {
        return skipped("the_instruments_work_on_the_sample", "there is no Python 3.10");
    }
    let mut command = Command::new("python3");
    command.arg("-B").arg(&script).arg("--bin").arg(Path::new(env!("CARGO_BIN_EXE_lmthing")));
    let output = command.args(["--sample", "--only", "programs,tokens"]).output().expect("it runs");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}\n{text}");
    let tables = tables(&text);

    let programs = &tables["programs"];
    let of_all = |column| value(programs, &["all"], column);
    assert_eq!((of_all("tasks"), of_all("programs"), of_all("accepted")), (8, 10, 9), "{text}");
    assert_eq!((of_all("contradict their document, refused"), of_all("refused otherwise")), (1, 0), "{text}");

    let faults = &tables["faults"];
    assert_eq!(faults.len() - 2, 13, "each kind is planted somewhere: {faults:?}");
    for row in &faults[2..] {
        // No type of TypeScript excludes fractions: the schema does, before the function is called.
        let refused = if row[0] == "a fraction for an integer" { &row[3] } else { &row[2] };
        assert!(number(&row[1]) > 0 && number(&row[1]) == number(refused), "{row:?}");
    }

    let tokens = &tables["tokens"];
    let steps = |way| value(tokens, &["of the task", way], "steps");
    // Five turns with eight calls, and the text that ends each turn. Two calls wait for results of their turn.
    assert_eq!(steps("one call a step"), 8 + 5, "{text}");
    assert_eq!(steps("parallel calls"), 4 + 2 + 5, "{text}");
    assert_eq!(steps("code mode"), 4 + 5, "{text}");
    // Each of the four turns with calls has functions that are looked up first.
    assert!(steps("code mode, on demand") >= 4 + 4 + 5, "{text}");
    let input = |functions, way| value(tokens, &[functions, way], "input");
    for way in ["one call a step", "parallel calls", "code mode"] {
        let new = value(tokens, &["all", way], "new input");
        assert!(input("all", way) > input("of the task", way) && input("all", way) > new, "{way}: {text}");
    }
    assert!(errors.contains("these declare none: count_lamps"), "{errors}");
}
