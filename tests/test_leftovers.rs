//! What tests leave behind ends with them: files that they opened, runs that they did not await (docs/testing.md).

mod run_support;
mod test_support;

use run_support::Folder;
use test_support::{Report, tests};

/// Opens `kept` in every way there is, and closes it in none.
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
