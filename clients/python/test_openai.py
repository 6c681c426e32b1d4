"""OpenAI's SDK for Python."""

import json

import httpx
import openai
import pydantic
import pytest
from conftest import MODEL, URL

HELLO = "<think>\nA greeting.\n</think>\n\nHello there!"
CALL = '<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>'
LONG = "one two three four five six seven eight nine ten " * 40
MESSAGES = [{"role": "user", "content": "What is the weather in Oslo?"}]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Knows the {name}",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
    for name in ("weather", "time")
]


@pytest.fixture
def client():
    with openai.OpenAI(max_retries=0, timeout=30) as client:
        yield client


def ask(client, **fields):
    return client.chat.completions.create(**{"model": MODEL, "messages": MESSAGES} | fields)


def test_a_chat(client, say):
    answer = ask(client, extra_body=say(HELLO))

    assert answer.choices[0].message.content == "\n\nHello there!"
    assert answer.choices[0].message.reasoning == "\nA greeting.\n"
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    assert 0 < answer.usage.completion_tokens_details.reasoning_tokens < answer.usage.completion_tokens
    assert answer.model == MODEL
    assert answer._request_id and answer.id == f"chatcmpl-{answer._request_id}"


def test_a_stream_of_a_chat(client, say):
    events = list(ask(client, stream=True, stream_options={"include_usage": True}, extra_body=say(HELLO)))

    deltas = [event.choices[0].delta for event in events if event.choices]
    assert "".join(delta.content or "" for delta in deltas) == "\n\nHello there!"
    assert "".join(getattr(delta, "reasoning", None) or "" for delta in deltas) == "\nA greeting.\n"
    assert deltas[0].role == "assistant"
    assert [event.choices[0].finish_reason for event in events if event.choices][-1] == "stop"
    assert len(deltas) > 5
    assert [event.usage is not None for event in events] == [False] * (len(events) - 1) + [True]
    assert events[-1].usage.completion_tokens_details.reasoning_tokens > 0


def test_the_stream_helper(client, say):
    with client.chat.completions.stream(model=MODEL, messages=MESSAGES, extra_body=say(HELLO)) as stream:
        types = {event.type for event in stream}
        answer = stream.get_final_completion()

    assert {"chunk", "content.delta", "content.done"} <= types
    assert answer.choices[0].message.content == "\n\nHello there!"
    assert answer.choices[0].finish_reason == "stop"


def test_a_loop_of_calls(client, say):
    """Two calls, one behind the other, each with its result."""
    messages = list(MESSAGES)
    said = [
        "<think>\nFirst the weather.\n</think>\n\n" + CALL % ("weather", '{"city": "Oslo"}'),
        CALL % ("time", '{"city": "Oslo"}'),
        "<think>\nAll is known.\n</think>\n\nRain at noon.",
    ]
    called = []
    for text in said:
        answer = ask(client, messages=messages, tools=TOOLS, extra_body=say(text))
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            break
        assert answer.choices[0].finish_reason == "tool_calls"
        for call in message.tool_calls:
            called.append((call.function.name, json.loads(call.function.arguments)))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "known"})

    assert called == [("weather", {"city": "Oslo"}), ("time", {"city": "Oslo"})]
    assert message.content == "\n\nRain at noon."
    assert answer.choices[0].finish_reason == "stop"
    assert [each["role"] for each in messages] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("per_event", [1, 3, 200])
def test_parallel_calls_in_a_stream(client, say, per_event):
    said = "Both.\n" + CALL % ("weather", '{"city": "Oslo"}') + "\n" + CALL % ("time", '{"city": "Bergen"}')
    with client.chat.completions.stream(
        model=MODEL, messages=MESSAGES, tools=TOOLS, extra_body=say("<think>\n</think>\n" + said, per_event=per_event)
    ) as stream:
        answer = stream.get_final_completion()

    choice = answer.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content.strip() == "Both."
    calls = choice.message.tool_calls
    assert [(call.function.name, json.loads(call.function.arguments)) for call in calls] == [
        ("weather", {"city": "Oslo"}),
        ("time", {"city": "Bergen"}),
    ]
    assert len({call.id for call in calls}) == 2


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "time"}}])
def test_a_call_that_is_demanded(client, say, choice):
    said = "<think>\n</think>\n\n" + CALL % ("time", '{"city": "Oslo"}')
    answer = ask(client, tools=TOOLS, tool_choice=choice, extra_body=say(said))

    assert [call.function.name for call in answer.choices[0].message.tool_calls] == ["time"]


class Event(pydantic.BaseModel):
    name: str
    people: list[str]


EVENT = '{"name": "Tea", "people": ["Ada", "Bob"]}'


@pytest.mark.parametrize("door", ["chat.completions", "beta.chat.completions"])
def test_a_format_is_parsed(client, say, door):
    completions = client
    for name in door.split("."):
        completions = getattr(completions, name)
    answer = completions.parse(
        model=MODEL, messages=MESSAGES, response_format=Event, extra_body=say("<think>\n</think>" + EVENT)
    )

    assert answer.choices[0].message.parsed == Event(name="Tea", people=["Ada", "Bob"])


def test_a_format_is_parsed_in_a_stream(client, say):
    with client.beta.chat.completions.stream(
        model=MODEL, messages=MESSAGES, response_format=Event, extra_body=say("<think>\n</think>" + EVENT)
    ) as stream:
        for _ in stream:
            pass
        answer = stream.get_final_completion()

    assert answer.choices[0].message.parsed == Event(name="Tea", people=["Ada", "Bob"])


def test_arguments_are_parsed(client, say):
    class Weather(pydantic.BaseModel):
        city: str

    tool = openai.pydantic_function_tool(Weather, name="weather")
    answer = client.chat.completions.parse(
        model=MODEL, messages=MESSAGES, tools=[tool], extra_body=say(CALL % ("weather", '{"city": "Oslo"}'))
    )

    assert answer.choices[0].message.tool_calls[0].function.parsed_arguments == Weather(city="Oslo")


def test_an_answer_that_is_too_short_to_parse(client, say):
    with pytest.raises(openai.LengthFinishReasonError):
        client.chat.completions.parse(
            model=MODEL, messages=MESSAGES, response_format=Event, max_completion_tokens=3, extra_body=say(EVENT)
        )


def test_several_choices(client, say):
    answer = ask(client, n=3, temperature=1, extra_body=say("One.", "Two.", "Three."))

    assert [choice.index for choice in answer.choices] == [0, 1, 2]
    assert {choice.message.content for choice in answer.choices} == {"One.", "Two.", "Three."}


def test_several_choices_in_a_stream(client, say):
    texts = ["", "", ""]
    for event in ask(client, n=3, temperature=1, stream=True, extra_body=say("One.", "Two.", "Three.")):
        for choice in event.choices:
            texts[choice.index] += choice.delta.content or ""

    assert texts == ["One.", "Two.", "Three."]


@pytest.mark.parametrize("stream", [False, True])
def test_logprobs(client, say, stream):
    answer = ask(client, logprobs=True, top_logprobs=2, stream=stream, extra_body=say("Well, yes.", thinks=False))
    events = list(answer) if stream else [answer]

    contents = [event.choices[0].logprobs for event in events if event.choices]
    tokens = [token for logprobs in contents if logprobs for token in logprobs.content]
    assert "".join(token.token for token in tokens).removesuffix("<|im_end|>") == "Well, yes."
    assert all(len(token.top_logprobs) == 2 and token.logprob <= 0 for token in tokens)
    assert bytes(tokens[0].bytes).decode() == tokens[0].token


def test_a_stop_string(client, say):
    answer = ask(client, stop=["STOP"], extra_body=say("Go on. STOP here."))

    assert answer.choices[0].message.content == "Go on. "
    assert answer.choices[0].finish_reason == "stop"
    assert answer.choices[0].stop_reason == "STOP"


def test_an_answer_that_is_cut(client, say):
    assert ask(client, max_completion_tokens=4, extra_body=say(LONG)).choices[0].finish_reason == "length"


def test_a_completion(client, say):
    answer = client.completions.create(model=MODEL, prompt="Say:", echo=True, extra_body=say("It is so.", thinks=False))

    assert answer.choices[0].text == "Say:It is so."
    assert answer.usage.completion_tokens > 3


def test_a_stream_of_completions(client, say):
    texts = ["", ""]
    for event in client.completions.create(
        model=MODEL, prompt=["Say:", "Tell:"], stream=True, extra_body=say("It is so.", thinks=False)
    ):
        for choice in event.choices:
            texts[choice.index] += choice.text

    assert texts == ["It is so.", "It is so."]


def test_the_models(client):
    models = list(client.models.list())

    assert [model.id for model in models] == [MODEL, "tiny"]
    assert all(model.object == "model" for model in models)


@pytest.mark.parametrize(
    "fields, error, param, words",
    [
        ({"model": "nobody"}, openai.NotFoundError, "model", "`nobody` does not exist"),
        ({"temperature": -1}, openai.BadRequestError, "temperature", "non-negative"),
        ({"messages": "Hi"}, openai.BadRequestError, "body.messages", "list"),
        ({"extra_body": {"shoe_size": 42}}, openai.BadRequestError, "shoe_size", "'shoe_size' is not known"),
        ({"tool_choice": "auto"}, openai.BadRequestError, "tool_choice", "`tools` must be set"),
    ],
)
def test_what_is_refused(client, fields, error, param, words):
    with pytest.raises(error) as refused:
        ask(client, **fields)

    assert words in refused.value.message
    assert refused.value.param == param
    assert refused.value.type in ("BadRequestError", "NotFoundError", "Bad Request")
    assert refused.value.body["code"] == refused.value.status_code
    assert refused.value.request_id


def test_what_is_refused_comes_before_a_stream(client):
    with pytest.raises(openai.BadRequestError):
        ask(client, stream=True, top_p=2)


def test_a_wrong_key():
    with openai.OpenAI(api_key="sk-wrong", max_retries=0) as client:
        with pytest.raises(openai.AuthenticationError) as refused:
            ask(client)

    assert refused.value.status_code == 401
    assert "Unauthorized" in str(refused.value.response.text)


def test_a_client_that_leaves_a_stream(client, say, server, aborted):
    with ask(client, stream=True, extra_body=say(LONG, rate=20)) as stream:
        assert next(iter(stream)).choices[0].delta.role == "assistant"
        server.await_count("num_requests_running", 1)

    aborted()


def test_a_client_that_does_not_wait(client, say, server, aborted):
    with pytest.raises(openai.APITimeoutError):
        ask(client.with_options(timeout=0.5), extra_body=say(LONG, rate=20))

    aborted()


@pytest.mark.parametrize(
    "fault, error",
    [("status=503", openai.InternalServerError), ("status=429", openai.RateLimitError)],
)
def test_the_sdk_tries_again(say, fault, error):
    tries = []
    with httpx.Client(event_hooks={"request": [lambda request: tries.append(request.url.path)]}) as web:
        with openai.OpenAI(max_retries=1, http_client=web) as client:
            with pytest.raises(error) as failed:
                ask(client, extra_body=say("x", fault=fault))

    assert tries == ["/v1/chat/completions"] * 2
    assert failed.value.response.headers["Retry-After"] == "1"


def test_a_stream_that_breaks(client, say):
    seen = ""
    with pytest.raises(openai.APIError) as broken:
        for event in ask(client, stream=True, extra_body=say(LONG, fault="reset@5")):
            seen += event.choices[0].delta.content or ""

    assert seen.startswith("one two")
    assert broken.value.body["code"] == 502


def test_many_at_once(say):
    import asyncio

    async def ask_all():
        async with openai.AsyncOpenAI(max_retries=0) as client:

            async def one(i):
                stream = await ask(client, stream=True, extra_body=bodies[i])
                return "".join([event.choices[0].delta.content or "" async for event in stream])

            return await asyncio.gather(*(one(i) for i in range(32)))

    bodies = [say(f"Number {i}.") for i in range(32)]
    assert asyncio.run(ask_all()) == [f"Number {i}." for i in range(32)]


def test_the_address_is_that_of_the_proxy(client):
    assert str(client.base_url).startswith(URL)
