// A missing key ends with code 3, with the hint where to get one.

export const config = { model: 'openai:gpt-4o' };

export default ({ $ }) => {
  $`scenario`;
};
