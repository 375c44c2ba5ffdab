//! Resolving and loading modules (docs/reference/modules.md): what can be imported, and the errors.

use crate::engine::Files;

#[test]
fn relative_imports_of_every_kind() {
    let files = Files::new(&[
        (
            "main.mjs",
            "import a from './lib/a.js'; import b from './lib/b.mjs'; import { c } from './lib/c.ts';
             import { d } from './lib/d.mts'; import json from './lib/data.json';
             import typed from './lib/data.json' with { type: 'json' };
             console.log(a, b, c, d, json.list[1], typed === json);",
        ),
        ("lib/a.js", "export default 'a';"),
        ("lib/b.mjs", "export { default } from '../lib/a.js';"),
        ("lib/c.ts", "import type { T } from './types.ts'; export const c: T = 'c' as T satisfies T;"),
        ("lib/d.mts", "export function d<T>(this: void, x?: T): T | undefined { return x!; }"),
        ("lib/data.json", "\u{feff}{ \"list\": [1, 2] }"),
    ]);
    assert_eq!(files.stdout("main.mjs"), "a a c [Function: d] 2 true\n");
}

#[test]
fn a_prompt_file_may_have_any_of_the_four_endings() {
    for ending in ["lmt.mjs", "lmt.js", "lmt.ts", "lmt.mts"] {
        let name = format!("prompt.{ending}");
        let files = Files::new(&[(&name, "console.log('loaded');")]);
        assert_eq!(files.stdout(&name), "loaded\n", "{ending}");
    }
}

#[test]
fn dynamic_import_and_top_level_await() {
    let files = Files::new(&[
        (
            "main.mjs",
            "const name = 'x'; const { value } = await import(`./${name}.mjs`); console.log(value);
             const again = await import('./x.mjs'); console.log(again.value === value, again[Symbol.toStringTag]);
             const error = await import('./missing.mjs').catch((error) => error); console.log(error.code, error instanceof Error);",
        ),
        ("x.mjs", "await null; export const value = { made: await Promise.resolve('late') };"),
    ]);
    assert_eq!(files.stdout("main.mjs"), "{ made: 'late' }\ntrue Module\nERR_MODULE_NOT_FOUND true\n");
}

#[test]
fn urls_queries_and_escapes() {
    let files = Files::new(&[
        (
            "main.mjs",
            "import first from './counter.mjs?a'; import second from './counter.mjs?b'; import third from './counter.mjs?a';
             console.log(first !== second, first === third);
             import spaced from './with%20space/m.mjs'; console.log(spaced);
             const byUrl = await import(import.meta.resolve('./with%20space/m.mjs')); console.log(byUrl.default === spaced);",
        ),
        ("counter.mjs", "export default {};"),
        ("with space/m.mjs", "export default ['spaced'];"),
    ]);
    assert_eq!(files.stdout("main.mjs"), "true true\n[ 'spaced' ]\ntrue\n");
}

#[test]
fn import_meta_as_in_node() {
    let files = Files::new(&[(
        "sub dir/main.mjs",
        "const { url, filename, dirname, resolve } = import.meta;
         console.log(url); console.log(filename); console.log(dirname); console.log(resolve('./x.mjs'), resolve('zod'));",
    ), ("sub dir/x.mjs", "")]);
    let expected = "file://DIR/sub%20dir/main.mjs\nDIR/sub dir/main.mjs\nDIR/sub dir\nfile://DIR/sub%20dir/x.mjs zod\n";
    assert_eq!(files.stdout("sub dir/main.mjs"), expected);
}

#[test]
fn a_circle_of_imports_works() {
    let files = Files::new(&[
        ("main.mjs", "import { b } from './b.mjs'; export const a = () => 'a'; console.log(b());"),
        ("b.mjs", "import { a } from './main.mjs'; export const b = () => a() + 'b';"),
    ]);
    assert_eq!(files.stdout("main.mjs"), "ab\n");
}

#[test]
fn builtin_modules_are_shared_and_internal_ones_hidden() {
    let files = Files::new(&[
        (
            "main.mjs",
            "import { z } from 'zod'; import { other } from './other.mjs'; console.log(z === other, z.string().parse('ok'));",
        ),
        ("other.mjs", "import { z } from 'zod/v4'; export const other = z;"),
        ("internal.mjs", "import 'lmthing:internal/timers';"),
    ]);
    assert_eq!(files.stdout("main.mjs"), "true ok\n");
    assert!(files.error("internal.mjs").starts_with("Error: Cannot import 'lmthing:internal/timers'"));
}

#[test]
fn tty_describes_standard_streams() {
    let files = Files::new(&[(
        "main.mjs",
        "import tty, { isatty } from 'node:tty'; console.log(tty.isatty(1), isatty(2), isatty(9));",
    )]);
    assert_eq!(files.stdout("main.mjs"), "false false false\n");
}

#[test]
fn packages_by_exports_main_imports_and_scope() {
    let files = Files::new(&[
        (
            "app/main.mjs",
            "import one from 'one'; import deep from 'one/deep'; import main from 'with-main'; import scoped from '@s/p'; import inner from 'inner';
             console.log(one, deep, main, scoped, inner);",
        ),
        ("app/node_modules/one/package.json", r#"{"name":"one","type":"module","exports":{".":{"import":"./i.js","default":"./d.js"},"./deep":"./src/deep.js"}}"#),
        ("app/node_modules/one/i.js", "export default 'one by import';"),
        ("app/node_modules/one/d.js", "export default 'one by default';"),
        ("app/node_modules/one/src/deep.js", "export default 'deep';"),
        ("node_modules/with-main/package.json", r#"{"name":"with-main","type":"module","main":"lib/index"}"#),
        ("node_modules/with-main/lib/index.js", "export default 'main';"),
        ("node_modules/@s/p/package.json", r#"{"name":"@s/p","exports":"./p.mjs"}"#),
        ("node_modules/@s/p/p.mjs", "export default 'scoped';"),
        ("node_modules/inner/package.json", r##"{"name":"inner","type":"module","exports":"./a.js","imports":{"#b":"./b.js"}}"##),
        ("node_modules/inner/a.js", "import b from '#b'; import self from 'inner'; export default b; export { self };"),
        ("node_modules/inner/b.js", "export default 'inner';"),
    ]);
    assert_eq!(files.stdout("app/main.mjs"), "one by import deep main scoped inner\n");
}

#[cfg(unix)]
#[test]
fn a_linked_package_is_one_module() {
    let files = Files::new(&[
        ("main.mjs", "import a from 'linked'; import b from './packages/linked/index.js'; console.log(a === b);"),
        ("packages/linked/package.json", r#"{"name":"linked","type":"module","exports":"./index.js"}"#),
        ("packages/linked/index.js", "export default {};"),
        ("node_modules/.keep", ""),
    ]);
    std::os::unix::fs::symlink(files.path("packages/linked"), files.path("node_modules/linked")).unwrap();
    assert_eq!(files.stdout("main.mjs"), "true\n");
}

/// `(source of main.mjs, start of the rendered error, hint)`
const FAILURES: &[(&str, &str, &str)] = &[
    ("import './lib';", "Error: Cannot find module 'DIR/lib'\n --> DIR/main.mjs:1:8\n", "did you mean './lib.mjs'?"),
    ("import './Lib.mjs';", "Error: Cannot find module 'DIR/Lib.mjs'", "did you mean './lib.mjs'?"),
    ("import './typed.js';", "Error: Cannot find module 'DIR/typed.js'", "did you mean './typed.ts'?"),
    ("import './libb.mjs';", "Error: Cannot find module 'DIR/libb.mjs'", "did you mean './lib.mjs'?"),
    ("import './dir';", "Error: Cannot import './dir': 'DIR/dir' is a directory", ""),
    (
        "import './notes.txt';",
        "Error: Cannot import './notes.txt': unknown file type",
        ".cjs, .ts, .mts, .cts or .json",
    ),
    ("import x from 'zood';", "Error: Cannot find package 'zood' imported from DIR/main.mjs", "did you mean 'zod'?"),
    ("import x from 'left-pad/x';", "Error: Cannot find package 'left-pad/x'", "npm install left-pad"),
    ("import x from '@a/b/c';", "Error: Cannot find package '@a/b/c'", "npm install @a/b"),
    ("import x from 'node:wasi';", "Error: lmthing does not offer the module 'node:wasi'\n --> DIR/main.mjs:1:15", ""),
    ("import x from 'wasi';", "Error: lmthing does not offer the module 'wasi'", ""),
    (
        "import x from 'https://example.com/x.mjs';",
        "Error: Cannot import 'https://example.com/x.mjs': modules come from files",
        "",
    ),
    ("import x from '';", "Error: TypeError: An import needs the name of a module", ""),
    (
        "const s = 'ü';\n  import { nope } from './lib.mjs';",
        "Error: SyntaxError: The requested module './lib.mjs' does not provide an export named 'nope'\n --> DIR/main.mjs:2:12\n",
        "",
    ),
    (
        "import { libb } from './lib.mjs';",
        "Error: SyntaxError: The requested module './lib.mjs' does not provide an export named 'libb'",
        "did you mean 'lib'?",
    ),
    (
        "import x from './lib.mjs';",
        "Error: SyntaxError: The requested module './lib.mjs' does not provide an export named 'default'",
        "it has no default export",
    ),
    (
        "import { zz } from 'zod';",
        "Error: SyntaxError: The requested module 'zod' does not provide an export named 'zz'",
        "",
    ),
    (
        "export { nope } from './lib.mjs';",
        "Error: SyntaxError: The requested module './lib.mjs' does not provide an export named 'nope'\n --> DIR/main.mjs:1:10\n",
        "",
    ),
    (
        "import x from './bad.json';",
        "Error: SyntaxError: 'DIR/bad.json' is not valid JSON: expected value\n --> DIR/bad.json:2:8\n",
        "",
    ),
    ("import x from './lib.mjs' with { type: 'json' };", "Error: TypeError: Module './lib.mjs' is not JSON", ""),
    ("import x from './bad.mjs';", "Error: SyntaxError: ", ""),
    ("import './enum.ts';", "Error: RangeError: below\n --> DIR/enum.ts:5:13\n", ""),
    (
        "import x from './enum.ts';",
        "Error: SyntaxError: The requested module './enum.ts' does not provide an export named 'default'\n --> DIR/main.mjs:1:8\n",
        "",
    ),
    ("import x from './twice.ts';", "Error: SyntaxError: ", ""),
    (
        "import './require.ts';",
        "Error: SyntaxError: `import … = require(…)` loads a CommonJS module; write `import … from '…'`\n --> DIR/require.ts:2:1\n",
        "",
    ),
    ("import x from './bad.ts';", "Error: SyntaxError: Type expected.\n --> DIR/bad.ts:1:10\n", ""),
    ("import './throws.mjs';", "Error: RangeError: at load\n --> DIR/throws.mjs:2:11\n", ""),
    ("const fs = require('fs');", "Error: ReferenceError: require is not defined\n --> DIR/main.mjs:1:", ""),
    (
        "import 'half';",
        "Error: Cannot import 'half/x': the package 'half' does not export './x'\n --> DIR/node_modules/half/i.js:1:8",
        "",
    ),
];

#[test]
fn failures_point_at_the_import_and_say_what_to_do() {
    for (source, start, hint) in FAILURES {
        let files = Files::new(&[
            ("main.mjs", source),
            ("lib.mjs", "export const lib = 1;"),
            ("typed.ts", "export const typed = 1;"),
            ("dir/x.mjs", ""),
            ("notes.txt", ""),
            ("bad.json", "{\n  \"a\": ,\n}"),
            ("bad.mjs", "const x = ;"),
            (
                "enum.ts",
                "type A = 1;\nexport enum B { x }\nclass C {\n  constructor(private a: B) {\n  throw new RangeError('below');\n  }\n}\nnew C(B.x);",
            ),
            ("twice.ts", "enum A { x }\nconst b = A.x as number;\nlet c; let c;"),
            ("require.ts", "enum A { x }\nimport fs = require('fs');"),
            ("bad.ts", "const x: = 1;"),
            ("throws.mjs", "const a = 1;\nthrow new RangeError('at load');"),
            ("node_modules/half/package.json", r#"{"name":"half","type":"module","exports":"./i.js"}"#),
            ("node_modules/half/i.js", "import 'half/x';"),
        ]);
        let error = files.error("main.mjs");
        assert!(error.starts_with(start), "{source}\n{error}");
        let shown_hint = error.split("hint: ").nth(1).unwrap_or_default();
        assert!(shown_hint.contains(hint), "{source}\n{error}");
    }
}

#[test]
fn a_type_imported_as_a_value_gets_advice() {
    let files = Files::new(&[
        ("main.ts", "import { Shape } from './shape.ts'; const s: Shape = { a: 1 }; console.log(s);"),
        ("shape.ts", "export interface Shape { a: number }"),
    ]);
    let hint = "hint: this is a type: use `import type { Shape } from './shape.ts'`";
    assert!(files.error("main.ts").contains(hint));
}

#[test]
fn the_entry_itself_may_be_missing_or_wrong() {
    let files = Files::new(&[("empty.mjs", ""), ("prompt.txt", ""), ("binary.mjs", "a\0b")]);
    assert!(files.error("nowhere.mjs").starts_with("Error: Cannot open 'DIR/nowhere.mjs': no such file"));
    assert!(files.error("prompt.txt").contains("unknown file type"));
    assert!(files.error("binary.mjs").contains("NUL byte"));
    assert_eq!(files.stdout("empty.mjs"), "");
}
