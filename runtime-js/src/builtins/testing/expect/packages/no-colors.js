// Stands in for `tinyrainbow`: what tests are told goes to reports, which know themselves what a terminal can show.
const plain = (text) => String(text);
plain.open = plain.close = '';

export default Object.fromEntries(
  ['bold', 'dim', 'inverse', 'underline', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white', 'gray', 'black'].map(
    (name) => [name, plain],
  ),
);
