// Writes the TypeScript types of events and results: `eventTypes()`, made of `docs/events.schema.json`.
import { readFileSync } from 'node:fs';

export function eventTypes() {
  const schema = JSON.parse(readFileSync(new URL('../docs/events.schema.json', import.meta.url), 'utf8'));
  const definitions = Object.entries(schema.$defs).map(
    ([name, definition]) => `${comment(definition)}export type ${typeName(name)} = ${typeOf(definition)};\n`,
  );
  const common = objectOf({ ...schema, properties: { ...schema.properties, type: undefined } });
  const events = schema.oneOf.map(typeOf).join(' | ');
  return [
    '// The types of `docs/events.schema.json`.\n',
    ...definitions,
    `/** What every event has. */\nexport type EventCommon = ${common};\n`,
    `${comment({ description: schema.title })}export type RunEvent = EventCommon & (${events});\n`,
  ].join('\n');
}

const typeName = (name) => name[0].toUpperCase() + name.slice(1);
const comment = ({ description }) => (description ? `/** ${description} */\n` : '');

function typeOf(schema) {
  if (schema.$ref) return typeName(schema.$ref.split('/').pop());
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  const parts = (schema.allOf ?? []).map(typeOf);
  if (schema.properties) parts.push(objectOf(schema));
  if (parts.length > 0) return parts.join(' & ');
  return [schema.type ?? 'unknown'].flat().map((type) => plainType(type, schema)).join(' | ');
}

function plainType(type, { items }) {
  if (type === 'array') return `Array<${typeOf(items)}>`;
  return { integer: 'number', object: 'Record<string, unknown>' }[type] ?? type;
}

function objectOf({ properties, required = [] }) {
  const members = Object.entries(properties).filter(([, schema]) => schema).map(([name, schema]) => {
    // The type is what an event is recognised by.
    const isRequired = name === 'type' || required.includes(name);
    return `${comment(schema)}${name}${isRequired ? '' : '?'}: ${typeOf(schema)};\n`;
  });
  return `{\n${members.join('').replace(/^(?=.)/gm, '  ')}}`;
}
