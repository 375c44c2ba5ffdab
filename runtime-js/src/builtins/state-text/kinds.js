// Serialization of built-in objects, by prototype.
import { Lost, keyLabel } from './lost.js';
import {
  BOXES, BufferType, Bytes, DateType, ERRORS, MapType, RegExpType, SetType, VIEWS, domException, flagsOf, getOwnPropertyDescriptor, hasOwn, isDetached,
  isError, isResizable, isView, lengthOfBuffer, mapForEach, mapSet, maxLengthOfBuffer, nodeBuffer, ownKeys, placeOf, setForEach, sourceOf,
  stringify, timeOf, toBase64, typeOfView,
} from './natives.js';

/** By prototype: `(value, writer, id)` returns the JSON form. */
export const KINDS = new MapType();

/** A kind without own properties. `check` throws for objects that only inherit from its prototype. */
function plainKind(type, check, write) {
  mapSet(KINDS, type.prototype, (value, writer, id) => {
    branded(check, value, type.name);
    if (ownKeys(value).length > 0) throw new Lost(`a ${type.name} with properties of its own`);
    return write(value, writer, id);
  });
}

function branded(check, value, name) {
  try {
    return check(value);
  } catch {
    throw new Lost(`an object made in the image of ${name}`);
  }
}

const primitiveLabel = (key) => (typeof key === 'object' && key !== null ? '.get(…)' : `.get(${typeof key === 'string' ? stringify(key) : String(key)})`);

function writeMap(map, writer, id) {
  const list = [];
  mapForEach(map, (value, key) => {
    list[list.length] = ['.keys()', key];
    list[list.length] = [typeof key === 'symbol' || typeof key === 'function' ? '' : primitiveLabel(key), value];
  });
  return writer.tagged('map', writer.all(list, id));
}

function writeSet(set, writer, id) {
  const list = [];
  setForEach(set, (value) => void (list[list.length] = [`.values()[${list.length}]`, value]));
  return writer.tagged('set', writer.all(list, id));
}

function writeBuffer(buffer, writer) {
  if (isDetached(buffer)) throw new Lost('an ArrayBuffer that was handed over');
  const of = [toBase64(new Bytes(buffer))];
  if (isResizable(buffer)) of[1] = maxLengthOfBuffer(buffer);
  return writer.tagged('buffer', of);
}

function writeView(view, writer, id, type = typeOfView(view) ?? 'DataView') {
  const { buffer, offset, length } = placeOf(view);
  return writer.tagged('view', writer.all([['.buffer', buffer], ['', type], ['', offset], ['', length]], id));
}

function writeError(type, error, writer, id) {
  if (!isError(error)) throw new Lost(`an object made in the image of ${type.name}`);
  const list = [['', type.name], ['.stack', stackOf(error)]];
  const names = ownKeys(error);
  for (let index = 0; index < names.length; index++) {
    const key = names[index];
    if (key === 'stack') continue;
    if (typeof key === 'symbol') throw new Lost('a property named by a symbol');
    const { value, get, set, enumerable } = getOwnPropertyDescriptor(error, key);
    if (get !== undefined || set !== undefined) throw new Lost('an accessor').under(keyLabel(key));
    list[list.length] = ['', key];
    list[list.length] = [keyLabel(key), value];
    list[list.length] = ['', enumerable];
  }
  return writer.tagged('error', writer.all(list, id));
}

/** A stack that a script replaced by another value is converted to a string. */
function stackOf(error) {
  try {
    return `${error.stack}`;
  } catch {
    return '';
  }
}

plainKind(DateType, timeOf, (date, writer) => {
  const time = timeOf(date);
  return writer.tagged('date', [time === time ? time : null]);
});
plainKind(MapType, (map) => mapForEach(map, () => {}), writeMap);
plainKind(SetType, (set) => setForEach(set, () => {}), writeSet);
plainKind(BufferType, lengthOfBuffer, writeBuffer);
mapSet(KINDS, RegExpType.prototype, (regExp, writer) => {
  // An object that only inherits from RegExp has no `lastIndex`.
  if (!hasOwn(regExp, 'lastIndex')) throw new Lost('an object made in the image of RegExp');
  return writer.tagged('regexp', [branded(sourceOf, regExp, 'RegExp'), flagsOf(regExp)]);
});
mapForEach(VIEWS, (type, prototype) =>
  mapSet(KINDS, prototype, (view, writer, id) => {
    if (!isView(view)) throw new Lost(`an object made in the image of ${type.name}`);
    return writeView(view, writer, id);
  }),
);
mapForEach(ERRORS, (type, prototype) => mapSet(KINDS, prototype, (error, writer, id) => writeError(type, error, writer, id)));
mapForEach(BOXES, (unbox, prototype) =>
  mapSet(KINDS, prototype, (box, writer, id) => writer.tagged('box', writer.all([['', branded(unbox, box, 'a primitive')]], id))),
);

/** The JSON form of a value with another prototype; undefined if it has none. */
export function unknownKind(value, prototype) {
  // Loads both: only their own objects have this prototype.
  if (isView(value) && typeOfView(value) === 'Uint8Array' && nodeBuffer().prototype === prototype) {
    return (buffer, writer, id) => writeView(buffer, writer, id, 'Buffer');
  }
  if (className(prototype) === 'DOMException' && domException().prototype === prototype) return writeException;
  return undefined;
}

function writeException(exception, writer, id) {
  const { message, name } = exception;
  const list = [['', message], ['', name], ['', stackOf(exception)]];
  if (hasOwn(exception, 'cause')) list[3] = ['.cause', exception.cause];
  return writer.tagged('exception', writer.all(list, id));
}

function className(prototype) {
  const type = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof type === 'function' ? getOwnPropertyDescriptor(type, 'name')?.value : undefined;
}

/** The class name for error messages. */
export function nameOfClass(prototype) {
  const name = className(prototype);
  if (name === 'Promise') return 'a promise';
  if (typeof name !== 'string' || name === '' || name === 'Object') return 'an object with a prototype of its own';
  return `an instance of ${name}`;
}
