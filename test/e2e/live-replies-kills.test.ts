import { afterEach, describe, expect, it } from 'vitest';
import { DiscordUnderTest } from '../conformance/messenger/discord-under-test.ts';
import type { MessengerUnderTest, PersonUnderTest } from '../conformance/messenger/messenger-under-test.ts';
import { NextcloudUnderTest } from '../conformance/messenger/nctalk-under-test.ts';
import { SlackUnderTest } from '../conformance/messenger/slack-under-test.ts';
import { TeamsUnderTest } from '../conformance/messenger/teams-under-test.ts';
import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';
import type { GatewayOptions } from '../support/gateway.ts';
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

const PLATFORMS = {
  Discord: (gateway: GatewayOptions) =>
    DiscordUnderTest.start({ bot: 'own', patienceMs: PATIENCE_MS, gateway }),
  Slack: (gateway: GatewayOptions) => SlackUnderTest.start({ patienceMs: PATIENCE_MS, gateway }),
  Teams: (gateway: GatewayOptions) => TeamsUnderTest.start({ patienceMs: PATIENCE_MS, gateway }),
  'Nextcloud Talk': (gateway: GatewayOptions) =>
    NextcloudUnderTest.start({ patienceMs: PATIENCE_MS, hasEvents: true, gateway }),
} as const;

interface Started {
  readonly ann: PersonUnderTest;
  /** Has the model write the rest, or fail. */
  goOn(how: 'well' | 'badly'): void;
}

/** A person of a platform whose agent has a model that writes half of its reply, and waits. */
async function start(platform: keyof typeof PLATFORMS): Promise<Started> {
  openai = await new FakeOpenAi().start();
  const env = { SVC_OPENAI_URL: openai.url, SVC_MODELS_ALLOW: '127.0.0.0/8' };
  subject = await PLATFORMS[platform]({ env });
  const ann = await subject.person();
  const { settingsApi } = subject.gateway;
  const { agents } = (await settingsApi.get('/api/agents')).body;
  const config = { api_key: openai.key, model: 'gpt-6-luna' };
  const set = await settingsApi.patch(`/api/agents/${agents[0].id}/provider`, { provider: 'openai', config });
  expect(set.body.live_replies).toBe(true);
  const rest = Promise.withResolvers<'well' | 'badly'>();
  openai.reply = async function* () {
    yield { kind: 'reasoning', text: 'Nobody is to read this.' };
    yield { kind: 'text', text: BEGINNING };
    yield { kind: 'text', text: '`co' };
    const how = await rest.promise;
    if (how === 'badly') yield { kind: 'filtered' };
    else
      yield { kind: 'text', text: `${REPLY.slice(BEGINNING.length + 3)}<dm platform="agent" to="x">no</dm>` };
  };
  return { ann, goOn: rest.resolve };
}

describe.each([
  ['Discord', 'it has stored the id of what is shown'],
  ['Discord', 'it knows nothing of what is shown'],
  ['Slack', 'it has stored the id of what is shown'],
  ['Slack', 'it knows nothing of what is shown'],
  ['Teams', 'it has stored the id of what is shown'],
  ['Nextcloud Talk', 'it knows nothing of what is shown'],
] as const)('a reply on %s, when the gateway is killed and %s', (platform, when) => {
  it('appears while the model writes, and ends as one message', async () => {
    const { ann, goOn } = await start(platform);
    const before = new Set(ann.received().map(({ platformMessageId }) => platformMessageId));
    const received = () => ann.received().filter(({ platformMessageId: id }) => !before.has(id));
    const { dataFolder } = subject.gateway;
    ann.writes('Hi');
    await waitFor(
      'the beginning',
      () => received().some(({ text }) => text.includes('part of the answer')),
      PATIENCE_MS,
    );
    const [shown] = received();
    expect(received()).toHaveLength(1);
    // A half of a piece of code is not shown, nor a mark that is still open.
    expect(shown!.text).not.toMatch(/`|reasoning|Nobody/);
    await waitFor('the row of the message', () => readGatewayRows(dataFolder, SHOWN).length > 0);
    await subject.gateway.killHard();
    if (when === 'it knows nothing of what is shown')
      changeGatewayRows(dataFolder, 'update live_messages set shown_id = null');
    await subject.gateway.restart();
    goOn('well');
    await waitFor('the whole reply', () => received().some(({ text }) => text.includes('link')), PATIENCE_MS);
    expect(received()).toEqual([{ ...shown, text: expect.not.stringContaining('dm platform') }]);
    expect(openai.offences).toEqual([]);
  });
});

const SHOWN = 'select key from live_messages where shown_id is not null';

it('a reply that the model does not finish is taken away', async () => {
  const { ann, goOn } = await start('Slack');
  ann.writes('Hi');
  await waitFor('the beginning', () => ann.received().length > 0, PATIENCE_MS);
  goOn('badly');
  await waitFor('its end', () => ann.received().length === 0, PATIENCE_MS);
  expect(readGatewayRows(subject.gateway.dataFolder, 'select key from live_messages')).toEqual([]);
});
