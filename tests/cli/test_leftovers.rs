//! Files that tests opened and runs that they did not await end with the tests (docs/reference/test.md).

use crate::{
    report::{Report, tests},
    support::Folder,
};

/// Opens the file `kept` in every way there is, and never closes it.
#[cfg(target_os = "linux")]
const OPENS: &str = "
import fs from 'node:fs';
const opened = [fs.openSync('kept', 'r'), await fs.promises.open('kept', 'r'), fs.createReadStream('kept')];
await new Promise((open) => opened[2].on('open', open));
";

#[cfg(target_os = "linux")]
#[test]
fn files_that_a_script_left_open_are_closed_with_its_engine() {
    let count = "
        import { readdirSync, readlinkSync } from 'node:fs';
        const isOpen = (number) => { try { return readlinkSync(`/proc/self/fd/${number}`).endsWith('/kept'); } catch { return false; } };
        const open = () => readdirSync('/proc/self/fd').filter(isOpen).length;";
    let opens = format!(
        "{OPENS}export const config = {{ model: 'mock' }};\nexport const mock = [];\nexport default ({{ $ }}) => {{ $`x`; }};\n"
    );
    let first = tests(&format!("{count}{OPENS}test('own', () => expect(open()).toBe(3));"));
    let second = tests(&format!(
        "{count}
         test('of the file before', () => expect(open()).toBe(0));
         test('of runs', async () => {{
           for (let index = 0; index < 3; index++) expect((await run('./p.lmt.mjs')).error).toBe(undefined);
           expect(open()).toBe(0);
         }});"
    ));
    let files = [("a.test.lmt.mjs", &*first), ("b.test.lmt.mjs", &second), ("p.lmt.mjs", &opens), ("kept", "x")];
    let report = Report::of(&Folder::new(&files), "--jobs 1 a.test.lmt.mjs b.test.lmt.mjs");
    let passed = ["own: passed", "of the file before: passed", "of runs: passed"];
    assert_eq!(report.statuses(), passed, "{report:?}");
}

/// Writes to the file `ticks` as long as it runs.
const TICKS: &str = "
import { appendFileSync } from 'node:fs';
export const config = { model: 'mock' };
export const mock = [];
export default async () => { for (;;) { appendFileSync('ticks', '.'); await new Promise((next) => setTimeout(next, 2)); } };
";

#[test]
fn a_run_that_a_hook_or_a_test_started_ends_with_them() {
    let source = tests(
        "import { existsSync, rmSync, statSync } from 'node:fs';
         const pause = (time) => new Promise((done) => setTimeout(done, time));
         const begun = async () => { run('ticks.lmt.mjs'); while (!existsSync('ticks')) await pause(2); };
         const grows = async () => { const { size } = statSync('ticks'); await pause(40); return statSync('ticks').size > size; };
         const isQuiet = async () => { expect(await grows()).toBe(false); rmSync('ticks'); };
         describe('before each', () => {
           beforeEach(begun);
           test('runs beside its test', async () => expect(await grows()).toBe(true));
           afterEach(async () => expect(await grows()).toBe(true));
         });
         test('and no longer', isQuiet);
         describe('after each', () => {
           afterEach(begun);
           test('begins behind its test', () => {});
         });
         test('and ends with it', isQuiet);
         describe('before all', () => {
           beforeAll(begun);
           test('one', async () => expect(await grows()).toBe(true));
           test('two', async () => expect(await grows()).toBe(true));
         });
         test('ends with the suite', isQuiet);
         describe('awaited in the test', () => {
           let answer;
           beforeEach(() => { answer = run('word.lmt.mjs'); });
           test('is there', async () => expect((await answer).text).toBe('x'));
         });",
    );
    let word = "export const config = { model: 'mock' };\nexport const mock = [{ type: 'text', text: 'x' }];\nexport default ({ $ }) => { $`x`; };\n";
    let files = [("a.test.lmt.mjs", &*source), ("ticks.lmt.mjs", TICKS), ("word.lmt.mjs", word)];
    let report = Report::of(&Folder::new(&files), "a.test.lmt.mjs");
    assert_eq!(report.code, 0, "{report:#?}");
    for over in ["the test", "describe before all"] {
        let words = format!("a run is given up: {over} ended before; await run(…)");
        assert!(report.stderr.contains(&words), "{words}: {report:?}");
    }
    assert_eq!(report.stderr.matches("given up").count(), 3, "{report:?}");
}
