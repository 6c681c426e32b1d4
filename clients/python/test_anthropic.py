"""Anthropic's SDK for Python."""

import anthropic
import httpx2
import pydantic
import pytest
from conftest import KEY, MODEL

CALL = '<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>'
LONG = "one two three four five six seven eight nine ten " * 40
MESSAGES = [{"role": "user", "content": "What is the weather in Oslo?"}]
TOOLS = [
    {
        "name": name,
        "description": f"Knows the {name}",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
    for name in ("weather", "time")
]


@pytest.fixture
def client():
    with anthropic.Anthropic(max_retries=0, timeout=30) as client:
        yield client


def fields(**more):
    return {"model": MODEL, "max_tokens": 1000, "messages": MESSAGES} | more


def test_a_message(client, say):
    answer = client.messages.create(**fields(system="Be kind.", extra_body=say("<think>\nHm.\n</think>\n\nHello!")))

    thinking, text = answer.content
    assert (thinking.type, thinking.thinking) == ("thinking", "\nHm.\n")
    assert thinking.signature
    assert (text.type, text.text) == ("text", "\n\nHello!")
    assert (answer.type, answer.role, answer.model) == ("message", "assistant", MODEL)
    assert (answer.stop_reason, answer.stop_sequence) == ("end_turn", None)
    assert answer.usage.input_tokens > 5 and answer.usage.output_tokens > 5
    assert answer.id == f"msg_{answer._request_id}"


def test_a_stream(client, say):
    with client.messages.stream(**fields(extra_body=say("<think>\nHm.\n</think>\n\nHello, my friend!"))) as stream:
        events = list(stream)
        answer = stream.get_final_message()

    types = [event.type for event in events]
    assert types[0] == "message_start" and types[-1] == "message_stop"
    assert types.count("content_block_start") == types.count("content_block_stop") == 2
    assert {"thinking", "signature", "text"} <= set(types)  # what the SDK makes of the deltas
    assert "".join(event.text for event in events if event.type == "text") == "\n\nHello, my friend!"
    assert [block.type for block in answer.content] == ["thinking", "text"]
    assert answer.content[0].thinking == "\nHm.\n" and answer.content[0].signature
    assert answer.stop_reason == "end_turn"
    assert answer.usage.output_tokens > 5


def test_raw_events(client, say):
    with client.messages.create(**fields(stream=True, extra_body=say("Hello!"))) as stream:
        types = [event.type for event in stream]

    assert types[:2] == ["message_start", "content_block_start"]
    assert types[-3:] == ["content_block_stop", "message_delta", "message_stop"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_loop_of_calls(client, say, stream):
    """Two calls, one behind the other, each with its result; the thoughts go back as well."""
    messages = list(MESSAGES)
    called = []
    for said in (
        "<think>\nFirst the weather.\n</think>\n\n" + CALL % ("weather", '{"city": "Oslo"}'),
        CALL % ("time", '{"city": "Oslo"}'),
        "<think>\nAll is known.\n</think>\n\nRain at noon.",
    ):
        asked = fields(messages=messages, tools=TOOLS, extra_body=say(said))
        if stream:
            with client.messages.stream(**asked) as events:
                answer = events.get_final_message()
        else:
            answer = client.messages.create(**asked)
        messages.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            break
        assert answer.stop_reason == "tool_use"
        called += [(call.name, call.input) for call in calls]
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": "known"} for call in calls]
        messages.append({"role": "user", "content": results})

    assert called == [("weather", {"city": "Oslo"}), ("time", {"city": "Oslo"})]
    assert answer.content[-1].text == "\n\nRain at noon."
    assert answer.stop_reason == "end_turn"


@pytest.mark.parametrize("per_event", [1, 3, 200])
def test_parallel_calls_in_a_stream(client, say, per_event):
    said = "Both.\n" + CALL % ("weather", '{"city": "Oslo"}') + "\n" + CALL % ("time", '{"city": "Bergen"}')
    with client.messages.stream(**fields(tools=TOOLS, extra_body=say(said, per_event=per_event))) as stream:
        answer = stream.get_final_message()

    assert [block.type for block in answer.content] == ["text", "tool_use", "tool_use"]
    assert [block.input for block in answer.content[1:]] == [{"city": "Oslo"}, {"city": "Bergen"}]
    assert answer.content[1].id != answer.content[2].id


def test_the_sdk_calls_functions_by_itself(client):
    @anthropic.beta_tool
    def get_weather(city: str) -> str:
        """Knows the weather of a city."""
        return f"rain in {city}"

    runner = client.beta.messages.tool_runner(
        model=MODEL, max_tokens=1000, messages=MESSAGES, tools=[get_weather], thread=False  # the client keeps the history
    )
    answer = runner.until_done()

    assert answer.content[-1].text == "\n\nThe functions say: rain in Oslo"


def test_a_format_is_parsed(client, say):
    class Event(pydantic.BaseModel):
        name: str
        people: list[str]

    said = '{"name": "Tea", "people": ["Ada"]}'
    answer = client.messages.parse(**fields(output_format=Event, extra_body=say(said)))

    assert answer.parsed_output == Event(name="Tea", people=["Ada"])


@pytest.mark.parametrize(
    "more, said, reason, sequence",
    [
        ({"max_tokens": 5}, LONG, "max_tokens", None),
        ({"stop_sequences": ["STOP"]}, "Go on. STOP here.", "stop_sequence", "STOP"),
        ({"thinking": {"type": "disabled"}}, "Yes.", "end_turn", None),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000}, "Yes.", "end_turn", None),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_why_it_ended(client, say, stream, more, said, reason, sequence):
    asked = fields(extra_body=say(said)) | more
    if stream:
        with client.messages.stream(**asked) as events:
            answer = events.get_final_message()
    else:
        answer = client.messages.create(**asked)

    assert (answer.stop_reason, answer.stop_sequence) == (reason, sequence)


def test_tokens_are_counted(client, say):
    asked = {"messages": MESSAGES, "system": "Be kind.", "tools": TOOLS}
    counted = client.messages.count_tokens(model=MODEL, **asked)
    answer = client.messages.create(**fields(**asked, extra_body=say("Yes.")))

    assert counted.input_tokens == answer.usage.input_tokens


@pytest.mark.parametrize(
    "more, error, type, words",
    [
        ({"model": "nobody"}, anthropic.NotFoundError, "not_found_error", "`nobody` does not exist"),
        ({"tool_choice": {"type": "any"}}, anthropic.BadRequestError, "invalid_request_error", "`tools` must be set"),
        ({"messages": []}, anthropic.BadRequestError, "invalid_request_error", "empty"),
        ({"extra_body": {"shoe_size": 42}}, anthropic.BadRequestError, "invalid_request_error", "'shoe_size' is not known"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "x"}}]}]},
            anthropic.BadRequestError,
            "invalid_request_error",
            "a block of type image cannot be used here",
        ),
    ],
)
def test_what_is_refused(client, more, error, type, words):
    with pytest.raises(error) as refused:
        client.messages.create(**fields() | more)

    assert refused.value.body["error"]["type"] == type
    assert words in refused.value.body["error"]["message"]
    assert refused.value.request_id == refused.value.body["request_id"]


def test_keys(say):
    with anthropic.Anthropic(api_key=None, auth_token=KEY, max_retries=0) as client:
        assert client.messages.create(**fields(extra_body=say("Yes."))).content[0].text == "Yes."
    with anthropic.Anthropic(api_key="sk-wrong", max_retries=0) as client:
        with pytest.raises(anthropic.AuthenticationError) as refused:
            client.messages.create(**fields())

    assert refused.value.body["error"]["type"] == "authentication_error"


def test_a_client_that_leaves_a_stream(client, say, server, aborted):
    with client.messages.stream(**fields(extra_body=say(LONG, rate=20))) as stream:
        next(iter(stream))
        server.await_count("num_requests_running", 1)

    aborted()


def test_a_client_that_does_not_wait(client, say, server, aborted):
    with pytest.raises(anthropic.APITimeoutError):
        client.with_options(timeout=0.5).messages.create(**fields(extra_body=say(LONG, rate=20)))

    aborted()


@pytest.mark.parametrize(
    "fault, error", [("status=503", anthropic.InternalServerError), ("status=429", anthropic.RateLimitError)]
)
def test_the_sdk_tries_again(say, fault, error):
    tries = []
    web = httpx2.Client(event_hooks={"request": [lambda request: tries.append(request.url.path)]})
    with anthropic.Anthropic(max_retries=1, http_client=web) as client:
        with pytest.raises(error) as failed:
            client.messages.create(**fields(extra_body=say("x", fault=fault)))

    assert tries == ["/v1/messages"] * 2
    assert failed.value.response.headers["Retry-After"] == "1"


def test_a_stream_that_breaks(client, say):
    seen = ""
    with pytest.raises(anthropic.APIStatusError) as broken:
        with client.messages.stream(**fields(extra_body=say(LONG, fault="reset@9"))) as stream:
            for text in stream.text_stream:
                seen += text

    assert seen.startswith("one two")
    assert broken.value.body["error"]["type"] == "api_error"
