//! Imports of TypeScript files: resolution by TypeScript's rules, and text files.

use crate::engine::Files;

#[test]
fn imports_resolve_as_typescript_has_them() {
    let files = Files::new(&[
        (
            "main.ts",
            "import { a } from './lib/a';\nimport { b } from './lib/b.js';\nimport { c } from './lib';\n\
             import { d } from './lib/d.mjs';\nimport { e } from '@own/e';\nimport { f } from 'src/f';\n\
             import { g } from './lib/g.js';\nconsole.log(a, b, c, d, e, f, g);",
        ),
        ("lib/a.ts", "export const a: number = 1;"),
        ("lib/a/index.ts", "export const a = 'the file comes first';"),
        ("lib/b.ts", "export const b: number = 2;"),
        ("lib/index.ts", "export const c: number = 3;"),
        ("lib/d.mts", "export const d: number = 4;"),
        ("src/own/e.ts", "export const e: number = 5;"),
        ("src/f.ts", "export const f: number = 6;"),
        ("lib/g.ts", "export const g = 'what is there counts';"),
        ("lib/g.js", "export const g = 7;"),
        ("tsconfig.json", "{ // as people write it\n\"extends\": \"./base.json\", \"include\": [\"src\"], }"),
        ("base.json", r#"{ "compilerOptions": { "baseUrl": ".", "paths": { "@own/*": ["src/own/*"] } } }"#),
    ]);
    assert_eq!(files.stdout("main.ts"), "1 2 3 4 5 6 7\n");
}

#[test]
fn javascript_follows_the_rules_of_node() {
    let files = Files::new(&[("main.mjs", "import './lib';"), ("lib.ts", "export {};")]);
    let error = files.error("main.mjs");
    assert!(error.contains("Cannot find module 'DIR/lib'") && error.contains("did you mean './lib.ts'?"), "{error}");
}

#[test]
fn a_type_imported_as_a_value_is_reported() {
    let library =
        "export interface Shape { a: string }\ntype Name = string;\nexport type { Name };\nexport const one = 1;";
    for name in ["Shape", "Name"] {
        let main = format!("import {{ {name}, one }} from './library';\nconsole.log(one);");
        let error = Files::new(&[("main.ts", &main), ("library.ts", library)]).error("main.ts");
        let hint = format!("hint: this is a type: use `import type {{ {name} }} from './library'`");
        assert!(error.contains(&hint) && error.contains("--> DIR/main.ts:1:10"), "{error}");
    }
    let slip = Files::new(&[("main.ts", "import { onne } from './library';"), ("library.ts", library)]);
    assert!(slip.error("main.ts").contains("did you mean 'one'?"));
    let file = Files::new(&[("main.ts", "import { one } from './librari';"), ("library.ts", library)]);
    assert!(file.error("main.ts").contains("did you mean './library.ts'?"));
}

#[test]
fn files_are_imported_as_texts() {
    let files = Files::new(&[
        (
            "main.mjs",
            "import notes from './notes.md' with { type: 'text' };\nimport code from './code.mjs' with { type: 'text' };\n\
             import { ran } from './code.mjs';\nconst plain = await import('./plain.txt', { with: { type: 'text' } });\n\
             console.log([notes, code, ran, plain.default]);",
        ),
        ("notes.md", "# Ü\n"),
        ("code.mjs", "export const ran = 1;"),
        ("plain.txt", "text"),
    ]);
    assert_eq!(files.stdout("main.mjs"), "[ '# Ü\\n', 'export const ran = 1;', 1, 'text' ]\n");
    let error = Files::new(&[("main.mjs", "import './notes.md';"), ("notes.md", "")]).error("main.mjs");
    assert!(error.contains("import text from './notes.md' with { type: 'text' }"), "{error}");
    let error =
        Files::new(&[("main.mjs", "import x from './x.mjs' with { type: 'css' };"), ("x.mjs", "")]).error("main.mjs");
    assert!(error.contains("Import attribute type 'css' is not supported; 'json' and 'text' are"), "{error}");
}
