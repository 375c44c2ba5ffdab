// Broken JSON is an error that names the JSON file.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: 'fine' }];
import data from './data.json';
export default ({ $ }) => { $`x`; };
