// Checks pages of `lmthing view` in Chromium (see `pages/checks.mjs`): a page of each run of `generate.mjs`.
import assert from 'node:assert/strict';
import { becomes, inTurn, keepPicture, poorContrast, runChecks, withPage } from '../pages/checks.mjs';
import { CONTENT_CHECKS } from './content.mjs';

const CHECKS = {
  'steps, tools and texts are there without a click'() {
    return withPage('full', {}, async (page) => {
      const text = await page.evaluate('document.querySelector(".feed").innerText');
      const words = ['Step 0', 'Step 3', 'lookup', 'researcher', 'I look both prices up.', 'Two prices are needed.', 'Tea costs 4.00 EUR.', '"porcelain"'];
      words.push('What do tea and a cup cost', 'Reminder: two tasks are open.', 'reader', 'Cups without handles came first.', 'as before');
      words.push('1. [done]  Find the price', 'const products: string[]', "Type 'number' is not assignable", 'total 1200', 'Resumed at step 3');
      words.push('openai is busy', 'The description of the tool researcher', 'the limit of 1 step is reached', '1,100 → 150 tokens', '$0.0043', 'cut off');
      for (const word of words) assert.ok(text.includes(word), `${word} is not in:\n${text}`);
      const summary = await page.evaluate('document.querySelector(".summary").innerText');
      for (const word of ['prompts/order.lmt.mjs', '6,850 → 572', '$0.0239', 'openai:gpt-4o', 'resumed once']) assert.ok(summary.includes(word), `${word}: ${summary}`);
      const changed = await page.evaluate('[...document.querySelectorAll(".removed, .added")].map((line) => line.textContent.trim())');
      assert.deepEqual(changed.length, 5, changed.join('\n'));
      assert.ok((await page.evaluate('document.querySelectorAll(".bar").length')) >= 12);
    });
  },

  'the prompt cache has a table with what has changed'() {
    return withPage('full', {}, async (page) => {
      const cells = await page.evaluate('[...document.querySelectorAll(".cache tbody :is(th, td)")].map((cell) => cell.innerText.trim())');
      const difference = cells.pop();
      assert.deepEqual(cells, ['step 1', '300', '20 %', '1,100', 'section tasks changed', '800', '$0.0012']);
      assert.match(difference, /^1\. \[doing\] Find .* 1\. \[done\] Find /);
    });
  },

  'agents stand below the call they answer, parallel tools in lanes of their own'() {
    return withPage('full', {}, async (page) => {
      const rows = await page.evaluate('[...document.querySelectorAll(".row")].map((row) => row.getAttribute("aria-label"))');
      const at = (label) => rows.indexOf(label);
      assert.ok(at('Tool researcher') < at('researcher #1') && at('Tool search') < at('reader') && at('reader') < at('researcher #2'), rows.join('\n'));
      const lanes = await page.evaluate('[...new Set([...document.querySelectorAll(".bar")].map((bar) => bar.style.top))].length');
      assert.equal(lanes, 8);
    });
  },

  'the keyboard goes everywhere'() {
    return withPage('full', {}, async (page) => {
      const current = () => page.evaluate('document.querySelector(".row.current")?.getAttribute("aria-label") ?? ""');
      const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.id');
      const rows = (holds) => async () => holds(await rowCount(page));
      const isOpen = () => page.evaluate('document.querySelector("dialog").open');
      await page.press('j');
      await becomes(current, 'Step 0');
      await becomes(focused, 'Step 0');
      await page.press('ArrowDown');
      await becomes(focused, 'System');
      await page.press('k');
      await becomes(current, 'Step 0');
      const before = await rowCount(page);
      await page.press('o');
      await becomes(rows((count) => count < before), true);
      await page.press('Enter');
      await becomes(() => rowCount(page), before);
      await page.press('J');
      await becomes(current, 'Step 1');
      await page.press('e');
      await becomes(current, 'Tool researcher');
      await page.press('c');
      await becomes(() => rowCount(page), 7, 'steps, the resume, the end');
      await page.press('a');
      await becomes(rows((count) => count >= before), true);
      await page.press('?');
      await becomes(isOpen, true);
      await page.press('Escape');
      await becomes(isOpen, false);
      await page.press('t');
      await becomes(() => page.evaluate('document.documentElement.dataset.theme'), 'dark');
      await page.press('t');
      await becomes(() => page.evaluate('document.documentElement.dataset.theme ?? localStorage.length'), 0);
      await page.press('/');
      await becomes(() => page.evaluate('document.activeElement.id'), 'search');
    });
  },

  'a search counts its hits and goes to each'() {
    return withPage('full', {}, async (page) => {
      await search(page, 'prices');
      const places = [];
      for (let index = 0; index < 3; index++) {
        const hits = () => page.evaluate('document.querySelector("output").textContent');
        await becomes(async () => (await hits()).startsWith(`${index + 1} / `), true, 'the number of the hit');
        const place = '[...(CSS.highlights.get("hit-now") ?? [])].map((range) => `${range}:${Math.round(range.getBoundingClientRect().top + scrollY)}`).join()';
        const isSeen = '[...CSS.highlights.get("hit-now")].every((range) => { const { top, bottom } = range.getBoundingClientRect(); return top >= 40 && bottom <= innerHeight; })';
        const isThere = `(() => { const place = ${place}; return place !== '' && !${JSON.stringify(places)}.includes(place) && ${isSeen}; })()`;
        await becomes(() => page.evaluate(isThere), true, 'another hit, in the window');
        places.push(await page.evaluate(place));
        await page.press('Enter');
      }
      assert.equal(new Set(places).size, 3, places.join('\n'));
      assert.ok(places.every((place) => /^prices:/i.test(place)), places.join('\n'));
      const marked = await page.evaluate('[...CSS.highlights.get("hit")].map((range) => `${range}`.toLowerCase())');
      assert.deepEqual([...new Set(marked)], ['prices']);
      await page.evaluate('document.querySelectorAll(".buttons button")[1].click()');
      await search(page, 'porcelain');
      const isOpened = 'document.querySelector(".row.current")?.innerText.includes("porcelain")';
      await becomes(() => page.evaluate(isOpened), true, 'what is shut is opened');
      await search(page, 'no such words');
      assert.equal(await page.evaluate('document.querySelector("output").textContent'), 'no hits');
    });
  },

  'nothing of the content runs, and nothing is loaded'() {
    return withPage('hostile', { onNew: 'window.alert = () => { window.stolen = true; };' }, async (page) => {
      assert.equal(await page.evaluate('window.stolen ?? window.pwned ?? null'), null);
      assert.equal(await page.evaluate('document.querySelectorAll("iframe, object, embed, link, svg, form:not(.search), [style*=url]").length'), 0);
      const places = await page.evaluate('[...document.querySelectorAll("a, img")].map((element) => element.getAttribute("href") ?? element.src)');
      assert.ok(places.length > 0 && places.every((place) => /^#[\w-]+$/.test(place)), places.join('\n'));
      const text = await page.evaluate('document.querySelector(".feed").innerText');
      assert.ok(text.includes('<img src=x onerror="window.pwned=1">') && text.includes('</script><script>window.pwned=1</script>'), text);
      assert.deepEqual(page.requests.filter((url) => !url.startsWith('file:')), []);
      assert.deepEqual(page.problems, []);
      assert.equal(await page.evaluate('document.querySelectorAll(".markdown em").length'), 0, 'a paragraph of nothing but marks is shown as it is written');
      // Whoever gets something into the page all the same.
      await page.evaluate(`(async () => {
        const script = document.createElement('script');
        try { script.textContent = 'window.pwned = 2'; document.body.append(script); } catch {}
        try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.pwned=3">'); } catch {}
        try { setTimeout('window.pwned = 4'); } catch {}
        await fetch('https://example.invalid/').catch(() => {});
        const image = document.querySelector('body > img');
        if (image && !image.complete) await new Promise((done) => image.addEventListener('error', done));
        // Timers of the same delay run in order.
        await new Promise((done) => setTimeout(done));
      })()`);
      assert.equal(await page.evaluate('window.pwned ?? null'), null);
      page.problems.length = 0;
    });
  },

  'of ten thousand events those are there that are seen'() {
    return withPage('many', {}, async (page) => {
      await page.evaluate('document.querySelector(".buttons button").click()');
      await page.evaluate(`(async () => {
        for (let frame = 0; frame < 100; frame++) {
          await new Promise(requestAnimationFrame);
          scrollBy(0, 120);
        }
      })()`);
      assert.ok((await rowCount(page)) < 200, 'only what is seen is there');
      await search(page, 'needle');
      assert.equal(await page.evaluate('document.querySelector("output").textContent'), '1 / 1');
      const isFound = 'document.querySelector(".row.current")?.innerText.includes("the needle is here")';
      await becomes(() => page.evaluate(isFound), true);
      await page.evaluate('document.activeElement.blur()');
      await page.press('g');
      await becomes(() => page.evaluate('scrollY < 1000'), true);
    });
  },

  'a run without an end, and one that is empty but for its start, are shown'() {
    return withPage('started', {}, async (page) => {
      assert.ok((await page.evaluate('document.querySelector(".head").innerText')).includes('Not finished'));
    });
  },

  'no name makes the page wider than its window'() {
    return inTurn([390, 800], (width) =>
      inTurn(['wide', 'hostile', 'waiting'], (name) =>
        withPage(name, { width }, async (page) => {
          const wide = () => page.evaluate('document.documentElement.scrollWidth');
          assert.ok((await wide()) <= width, `${name}: ${await wide()} at ${width}`);
          await page.evaluate('document.querySelectorAll(".exchange button").forEach((button) => button.click())');
          await page.press('a');
          await page.press('l');
          assert.ok((await wide()) <= width, `${name}, open: ${await wide()} at ${width}`);
          await keepPicture(`${name}-${width}`, page);
        }),
      ),
    );
  },

  'every size has room, light and dark'() {
    return inTurn([1280, 800, 390], (width) =>
      inTurn(['light', 'dark'], (scheme) =>
        withPage('full', { width, height: 900, scheme }, async (page) => {
          const [wide, back] = await page.evaluate('[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]');
          assert.ok(wide <= width, `${wide} wide at ${width}`);
          const isDark = /\d+/.exec(back)[0] < 60;
          assert.equal(isDark, scheme === 'dark', back);
          await keepPicture(`full-${width}-${scheme}`, page);
        }),
      ),
    );
  },

  'words stand out from what is behind them'() {
    return inTurn(['light', 'dark'], (scheme) =>
      withPage('full', { scheme }, async (page) => {
        assert.deepEqual(await page.evaluate(`(${poorContrast})()`), []);
      }),
    );
  },

  'on paper everything is there'() {
    return withPage('many', {}, async (page) => {
      await page.call('Emulation.setEmulatedMedia', { media: 'print' });
      await becomes(async () => (await rowCount(page)) > 2000, true);
    });
  },
};

for (const [name, check] of Object.entries(CONTENT_CHECKS)) CHECKS[name] = () => check(withPage);

const rowCount = (page) => page.evaluate('document.querySelectorAll(".row").length');

async function search(page, words) {
  const enter = (text) => `(() => {
    const field = document.getElementById('search');
    field.focus();
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input', { bubbles: true }));
  })()`;
  const output = 'document.querySelector("output").textContent';
  await page.evaluate(enter(''));
  await becomes(() => page.evaluate(`${output} === ''`), true, 'the last search is cleared');
  await page.evaluate(enter(words));
  await becomes(() => page.evaluate(`/^no hits$| \\/ /.test(${output})`), true, `hits of ${words}`);
}

await runChecks(CHECKS);
