// Checks of what a page shows of a run: settings, whole requests, owners of agents, the outline, Markdown, pictures, states.
import assert from 'node:assert/strict';

const texts = (page, selector) => page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => element.innerText.trim().replace(/\\s+/g, ' '))`);
const rendered = (page) => page.evaluate('new Promise((done) => setTimeout(done, 150))');

export const CONTENT_CHECKS = {
  'each step has its settings, its request and its answer'(withPage) {
    return withPage('full', {}, async (page) => {
      const settings = await texts(page, '.settings');
      assert.deepEqual(settings[0], 'temperature 0.2 maxOutputTokens 400 reasoning high toolChoice auto');
      // Steps 0 to 2, step 3 without a request, step 3 with other settings.
      assert.deepEqual(settings.slice(1), [settings[0], settings[0], 'temperature 1']);
      const click = (step, name) => page.evaluate(`[...document.querySelectorAll('#${step} .exchange button')].find((button) => button.innerText === '${name}').click()`);
      await click('step-1', 'Request');
      await page.evaluate(`document.querySelector('#step-1 .more').click()`);
      await rendered(page);
      const [request] = await texts(page, '#step-1 .block.is-json');
      for (const word of ['"role": "system"', '2. [doing] Add up', 'What do tea and a cup', '"toolCallId": "call_1"', '"Tea costs 4.00 EUR."', '"type": "error-json"', 'Reminder: two tasks', '"temperature": 0.2', '"inputSchema"']) assert.ok(request.includes(word), `${word}: ${request}`);
      await click('step-3', 'Answer');
      await rendered(page);
      const [answer] = await texts(page, '#step-3 .block.is-json');
      for (const word of ['"content"', '## Prices', '| **tea** | 4.00 |']) assert.ok(answer.includes(word), `${word}: ${answer}`);
      await page.evaluate(`document.querySelector('#step-2').dispatchEvent(new MouseEvent('mousedown', { bubbles: true, detail: 1 }))`);
      await page.press('r');
      assert.deepEqual(await texts(page, '#step-2 .block.is-json > h4'), ['Request']);
      await page.press('r');
      await page.press('r');
      assert.deepEqual(await texts(page, '#step-2 .block.is-json > h4'), []);
    });
  },

  'an agent names whose it is, and has a row in the table of usage'(withPage) {
    return withPage('full', {}, async (page) => {
      assert.deepEqual(await texts(page, '.row.agent h3 .fold'), ['Agent researcher #1', 'Agent reader', 'Agent researcher #2']);
      assert.deepEqual(await texts(page, '.owner'), ['of the prompt, step 1, call call_4', 'of researcher #1, step 0, call call_6', 'of the prompt, step 1, call call_5']);
      assert.deepEqual(await texts(page, '.usage:not(.cache) tbody tr'), [
        'prompt 4 7 6,250 400 490 64 $0.0217',
        'researcher #1 1 1 300 – 40 – $0.0012',
        'researcher #2 1 0 210 – 30 – $0.0009',
        'reader 1 0 90 – 12 – $0.0001',
      ]);
    });
  },

  'the outline leads to each step, and so does its address'(withPage) {
    return withPage('steps', {}, async (page) => {
      const links = await page.evaluate('[...document.querySelectorAll(".outline a")].map((link) => link.getAttribute("href"))');
      assert.deepEqual([links.length, links[0], links[998], links[999]], [1000, '#step-0', '#step-998', '#finish']);
      const seen = (id) => page.evaluate(`(() => { const { top } = document.getElementById('${id}').getBoundingClientRect(); return top >= 0 && top < innerHeight; })()`);
      await page.evaluate('document.querySelector(".outline a[href=\'#step-700\']").click()');
      await rendered(page);
      assert.ok(await seen('step-700'));
      await page.evaluate('location.hash = "step-3"');
      await rendered(page);
      assert.ok(await seen('step-3'));
      assert.equal(await page.evaluate('document.querySelector(".outline [aria-current]").getAttribute("href")'), '#step-3');
      assert.ok((await page.evaluate('document.querySelectorAll(".row").length')) < 200, 'only what is seen is there');
      await page.press('l');
      assert.equal(await page.evaluate('document.querySelector(".outline")'), null);
    });
  },

  'Markdown of models is shown as elements, without its HTML, and can be found'(withPage) {
    return withPage('full', {}, async (page) => {
      const shown = await page.evaluate(`(() => {
        const of = (selector) => [...document.querySelectorAll('.markdown ' + selector)].map((element) => element.textContent);
        return [of('.heading'), of('th'), of('td strong'), of('li'), of('pre'), of('.address')];
      })()`);
      assert.deepEqual(shown, [['Prices'], ['product', 'EUR'], ['tea'], ['☑ looked up', 'added up, with ten percent off, see the shop (https://shop.example/prices)'], ['const total = (400 + 800) * 0.9; // <b>cents</b>'], [' (https://shop.example/prices)']]);
      const all = (await texts(page, '.markdown')).join('\n');
      assert.ok(all.includes('<img src=x onerror="window.pwned=1"> & more'), all);
      await page.evaluate(`(() => { const field = document.getElementById('search'); field.focus(); field.value = 'up, with ten percent'; field.dispatchEvent(new Event('input', { bubbles: true })); })()`);
      await page.evaluate('new Promise((done) => setTimeout(done, 500))');
      assert.equal(await page.evaluate('document.querySelector("output").textContent'), '1 / 1');
      assert.equal(await page.evaluate('[...CSS.highlights.get("hit-now")].join()'), 'up, with ten percent');
      await page.evaluate('[...document.querySelectorAll(".actions button")].filter((button) => button.innerText === "Source").at(-1).click()');
      await rendered(page);
      assert.ok((await texts(page, '.row.text .prose')).join().includes('| **tea** | 4.00 |'));
    });
  },

  'pictures are shown, vector graphics and what is none are named'(withPage) {
    return withPage('full', {}, async (page) => {
      assert.deepEqual(await page.evaluate('[...document.images].map(({ src, naturalWidth }) => [src.slice(0, 22), naturalWidth])'), [['data:image/png;base64,', 8]]);
      assert.deepEqual(await texts(page, 'figcaption'), ['Image: image/png, 1 KB']);
    });
  },

  'messages, arguments, results and requests can be copied'(withPage) {
    return withPage('full', { onNew: 'Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });' }, async (page) => {
      const copy = (selector) => page.evaluate(`(async () => { [...document.querySelectorAll(${JSON.stringify(selector)})].find((button) => button.innerText === 'Copy').click(); await new Promise((done) => setTimeout(done, 50)); return window.copied; })()`);
      assert.equal(await copy('.row.message button'), 'What do tea and a cup cost with ten percent off?');
      assert.deepEqual(JSON.parse(await copy('.row.tool .block:first-child button')), { product: 'tea' });
      assert.equal(await copy('.row.tool .block:last-child button'), 'Tea costs 4.00 EUR.');
      assert.equal(await copy('.row.text button'), 'I look both prices up.');
      await page.evaluate('document.querySelector("#step-0 .exchange button").click()');
      await rendered(page);
      const request = JSON.parse(await copy('#step-0 .is-json button'));
      assert.deepEqual([request.model, request.messages.length, request.settings.toolChoice], ['openai:gpt-4o', 2, 'auto']);
    });
  },

  'a run that waits says for what, and is no failure'(withPage) {
    return withPage('waiting', {}, async (page) => {
      assert.ok((await texts(page, '.head h1'))[0].endsWith('Waiting for approval'));
      const waiting = await texts(page, '.waiting li');
      assert.equal(waiting[0], 'deploy {"to":"production"} lmthing resume 19f1c0e2d3b7a1c2e50 --approve call_1 Copy');
      assert.equal(waiting[1], 'remove {"path":"/srv"} of helper lmthing resume 19f1c0e2d3b7a1c2e50 --approve call_3 Copy');
      // An id that means something to a shell makes no command.
      assert.equal(waiting[2], 'other {}');
      assert.equal((await texts(page, '.reason')).filter((word) => word === 'waiting for approval').length, 6);
      assert.deepEqual(await texts(page, '.reason.is-bad'), []);
      assert.deepEqual(await texts(page, '.jumps button'), []);
    });
  },
};
