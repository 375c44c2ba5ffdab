// Units of ECMA-402, and compound units with their own CLDR entry.
export const SIMPLE = [
  'acre', 'bit', 'byte', 'celsius', 'centimeter', 'day', 'degree', 'fahrenheit', 'fluid-ounce', 'foot', 'gallon', 'gigabit',
  'gigabyte', 'gram', 'hectare', 'hour', 'inch', 'kilobit', 'kilobyte', 'kilogram', 'kilometer', 'liter', 'megabit', 'megabyte',
  'meter', 'microsecond', 'mile', 'mile-scandinavian', 'milliliter', 'millimeter', 'millisecond', 'minute', 'month', 'nanosecond',
  'ounce', 'percent', 'petabyte', 'pound', 'second', 'stone', 'terabit', 'terabyte', 'week', 'yard', 'year',
];

export const UNITS = new Set([...SIMPLE, 'kilometer-per-hour', 'meter-per-second', 'mile-per-hour', 'mile-per-gallon', 'meter-per-second-squared', 'liter-per-kilometer', 'celsius', 'generic']);
