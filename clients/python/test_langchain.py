"""LangChain's chat model for OpenAI's API."""

import pydantic
import pytest
from conftest import MODEL
from langchain_core.messages import AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

CALL = '<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>'
QUESTION = [HumanMessage("What is the weather in Oslo?")]


@tool
def weather(city: str) -> str:
    """Knows the weather of a city."""
    return f"rain in {city}"


def model(**fields):
    return ChatOpenAI(model=MODEL, max_retries=0, timeout=30, stream_usage=True, **fields)


def test_a_chat(say):
    answer = model(extra_body=say("<think>\nHm.\n</think>\n\nHello!")).invoke(QUESTION)

    assert answer.content == "\n\nHello!"
    assert answer.response_metadata["finish_reason"] == "stop"
    assert answer.usage_metadata["output_token_details"]["reasoning"] > 0
    assert answer.usage_metadata["total_tokens"] > answer.usage_metadata["input_tokens"] > 0


def test_a_stream(say):
    whole = AIMessageChunk("")
    count = 0
    for piece in model(extra_body=say("Hello, my friend!")).stream(QUESTION):
        whole += piece
        count += 1

    assert whole.content == "Hello, my friend!"
    assert count > 4
    assert whole.usage_metadata["output_tokens"] > 4


@pytest.mark.parametrize("stream", [False, True])
def test_a_loop_of_calls(say, stream):
    messages = list(QUESTION)
    for said in (CALL % ("weather", '{"city": "Oslo"}'), CALL % ("weather", '{"city": "Bergen"}'), "Rain, rain."):
        bound = model(extra_body=say(said), streaming=stream).bind_tools([weather])
        answer = bound.invoke(messages)
        messages.append(answer)
        for call in answer.tool_calls:
            result = weather.invoke(call)
            assert isinstance(result, ToolMessage)
            messages.append(result)

    assert [message.content for message in messages if isinstance(message, ToolMessage)] == [
        "rain in Oslo",
        "rain in Bergen",
    ]
    assert messages[-1].content == "Rain, rain."


class Event(pydantic.BaseModel):
    """Something that happens."""

    name: str
    people: list[str]


@pytest.mark.parametrize(
    "method, said",
    [
        ("json_schema", '{"name": "Tea", "people": ["Ada"]}'),
        ("json_mode", '{"name": "Tea", "people": ["Ada"]}'),
        ("function_calling", CALL % ("Event", '{"name": "Tea", "people": ["Ada"]}')),
    ],
)
def test_output_of_a_given_shape(say, method, said):
    bound = model(extra_body=say("<think>\n</think>\n\n" + said)).with_structured_output(Event, method=method)

    assert bound.invoke(QUESTION) == Event(name="Tea", people=["Ada"])


def test_several_at_once(say):
    answers = model(extra_body=say("Yes.")).batch([QUESTION] * 4)

    assert [answer.content for answer in answers] == ["Yes."] * 4


def test_a_stream_that_is_left(say, server, aborted):
    stream = model(extra_body=say("la " * 400, rate=20)).stream(QUESTION)
    next(stream)
    server.await_count("num_requests_running", 1)
    stream.close()

    aborted()
