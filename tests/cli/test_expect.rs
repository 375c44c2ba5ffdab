//! `expect` and mock functions of tests: Vitest's matchers, messages and diffs, at the author's line
//! (docs/reference/test.md).

use crate::{
    report::{Report, tests},
    support::{Folder, Outcome},
};

/// The failures of a test file's only test, without the path of its folder.
#[track_caller]
fn failures(body: &str) -> Vec<String> {
    let folder = Folder::new(&[("a.test.lmt.mjs", &tests(&format!("test('it', async () => {{\n{body}\n}});")))]);
    let report = Report::of(&folder, "");
    assert_eq!(report.file_message(), "", "{report:?}");
    let path = folder.path("a.test.lmt.mjs").display().to_string();
    report.failures("it").iter().map(|text| text.replace(&path, "FILE").trim_end().to_owned()).collect()
}

/// The only failure.
#[track_caller]
fn failure(body: &str) -> String {
    let mut failures = failures(body);
    assert_eq!(failures.len(), 1, "{failures:#?}");
    failures.remove(0)
}

#[track_caller]
fn passes(body: &str) {
    assert_eq!(failures(body), [""; 0]);
}

#[test]
fn a_difference_that_takes_too_long_is_reported_as_large() {
    let report = Report::of_tests(
        "const many = (from) => Array.from({ length: 300_000 }, (_, index) => ({ index: index * 2 + from }));
         test('large', () => expect(many(0)).toEqual(many(1)));
         test('small', () => expect([0]).toEqual([1]));",
    );
    let [failure] = &*report.failures("large") else { panic!("{report:?}") };
    assert!(failure.contains("to deeply equal") && failure.contains("Compare less at once"), "{failure}");
    assert!(report.failures("small")[0].contains("+   1,") || report.failures("small")[0].contains("+ "), "{report:?}");
}

#[test]
fn matchers_hold_what_they_say() {
    passes(
        "expect(1).toBe(1);
         expect({ a: [1, { b: 2 }], c: undefined }).toEqual({ a: [1, { b: 2 }] });
         expect({ a: 1 }).not.toStrictEqual({ a: 1, b: undefined });
         expect({ a: 1, b: { c: 2, d: 3 } }).toMatchObject({ b: { c: 2 } });
         expect([1, 2]).toContain(2);
         expect([{ a: 1 }]).toContainEqual({ a: 1 });
         expect('abc').toMatch(/b/);
         expect('abc').toHaveLength(3);
         expect({ a: { b: [1] } }).toHaveProperty('a.b[0]', 1);
         expect(0.1 + 0.2).toBeCloseTo(0.3);
         expect(new TypeError('x')).toBeInstanceOf(Error);
         expect(() => { throw new TypeError('bad thing'); }).toThrow(/thing/);
         expect(() => {}).not.toThrow();
         expect(3).toSatisfy((n) => n > 2);
         expect(3).toBeOneOf([1, 3]);
         expect({ a: 1, b: 'x', c: [1, 2], d: 1.001 }).toEqual({
           a: expect.any(Number), b: expect.stringMatching(/x/), c: expect.arrayContaining([2]), d: expect.closeTo(1, 2),
         });
         expect({ a: 1 }).toEqual(expect.not.objectContaining({ b: 1 }));
         const schema = { '~standard': { version: 1, vendor: 'x', validate: (value) => (value === 1 ? { value } : { issues: [{ message: 'no' }] }) } };
         expect({ a: 1 }).toEqual({ a: expect.schemaMatching(schema) });
         expect({ a: 2 }).not.toEqual({ a: expect.schemaMatching(schema) });",
    );
}

#[test]
fn a_failure_shows_the_difference_at_the_line() {
    let text = failure("const run = { a: 1, b: [1, 2] };\n  expect(run).toEqual({ a: 2, b: [1, 3] });");
    let expected = "AssertionError: expected { a: 1, b: [ 1, 2 ] } to deeply equal { a: 2, b: [ 1, 3 ] }

- Expected
+ Received

  {
-   \"a\": 2,
+   \"a\": 1,
    \"b\": [
      1,
-     3,
+     2,
    ],
  }

    at FILE:4:15";
    assert_eq!(text, expected);
}

#[test]
fn there_are_no_colours_in_any_environment() {
    let source = tests(
        "test('it', () => { expect({ a: 'one' }).toEqual({ a: 'two' }); });
        test('mock', () => { const f = fn(); f(1); expect(f).toHaveBeenCalledWith(2); });",
    );
    let folder = Folder::new(&[("a.test.lmt.mjs", &source)]);
    let mut command = folder.command("test --reporter json");
    command.env_remove("NO_COLOR").env_remove("CI").envs([("FORCE_COLOR", "1"), ("TERM", "xterm-256color")]);
    let report = Report::from(Outcome::from(command.output().expect("the binary runs")));
    let text = format!("{}{}", report.failures("it").concat(), report.failures("mock").concat());
    assert!(text.contains("+   \"a\": \"one\"") && text.contains("1st vi.fn() call"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn assertions_of_node_show_their_differences_too() {
    let text = failure("const assert = await import('node:assert');\n assert.deepStrictEqual({ a: 1 }, { a: 2 });");
    assert!(text.contains("- Expected\n+ Received") && text.contains("-   \"a\": 2,\n+   \"a\": 1,"), "{text}");
    assert!(text.ends_with("at FILE:4:9"), "{text}");
}

#[test]
fn promises_fail_at_the_line_that_expects() {
    let text = failure("await expect(Promise.resolve(1)).resolves.toBe(2);");
    assert!(text.starts_with("AssertionError: expected 1 to be 2") && text.ends_with("at FILE:3:43"), "{text}");
    let text = failure("await expect(new Promise((_, no) => setTimeout(no, 1, new Error('x')))).rejects.toThrow('y');");
    assert!(text.contains("to throw error including 'y' but got 'x'") && text.contains("at FILE:3:"), "{text}");
    let text = failure("await expect(Promise.resolve(1)).rejects.toThrow();");
    assert!(text.contains("promise resolved \"1\" instead of rejecting"), "{text}");
    passes(
        "await expect(Promise.resolve({ a: 1 })).resolves.toMatchObject({ a: expect.any(Number) });
         await expect(async () => { throw new TypeError('bad'); }).rejects.toThrow(TypeError);
         await expect(Promise.reject(new Error('x'))).rejects.not.toThrow('y');",
    );
}

#[test]
fn a_promise_without_await_fails_the_test_once() {
    let text = failure("expect(Promise.resolve(1)).resolves.toBe(2);");
    assert!(text.starts_with("AssertionError: expected 1 to be 2") && text.contains("at FILE:3:"), "{text}");
    let text = failure("expect(Promise.resolve(1)).resolves.toBe(1);");
    assert!(text.contains("was not awaited") && text.contains("at FILE:3:"), "{text}");
    let text = failure("expect(new Promise(() => {})).resolves.toBe(1);");
    assert!(text.contains("was not awaited"), "{text}");
    let text = failure("expect.poll(() => 1).toBe(1);");
    assert!(text.contains("was not awaited") && text.contains("at FILE:3:"), "{text}");
}

#[test]
fn all_soft_failures_are_reported() {
    let failures = failures(
        "expect.soft(1).toBe(2);\nawait expect.soft(Promise.resolve(3)).resolves.toBe(4);\nexpect(5).toBe(6);",
    );
    let places: Vec<_> = failures.iter().map(|text| text.lines().next().unwrap_or_default()).collect();
    let message = |a: u8, b: u8| format!("AssertionError: expected {a} to be {b} // Object.is equality");
    assert_eq!(places, [message(1, 2), message(3, 4), message(5, 6)], "{failures:#?}");
}

#[test]
fn how_often_something_is_expected_can_be_held() {
    let text = failure("expect.assertions(2);\nexpect(1).toBe(1);");
    assert!(text.starts_with("Error: expected number of assertions to be 2, but got 1"), "{text}");
    assert!(text.contains("at FILE:3:"), "{text}");
    let text = failure("expect.hasAssertions();");
    assert!(text.contains("expected any number of assertion, but got none"), "{text}");
    passes("expect.assertions(2); expect.hasAssertions(); expect(1).toBe(1); expect(2).toBe(2);");
    // Each test, and each repetition, has its own count.
    let report = Report::of_tests(
        "test('one', { repeat: 3 }, () => { expect.assertions(1); expect(1).toBe(1); });
         test('two', () => { expect.assertions(0); });",
    );
    assert_eq!(report.code, 0, "{report:?}");
}

#[test]
fn polling_waits_until_it_is_so() {
    passes("let n = 0; await expect.poll(() => n++, { interval: 1 }).toBe(3); expect(n).toBe(4);");
    let text = failure("await expect.poll(() => 1, { timeout: 5, interval: 1, message: 'why' }).toBe(2);");
    assert!(text.starts_with("AssertionError: why: expected 1 to be 2") && text.contains("at FILE:3:"), "{text}");
    let text = failure("await expect.poll(() => new Promise(() => {}), { timeout: 5 }).toBe(2);");
    assert!(text.contains("expect.poll() function didn't resolve in time."), "{text}");
}

#[test]
fn the_style_of_chai_is_there() {
    passes(
        "expect(1).to.equal(1); expect({ a: 1 }).to.deep.equal({ a: 1 }); expect([1, 2]).to.include(2).and.to.have.lengthOf(2);
         expect('x').to.be.a('string'); expect(() => { throw new Error('x'); }).to.throw('x'); expect(2).to.not.be.above(3);
         const f = fn(); f(1); expect(f).to.have.been.calledOnce; expect(f).to.have.been.calledWith(1);",
    );
    let text = failure("expect({ a: 1 }).to.have.property('b');");
    assert!(text.starts_with("AssertionError: expected { a: 1 } to have property 'b'"), "{text}");
    let text = failure("expect(1).toBee(1);");
    assert!(text.contains("Invalid Chai property: toBee. Did you mean \"toBe\"?"), "{text}");
}

#[test]
fn matchers_can_be_added() {
    let extend = "expect.extend({
           toBeEven(value, why) { return { pass: value % 2 === 0, message: () => `${value} is ${this.isNot ? '' : 'not '}even${why ?? ''}` }; },
           async toBecome(value, wanted) { const is = await value; return { pass: is === wanted, message: () => `became ${is}`, actual: is, expected: wanted }; },
         });\n";
    let with = |body: &str| format!("{extend}{body}");
    passes(&with(
        "expect(2).toBeEven(); expect(1).not.toBeEven(); expect({ a: 2 }).toEqual({ a: expect.toBeEven() });
         await expect(Promise.resolve(1)).toBecome(1); await expect(Promise.resolve(2)).resolves.toBeEven();
         expect.addEqualityTesters([(a, b) => (typeof a === 'string' && typeof b === 'string' ? a.length === b.length : undefined)]);
         expect(['ab']).toEqual(['cd']);",
    ));
    assert!(failure(&with("expect(1).toBeEven('!');")).starts_with("Error: 1 is not even!"));
    assert!(failure(&with("expect(2).not.toBeEven();")).starts_with("Error: 2 is even"));
    let text = failure(&with("await expect(Promise.resolve(2)).toBecome(1);"));
    assert!(text.starts_with("Error: became 2") && text.contains("- 1\n+ 2") && text.contains("at FILE:7:"), "{text}");
    assert!(failure(&with("expect(Promise.resolve(1)).toBecome(1);")).contains("was not awaited"));
}

#[test]
fn mocks_remember_and_answer() {
    passes(
        "const add = fn((a, b) => a + b);
         expect(add(1, 2)).toBe(3);
         add.mockReturnValueOnce(7);
         expect([add(), add(1, 1)]).toEqual([7, 2]);
         expect(add).toHaveBeenCalledTimes(3);
         expect(add).toHaveBeenLastCalledWith(1, 1);
         expect(add).toHaveReturnedWith(7);
         expect(add.mock.calls).toEqual([[1, 2], [], [1, 1]]);
         const object = { greet: (name) => `hello ${name}` };
         const spy = vi.spyOn(object, 'greet').mockReturnValue('stub');
         expect([object.greet('a'), vi.isMockFunction(object.greet)]).toEqual(['stub', true]);
         vi.restoreAllMocks();
         expect(object.greet('b')).toBe('hello b');
         expect(spy).toBeTypeOf('function');
         vi.stubEnv('SOME_NAME', '1');
         expect(process.env.SOME_NAME).toBe('1');
         vi.unstubAllEnvs();
         expect(process.env.SOME_NAME).toBeUndefined();
         let n = 0;
         expect(await vi.waitFor(() => { if (n++ < 3) throw new Error('not yet'); return n; }, { interval: 1 })).toBe(4);",
    );
    let text = failure("const f = fn(); f(1, { a: 1 });\nexpect(f).toHaveBeenCalledWith(1, { a: 2 });");
    assert!(text.contains("1st vi.fn() call:") && text.contains("-     \"a\": 2,\n+     \"a\": 1,"), "{text}");
    let text = failure("vi.mock('./other.mjs');");
    assert!(text.starts_with("Error: vi.mock is not offered") && text.contains("vi.spyOn"), "{text}");
}

#[test]
fn time_can_be_faked() {
    passes(
        "const f = fn();
         vi.useFakeTimers();
         vi.setSystemTime(new Date('2030-01-01T00:00:00Z'));
         setTimeout(f, 60_000);
         setInterval(f, 25_000);
         vi.advanceTimersByTime(60_000);
         expect(f).toHaveBeenCalledTimes(3);
         expect(new Date().toISOString()).toBe('2030-01-01T00:01:00.000Z');
         vi.useRealTimers();
         expect(Date.now()).not.toBe(Date.parse('2030-01-01T00:01:00Z'));",
    );
    // Fake timers that were left on do not stop later tests, and do not affect their measured time.
    let report = Report::of_tests(
        "test('fakes', () => { vi.useFakeTimers(); vi.advanceTimersByTime(3_600_000); });
         test('polls', async () => { let n = 0; await expect.poll(() => n++).toBe(2); });
         test('waits', async () => { let n = 0; await vi.waitFor(() => { if (n++ < 3) throw new Error('not yet'); }); });",
    );
    assert_eq!(report.code, 0, "{report:?}");
    let took = report.tests().iter().filter_map(|test| test["duration"].as_f64()).fold(0.0, f64::max);
    assert!(took < 60_000.0, "{report:?}");
    assert!(failure("vi.advanceTimersByTime(1);").contains("Call `vi.useFakeTimers()`"));
}

#[test]
fn a_difference_is_shown_however_long_it_had_to_wait() {
    // The getter waits, as on a machine that computes something else.
    let source = "const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
        test('slow', () => {
          const slow = { get a() { wait(); return 1; }, b: 'left' };
          expect(slow).toEqual({ a: 1, b: 'right' });
        });";
    let failures = Report::of_tests(source).failures("slow").join("\n");
    assert!(failures.contains("right") && failures.contains("left"), "{failures}");
    assert!(!failures.contains("took too long"), "{failures}");
}
