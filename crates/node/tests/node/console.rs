//! `console` prints what Node prints: compared with Node's output, stored in `console.expected.txt`.

use std::path::Path;

#[test]
fn values_print_as_in_node() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node/console.mjs");
    let outcome = crate::engine::run_file(&script, &[]);
    assert_eq!(outcome.error, None);
    let expected = include_str!("console.expected.txt");
    for (number, (ours, nodes)) in outcome.stdout.lines().zip(expected.lines()).enumerate() {
        assert_eq!(ours, nodes, "line {} of console.expected.txt", number + 1);
    }
    assert_eq!(outcome.stdout.lines().count(), expected.lines().count());
}

#[test]
fn errors_print_with_stack_and_cause() {
    let source = "function f() { return new RangeError('why', { cause: new Error('inner') }); }\nconsole.log(f());";
    let text = crate::engine::stdout(source);
    let expected = "\
RangeError: why
    at f (DIR/main.mjs:1:27)
    at DIR/main.mjs:2:13 {
  [cause]: Error: inner
      at f (DIR/main.mjs:1:60)
      at DIR/main.mjs:2:13
}
";
    let without_columns = |text: &str| {
        let digits = |c: char| c.is_ascii_digit();
        text.split(':').map(|part| part.trim_start_matches(digits)).collect::<Vec<_>>().join(":")
    };
    assert_eq!(without_columns(&text), without_columns(expected));
}

#[test]
fn times_and_traces_and_warnings() {
    let outcome = crate::engine::run(
        "console.time('t'); console.timeLog('t', { a: 1 }); console.timeEnd('t'); console.timeEnd('t');
         console.assert(1 > 2, 'value %d', 3); console.assert(false); console.countReset('none'); console.trace('here', 1);",
    );
    let times: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(times.len(), 2, "{}", outcome.stdout);
    assert!(times[0].starts_with("t: ") && times[0].ends_with("ms { a: 1 }"), "{}", times[0]);
    let warnings: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(warnings[0], "(lmthing) Warning: No such label 't' for console.timeEnd()");
    assert_eq!(
        warnings[1..4],
        ["Assertion failed: value 3", "Assertion failed", "(lmthing) Warning: Count for 'none' does not exist"]
    );
    assert_eq!(warnings[4], "Trace: here 1");
    assert!(warnings[5].starts_with("    at ") && warnings[5].contains("main.mjs:2:"), "{}", warnings[5]);
}
