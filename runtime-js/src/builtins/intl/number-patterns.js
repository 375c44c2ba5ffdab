// Parses CLDR number patterns such as `#,##0.00 ¤;(#,##0.00 ¤)`, and makes the affixes of numbers.

const cache = new Map();

/** `{positive, negative, primary, secondary, integers}`: affix tokens and group sizes. */
export function parsePattern(pattern) {
  let parsed = cache.get(pattern);
  if (parsed === undefined) {
    const [positive, negative] = splitUnquoted(pattern).map(parseHalf);
    const [, groups] = /^([^.E]*)/.exec(positive.digits);
    const sizes = groups.split(',').slice(1).map((group) => group.length);
    parsed = {
      positive,
      negative,
      primary: sizes.at(-1) ?? 0,
      secondary: sizes.at(-2) ?? sizes.at(-1) ?? 0,
      integers: (/0*$/.exec(groups)?.[0].length ?? 0),
    };
    cache.set(pattern, parsed);
  }
  return parsed;
}

function splitUnquoted(pattern) {
  let quoted = false;
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === "'") quoted = !quoted;
    else if (pattern[i] === ';' && !quoted) return [pattern.slice(0, i), pattern.slice(i + 1)];
  }
  return [pattern];
}

const SPECIAL = { '-': 'minusSign', '+': 'plusSign', '%': 'percentSign', '¤': 'currency' };

function parseHalf(half) {
  const result = { prefix: [], suffix: [], digits: '' };
  let quoted = false;
  let target = result.prefix;
  for (let i = 0; i < half.length; i++) {
    const character = half[i];
    if (character === "'") {
      if (half[i + 1] === "'") {
        literal(target, "'");
        i++;
      } else quoted = !quoted;
    } else if (!quoted && /[#0-9@,.]/.test(character)) {
      result.digits += character;
      target = result.suffix;
    } else if (!quoted && character === 'E' && /[0#]/.test(half[i - 1]) && /\d/.test(half[i + 1])) {
      result.digits += 'E';
    } else if (!quoted && SPECIAL[character]) {
      target.push({ type: SPECIAL[character] });
    } else {
      literal(target, character);
    }
  }
  return result;
}

function literal(target, text) {
  const last = target.at(-1);
  if (last?.type === 'literal') last.value += text;
  else target.push({ type: 'literal', value: text });
}

/** The sign to show: -1, 0 (none) or 1. */
export function signOf({ negative, isZero, special }, display) {
  const zeroish = isZero || special === 'nan';
  switch (display) {
    case 'never': return 0;
    case 'always': return negative ? -1 : 1;
    case 'exceptZero': return zeroish ? 0 : negative ? -1 : 1;
    case 'negative': return negative && !zeroish ? -1 : 0;
    default: return negative ? -1 : 0;
  }
}

/** The tokens around the digits, including the sign. */
export function affixesOf(parsed, sign) {
  const has = (half, type) => half !== undefined && [...half.prefix, ...half.suffix].some((token) => token.type === type);
  const plusForMinus = sign > 0 && !has(parsed.positive, 'plusSign');
  const half = parsed.negative !== undefined && (sign < 0 || (has(parsed.negative, 'minusSign') && plusForMinus)) ? parsed.negative : parsed.positive;
  const replace = (tokens) => (plusForMinus ? tokens.map((token) => (token.type === 'minusSign' ? { type: 'plusSign' } : token)) : tokens);
  let { prefix, suffix } = { prefix: replace(half.prefix), suffix: replace(half.suffix) };
  if (half === parsed.positive && (sign < 0 || plusForMinus)) prefix = [{ type: sign < 0 ? 'minusSign' : 'plusSign' }, ...prefix];
  return { prefix, suffix };
}

/** Grouped digits as parts of types `integer`, `group`, `decimal`, `fraction`. */
export function digitParts({ integer, fraction }, { primary, secondary, least, group, decimal, digits }) {
  const native = digits === undefined ? (text) => text : (text) => text.replace(/\d/g, (digit) => digits[digit]);
  const parts = [];
  if (primary > 0 && integer.length >= primary + least) {
    const pieces = [integer.slice(-primary)];
    for (let end = integer.length - primary; end > 0; end -= secondary) pieces.unshift(integer.slice(Math.max(0, end - secondary), end));
    pieces.forEach((piece, index) => {
      if (index > 0) parts.push({ type: 'group', value: group });
      parts.push({ type: 'integer', value: native(piece) });
    });
  } else {
    parts.push({ type: 'integer', value: native(integer) });
  }
  if (fraction !== '') parts.push({ type: 'decimal', value: decimal }, { type: 'fraction', value: native(fraction) });
  return parts;
}

/** Text around a placeholder as parts: white space at the edges is literal, the rest has `type`. */
export function wrapped(pattern, inner, type) {
  const [before, after = ''] = pattern.split('{0}');
  if (!pattern.includes('{0}')) return trimmedParts(pattern, type);
  return [...trimmedParts(before, type), ...inner, ...trimmedParts(after, type)];
}

const EDGES = /^([\s\u200b\u200e\u200f\u061c]*)(.*?)([\s\u200b\u200e\u200f\u061c]*)$/su;

export function trimmedParts(text, type) {
  const [, start, middle, end] = EDGES.exec(text);
  const parts = [];
  if (start !== '') parts.push({ type: 'literal', value: start });
  if (middle !== '') parts.push({ type, value: middle });
  if (end !== '') parts.push({ type: 'literal', value: end });
  return parts;
}

const KEEP_EDGES = ['literal', 'group', 'integer', 'fraction', 'decimal'];

/** Merges neighbouring literals; white space and direction marks at the edges of other parts become literals. */
export function merged(parts) {
  const result = [];
  for (const part of parts.flatMap((part) => (KEEP_EDGES.includes(part.type) ? part : trimmedParts(part.value, part.type).map((piece) => ({ ...part, ...piece }))))) {
    if (part.value === '') continue;
    const last = result.at(-1);
    if (part.type === 'literal' && last?.type === 'literal' && last.source === part.source) result[result.length - 1] = { ...last, value: last.value + part.value };
    else result.push(part);
  }
  return result;
}
