// The page of evals: reads the embedded reports and renders them.
import { render } from 'preact';
import { restoreTheme } from '../shared/theme.js';
import { App } from './parts/app.jsx';

restoreTheme();
const place = document.getElementById('page');
try {
  const data = JSON.parse(document.getElementById('data').textContent);
  place.replaceChildren();
  render(<App data={data} />, place);
} catch (error) {
  place.textContent = `The evals cannot be shown: ${error.message}`;
  throw error;
}
// Read by tests: rows are visible from here on.
performance.mark('lmthing-rows');
