// Splits a bundle into units (one declaration each), statements that must run immediately, and exports, and rewrites
// references to units. Requires an unminified bundle of esbuild, in which no inner scope redeclares a top-level name.
// This, and the kinds of statements, is checked: anything unexpected fails the build.
import { parse } from 'acorn';

const ignored = new Set(['type', 'start', 'end']);

/** Calls `visit(node, parent, key)` for `node` and its descendants. */
function walk(node, visit, parent, key) {
  visit(node, parent, key);
  for (const [name, value] of Object.entries(node)) {
    if (ignored.has(name)) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (child?.type) walk(child, visit, node, name);
  }
}

/** Whether an identifier is no reference: a property, a method name, a label. */
function isWord(parent, key) {
  if (parent.type === 'MemberExpression') return key === 'property' && !parent.computed;
  if (['Property', 'MethodDefinition', 'PropertyDefinition'].includes(parent.type)) return key === 'key' && !parent.computed;
  return ['LabeledStatement', 'BreakStatement', 'ContinueStatement', 'MetaProperty'].includes(parent.type);
}

/** Whether it is the callee of `new`, where a replacement by a call needs parentheses. */
const isMade = (parent, key) => parent?.type === 'NewExpression' && key === 'callee';

/** The names that a pattern binds. */
function* bound(pattern) {
  if (!pattern) return;
  if (pattern.type === 'Identifier') yield pattern.name;
  else if (pattern.type === 'ObjectPattern') for (const { value, argument } of pattern.properties) yield* bound(value ?? argument);
  else if (pattern.type === 'ArrayPattern') for (const element of pattern.elements) yield* bound(element);
  else if (pattern.type === 'AssignmentPattern') yield* bound(pattern.left);
  else if (pattern.type === 'RestElement') yield* bound(pattern.argument);
}

function* declaredBy({ type, id, params, param }) {
  if (type === 'VariableDeclarator' || type === 'ClassExpression' || type === 'ClassDeclaration') yield* bound(id);
  if (type === 'CatchClause') yield* bound(param);
  if (/Function/.test(type)) {
    yield* bound(id);
    for (const each of params) yield* bound(each);
  }
}

/** The target of an assignment, update or loop. */
function assignedBy({ type, left, argument }) {
  if (type === 'AssignmentExpression' || type === 'ForInStatement' || type === 'ForOfStatement') return [...bound(left)];
  return type === 'UpdateExpression' ? [...bound(argument)] : [];
}

/** The properties of `__export(name, { key: () => unit, … })`, by key; undefined for other statements. */
function namespaceOf({ type, expression }) {
  if (type !== 'ExpressionStatement' || expression.type !== 'CallExpression' || expression.callee.name !== '__export') return undefined;
  const [target, getters] = expression.arguments;
  const entries = getters.properties.map(({ key, value }) => [key.name ?? key.value, value.body.name]);
  return { name: target.name, entries };
}

function sort(program, code) {
  const [units, state, namespaces, statements, imports, exported] = [new Map(), new Map(), new Map(), [], [], []];
  for (const statement of program.body) {
    const namespace = namespaceOf(statement);
    const module = code.slice(0, statement.start).match(/^\/\/ (?!@)\S+$/gm)?.at(-1);
    if (namespace) namespaces.set(namespace.name, namespace.entries);
    else if (statement.type === 'FunctionDeclaration') units.set(statement.id.name, { node: statement, module, isFunction: true });
    else if (statement.type === 'VariableDeclaration') {
      for (const { id, init } of statement.declarations) {
        if (id.type !== 'Identifier') throw new Error(`zod has changed: a pattern is declared at ${id.start}`);
        units.set(id.name, { node: init, module });
      }
    } else if (statement.type === 'ExpressionStatement') statements.push(statement);
    else if (statement.type === 'ImportDeclaration') imports.push(code.slice(statement.start, statement.end));
    else if (statement.type === 'ExportNamedDeclaration' && !statement.declaration) {
      for (const { local, exported: as } of statement.specifiers) exported.push([as.name, local.name]);
    } else throw new Error(`zod has changed: a statement of the type ${statement.type}`);
  }
  const outer = new Set(units.keys());
  walk(program, (node) => {
    for (const name of assignedBy(node)) if (units.has(name)) state.set(name, units.get(name));
  });
  for (const { node } of units.values()) {
    if (!node) continue;
    walk(node, (each) => {
      const own = [...declaredBy(each)].filter((name) => each !== node || name !== each.id?.name);
      const again = own.find((name) => outer.has(name));
      if (again) throw new Error(`the bundle of zod declares ${again} twice`);
    });
  }
  for (const name of [...state.keys(), ...namespaces.keys(), '__defProp', '__export']) units.delete(name);
  return { units, state, namespaces, statements, imports, exported };
}

/** The code of a node with replaced references; `unit(name)` and `state(name)` return the replacements. */
function textOf(node, code, { units, state, namespaces }, { unit, variable }) {
  const edits = [];
  const replacement = (name) => {
    if (units.has(name) || namespaces.has(name)) return unit(name);
    return state.has(name) ? variable(name) : undefined;
  };
  walk(node, (each, parent, key) => {
    if (each.type === 'MemberExpression' && !each.computed && each.object.type === 'Identifier') {
      const member = namespaces.get(each.object.name)?.find(([name]) => name === each.property.name);
      const text = member && replacement(member[1]);
      if (text) return edits.push([each.start, each.end, isMade(parent, key) ? `(${text})` : text]);
    }
    if (each.type !== 'Identifier' || (parent && isWord(parent, key))) return undefined;
    // The declaration's own name, after `function`.
    if (parent && key === 'id') return undefined;
    const text = replacement(each.name);
    if (!text) return undefined;
    const isShort = parent?.type === 'Property' && parent.shorthand;
    const written = isMade(parent, key) ? `(${text})` : text;
    return edits.push([each.start, each.end, isShort ? `${each.name}: ${text}` : written]);
  });
  edits.sort(([one], [other]) => one - other);
  let [text, position] = ['', node.start];
  for (const [start, end, replaced] of edits) {
    // Inside a namespace member that was replaced as a whole.
    if (start < position) continue;
    text += code.slice(position, start) + replaced;
    position = end;
  }
  return text + code.slice(position, node.end);
}

/** Parses a bundle. `text(node, names)` of the result returns the code of a unit or statement. */
export function takeApart(code) {
  const sorted = sort(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), code);
  return { ...sorted, text: (node, names) => textOf(node, code, sorted, names) };
}
