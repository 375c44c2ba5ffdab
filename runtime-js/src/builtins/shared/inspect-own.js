/** For `[util.inspect.custom]` of web classes: `Name { key: value, … }` with the accessors `names` of `object`. */
export function inspectOwn(object, names, depth, options, inspect) {
  const className = object.constructor?.name ?? 'Object';
  if (typeof depth === 'number' && depth < 0) return `[${className}]`;
  const values = Object.fromEntries(names.map((name) => [name, object[name]]));
  const nested = { ...options, depth: options.depth == null ? null : options.depth - 1 };
  return `${className} ${inspect(values, nested)}`;
}
