// Replaces `tinyrainbow`: the reports add colors themselves.
const plain = (text) => String(text);
plain.open = plain.close = '';

export default Object.fromEntries(
  ['bold', 'dim', 'inverse', 'underline', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white', 'gray', 'black'].map(
    (name) => [name, plain],
  ),
);
