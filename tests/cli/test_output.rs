//! The output of tests, and redaction in it (docs/reference/test.md): characters and keys in several writes, keys
//! that only a test knows.

use crate::{
    report::{Report, tests},
    support::{Folder, Outcome},
};

/// Not set in any environment.
const KEY: &str = "sk-proj-abcdefghij0123456789";

/// A prompt file that prints `pieces`, a JavaScript list, one write each.
fn prompt(pieces: &str) -> String {
    format!(
        "export const config = {{ model: 'mock' }};\nexport const mock = [{{ type: 'text', text: 'x' }}];\nexport default ({{ $ }}) => {{ $`x`; for (const piece of {pieces}) process.stdout.write(piece); }};\n"
    )
}

#[test]
fn output_in_pieces_is_joined() {
    let (pieces, key) = (
        "[Buffer.from([0x6f, 0xc3]), Buffer.from([0xb6, 0x0a])]",
        "[process.env.MY_API_KEY.slice(0, 9), process.env.MY_API_KEY.slice(9), ' was it']",
    );
    let source = tests(&format!(
        "test('own', () => {{ for (const piece of [...{pieces}, ...{key}]) process.stdout.write(piece); }});
         test('of a run', async () => {{ expect((await run('p.lmt.mjs')).error).toBe(undefined); }});
         test('warns', async () => {{ process.stderr.write('begun'); await run('p.lmt.mjs', {{ mock: [{{ type: 'tool-call', toolName: 'none', args: {{}} }}] }}); }});"
    ));
    let folder =
        Folder::new(&[("a.test.lmt.mjs", &*source), ("p.lmt.mjs", &prompt(&format!("[...{pieces}, ...{key}]")))]);
    let mut command = folder.command("test --jobs 1");
    let Outcome { code, stdout, stderr } = Outcome::of(command.env("MY_API_KEY", KEY));
    assert_eq!(code, 0, "{stdout}\n{stderr}");
    // By a test, a run, both steps of another one, and a smoke test.
    assert_eq!(stderr.matches("oö\n[redacted] was it\n").count(), 5, "{stderr}");
    assert!(stderr.contains("begunoö\n"), "{stderr}");
    assert!(!stderr.contains("abcdefghij") && !stderr.contains('\u{fffd}'), "{stderr}");
}

#[test]
fn keys_that_only_a_test_knows_are_redacted_in_reports() {
    let source = "const key = 'abcdefghij0123456789'.padStart(28, 'sk-proj-');
         test('set', () => { process.env.MY_API_KEY = key; console.log('it is', key); expect(key).toBe('other'); });
         test('stubbed', () => { const other = key.replace('j0', '9Z'); vi.stubEnv('YOUR_TOKEN', other); expect(other).toBe(''); });
         test('of a run', async () => {
           const own = key.replace('j0', 'Q7');
           const { error } = await run('p.lmt.mjs', { env: { OUR_SECRET: own } });
           console.log(own);
           expect([error, own]).toBe(1);
         });
         test('set by a run', async () => { await run('sets.lmt.mjs'); expect(globalThis.process.title + key.replace('j0', 'X5')).toBe(1); });";
    let sets = "export const config = { model: 'mock' };\nexport const mock = [];\nexport default ({ $ }) => { $`x`; process.env.ITS_API_KEY = 'sk-proj-abcdefghiX5123456789'; };\n";
    let files = [("a.test.lmt.mjs", &*tests(source)), ("p.lmt.mjs", &prompt("[]")), ("sets.lmt.mjs", sets)];
    let report = Report::of(&Folder::new(&files), "a.test.lmt.mjs");
    let all = format!("{}{}", report.json, report.stderr);
    assert_eq!(
        report.statuses(),
        ["set: failed", "stubbed: failed", "of a run: failed", "set by a run: failed"],
        "{all}"
    );
    for key in ["abcdefghij0123", "abcdefghi9Z123", "abcdefghiQ7123", "abcdefghiX5123"] {
        assert!(!all.contains(key), "{key}: {all}");
    }
    assert!(report.stderr.contains("it is [redacted]"), "{all}");
}
