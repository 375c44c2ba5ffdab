use super::*;

/// TypeScript and the result with every byte in its place.
const BLANKED: &[(&str, &str)] = &[
    ("let a: number = 1;", "let a         = 1;"),
    ("let a!: number;", "let a         ;"),
    ("f<string>(x as any)!;", "f        (x       ) ;"),
    ("const g = <T,>(x?: T): x is T => true;", "const g =     (x    )         => true;"),
    ("function f(this: Window, a: 'é') {}", "function f(              a      ) {}"),
    ("class A<T> extends B<T> implements C, D { }", "class A    extends B                    { }"),
    ("class A { private readonly x?: number = 1; }", "class A {                  x          = 1; }"),
    ("class A { foo(): void; foo(x?: any) {} }", "class A { ;            foo(x      ) {} }"),
    (
        "abstract class A { abstract x: number; [key: string]: any }",
        "         class A { ;                   ;                  }",
    ),
    ("interface A { a: 1 }\ntype B = A;", ";                   \n;          "),
    (
        "import type { A } from 'a'; import { type B, c } from 'b';",
        ";                           import {         c } from 'b';",
    ),
    ("export type { A }; export { type B, c };", ";                  export {         c };"),
    ("declare const a: 1; declare function f(): void;", ";                   ;                          "),
    ("namespace N { export type T = 1 }", ";                                "),
    // Without the semicolon the lines would be joined.
    ("const a = 1\ntype T = 2\n(0)", "const a = 1\n;         \n(0)"),
    ("const a = b as T\n(0)", "const a = b ;   \n(0)"),
    ("class A {\n  a = 1\n  readonly [b] = 2\n}", "class A {\n  a = 1\n  ;        [b] = 2\n}"),
    ("class A {\n  get: T\n  b() {}\n}", "class A {\n  get;  \n  b() {}\n}"),
    ("if (a) type T = 1;", "if (a) ;          "),
];

#[test]
fn types_are_blanked_in_place() {
    for (typescript, expected) in BLANKED {
        let javascript = to_javascript(typescript).unwrap();
        assert_eq!(javascript.code, *expected, "{typescript}");
        assert!(javascript.positions.is_none(), "{typescript}");
    }
}

/// TypeScript that needs generated code or whose meaning blanks would change, with a part of the result.
const COMPILED: &[(&str, &str)] = &[
    ("enum A { x, y = 'z' }", "A[A[\"x\"] = 0] = \"x\""),
    ("export const enum A { x }", "export var A;"),
    ("namespace N { export let a = 1; export const f = () => a++; }", "N.a++"),
    ("namespace N { export const a = 1; }\nimport A = N.a;", "var A = N.a"),
    ("class A { constructor(private x = 1) { f(); } }", "this.x = x;"),
    ("@d class A { @d m() {} }", "__esDecorate("),
    ("class A { accessor a = 1; }", "get a()"),
    ("const a = <T>{};", "const a = {};"),
    ("const a = -b as number ** c;", "(-b) ** c"),
    ("const f = (): {\n} => 1;", "() => 1"),
    ("const f = async <\nT>(x: T) => x;", "async (x) => x"),
];

#[test]
fn syntax_that_needs_code_is_compiled() {
    for (typescript, part) in COMPILED {
        let JavaScript { code, positions } = to_javascript(typescript).unwrap();
        assert!(code.contains(part), "{typescript}\n{code}");
        assert!(positions.is_some(), "{typescript}");
    }
}

#[test]
fn compiling_keeps_imports() {
    let text = "import { a, type B } from './a.ts';\nimport './b.ts';\nimport type { C } from 'c';\nenum E { x }";
    let code = to_javascript(text).unwrap().code;
    assert!(code.starts_with("import { a } from './a.ts';\nimport './b.ts';\nvar E;"), "{code}");
}

#[test]
fn positions_of_compiled_code_map_back_in_bytes() {
    let text = "enum E { x }\nconst s = 'é', t = fail(E.x as number);\n";
    let JavaScript { code, positions } = to_javascript(text).unwrap();
    let (index, line) = code.lines().enumerate().find(|(_, line)| line.contains("fail")).unwrap();
    let (line_number, column) = (index as u32 + 1, line.find("(E.x").unwrap() as u32 + 1);
    let expected = text.lines().nth(1).unwrap().find("(E.x").unwrap() as u32 + 1;
    assert_eq!(positions.unwrap().original(line_number, column), Some((2, expected)));
}

#[test]
fn the_first_syntax_error_is_returned() {
    for (text, offset, code) in [
        ("const a: = 1;", 9, 1110),
        ("const a = {\n", 12, 1005),
        ("enum A { x }\nconst b = ;", 23, 1109),
        ("export = 1;", 0, 0),
        ("\nimport a = require('a');", 1, 0),
    ] {
        let problem = to_javascript(text).unwrap_err();
        assert_eq!((problem.offset, problem.code), (offset, code), "{text}: {}", problem.message);
    }
}
