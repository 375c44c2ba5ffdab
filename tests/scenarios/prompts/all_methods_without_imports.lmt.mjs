// A prompt has run, withModel, withOptions and setPlugins whatever the file imports.

export const config = { model: 'mock' };
export const mock = [{ type: 'text', text: '' }];

export default async (prompt) => {
  prompt.$`scenario`;
  console.log(['run', 'withModel', 'withOptions', 'setPlugins', 'def'].map((name) => typeof prompt[name]).join());
  console.log(prompt.constructor.name, Object.keys(prompt).includes('run'));
};
