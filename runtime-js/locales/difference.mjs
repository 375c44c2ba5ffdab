// Regional locales are stored as differences to their parent; `changed` in `intl/data.js` applies them.

/** The changes from `parent` to `own`, or undefined if they are equal; a removed key is null. */
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
