// OpenAI's SDK for JavaScript.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';

const { GLYPHGATE_URL, GLYPHGATE_SERVER, GLYPHGATE_KEY } = process.env;
const model = 'demo';
const messages = [{ role: 'user', content: 'What is the weather in Oslo?' }];
const long = 'one two three four five six seven eight nine ten '.repeat(40);
const tools = ['weather', 'time'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}));
const call = (name, city) => `<tool_call>\n{"name": "${name}", "arguments": {"city": "${city}"}}\n</tool_call>`;
const client = new OpenAI({ maxRetries: 0, timeout: 30_000 });

/**
 * Fields of a request that make the simulated model say a text. It is one that thinks, so a text without thoughts gets empty ones
 * before it.
 */
async function say(said, { thinks = true, ...wishes } = {}) {
  const text = said.includes('<think>') || !thinks ? said : `<think></think>${said}`;
  const answer = await fetch(`${GLYPHGATE_URL}/tokenize`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${GLYPHGATE_KEY}` },
    body: JSON.stringify({ prompt: `${text}<|im_end|>`, add_special_tokens: false }),
  });
  const { tokens } = await answer.json();
  return { model, messages, vllm_xargs: { glyphgate_tokens: tokens, glyphgate_rate: 0, ...wishes } };
}

/** A count of the simulated server that all chats come to. */
async function count(name) {
  const text = await (await fetch(`${GLYPHGATE_SERVER}/metrics`)).text();
  return Number(text.match(new RegExp(`^vllm:${name}\\{.*\\} ([0-9.]+)$`, 'm'))[1]);
}

async function awaitCount(name, value) {
  const end = Date.now() + 20_000;
  while ((await count(name)) !== value) {
    assert.ok(Date.now() < end, `${name} does not become ${value}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('openai', () => {
  test('a chat', async () => {
    const answer = await client.chat.completions.create(await say('<think>\nHm.\n</think>\n\nHello!'));

    assert.equal(answer.choices[0].message.content, '\n\nHello!');
    assert.equal(answer.choices[0].message.reasoning, '\nHm.\n');
    assert.equal(answer.choices[0].finish_reason, 'stop');
    assert.ok(answer.usage.completion_tokens_details.reasoning_tokens > 0);
    assert.equal(answer.id, `chatcmpl-${answer._request_id}`);
  });

  test('a stream of a chat', async () => {
    const stream = await client.chat.completions.create({
      ...(await say('<think>\nHm.\n</think>\n\nHello, my friend!')),
      stream: true,
      stream_options: { include_usage: true },
    });
    let content = '';
    let reasoning = '';
    let usage = null;
    for await (const event of stream) {
      content += event.choices[0]?.delta.content ?? '';
      reasoning += event.choices[0]?.delta.reasoning ?? '';
      usage = event.usage ?? usage;
    }

    assert.equal(content, '\n\nHello, my friend!');
    assert.equal(reasoning, '\nHm.\n');
    assert.ok(usage.completion_tokens > 5);
  });

  test('a loop of calls', async () => {
    const said = [call('weather', 'Oslo'), call('time', 'Oslo'), 'Rain at noon.'];
    const called = [];
    const history = [...messages];
    let message;
    for (const text of said) {
      const answer = await client.chat.completions.create({ ...(await say(text)), messages: history, tools });
      message = answer.choices[0].message;
      history.push(message);
      for (const each of message.tool_calls ?? []) {
        called.push([each.function.name, JSON.parse(each.function.arguments)]);
        history.push({ role: 'tool', tool_call_id: each.id, content: 'known' });
      }
    }

    assert.deepEqual(called, [['weather', { city: 'Oslo' }], ['time', { city: 'Oslo' }]]);
    assert.equal(message.content, 'Rain at noon.');
  });

  test('parallel calls, put together by the SDK', async () => {
    const runner = client.chat.completions.stream({
      ...(await say(`Both.\n${call('weather', 'Oslo')}\n${call('time', 'Bergen')}`)),
      tools,
    });
    const answer = await runner.finalChatCompletion();

    assert.equal(answer.choices[0].finish_reason, 'tool_calls');
    assert.deepEqual(
      answer.choices[0].message.tool_calls.map((each) => [each.function.name, JSON.parse(each.function.arguments).city]),
      [['weather', 'Oslo'], ['time', 'Bergen']],
    );
  });

  test('the SDK calls functions by itself', async () => {
    const asked = [];
    const runner = client.chat.completions.runTools({
      model,
      messages,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
            parse: JSON.parse,
            function: ({ city }) => {
              asked.push(city);
              return 'rain';
            },
          },
        },
      ],
    });

    assert.equal(await runner.finalContent(), '\n\nThe functions say: rain');
    assert.deepEqual(asked, ['Oslo']);
  });

  test('a format is parsed', async () => {
    const Event = z.object({ name: z.string(), people: z.array(z.string()) });
    const answer = await client.chat.completions.parse({
      ...(await say('{"name": "Tea", "people": ["Ada"]}')),
      response_format: zodResponseFormat(Event, 'event'),
    });

    assert.deepEqual(answer.choices[0].message.parsed, { name: 'Tea', people: ['Ada'] });
  });

  test('logprobs', async () => {
    const answer = await client.chat.completions.create({ ...(await say('Well.', { thinks: false })), logprobs: true, top_logprobs: 2 });

    assert.equal(answer.choices[0].logprobs.content[0].token, 'Well');
    assert.equal(answer.choices[0].logprobs.content[0].top_logprobs.length, 2);
  });

  test('a completion', async () => {
    const { vllm_xargs } = await say('It is so.', { thinks: false });
    const answer = await client.completions.create({ model, prompt: 'Say:', vllm_xargs });

    assert.equal(answer.choices[0].text, 'It is so.');
  });

  test('the models', async () => {
    const ids = [];
    for await (const each of client.models.list()) {
      ids.push(each.id);
    }

    assert.deepEqual(ids, ['demo', 'tiny']);
  });

  test('what is refused', async () => {
    await assert.rejects(client.chat.completions.create({ model: 'nobody', messages }), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError);
      assert.match(error.message, /`nobody` does not exist/);
      return true;
    });
    await assert.rejects(client.chat.completions.create({ model, messages, top_p: 5 }), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.param, 'top_p');
      assert.equal(error.type, 'BadRequestError');
      return true;
    });
    await assert.rejects(new OpenAI({ apiKey: 'wrong', maxRetries: 0 }).models.list(), OpenAI.AuthenticationError);
  });

  test('a client that leaves a stream', async () => {
    await awaitCount('num_requests_running', 0);
    const before = await count('request_success_total');
    const stream = await client.chat.completions.create({ ...(await say(long, { glyphgate_rate: 20 })), stream: true });
    for await (const event of stream) {
      assert.equal(event.choices[0].delta.role, 'assistant');
      break;
    }

    await awaitCount('num_requests_running', 0);
    assert.equal(await count('request_success_total'), before);
  });

  test('a client that does not wait', async () => {
    const before = await count('request_success_total');
    await assert.rejects(
      client.chat.completions.create(await say(long, { glyphgate_rate: 20 }), { timeout: 500 }),
      OpenAI.APIConnectionTimeoutError,
    );

    await awaitCount('num_requests_running', 0);
    assert.equal(await count('request_success_total'), before);
  });

  test('a stream that breaks', async () => {
    let content = '';
    await assert.rejects(async () => {
      const stream = await client.chat.completions.create({ ...(await say(long, { glyphgate_fault: 'reset@5' })), stream: true });
      for await (const event of stream) {
        content += event.choices[0].delta.content ?? '';
      }
    }, OpenAI.APIError);

    assert.match(content, /^one two/);
  });
});
