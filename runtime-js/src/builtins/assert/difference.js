// Line-by-line difference of two values in the layout of Node 20: `+` for actual lines, `-` for expected ones.
import { inspect } from 'lmthing:internal/inspect';

const HEADS = {
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  strictEqual: 'Expected values to be strictly equal:',
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
};
const SAME = 'Values have same structure but are not reference-equal:';
// Two values shorter than this are shown in one line.
const SHORT = 12;
const LINE_WIDTH = 80;
const MAX_LINES = 50;
const KEPT_AT_END = 3;

/** Inspects everything, so that equal texts mean equal values. */
export function inspectValue(value) {
  return inspect(value, {
    compact: false,
    customInspect: false,
    depth: 1000,
    maxArrayLength: Infinity,
    showHidden: false,
    showProxy: false,
    sorted: true,
    getters: true,
  });
}

/** The first `max` lines, with dots for the rest. */
export function clipped(lines, max = MAX_LINES) {
  return lines.length > max ? [...lines.slice(0, max - 4), '...'] : lines;
}

const isObject = (value) => typeof value === 'object' && value !== null;

/** Two values of one line each: both texts, or a mark below the first difference. */
function singleLines(actual, expected, [first], [second], operator) {
  const length = first.length + second.length;
  if (length <= SHORT) {
    const isPlain = !isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0);
    return isPlain ? { text: `${HEADS[operator]}\n\n${first} !== ${second}\n` } : {};
  }
  if (operator === 'strictEqualObject' || length >= LINE_WIDTH) return {};
  let same = 0;
  while (first[same] === second[same]) same++;
  return same > 2 ? { mark: `\n  ${' '.repeat(same)}^` } : { same };
}

/** Removes equal lines at the end of both; continues the count. */
function commonEnd(actual, expected, count) {
  let end = '';
  let other = '';
  while (actual.length > 0 && expected.length > 0 && actual.at(-1) === expected.at(-1)) {
    if (count++ < KEPT_AT_END) end = `\n  ${actual.at(-1)}${end}`;
    else other = actual.at(-1);
    actual.pop();
    expected.pop();
  }
  return { end, other, count };
}

/** Collects lines; long runs of equal lines become dots. */
class Report {
  text = '';
  waiting = '';
  printed = 0;
  isSkipping = false;
  #equal = 0;

  /** Adds the equal lines before line `index` that have not been shown. */
  #before(lines, index) {
    const equal = this.#equal;
    this.#equal = 0;
    if (equal <= 2) return;
    if (equal === 5) this.#add(lines[index - 3]);
    else if (equal > 5) {
      this.text += '\n...';
      this.isSkipping = true;
    }
    if (equal > 3) this.#add(lines[index - 2]);
    this.#add(lines[index - 1]);
  }

  #add(line) {
    this.text += `\n  ${line}`;
    this.printed++;
  }

  /** Adds a line of one side. */
  only(sign, lines, index) {
    this.#before(lines, index);
    if (sign === '+') this.text += `\n+ ${lines[index]}`;
    else this.waiting += `\n- ${lines[index]}`;
    this.printed++;
  }

  different(actual, expected, index) {
    this.#before(actual, index);
    this.text += `\n+ ${actual[index]}`;
    // Consecutive differences are shown as +++---, not as +-+-+-.
    this.waiting += `\n- ${expected[index]}`;
    this.printed += 2;
  }

  equal(line) {
    this.text += this.waiting;
    this.waiting = '';
    if (++this.#equal <= 2) this.#add(line);
  }
}

/** Whether the lines are equal apart from a trailing comma, which depends on the number of members. */
const isEqual = (actual, expected) => actual === expected || actual === `${expected},` || expected === `${actual},`;

function compareLines(actual, expected, head) {
  const report = new Report();
  const count = Math.max(actual.length, expected.length);
  const both = Math.min(actual.length, expected.length);
  for (let index = 0; index < count; index++) {
    if (index >= both) {
      const isActual = actual.length > expected.length;
      report.only(isActual ? '+' : '-', isActual ? actual : expected, index);
    } else if (isEqual(actual[index], expected[index])) {
      report.equal(expected[index] === `${actual[index]},` ? expected[index] : actual[index]);
    } else {
      report.different(actual, expected, index);
    }
    if (report.printed > MAX_LINES && index < count - 2) {
      return { text: `${head} ... Lines skipped\n${report.text}\n...${report.waiting}\n...` };
    }
  }
  return { report };
}

export function difference(actual, expected, operator) {
  const whole = inspectValue(actual);
  const [actualLines, expectedLines] = [whole.split('\n'), inspectValue(expected).split('\n')];
  const areFunctions = typeof actual === 'function' && typeof expected === 'function';
  const kind = operator === 'strictEqual' && (areFunctions || (isObject(actual) && isObject(expected))) ? 'strictEqualObject' : operator;
  let single = {};
  if (actualLines.length === 1 && expectedLines.length === 1 && actualLines[0] !== expectedLines[0]) {
    single = singleLines(actual, expected, actualLines, expectedLines, kind);
    if (single.text) return single.text;
  }
  const common = commonEnd(actualLines, expectedLines, single.same ?? 0);
  if (actualLines.length === 0 && expectedLines.length === 0) return `${SAME}\n\n${clipped(whole.split('\n')).join('\n')}\n`;
  const isCut = common.count >= 5;
  const end = (common.other === '' ? '' : `\n  ${common.other}`) + (isCut ? '\n...' : '') + common.end;
  const head = `${HEADS[kind]}\n+ actual - expected`;
  const { report, text } = compareLines(actualLines, expectedLines, head);
  if (text !== undefined) return text;
  const skipped = isCut || report.isSkipping ? ' ... Lines skipped' : '';
  return `${head}${skipped}\n${report.text}${report.waiting}${end}${single.mark ?? ''}`;
}
