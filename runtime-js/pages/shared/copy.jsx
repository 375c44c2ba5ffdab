// A button that copies a text.
import { useState } from 'preact/hooks';

/** `text` is a function, as making it may take time. */
export function Copy({ text }) {
  const [word, setWord] = useState('Copy');
  const copy = async () => {
    setWord((await write(text())) ? 'Copied' : 'Not allowed');
    setTimeout(() => setWord('Copy'), 1500);
  };
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {word}
    </button>
  );
}

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeSelected(text);
  }
}

/** Some browsers have no clipboard for files. */
function writeSelected(text) {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    focused?.focus({ preventScroll: true });
  }
}
