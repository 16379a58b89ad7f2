import { afterEach, describe, expect, it } from 'vitest';
import { DiscordUnderTest } from '../conformance/messenger/discord-under-test.ts';
import type { MessengerUnderTest, PersonUnderTest } from '../conformance/messenger/messenger-under-test.ts';
import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';
import { changeGatewayRows, readGatewayRows } from '../support/gateway-database.ts';
import { waitFor } from '../support/wait-for.ts';

const PATIENCE_MS = 20_000;
const REPLY = 'The **first** part of the answer, and `code` with a [link](https://example.org/a_b).';
const BEGINNING = 'The **first** part of the answer, and ';

let subject: MessengerUnderTest;
let openai: FakeOpenAi;

afterEach(async () => {
  await openai?.stop();
  await subject?.stop();
});

/** A person of a platform whose agent has a model that writes half of its reply, and the rest when it is told to. */
async function start(): Promise<{ ann: PersonUnderTest; goOn: () => void }> {
  openai = await new FakeOpenAi().start();
  const env = { SVC_OPENAI_URL: openai.url, SVC_MODELS_ALLOW: '127.0.0.0/8' };
  subject = await DiscordUnderTest.start({ bot: 'own', patienceMs: PATIENCE_MS, gateway: { env } });
  const ann = await subject.person();
  const { settingsApi } = subject.gateway;
  const { agents } = (await settingsApi.get('/api/agents')).body;
  const config = { api_key: openai.key, model: 'gpt-6-luna' };
  const set = await settingsApi.patch(`/api/agents/${agents[0].id}/provider`, { provider: 'openai', config });
  expect(set.body.live_replies).toBe(true);
  const rest = Promise.withResolvers<void>();
  openai.reply = async function* () {
    yield { kind: 'reasoning', text: 'Nobody is to read this.' };
    yield { kind: 'text', text: `${BEGINNING}\`co` };
    await rest.promise;
    yield { kind: 'text', text: `${REPLY.slice(BEGINNING.length + 3)}<dm platform="agent" to="x">no</dm>` };
  };
  return { ann, goOn: rest.resolve };
}

const texts = (person: PersonUnderTest): string[] => person.received().map(({ text }) => text);

describe('a reply on Discord appears while the model writes, and ends as one message', () => {
  it.each([
    ['after it has stored the id of what is shown', false],
    ['before it knows the id of what is shown', true],
  ])('when the gateway is killed %s', async (_when, isUnknown) => {
    const { ann, goOn } = await start();
    ann.writes('Hi');
    await waitFor(
      'the beginning',
      () => texts(ann).some((text) => text.includes('part of the answer')),
      PATIENCE_MS,
    );
    const [shown] = ann.received();
    expect(texts(ann)).toHaveLength(1);
    // A half of a piece of code is not shown, nor a mark that is still open.
    expect(shown!.text).not.toMatch(/`|reasoning|Nobody/);
    await waitFor(
      'the row of the message',
      () =>
        readGatewayRows(
          subject.gateway.dataFolder,
          'select key from live_messages where shown_id is not null',
        ).length > 0,
    );
    await subject.gateway.killHard();
    if (isUnknown) changeGatewayRows(subject.gateway.dataFolder, 'update live_messages set shown_id = null');
    await subject.gateway.restart();
    goOn();
    await waitFor('the whole reply', () => texts(ann).some((text) => text.includes('link')), PATIENCE_MS);
    expect(ann.received().map(({ platformMessageId }) => platformMessageId)).toEqual([
      shown!.platformMessageId,
    ]);
    expect(texts(ann)[0]).not.toContain('dm platform');
    expect(openai.offences).toEqual([]);
  });
});
