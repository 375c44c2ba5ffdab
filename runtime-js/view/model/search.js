// Where words occur in a run.
import { blocksOf, blockText } from './blocks.js';
import { titleOf } from './titles.js';
import { walk } from './node.js';

/** More are not counted. */
export const MOST = 10_000;

export class Search {
  constructor(root) {
    this.nodes = [...walk(root)].filter((node) => node !== root);
    this.texts = new Map();
  }

  /** The occurrences in the order of the page: the node of each, and the how manieth it is there. */
  find(query) {
    const wanted = query.toLowerCase();
    const hits = [];
    if (wanted === '') return hits;
    for (const node of this.nodes) {
      const text = this.textOf(node);
      let nth = 0;
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        hits.push({ node, nth: nth++ });
        if (hits.length >= MOST) return hits;
      }
    }
    return hits;
  }

  textOf(node) {
    let text = this.texts.get(node);
    if (text === undefined) {
      // A system prompt that has not changed was found where it last has.
      const shown = node.kind === 'system' && !node.isChanged ? [] : blocksOf(node);
      const blocks = shown.map((block) => `${block.title}\n${blockText(block)}`);
      text = [titleOf(node), ...blocks].join('\n').toLowerCase();
      this.texts.set(node, text);
    }
    return text;
  }
}
