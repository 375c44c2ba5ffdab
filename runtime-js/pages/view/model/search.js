// Full-text search in a run.
import { blocksOf, blockText } from './blocks.js';
import { titleOf } from './titles.js';
import { walk } from './node.js';

/** Further hits are not counted. */
export const MOST = 10_000;

export class Search {
  constructor(root) {
    this.nodes = [...walk(root)].filter((node) => node !== root);
    this.texts = new Map();
  }

  /** Hits in page order: the node of each, and its index within the node. */
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
      // An unchanged system prompt counts only where it last changed, and so do settings.
      const isSame = (node.kind === 'system' && !node.isChanged) || (node.kind === 'step' && !node.hasOtherSettings);
      const shown = isSame ? [] : blocksOf(node);
      const blocks = shown.map((block) => `${block.title}\n${blockText(block)}`);
      text = [titleOf(node), ...blocks].join('\n').toLowerCase();
      this.texts.set(node, text);
    }
    return text;
  }
}
