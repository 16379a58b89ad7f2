import {
  BedrockClient,
  ListFoundationModelsCommand,
  paginateListInferenceProfiles,
} from '@aws-sdk/client-bedrock';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXPIRED_KEY, type FakeAccessKey, LASTING_KEY, TEMPORARY_KEY } from '../fakes/bedrock/access-keys.ts';
import { CLAUDE, CLAUDE_IN_EUROPE, NOVA } from '../fakes/bedrock/bedrock-models.ts';
import { FakeBedrock } from '../fakes/bedrock/fake-bedrock.ts';

/** Amazon's own clients talk to the fake that ours is tested with. */
let fake: FakeBedrock;

const ARN = `arn:aws:bedrock:eu-west-3:123456789012:inference-profile/${CLAUDE_IN_EUROPE}`;

beforeEach(async () => {
  fake = await new FakeBedrock().start();
});

afterEach(async () => {
  await fake.stop();
  expect(fake.offences).toEqual([]);
});

function settings() {
  return {
    region: fake.region,
    endpoint: fake.url,
    maxAttempts: 1,
    // Its own speaks HTTP/2.
    requestHandler: new NodeHttpHandler(),
  };
}

function byBearer(token = fake.key) {
  return { ...settings(), token: { token }, authSchemePreference: ['httpBearerAuth'] };
}

function byKeys(credentials: FakeAccessKey) {
  return { ...settings(), credentials };
}

function hello(modelId = NOVA) {
  return new ConverseCommand({ modelId, messages: [{ role: 'user', content: [{ text: 'Hello' }] }] });
}

async function eventsOf(runtime: BedrockRuntimeClient): Promise<ConverseStreamOutput[]> {
  const { stream } = await runtime.send(
    new ConverseStreamCommand({
      modelId: CLAUDE_IN_EUROPE,
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ text: 'Remember the word heron' }] },
        { role: 'assistant', content: [{ text: 'OK' }] },
        { role: 'user', content: [{ text: 'Which word?' }] },
      ],
      inferenceConfig: { maxTokens: 100 },
    }),
  );
  const events: ConverseStreamOutput[] = [];
  for await (const event of stream!) events.push(event);
  return events;
}

describe('the clients of @aws-sdk with the fake', () => {
  it('get a reply with a Bedrock key', async () => {
    const { output, stopReason, usage } = await new BedrockRuntimeClient(byBearer()).send(hello());
    expect(output?.message?.content).toEqual([{ text: 'You said: Hello' }]);
    expect({ stopReason, usage }).toMatchObject({ stopReason: 'end_turn', usage: { outputTokens: 4 } });
  });

  it.each([NOVA, CLAUDE_IN_EUROPE, ARN])('sign their requests for %s', async (model) => {
    for (const key of [LASTING_KEY, TEMPORARY_KEY]) {
      const { stopReason } = await new BedrockRuntimeClient(byKeys(key)).send(hello(model));
      expect(stopReason).toBe('end_turn');
    }
  });

  it('read a stream with reasoning to its end', async () => {
    fake.reply = ({ history, text, instructions }) => [
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'text', text: `${history.length} ${text} ${instructions}` },
    ];
    const events = await eventsOf(new BedrockRuntimeClient(byKeys(LASTING_KEY)));
    const texts = events.map(({ contentBlockDelta }) => contentBlockDelta?.delta?.text ?? '');
    expect(texts.join('')).toBe('2 Which word? Be brief.');
    expect(events[0]?.messageStart?.role).toBe('assistant');
    expect(events.at(-2)?.messageStop?.stopReason).toBe('end_turn');
    expect(events.at(-1)?.metadata?.usage?.inputTokens).toBeGreaterThan(0);
  });

  it('meet an exception after the 200', async () => {
    fake.reply = () => [{ kind: 'failure', code: 'throttlingException', message: 'Slow down.' }];
    await expect(eventsOf(new BedrockRuntimeClient(byBearer()))).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: 'Slow down.',
    });
  });

  it('list models and inference profiles, page by page', async () => {
    const client = new BedrockClient(byKeys(TEMPORARY_KEY));
    const { modelSummaries } = await client.send(
      new ListFoundationModelsCommand({ byOutputModality: 'TEXT' }),
    );
    expect(modelSummaries?.map(({ modelId }) => modelId)).toEqual([NOVA, CLAUDE]);
    expect(modelSummaries?.[0]?.modelLifecycle?.endOfLifeTime).toEqual(new Date('2027-03-01'));
    fake.pageSize = 1;
    const ids: (string | undefined)[] = [];
    for await (const { inferenceProfileSummaries = [] } of paginateListInferenceProfiles({ client }, {}))
      ids.push(...inferenceProfileSummaries.map(({ inferenceProfileId }) => inferenceProfileId));
    expect(ids).toEqual([CLAUDE_IN_EUROPE, `global.${CLAUDE}`]);
  });

  it.each([
    ['UnrecognizedClientException', { ...LASTING_KEY, accessKeyId: 'AKIAFAKE000000000009' }],
    ['ExpiredTokenException', EXPIRED_KEY],
    ['InvalidSignatureException', { ...LASTING_KEY, secretAccessKey: 'wrong' }],
  ])('are refused with %s', async (name, key) => {
    await expect(new BedrockRuntimeClient(byKeys(key)).send(hello())).rejects.toMatchObject({ name });
  });

  it('are refused with the names of the vendor', async () => {
    await expect(new BedrockRuntimeClient(byBearer('wrong')).send(hello())).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    const runtime = new BedrockRuntimeClient(byBearer());
    await expect(runtime.send(hello(CLAUDE))).rejects.toMatchObject({ name: 'ValidationException' });
    fake.fault = { kind: 'refuse', why: 'rate_limited' };
    await expect(runtime.send(hello())).rejects.toMatchObject({ name: 'ThrottlingException' });
  });

  it('meet a strict vendor', async () => {
    const runtime = new BedrockRuntimeClient(byBearer());
    const wrong = [
      [{ role: 'assistant', content: [{ text: 'Hello' }] }],
      [
        { role: 'user', content: [{ text: 'Hello' }] },
        { role: 'user', content: [{ text: 'Hello?' }] },
      ],
      [{ role: 'user', content: [{ text: ' ' }] }],
    ] as const;
    for (const messages of wrong) {
      const command = new ConverseCommand({ modelId: NOVA, messages: structuredClone(messages) as never });
      await expect(runtime.send(command)).rejects.toMatchObject({ name: 'ValidationException' });
    }
    expect(fake.offences.splice(0)).toHaveLength(wrong.length);
  });
});
