//! What a long run keeps.

use crate::support::Folder;

/// A run whose function makes a schema each time; prints how many of 20 are still there at the end.
fn kept_schemas(schema: &str, rest: &str) -> usize {
    let source = format!(
        "import {{ z }} from 'zod';
        export const config = {{ model: 'mock' }};
        const call = (id) => ({{ type: 'tool-call', toolCallId: `${{id}}`, toolName: 'count', args: {{ by: id }} }});
        export const mock = [...Array.from({{ length: 20 }}, (_, id) => call(id)), {{ type: 'text', text: '' }}];
        const schemas = [];
        const collect = async () => {{
          // After the end of the job, until which references keep their targets.
          await new Promise((resolve) => setImmediate(resolve));
          for (let i = 0; i < 300_000; i++) {{ const cycle = {{}}; cycle.self = cycle; }}
          console.log(schemas.filter((schema) => schema.deref()).length);
        }};
        export default ({{ defTool, $ }}) => {{
          const schema = {schema};
          schemas.push(new WeakRef(schema));
          defTool('count', 'Counts.', schema, ({{ by }}) => by === 19 ? collect() : by);
          $`go`;
        }};
        {rest}"
    );
    let outcome = Folder::of(&source).run("run p.lmt.mjs");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    outcome.stdout.trim().parse().unwrap()
}

#[test]
fn a_script_without_memory_says_so() {
    for grow in ["keep.push('x'.repeat(1000) + keep.length)", "keep.push({ a: keep.length })"] {
        let source = format!(
            "export const config = {{ model: 'mock' }};
            export const mock = [];
            const keep = [];
            export default () => {{ for (;;) {grow}; }};"
        );
        let outcome = Folder::of(&source).run("run p.lmt.mjs");
        assert_eq!(outcome.code, 1, "{outcome:?}");
        assert!(outcome.stderr.contains("out of memory"), "{outcome:?}");
    }
}

#[test]
fn schemas_of_earlier_runs_of_the_function_are_freed() {
    let same = "z.object({ by: z.number() })";
    let different = "z.object({ by: z.number().refine(() => true) })";
    let shown = "export const shown = (prompt) => prompt.fullSteps;";
    for (schema, rest) in [(same, ""), (different, ""), (same, shown)] {
        let kept = kept_schemas(schema, rest);
        assert!(kept <= 2, "{kept} of 20 schemas {schema} are kept with {rest:?}");
    }
    // They show what was sent.
    assert_eq!(kept_schemas(different, shown), 20);
}
