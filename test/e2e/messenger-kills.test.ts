import { afterEach, describe, it } from 'vitest';
import { BridgedUnderTest } from '../conformance/messenger/bridged-under-test.ts';
import { DiscordUnderTest } from '../conformance/messenger/discord-under-test.ts';
import { KilledTalk } from '../conformance/messenger/killed-talk.ts';
import { LoopbackMessengerUnderTest } from '../conformance/messenger/loopback-messenger-under-test.ts';
import type { MessengerUnderTest } from '../conformance/messenger/messenger-under-test.ts';
import { NextcloudUnderTest } from '../conformance/messenger/nctalk-under-test.ts';
import { SlackUnderTest } from '../conformance/messenger/slack-under-test.ts';
import { TeamsUnderTest } from '../conformance/messenger/teams-under-test.ts';
import { TelegramUnderTest } from '../conformance/messenger/telegram-under-test.ts';
import { WhatsAppUnderTest } from '../conformance/messenger/whatsapp-under-test.ts';
import { BundledGateway } from '../support/bundled-gateway.ts';

/** Of the gateway of each messenger. For more: `KILLS=1000`. */
const KILLS = Number(process.env.KILLS ?? 4);
const MESSAGES_PER_SECOND = 20;
const OPTIONS = { patienceMs: 30_000 };
/** Slack repeats an event three times within six minutes. Here it goes on until a gateway has lived long enough. */
const SLACK_RETRY_DELAYS = [0, ...Array<number>(4_000).fill(300)];

/** Telegram by polling is the subject of dm-kills. */
const MESSENGERS: Readonly<Record<string, () => Promise<MessengerUnderTest>>> = {
  'Telegram by webhook': () => TelegramUnderTest.start({ ...OPTIONS, updates: 'webhook' }),
  Discord: () => DiscordUnderTest.start({ ...OPTIONS, bot: 'own' }),
  'Slack by webhook': () => SlackUnderTest.start({ ...OPTIONS, retryDelays: SLACK_RETRY_DELAYS }),
  'Slack by Socket Mode': () =>
    SlackUnderTest.start({ ...OPTIONS, events: 'socket', retryDelays: SLACK_RETRY_DELAYS }),
  Teams: () => TeamsUnderTest.start(OPTIONS),
  WhatsApp: () => WhatsAppUnderTest.start(OPTIONS),
  'Nextcloud Talk by events': () => NextcloudUnderTest.start({ ...OPTIONS, hasEvents: true }),
  'Nextcloud Talk by polling': () => NextcloudUnderTest.start({ ...OPTIONS, hasEvents: false }),
  'A platform of the bridge': () => BridgedUnderTest.start(OPTIONS),
  Loopback: async () => {
    const bundled = await BundledGateway.prepare('test/loopback/main.ts');
    cleanUp.push(async () => bundled.remove());
    return await LoopbackMessengerUnderTest.start({ ...OPTIONS, gateway: bundled.options });
  },
};

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

describe.each(Object.entries(MESSENGERS))('%s', (name, start) => {
  it('loses nothing under kill -9, doubles nothing, and tells what is in doubt', async () => {
    const subject = await start();
    cleanUp.push(() => subject.stop());
    const talk = await KilledTalk.with(subject, MESSAGES_PER_SECOND);
    await talk.kill(KILLS);
    await talk.check();
    console.log(`${name}, ${talk.summary}`);
  }, 7_200_000);
});
