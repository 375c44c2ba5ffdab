// Regional forms are kept as what they have otherwise than their parent: `apply` in `intl/data.js` undoes it.

/** What has to be laid over `parent` to give `own`, or undefined when they are equal; a key that is gone is null. */
export function difference(parent, own) {
  if (JSON.stringify(parent) === JSON.stringify(own)) return undefined;
  const bothObjects = [parent, own].every((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  if (!bothObjects) return own;
  const changed = {};
  for (const key of Object.keys(parent)) if (own[key] === undefined && parent[key] !== undefined) changed[key] = null;
  for (const key of Object.keys(own)) {
    if (own[key] === undefined) continue;
    const inner = parent[key] === undefined ? own[key] : difference(parent[key], own[key]);
    if (inner !== undefined) changed[key] = inner;
  }
  return Object.keys(changed).length ? changed : undefined;
}
