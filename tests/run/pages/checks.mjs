// What checks of pages share. A script with checks is run as `node check.mjs CHROMIUM FOLDER`, where FOLDER has the pages. With a
// third argument it writes pictures into that folder.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { startChromium } from './chromium.mjs';

const [, , program, folder, pictures] = process.argv;
const chromium = await startChromium(program);

/** How long a check waits on a busy machine for what the page does soon. */
const PATIENCE = 30_000;

/** Repeats `read` until it returns what is expected. */
export async function becomes(read, expected, message) {
  for (const end = Date.now() + PATIENCE; ; await new Promise((done) => setTimeout(done, 10))) {
    const found = await read();
    if (isDeepStrictEqual(found, expected)) return;
    if (Date.now() > end) assert.deepEqual(found, expected, message);
  }
}

/** Works on a page that has rendered its rows. Fails if its console has errors. */
export async function withPage(name, view, work) {
  const page = await chromium.open(pathToFileURL(join(folder, `${name}.html`)).href, view);
  try {
    await becomes(() => page.evaluate('performance.getEntriesByName("lmthing-rows").length'), 1, 'the rows');
    await work(page);
    assert.deepEqual(page.problems, [], 'what the console says');
  } finally {
    await page.close();
  }
}

export async function inTurn(items, work) {
  for (const item of items) await work(item);
}

export async function keepPicture(name, page) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, `${name}.png`), await page.picture());
}

/** Texts whose colour is too near to that of their background, by WCAG's measure. Runs in the page. */
export function poorContrast() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = rgba(getComputedStyle(each).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255];
  };
  const poor = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!hasText || element.closest('script, noscript, .bar, :disabled, dialog') || getComputedStyle(element).opacity < 0.5) continue;
    const [a, b] = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...poor];
}

/** Runs checks one after the other. Prints a line for each, and ends with 1 if one does not hold. */
export async function runChecks(checks) {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`ok: ${name}`);
    } catch (error) {
      console.log(`FAILED: ${name}\n${error.stack}`);
      process.exitCode = 1;
    }
  }
  await chromium.close();
}
