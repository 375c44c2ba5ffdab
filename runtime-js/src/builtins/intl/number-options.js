// Digit options shared by `NumberFormat` and `PluralRules`.
import { defaultNumber, numberOption, textOption } from './options.js';

const INCREMENTS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
const MODES = ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven'];
const OWNER = 'Intl.NumberFormat';

/** SetNumberFormatDigitOptions: rounding options for `decimal.js`, and their resolved form. */
export function readDigitOptions(options, leastFraction, mostFraction, notation) {
  const minimumInteger = numberOption(options, 'minimumIntegerDigits', 1, 21, 1);
  const { minimumFractionDigits: leastGiven, maximumFractionDigits: mostGiven } = options;
  const { minimumSignificantDigits: leastSignificant, maximumSignificantDigits: mostSignificant } = options;
  const priority = textOption(options, 'roundingPriority', ['auto', 'morePrecision', 'lessPrecision'], 'auto', OWNER);
  const increment = numberOption(options, 'roundingIncrement', 1, 5000, 1);
  if (!INCREMENTS.includes(increment)) throw new RangeError('roundingIncrement value is out of range.');
  const mode = textOption(options, 'roundingMode', MODES, 'halfExpand', OWNER);
  const zeros = textOption(options, 'trailingZeroDisplay', ['auto', 'stripIfInteger'], 'auto', OWNER);
  if (increment !== 1) mostFraction = leastFraction;

  const hasSignificant = leastSignificant !== undefined || mostSignificant !== undefined;
  const hasFraction = leastGiven !== undefined || mostGiven !== undefined;
  const needSignificant = priority !== 'auto' || hasSignificant;
  const needFraction = priority !== 'auto' || !(hasSignificant || (!hasFraction && notation === 'compact'));
  const result = { minimumInteger, mode, increment, stripZeros: zeros === 'stripIfInteger' };
  if (needSignificant) {
    result.minimumSignificant = hasSignificant ? defaultNumber(leastSignificant, 1, 21, 1, 'minimumSignificantDigits') : 1;
    result.maximumSignificant = hasSignificant ? defaultNumber(mostSignificant, result.minimumSignificant, 21, 21, 'maximumSignificantDigits') : 21;
  }
  if (needFraction) readFraction(result, hasFraction, leastGiven, mostGiven, leastFraction, mostFraction);
  if (!needSignificant && !needFraction) {
    Object.assign(result, { rounding: 'more', minimumFraction: 0, maximumFraction: 0, minimumSignificant: 1, maximumSignificant: 2 });
  } else if (priority !== 'auto') {
    result.rounding = priority === 'morePrecision' ? 'more' : 'less';
  } else {
    result.rounding = hasSignificant ? 'significant' : 'fraction';
  }
  if (increment !== 1 && result.rounding !== 'fraction') throw new TypeError('Invalid option : roundingIncrement');
  if (increment !== 1 && result.maximumFraction !== result.minimumFraction) throw new RangeError('roundingIncrement value is out of range.');
  return Object.assign(result, describe(result, priority, zeros));
}

function readFraction(result, hasFraction, leastGiven, mostGiven, leastFraction, mostFraction) {
  result.minimumFraction = leastFraction;
  result.maximumFraction = mostFraction;
  if (!hasFraction) return;
  let least = defaultNumber(leastGiven, 0, 20, undefined, 'minimumFractionDigits');
  let most = defaultNumber(mostGiven, 0, 20, undefined, 'maximumFractionDigits');
  if (least === undefined) least = Math.min(leastFraction, most);
  else if (most === undefined) most = Math.max(mostFraction, least);
  else if (least > most) throw new RangeError('maximumFractionDigits value is out of range.');
  result.minimumFraction = least;
  result.maximumFraction = most;
}

/** Members of `resolvedOptions` in V8's order: some before `useGrouping`, some at the end. */
function describe(result, priority, zeros) {
  const shown = { minimumIntegerDigits: result.minimumInteger };
  if (result.minimumSignificant !== undefined) {
    shown.minimumSignificantDigits = result.minimumSignificant;
    shown.maximumSignificantDigits = result.maximumSignificant;
  }
  if (result.minimumFraction !== undefined) {
    shown.minimumFractionDigits = result.minimumFraction;
    shown.maximumFractionDigits = result.maximumFraction;
  }
  const priorities = { more: 'morePrecision', less: 'lessPrecision' };
  const shownRounding = {
    roundingMode: result.mode, roundingIncrement: result.increment, trailingZeroDisplay: zeros,
    roundingPriority: priorities[result.rounding] ?? 'auto',
  };
  return { shown, shownRounding };
}
