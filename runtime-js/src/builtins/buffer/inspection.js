// How a `Buffer` is printed: `<Buffer 68 69>`, and its additional properties.

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

/** The initial value; scripts can set the module's `INSPECT_MAX_BYTES`. */
export const INSPECT_MAX_BYTES = 50;
let maxBytes = INSPECT_MAX_BYTES;

const isIndex = (key) => typeof key === 'string' && /^\d+$/.test(key);

function extras(buffer, options, inspect) {
  const keys = Reflect.ownKeys(buffer).filter((key) => !isIndex(key) && (options.showHidden || Object.prototype.propertyIsEnumerable.call(buffer, key)));
  if (keys.length === 0) return '';
  const own = Object.fromEntries(keys.map((key) => [key, buffer[key]]));
  const text = inspect(own, { ...options, breakLength: Infinity, compact: true }).slice(2, -2);
  return buffer.length === 0 ? text : `, ${text}`;
}

export function defineInspection(Buffer) {
  const { prototype } = Buffer;
  prototype[inspectCustom] = function (_depth, options, inspect) {
    const shown = Math.min(maxBytes, this.length);
    const rest = this.length - shown;
    let text = this.hexSlice(0, shown).replaceAll(/..(?!$)/g, '$& ');
    if (rest > 0) text += ` ... ${rest} more byte${rest > 1 ? 's' : ''}`;
    return `<${this.constructor.name} ${text}${options ? extras(this, options, inspect) : ''}>`;
  };
  prototype.inspect = prototype[inspectCustom];
}

export const defineLimit = (module) =>
  Object.defineProperty(module, 'INSPECT_MAX_BYTES', {
    get: () => maxBytes,
    set: (value) => void (maxBytes = value),
    enumerable: true,
    configurable: true,
  });
