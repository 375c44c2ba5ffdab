// A step, text, tool call, agent or the like of a run. Nodes form a tree.

let count = 0;

export class Node {
  /** `start` is in milliseconds since 1970; `more` has the properties of the kind. */
  constructor(kind, start, more) {
    this.id = count++;
    this.kind = kind;
    this.start = start;
    /** Null until it has ended. */
    this.end = null;
    this.parent = null;
    this.children = [];
    Object.assign(this, more);
  }

  add(node) {
    node.parent = this;
    this.children.push(node);
    return node;
  }

  /** The number of enclosing agents, for indentation. */
  get depth() {
    let depth = 0;
    for (let node = this; node; node = node.parent) if (node.kind === 'agent') depth += 1;
    return depth;
  }
}

/** A node and its descendants, in page order. */
export function* walk(node) {
  yield node;
  for (const child of node.children) yield* walk(child);
}

/** The nearest ancestor of a kind, or the node itself. */
export function nearest(node, kind) {
  while (node && node.kind !== kind) node = node.parent;
  return node ?? null;
}
