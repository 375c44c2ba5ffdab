// One thing of a run: a step, a text, a tool call, an agent. Everything that is shown is a node; nodes are a tree.

let count = 0;

export class Node {
  /** `kind` says what it is, `start` when it began (milliseconds since 1970); `more` is what nodes of its kind have. */
  constructor(kind, start, more) {
    this.id = count++;
    this.kind = kind;
    this.start = start;
    /** When it was over; null while it is not known to be. */
    this.end = null;
    this.parent = null;
    this.children = [];
    Object.assign(this, more);
  }

  /** Puts a node under this one, as the last. */
  add(node) {
    node.parent = this;
    this.children.push(node);
    return node;
  }

  /** How many agents it is within: how far it is indented. */
  get depth() {
    let depth = 0;
    for (let node = this; node; node = node.parent) if (node.kind === 'agent') depth += 1;
    return depth;
  }
}

/** A node and everything below it, in the order of the page. */
export function* walk(node) {
  yield node;
  for (const child of node.children) yield* walk(child);
}

/** The nearest node of a kind above a node, or the node itself. */
export function nearest(node, kind) {
  while (node && node.kind !== kind) node = node.parent;
  return node ?? null;
}
