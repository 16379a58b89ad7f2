import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { DiscordUnderTest } from '../conformance/messenger/discord-under-test.ts';
import type { MessengerUnderTest } from '../conformance/messenger/messenger-under-test.ts';
import { NextcloudUnderTest } from '../conformance/messenger/nctalk-under-test.ts';
import { SlackUnderTest } from '../conformance/messenger/slack-under-test.ts';
import { TeamsUnderTest } from '../conformance/messenger/teams-under-test.ts';
import { TelegramUnderTest } from '../conformance/messenger/telegram-under-test.ts';
import { FakeOpenAi } from '../fakes/openai/fake-openai.ts';
import type { GatewayOptions } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

/** Of the gateway of each platform. For more: `KILLS=100`. */
const KILLS = Number(process.env.KILLS ?? 10);
const PATIENCE_MS = 30_000;
const WORD_EVERY_MS = 60;
const WORDS = 20;
/** A kill comes so long after the message, at most: before the first word, while the model writes, or soon after. */
const LATEST_MS = 1_800;

const PLATFORMS: Readonly<Record<string, (gateway: GatewayOptions) => Promise<MessengerUnderTest>>> = {
  Telegram: (gateway) => TelegramUnderTest.start({ updates: 'polling', patienceMs: PATIENCE_MS, gateway }),
  Discord: (gateway) => DiscordUnderTest.start({ bot: 'own', patienceMs: PATIENCE_MS, gateway }),
  Slack: (gateway) =>
    SlackUnderTest.start({ patienceMs: PATIENCE_MS, retryDelays: Array<number>(100).fill(500), gateway }),
  Teams: (gateway) => TeamsUnderTest.start({ patienceMs: PATIENCE_MS, gateway }),
  'Nextcloud Talk': (gateway) =>
    NextcloudUnderTest.start({ patienceMs: PATIENCE_MS, hasEvents: true, gateway }),
};

it.each(Object.keys(PLATFORMS))(
  'kill -9 while a model writes leaves one complete message: %s',
  async (platform) => {
    const openai = await new FakeOpenAi().start();
    onTestFinished(() => openai.stop());
    const env = { SVC_OPENAI_URL: openai.url, SVC_MODELS_ALLOW: '127.0.0.0/8' };
    const subject = await PLATFORMS[platform]!({ env });
    onTestFinished(() => subject.stop());
    const { settingsApi } = subject.gateway;
    const { agents } = (await settingsApi.get('/api/agents')).body;
    const config = { api_key: openai.key, model: 'gpt-6-luna' };
    await settingsApi.patch(`/api/agents/${agents[0].id}/provider`, { provider: 'openai', config });
    openai.reply = async function* ({ text }) {
      const [, number = ''] = /number (\d+)/.exec(text) ?? [];
      yield { kind: 'text', text: `To **${number}**:` };
      for (let word = 0; word < WORDS; word++) {
        await wait(WORD_EVERY_MS);
        yield { kind: 'text', text: ` word${word}` };
      }
    };
    const ann = await subject.person();
    const before = new Set(ann.received().map(({ platformMessageId }) => platformMessageId));
    const received = () => ann.received().filter(({ platformMessageId: id }) => !before.has(id));
    let midway = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      ann.writes(`I am number ${kill}`);
      await wait(Math.random() * LATEST_MS);
      if (received().length > kill && !isWhole(received().at(-1)!.text)) midway += 1;
      await subject.gateway.killHard();
      await subject.gateway.restart();
      await waitFor(
        `reply ${kill}`,
        () => received().some(({ text }) => isWhole(text) && new RegExp(`^To \\W*${kill}\\W*:`).test(text)),
        PATIENCE_MS,
      );
      expect(received().map(({ text }) => isWhole(text))).toEqual(Array<boolean>(kill + 1).fill(true));
    }
    console.log(`${platform}: ${KILLS} kills, ${midway} of them with half of a message shown`);
    expect(openai.offences).toEqual([]);
  },
  600_000,
);

function isWhole(text: string): boolean {
  return text.endsWith(`word${WORDS - 1}`) && text.includes('word0 word1');
}
