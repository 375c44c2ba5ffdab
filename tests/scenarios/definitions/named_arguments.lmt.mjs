// Other libraries take one object with named arguments; the message says that the arguments stand in order.

export const config = { model: 'mock' };
export const mock = [];

export default ({ defTool, defAgent, defSystem }) => {
  const named = { name: 'weather', description: 'Gives the weather.', inputSchema: {}, execute: () => 1 };
  for (const call of [() => defTool(named), () => defAgent(named), () => defSystem(named), () => defSystem(1)]) {
    try {
      call();
    } catch (error) {
      console.log(error.message);
    }
  }
};
