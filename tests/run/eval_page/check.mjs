// Checks pages of `lmthing eval` in Chromium (see `pages/checks.mjs`): a page of each document of `generate.mjs`.
import assert from 'node:assert/strict';
import { becomes, inTurn, keepPicture, poorContrast, runChecks, withPage } from '../pages/checks.mjs';

const texts = (page, selector) => page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => element.innerText.trim().replace(/\\s+/g, ' '))`);
const numbers = (page) => page.evaluate('[...document.querySelectorAll(".row .number")].map((element) => Number(element.innerText))');
const click = (page, selector, words) => page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].find((element) => element.innerText.startsWith(${JSON.stringify(words)})).click()`);
const openRow = (page, number) => page.evaluate(`[...document.querySelectorAll('.row')].find((row) => row.querySelector('.number').innerText === '${number}').querySelector('.fold').click()`);
const enter = (page, selector, value, event) => page.evaluate(`(() => {
  const field = document.querySelector(${JSON.stringify(selector)});
  field.value = ${JSON.stringify(value)};
  field.dispatchEvent(new Event(${JSON.stringify(event)}, { bubbles: true }));
})()`);
const width = (page) => page.evaluate('document.documentElement.scrollWidth');

const CHECKS = {
  'the head says what was run and why it is not well'() {
    return withPage('small', {}, async (page) => {
      assert.deepEqual(await texts(page, '.head .state'), ['✗ Not OK']);
      assert.deepEqual(await texts(page, '.size'), ['12 rows × 3 variants × 1 model × 1 repetition = 36 cells']);
      assert.deepEqual(await texts(page, '.problem li'), ['right of control (openai:gpt-5-mini) is 0.833, below 0.9', 'One cell has failed.', 'One score has failed.']);
      const [summary] = await texts(page, '.summary');
      for (const word of ['2026', 'openai:gpt-5-mini', '15,120 → 1,296', '$0.0151', 'Judges’ cost $0.0396', 'results/monday.jsonl', 'evals/triage.eval.lmt.mjs', 'lmthing 0.1.0']) assert.ok(summary.includes(word), `${word}: ${summary}`);
    });
  },

  'the matrix has means, intervals, differences in words, and costs'() {
    return withPage('small', {}, async (page) => {
      assert.deepEqual(await texts(page, '.matrix thead th'), ['Variant', 'right', 'polite', 'brief', 'Errors', 'Cost', 'Judges’ cost', 'Tokens', 'Time p50', 'Time p95']);
      const rows = await texts(page, '.matrix tbody tr');
      assert.match(rows[0], /^control 0\.833 0\.695 … 0\.972, 12 rows ▲ better \+0\.17 \(\+0\.01 … \+0\.33\) against the baseline 0\.592 /);
      assert.match(rows[1], /^short 0\.917 .* = no difference shown \+0\.08 \(−0\.06 … \+0\.22\) against control = no difference shown .* against the baseline/);
      assert.match(rows[1], /0\.75 .* ▼ worse −0\.25 \(−0\.41 … −0\.09\) against control 0 \$0\.00504 \$0\.0132 5,040 → 432 934 ms 2\.31 s$/);
      assert.match(rows[2], /▲ better \+0\.17 .* ! 1 \$0\.00504/);
      const bar = await page.evaluate(`(() => {
        const at = (selector) => document.querySelectorAll(selector)[0].getBoundingClientRect();
        const [whole, span, mean] = ['.interval', '.interval .span', '.interval .mean'].map(at);
        return [(span.left - whole.left) / whole.width, (span.right - whole.left) / whole.width, ((mean.left + mean.right) / 2 - whole.left) / whole.width];
      })()`);
      [0.695, 0.972, 0.833].forEach((expected, index) => assert.ok(Math.abs(bar[index] - expected) < 0.01, `${bar}`));
    });
  },

  'rows where variants disagree come first, then errors, then the others'() {
    return withPage('small', {}, async (page) => {
      assert.deepEqual(await numbers(page), [3, 4, 5, 8, 10, 12, 6, 1, 11, 2, 7, 9]);
      assert.deepEqual(await texts(page, '.filters button'), ['All 12', 'Disagree 6', 'Errors 2', 'Changed 3', 'Better 3', 'Worse 0', 'Other answers 3']);
      await click(page, '.filters button', 'Errors');
      await becomes(() => numbers(page), [8, 6]);
      await click(page, '.filters button', 'All');
      await enter(page, '.tools select', '2', 'change');
      await becomes(() => numbers(page), [4, 8, 12]);
      assert.deepEqual(await texts(page, '.tools output'), ['3 of 12']);
      await enter(page, '.tools select', '', 'change');
      await enter(page, '.tools label:last-of-type select', 'number', 'change');
      await becomes(async () => (await numbers(page)).join(), '1,2,3,4,5,6,7,8,9,10,11,12');
      await enter(page, '#search', 'OVERLOADED', 'input');
      await becomes(() => numbers(page), [8]);
      await enter(page, '#search', 'nothing like that', 'input');
      await becomes(() => texts(page, '.rows > p'), ['No row is like that.']);
    });
  },

  'an open row has its columns, and the answers next to each other'() {
    return withPage('small', { width: 1400 }, async (page) => {
      await openRow(page, 8);
      await becomes(() => texts(page, '.column h3'), ['control', 'short', 'with-examples']);
      assert.deepEqual(await texts(page, '.fields dt'), ['ticket', 'expected for scores', 'tags for scores']);
      assert.deepEqual(await texts(page, '.fields dd'), ['How do I reset my password? It is urgent.', 'billing', '["mail", { "from": "shop", "priority": 8 }]']);
      const answers = await texts(page, '.answer');
      assert.match(answers[0], /^✓ yes right 0\.70 polite ✓ yes brief /);
      assert.match(answers[0], /Dear customer, .* This belongs to billing\. .*856 ms · 420 → 36 tokens · \$0\.00042$/);
      assert.match(answers[2], /^provider openai answered 529: overloaded the same command asks for this cell again/);
      const tops = await page.evaluate('[...document.querySelectorAll(".column")].map((column) => column.getBoundingClientRect().top)');
      assert.equal(new Set(tops).size, 1, 'next to each other');
      await openRow(page, 3);
      await becomes(async () => (await texts(page, '.column .json'))[0], '{ "category": "delivery", "confidence": 0.575, "steps": ["read", "sort"] }');
      const reasons = await texts(page, '.reason-of');
      assert.ok(reasons.includes('said “false” instead of delivery') && reasons.includes('It thanks the customer, and says what happens next.'), reasons.join('\n'));
      await openRow(page, 6);
      await becomes(async () => (await texts(page, '.scores .bad')).includes('TypeError: cannot read property of undefined'), true);
      await openRow(page, 7);
      await becomes(() => texts(page, '.more'), ['Show all 60 lines', 'Show all 60 lines']);
      await click(page, '.more', 'Show all');
      await becomes(async () => (await texts(page, '.answer .prose')).some((text) => text.includes('60. A sentence')), true);
    });
  },

  'a changed row has the answer of the baseline before the new one, and their words are compared'() {
    return withPage('small', {}, async (page) => {
      assert.deepEqual(await texts(page, '.changes tbody tr'), [
        'control ▲ 2 better ▼ 0 worse = 9 ▲ 0 better ▼ 0 worse = 11 ▲ 0 better ▼ 0 worse = 11 3 of 11',
        'short ▲ 3 better ▼ 0 worse = 8 ▲ 0 better ▼ 0 worse = 10 ▲ 0 better ▼ 0 worse = 11 3 of 11',
        'with-examples ▲ 3 better ▼ 0 worse = 7 ▲ 0 better ▼ 0 worse = 10 ▲ 0 better ▼ 0 worse = 10 0 of 10',
      ]);
      assert.match((await texts(page, '.changes p'))[0], /1 row not in the baseline\.$/);
      await click(page, '.changes button', 'Show 3 rows');
      await becomes(async () => (await numbers(page)).length, 3);
      await openRow(page, 11);
      await becomes(() => texts(page, '.column h3'), ['control, baseline', 'control', 'short, baseline', 'short', 'with-examples, baseline', 'with-examples']);
      await click(page, '.comparison button', 'Compare');
      await becomes(() => texts(page, '.words del'), ['this', 'It', 'billing']);
      assert.deepEqual(await texts(page, '.words ins'), ['have', 'it', 'This', 'delivery']);
    });
  },

  'repetitions of a cell stand below each other, and several evals have a page'() {
    return withPage('two', {}, async (page) => {
      assert.deepEqual(await texts(page, '.evals button'), ['evals/triage.eval.lmt.mjs ! 2 errors', 'evals/second.eval.lmt.mjs']);
      await click(page, '.evals button', 'evals/second');
      await becomes(() => texts(page, '.size'), ['2 rows × 1 variant × 1 model × 3 repetitions = 6 cells']);
      assert.deepEqual(await texts(page, '.mark-of'), ['2/3', '2/3']);
      await openRow(page, 2);
      await becomes(() => texts(page, '.answer h4'), ['Repetition 1', 'Repetition 2', 'Repetition 3']);
      assert.equal(await page.evaluate('location.hash'), '#eval-2');
      await page.call('Emulation.setEmulatedMedia', { media: 'print' });
      await becomes(async () => (await texts(page, '.size')).length, 2, 'on paper all evals are there');
      await becomes(() => page.evaluate('document.querySelectorAll(".row.open").length'), 14);
    });
  },

  'the keyboard goes everywhere'() {
    return withPage('small', {}, async (page) => {
      const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.id');
      const open = () => page.evaluate('document.querySelectorAll(".row.open").length');
      await page.press('j');
      await becomes(focused, 'Row 3');
      await page.press('ArrowDown');
      await becomes(focused, 'Row 4');
      await page.press('o');
      await becomes(open, 1);
      await page.press('Enter');
      await becomes(open, 0);
      await page.press('G');
      await becomes(focused, 'Row 9');
      await page.press('a');
      await becomes(open, 12);
      await page.press('c');
      await becomes(open, 0);
      await page.press('f');
      await becomes(async () => (await numbers(page)).length, 6);
      await page.press('t');
      await becomes(() => page.evaluate('document.documentElement.dataset.theme'), 'dark');
      // What is stored is that of all files.
      await page.press('t');
      await becomes(() => page.evaluate('localStorage.length'), 0);
      await page.press('?');
      await becomes(() => page.evaluate('document.querySelector("dialog").open'), true);
      await page.press('Escape');
      await page.press('/');
      await becomes(focused, 'Search in the rows');
    });
  },

  'a key counts as soon as rows are there'() {
    const atOnce = `performance.mark = new Proxy(performance.mark, {
      apply(mark, self, names) {
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
        return Reflect.apply(mark, self, names);
      },
    });`;
    return withPage('small', { onNew: atOnce }, (page) => becomes(() => page.evaluate('document.querySelectorAll(".row.open").length'), 12));
  },

  'nothing of the content runs, nothing is loaded, and no name is lost'() {
    return withPage('hostile', { onNew: 'window.alert = () => { window.pwned = true; };' }, async (page) => {
      await page.press('a');
      assert.equal(await page.evaluate('window.pwned ?? null'), null);
      assert.equal(await page.evaluate('document.querySelectorAll("main :is(img, script, iframe, object, embed, link, svg, a, b[onclick])").length'), 0);
      assert.deepEqual(page.requests.filter((url) => !url.startsWith('file:')), []);
      assert.deepEqual((await texts(page, '.matrix thead th')).slice(0, 4), ['Variant', '__proto__', 'constructor', 'toString']);
      assert.deepEqual((await texts(page, '.mean b')).slice(0, 5), ['0.333', '0.667', '0.00', '0.667', '0.333']);
      const fields = (await texts(page, '.row.open:first-of-type .fields dt')).filter((name) => name.startsWith('__proto__'));
      assert.deepEqual(fields.slice(0, 2), ['__proto__', '__proto__ for scores']);
      const state = await page.evaluate(`(() => { const { left } = document.querySelector('.head .state').getBoundingClientRect(); return left > document.querySelector('.head bdi').getBoundingClientRect().left; })()`);
      assert.ok(state, 'an override of the direction stays in its name');
      await page.evaluate(`(async () => {
        const script = document.createElement('script');
        try { script.textContent = 'window.pwned = 2'; document.body.append(script); } catch {}
        try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.pwned=3">'); } catch {}
        await fetch('https://example.invalid/').catch(() => {});
      })()`);
      assert.equal(await page.evaluate('window.pwned ?? null'), null);
      page.problems.length = 0;
    });
  },

  'of two thousand cells those are there that are seen'() {
    return withPage('many', {}, async (page) => {
      const rowCount = () => page.evaluate('document.querySelectorAll(".row").length');
      assert.ok((await rowCount()) < 100);
      await page.press('a');
      assert.ok((await rowCount()) < 100);
      await enter(page, '#search', 'the needle is here', 'input');
      await becomes(() => numbers(page), [900]);
      await enter(page, '#search', '', 'input');
      await click(page, '.filters button', 'Changed');
      await becomes(async () => (await numbers(page)).length, 20);
      const [load, slow] = await page.evaluate('[performance.getEntriesByName("lmthing-rows")[0].startTime, performance.timing.loadEventEnd - performance.timing.navigationStart]');
      console.log(`   rows after ${Math.round(load)} ms, loaded after ${slow} ms`);
    });
  },

  'no size makes the page wider than its window, and words stand out, light and dark'() {
    return inTurn([400, 820, 1600], (size) =>
      inTurn(['light', 'dark'], (scheme) =>
        inTurn(scheme === 'light' ? ['small', 'hostile', 'models'] : ['small'], (name) =>
          withPage(name, { width: size, height: 1000, scheme }, async (page) => {
            assert.ok((await width(page)) <= size, `${name}: ${await width(page)} at ${size}`);
            await page.press('a');
            assert.ok((await width(page)) <= size, `${name}, open: ${await width(page)} at ${size}`);
            if (name === 'small') assert.deepEqual(await page.evaluate(`(${poorContrast})()`), []);
            await keepPicture(`eval-${name}-${size}-${scheme}`, page);
          }),
        ),
      ),
    );
  },
};

await runChecks(CHECKS);
