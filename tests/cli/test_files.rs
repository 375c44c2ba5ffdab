//! How test files run: order, hooks, skipped tests, limits, and the isolation of files and tests from each other
//! (docs/reference/test.md).

use crate::{
    report::{Report, tests},
    support::{Folder, Outcome},
};

#[test]
fn tests_run_in_the_order_in_which_they_are_written() {
    let report = Report::of_tests(
        "const order = [];
         describe('outer', () => {
           order.push('collected');
           test('first', () => order.push('first'));
           describe('inner', () => { it('second', async () => { await null; order.push('second'); }); });
         });
         test('last', () => expect(order).toEqual(['collected', 'first', 'second']));",
    );
    assert_eq!(report.statuses(), ["outer first: passed", "outer inner second: passed", "last: passed"]);
    assert_eq!(report.code, 0);
}

#[test]
fn hooks_surround_tests_from_the_outside_in() {
    let report = Report::of_tests(
        "const log = [];
         beforeAll(() => { log.push('BA'); return () => log.push('BA cleanup'); });
         beforeEach(() => { log.push('BE'); return () => log.push('BE cleanup'); });
         afterEach(() => log.push('AE 1'));
         afterEach(() => log.push('AE 2'));
         describe('suite', () => {
           beforeAll(() => log.push('ba'));
           beforeEach(() => log.push('be'));
           afterEach(() => log.push('ae'));
           afterAll(() => log.push('aa'));
           test('a', () => { onTestFinished(() => log.push('finished')); log.push('a'); });
         });
         test('log', () => expect(log.join()).toBe('BA,ba,BE,be,a,ae,AE 2,AE 1,BE cleanup,finished,aa,BE'));",
    );
    assert_eq!(report.failures("log"), [""; 0], "{report:?}");
    assert_eq!(report.code, 0);
}

#[test]
fn skipped_tests_are_reported() {
    let report = Report::of_tests(
        "test.skip('a', () => { throw 1; });
         test.todo('b');
         test('c');
         test.skipIf(true)('d', () => { throw 1; });
         test.runIf(true)('e', () => {});
         test.fails('f', () => { throw new Error('as it should'); });
         test('g', ({ skip }) => { skip('not today'); });
         describe.skip('h', () => { test('i', () => { throw 1; }); });",
    );
    let expected =
        ["a: skipped", "b: todo", "c: todo", "d: skipped", "e: passed", "f: passed", "g: skipped", "h i: skipped"];
    assert_eq!(report.statuses(), expected);
    assert_eq!(report.code, 0);
}

#[test]
fn only_leaves_the_others_of_its_file_out() {
    let only = "test.only('a', () => {}); test('b', () => { throw 1; });";
    let folder = Folder::new(&[("a.test.lmt.mjs", &*tests(only)), ("b.test.lmt.mjs", &tests("test('c', () => {});"))]);
    let report = Report::of(&folder, "");
    assert_eq!(report.statuses(), ["a: passed", "b: skipped", "c: passed"]);
    assert_eq!(report.code, 0);

    let mut command = folder.command("test --reporter json");
    let report = Report::from(Outcome::of(command.env("CI", "true")));
    assert!(report.file_message().contains("test.only"), "{report:?}");
    assert_eq!(report.code, 1);
}

#[test]
fn tables_make_a_test_of_each_row() {
    let report = Report::of_tests(
        "test.each([[1, 2, 3], [2, 3, 5]])('%i + %i = %i', (a, b, sum) => expect(a + b).toBe(sum));
         test.each([{ name: 'Ada', born: { year: 1815 } }])('$name $born.year', ({ name }) => expect(name).toBe('Ada'));
         test.each`a | b\n${1} | ${'x'}`('$a and $b', ({ a, b }) => expect([a, b]).toEqual([1, 'x']));
         test.for([['p', 'q']])('for %s', ([p, q], { expect }) => expect(p + q).toBe('pq'));
         describe.each(['r'])('each %s', (letter) => { test('is it', () => expect(letter).toBe('r')); });
         test.each([1])('100%% of %#', () => {});",
    );
    let expected = ["1 + 2 = 3", "2 + 3 = 5", "'Ada' 1815", "1 and 'x'", "for p", "each r is it", "100% of 0"];
    assert_eq!(report.statuses(), expected.map(|name| format!("{name}: passed")), "{report:?}");
}

#[test]
fn a_failure_is_reported_once_and_at_its_line() {
    let folder = Folder::new(&[
        (
            "a.test.lmt.mjs",
            "import { test, expect } from 'lmthing/test';\nimport { wrong } from './help.mjs';\ntest('a', () => {\n  expect(1).toBe(2);\n});\ntest('b', async () => {\n  await null;\n  wrong();\n});\n",
        ),
        ("help.mjs", "export const wrong = () => {\n  throw new TypeError('from help');\n};\n"),
    ]);
    let report = Report::of(&folder, "");
    let [a] = &*report.failures("a") else { panic!("{report:?}") };
    assert!(a.contains("expected 1 to be 2") && a.contains("a.test.lmt.mjs:4:"), "{a}");
    let [b] = &*report.failures("b") else { panic!("{report:?}") };
    assert!(b.contains("from help") && b.contains("help.mjs:2:") && b.contains("a.test.lmt.mjs:8:"), "{b}");
    assert_eq!(report.tests()[1]["location"]["line"], 6);
}

#[test]
fn a_limit_ends_whatever_a_test_does() {
    let report = Report::of_tests(
        "test('loops', () => { for (;;); }, 100);
         test('waits', () => new Promise(() => {}), { timeout: 100 });
         test('floods', async () => { for (;;) await null; }, 100);
         test('ticks', () => new Promise(() => { const again = () => process.nextTick(again); again(); }), 100);
         test('catches', () => { for (;;) { try { for (;;); } catch {} finally { continue; } } }, 100);
         test('goes on', () => {});",
    );
    for name in ["loops", "waits", "floods", "ticks", "catches"] {
        let [failure] = &*report.failures(name) else { panic!("{name}: {report:?}") };
        assert!(failure.contains("timed out after 100 ms"), "{name}: {failure}");
    }
    assert_eq!(report.statuses().last().unwrap(), "goes on: passed");
    assert_eq!(report.code, 1);
}

#[test]
fn hooks_and_loading_have_limits_too() {
    let hook = tests("beforeEach(() => new Promise(() => {}), 50); test('a', () => {});");
    let all = tests("beforeAll(() => { for (;;); }, 50); test('b', () => {}); test('c', () => {});");
    let load = tests("await new Promise(() => {}); test('d', () => {});");
    let folder = Folder::new(&[("a.test.lmt.mjs", &*hook), ("b.test.lmt.mjs", &all), ("c.test.lmt.mjs", &load)]);
    let report = Report::of(&folder, "--timeout 0.2");
    let [failure] = &*report.failures("a") else { panic!("{report:?}") };
    assert!(failure.contains("beforeEach timed out after 50 ms"), "{failure}");
    assert_eq!(report.statuses(), ["a: failed", "b: skipped", "c: skipped"], "{report:?}");
    let messages: Vec<_> = report.json["testResults"].as_array().unwrap().iter().map(|file| &file["message"]).collect();
    assert!(messages[1].as_str().unwrap().contains("beforeAll timed out"), "{messages:?}");
    assert!(messages[2].as_str().unwrap().contains("loading the file timed out"), "{messages:?}");
}

#[test]
fn to_end_the_process_fails_the_test_that_tries() {
    let report = Report::of_tests(
        "test('exits', () => { process.exit(0); });
         test('hides it', () => { try { process.exit(3); } catch {} });
         test('later', async () => { await null; process.exit(); });
         test('goes on', () => {});",
    );
    assert_eq!(report.statuses(), ["exits: failed", "hides it: failed", "later: failed", "goes on: passed"]);
    let [failure] = &*report.failures("hides it") else { panic!("{report:?}") };
    assert!(failure.contains("process.exit(3) was called"), "{failure}");
}

#[test]
fn uncaught_errors_fail_the_file() {
    let report = Report::of_tests(
        "test('rejects', () => { Promise.reject(new Error('lost')); });
         test('throws later', () => new Promise((resolve) => {
           setTimeout(() => { throw new Error('in a timer'); }, 1);
           setTimeout(resolve, 20);
         }));
         test('last', () => { Promise.reject(new Error('at the end')); });",
    );
    assert_eq!(report.statuses(), ["rejects: passed", "throws later: passed", "last: passed"]);
    let message = report.file_message();
    for lost in ["lost", "in a timer", "at the end"] {
        assert_eq!(message.matches(lost).count(), message.matches(lost).count().max(1), "{lost}: {message}");
        assert!(message.contains(lost), "{lost}: {message}");
    }
    assert_eq!(report.code, 1);
}

#[test]
fn files_do_not_reach_each_other() {
    let first = tests(
        "globalThis.leaked = 1; Array.prototype.leaked = 1; process.env.LEAKED = '1'; setInterval(() => { throw 1; }, 1);
         test('a', () => {});",
    );
    let second = tests(
        "test('b', async () => {
           await new Promise((resolve) => setTimeout(resolve, 20));
           expect([globalThis.leaked, [].leaked, process.env.LEAKED]).toEqual([undefined, undefined, undefined]);
         });
         test('c', () => expect(() => process.chdir('/')).toThrow('process.chdir'));",
    );
    let folder = Folder::new(&[("a.test.lmt.mjs", &*first), ("b.test.lmt.mjs", &second)]);
    let report = Report::of(&folder, "--jobs 1");
    assert_eq!(report.statuses(), ["a: passed", "b: passed", "c: passed"], "{report:?}");
}

#[test]
fn memory_without_end_fails_one_test() {
    let report = Report::of_tests(
        "test('grows', () => { const all = []; for (;;) all.push(new Uint8Array(16 << 20)); });
         test('goes on', () => {});",
    );
    assert_eq!(report.statuses(), ["grows: failed", "goes on: passed"], "{report:?}");
}

#[test]
fn other_machines_are_out_of_reach() {
    let report = Report::of_tests(
        "test('fetch', () => expect(fetch('http://example.org/')).rejects.toThrow('network'));
         test('loopback', () => expect(fetch('http://127.0.0.1:9/')).rejects.not.toThrow('network'));",
    );
    assert_eq!(report.statuses(), ["fetch: passed", "loopback: passed"], "{report:?}");
}

#[test]
fn repetitions_need_a_quorum() {
    let report = Report::of_tests(
        "let runs = 0, hooks = 0;
         beforeEach(() => { hooks++; });
         test('enough', { repeat: 5, need: 4 }, () => { if (++runs === 2) throw new Error('once'); });
         test('hooks', () => expect([runs, hooks]).toEqual([5, 6]));
         test('too few', { repeat: 3, need: 2 }, () => { throw new Error('always'); });
         let tries = 0;
         test('again', { retry: 2 }, () => { if (++tries < 3) throw new Error('not yet'); });",
    );
    assert_eq!(
        report.statuses(),
        ["enough: passed", "hooks: passed", "too few: failed", "again: passed"],
        "{report:?}"
    );
    assert_eq!(report.failures("too few").len(), 3);

    let wrong = Report::of_tests("test('x', { repeat: 2, need: 3 }, () => {});");
    assert!(wrong.file_message().contains("need is 3, and repeat only 2"), "{wrong:?}");
    assert_eq!(wrong.code, 1);

    let inherited = Report::of_tests(
        "describe('many', { repeat: 3 }, () => { test('needs two', { need: 2 }, ({ task }) => {}); });
         let count = 0;
         test('fails, then skips', { repeat: 2 }, ({ skip }) => { if (++count === 2) skip(); throw new Error('first'); });",
    );
    assert_eq!(inherited.statuses(), ["many needs two: passed", "fails, then skips: failed"], "{inherited:?}");
}

#[test]
fn bail_leaves_the_rest_out() {
    let source = tests("test('a', () => { throw 1; }); test('b', () => {});");
    let folder = Folder::new(&[("a.test.lmt.mjs", &*source), ("b.test.lmt.mjs", &tests("test('c', () => {});"))]);
    let report = Report::of(&folder, "--bail --jobs 1");
    assert_eq!(report.statuses(), ["a: failed", "b: skipped", "c: skipped"], "{report:?}");
    assert_eq!(report.code, 1);
}

#[test]
fn a_filter_goes_by_the_full_name() {
    let source = tests("describe('group', () => { test('one', () => {}); test('two', () => { throw 1; }); });");
    let folder = Folder::new(&[("a.test.lmt.mjs", &*source)]);
    let mut command = folder.command("test --reporter json --filter");
    let report = Report::from(Outcome::of(command.arg("group > one")));
    assert_eq!(report.statuses(), ["group one: passed", "group two: skipped"]);
    assert_eq!(report.code, 0);
    let none = folder.run("test --filter nothing-like-it");
    assert!(none.code == 1 && none.stderr.contains("no test has \"nothing-like-it\" in its name"), "{none:?}");

    folder.write("a.test.lmt.mjs", &tests("test.skip('one', () => {}); test.todo('one more'); test('two', () => {});"));
    let skipped = folder.run("test --filter one");
    let words = "no test with \"one\" in its name was run: 1 skipped, 1 still to be written";
    assert!(skipped.code == 1 && skipped.stderr.contains(words), "{skipped:?}");
}

#[test]
fn a_file_must_load_and_hold_tests() {
    let folder = Folder::new(&[
        ("a.test.lmt.mjs", "import { test } from 'lmthing/test';\n"),
        ("b.test.lmt.mjs", "import { test } from 'lmthing/test';\nthrow new Error('at load');\n"),
        ("c.test.lmt.mjs", "import { test } from 'lmthing/test';\ntest('x', () => {\n"),
        ("d.test.lmt.mjs", "import { tset } from 'lmthing/test';\n"),
        (
            "e.test.lmt.mjs",
            "import { describe, test } from 'lmthing/test';\ndescribe('x', () => { throw new Error('in describe'); });\ntest('y', () => {});\n",
        ),
    ]);
    let report = Report::of(&folder, "");
    let files = report.json["testResults"].as_array().unwrap();
    let wanted = ["no test was found", "at load", "c.test.lmt.mjs:", "tset", "in describe"];
    for (file, wanted) in files.iter().zip(wanted) {
        assert!(file["message"].as_str().unwrap().contains(wanted), "{wanted}: {file}");
        assert_eq!(file["status"], "failed");
    }
    assert_eq!(report.code, 1);
}

#[test]
fn tests_are_for_test_files() {
    let folder = Folder::of("import { test } from 'lmthing/test';\ntest('x', () => {});\nexport default () => {};\n");
    let outcome = folder.run("run p.lmt.mjs");
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("lmthing test"), "{}", outcome.stderr);
}

#[test]
fn typescript_test_files_run() {
    let source = "import { test, expect } from 'lmthing/test';\nenum Colour { Red = 'red' }\ntest('typed', (): void => { const colour: Colour = Colour.Red; expect(colour).toBe('red'); });\n";
    let report = Report::of(&Folder::new(&[("a.test.lmt.ts", source), ("b.test.lmt.mts", source)]), "");
    assert_eq!(report.statuses(), ["typed: passed", "typed: passed"], "{report:?}");
}

#[test]
fn secrets_are_redacted_in_reports() {
    let folder = Folder::new(&[(
        "a.test.lmt.mjs",
        &*tests(
            "test('a', () => { console.log(process.env.OPENAI_API_KEY); expect('x').toBe(process.env.OPENAI_API_KEY); });
             test.each([process.env.OPENAI_API_KEY])('each %s', () => {});",
        ),
    )]);
    let mut command = folder.command("test --reporter json");
    let outcome = Outcome::of(command.env("OPENAI_API_KEY", "sk-0123456789abcdef"));
    assert!(outcome.stdout.contains("each [redacted]"), "{outcome:?}");
    assert!(
        !outcome.stdout.contains("0123456789abcdef") && !outcome.stderr.contains("0123456789abcdef"),
        "{outcome:?}"
    );
    assert_eq!(outcome.code, 1);
}

#[test]
fn names_known_from_vitest_are_there() {
    let report = Report::of_tests(
        "import everything, { assert, assertType, chai, expectTypeOf, vitest } from 'lmthing/test';
         test('assert', () => { assert.deepEqual([1], [1]); expect(() => assert(false, 'no')).toThrow('no'); });
         test('chai', () => { chai.expect(1).to.equal(1); expect(vitest).toBe(vi); });
         test('types', () => { expectTypeOf(1).toEqualTypeOf(); assertType(1); });
         test('can be looked at', () => { console.log(vi, expect); expect(Object.keys(everything)).toContain('test'); ({ ...expect }); });
         test('soft comes first', () => { expect.soft(1).toBe(2); expect(3).toBe(4); });",
    );
    let statuses = ["assert", "chai", "types", "can be looked at"].map(|name| format!("{name}: passed"));
    assert_eq!(report.statuses()[..4], statuses, "{report:?}");
    let [soft, hard] = &*report.failures("soft comes first") else { panic!("{report:?}") };
    assert!(soft.contains("expected 1 to be 2") && hard.contains("expected 3 to be 4"), "{report:?}");
}

#[test]
fn tests_are_extended_with_what_they_ask_for() {
    let report = Report::of_tests(
        "const log = [];
         const own = test.extend({
           plain: 1,
           unasked: () => { throw new Error('nobody asks'); },
           made: async ({ plain }, use) => { log.push('made'); await use(plain + 1); log.push('cleared'); },
           always: [async ({}, use) => { log.push('always'); await use(); }, { auto: true }],
           broken: async ({}, use) => {},
         });
         own('asks', ({ made, plain }) => { log.push('test'); expect([made, plain]).toEqual([2, 1]); });
         test('order', () => expect(log).toEqual(['always', 'made', 'test', 'cleared']));
         const returning = own.extend('given', async ({ plain }, { onCleanup }) => { onCleanup(() => log.push('gone')); return plain; });
         returning('returns', ({ given, plain }) => expect([given, plain]).toEqual([1, 1]));
         test('gone', () => expect(log.at(-1)).toBe('gone'));
         own('not used', ({ broken }) => {});",
    );
    assert_eq!(
        report.statuses(),
        ["asks: passed", "order: passed", "returns: passed", "gone: passed", "not used: failed"],
        "{report:?}"
    );
    assert!(report.failures("not used")[0].contains("has not called use"), "{report:?}");
}

#[test]
fn other_tests_run_after_errors_and_unfinished_work() {
    let report = Report::of_tests(
        "test('chain', async () => { const f = () => Promise.resolve().then(f); await f(); }, 100);
         test('left behind', () => { Promise.resolve().then(() => { for (;;); }); });
         test('traps', () => { const loop = () => { for (;;); }; throw new Proxy({}, { get: loop, has: loop, getPrototypeOf: loop }); });
         test('diff', () => { const wrong = (a) => ({ a, toJSON() { for (;;); } }); expect(wrong(1)).toEqual(wrong(2)); });
         test('goes on', () => {});",
    );
    let expected = ["chain: failed", "left behind: passed", "traps: failed", "diff: failed", "goes on: passed"];
    assert_eq!(report.statuses(), expected, "{report:?}");
    assert!(report.file_message().contains("left behind was interrupted"), "{report:?}");
    assert!(report.failures("diff")[0].contains("to deeply equal"), "{report:?}");
}

#[test]
fn an_exit_is_reported_once_where_it_was_called() {
    let report = Report::of_tests(
        "test('first', () => { process.exit(1); });
         test('later', async () => {
           setTimeout(() => process.exit(3), 1);
           await new Promise((resolve) => setTimeout(resolve, 20));
         });",
    );
    let [failure] = &*report.failures("later") else { panic!("{report:?}") };
    assert!(failure.contains("process.exit(3)") && failure.contains("a.test.lmt.mjs:4:"), "{failure}");
    assert_eq!(report.file_message(), "");
}

#[test]
fn tampering_with_globals_makes_no_other_test_pass() {
    let push = "test('tampers', () => { Array.prototype.push = () => 0; Array.prototype.forEach = () => {}; });
                test('throws', () => { throw new Error('E1'); });
                test('expects', () => { expect(1).toBe(2); });";
    let report = Report::of_tests(push);
    assert_eq!(report.statuses(), ["tampers: passed", "throws: failed", "expects: failed"], "{report:?}");
    assert_eq!(report.code, 1);

    let iterator =
        "test('tampers', () => { Array.prototype[Symbol.iterator] = undefined; }); test('throws', () => { throw 1; });";
    assert_eq!(Report::of_tests(iterator).code, 1);
}

#[test]
fn a_lone_surrogate_is_shown_as_the_replacement_character() {
    let report = Report::of_tests("test('\\ud800 x', ({ skip }) => { skip('\\ud800'); }); test('next', () => {});");
    assert_eq!(report.statuses(), ["\u{fffd} x: skipped", "next: passed"], "{report:?}");
}

#[test]
fn a_difference_with_a_lone_surrogate_is_shown() {
    let report =
        Report::of_tests("test('x', () => { expect({ a: 'x\\ud83d', b: 1 }).toEqual({ a: 'x\\ud83d', b: 2 }); });");
    assert!(format!("{report:?}").contains("- Expected"), "{report:?}");
}
