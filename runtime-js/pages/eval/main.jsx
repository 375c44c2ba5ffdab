// The page of evals: reads the embedded reports and renders them.
import { render } from 'preact';
import { restoreTheme } from '../shared/theme.js';
import { readDocument } from './model/evals.js';
import { App } from './parts/app.jsx';

restoreTheme();
const place = document.getElementById('page');
try {
  const report = readDocument(JSON.parse(document.getElementById('data').textContent));
  place.replaceChildren();
  render(<App report={report} />, place);
} catch (error) {
  place.textContent = `The evals cannot be shown: ${error.message}`;
  throw error;
}
// Read by tests: rows are visible from here on.
performance.mark('lmthing-rows');
