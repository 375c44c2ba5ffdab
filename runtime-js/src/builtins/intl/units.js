// Units of `NumberFormat`: those of ECMA-402, and compounds with `-per-`.
const SIMPLE = new Set(
  ('acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch kilobit ' +
    'kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile mile-scandinavian milliliter millimeter millisecond ' +
    'minute month nanosecond ounce percent petabyte pound second stone terabit terabyte week yard year').split(' '),
);

export const simpleUnits = () => [...SIMPLE];

export function isKnownUnit(unit) {
  const parts = unit.split('-per-');
  return parts.length <= 2 && parts.every((part) => SIMPLE.has(part));
}
