"""LangChain: as many tool steps of a fake model as the argument says, then a sentence."""

import sys

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

STEPS = int(sys.argv[1])
total = 0


@tool
def count(by: int) -> dict:
    """Counts."""
    global total
    total += by
    return {'sum': total}


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **settings):
        return self


def answers():
    for number in range(STEPS):
        yield AIMessage('', tool_calls=[{'name': 'count', 'args': {'by': 1}, 'id': f'c{number}'}])
    yield AIMessage('Hello there.')


agent = create_agent(Model(messages=answers()), [count])
result = agent.invoke({'messages': [('user', 'go')]}, {'recursion_limit': 2 * STEPS + 10})
assert total == STEPS, f'{total} of {STEPS} calls were made'
print(result['messages'][-1].content)
