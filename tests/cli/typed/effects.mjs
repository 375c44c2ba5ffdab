/** @param {import('lmthing').Prompt} prompt */
export function effects({ defEffect, defMessage, defSystem }) {
  defEffect(({ lastTool, stepNumber, tools, messages, systems, variables }, stepModifier) => {
    if (lastTool) lastTool.output.anything;
    lastTool.toolName; //~ TS18047
    stepNumber.toFixed();
    tools.has('dig') && messages.has('user') && systems.has((section) => section.value === '') && variables.map(({ type }) => type);
    tools.hass('dig'); //~ TS2551
    stepModifier('systems', [{ name: 'hurry', value: 'Come to an end.' }]);
    stepModifier('messages', ['Hurry.', { role: 'user', content: 'Now.' }]);
    stepModifier('tools', ['dig', { name: 'look' }]);
    stepModifier('variables', [{ name: 'A', value: { b: 1 } }]);
    stepModifier('system', []); //~ TS2345
    stepModifier('systems', [{ name: 'hurry' }]); //~ TS2322
    stepModifier('tools', [{ nam: 'look' }]); //~ TS2561
  });
  defEffect(async () => () => console.log('the end'), []);
  defMessage('bot', 'Hello.'); //~ TS2345
  defSystem('Be kind.'); //~ TS2554
}
