import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NextcloudUnderTest } from '../conformance/messenger/nctalk-under-test.ts';
import { cursorOf } from '../conformance/messenger/receiving-rules.ts';
import { SlackUnderTest } from '../conformance/messenger/slack-under-test.ts';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import type { AnyJson } from '../support/any-json.ts';
import { Gateway } from '../support/gateway.ts';
import { requirePeer } from '../support/require-peer.ts';
import { voiceNote } from '../support/voice-note.ts';
import { waitFor } from '../support/wait-for.ts';

const PATIENCE_MS = 30_000;

describe.skipIf(requirePeer('ffmpeg'))('voice notes', () => {
  let telegram: FakeTelegram;
  let vendor: FakeVendor;
  let gateway: Gateway;
  let ann: FakePerson;
  let cursor: string;

  beforeEach(async () => {
    [telegram, vendor] = await Promise.all([FakeTelegram.start(), startVendor('deepgram')]);
    const bot = telegram.addBot();
    gateway = await Gateway.start({
      env: { SVC_TELEGRAM_API_URL: telegram.url, SVC_DEEPGRAM_URL: vendor.url, SVC_DM_TIMEOUT_TEXT: 'off' },
    });
    gateway.secrets.add(bot.token);
    await gateway.settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
    ann = bot.person({ id: 1_001, first_name: 'Ann' });
    cursor = await cursorOf(gateway);
  });
  afterEach(async () => {
    await gateway?.stop();
    await Promise.all([telegram?.stop(), vendor?.stop()]);
  });

  const listen = () =>
    gateway.settingsApi.post('/api/voice-configs', {
      kind: 'stt',
      provider: 'deepgram',
      api_key: vendor.keyThatIs('valid'),
    });

  /** Texts and files of the messages that the agent is told of, in their order. */
  async function told(count: number): Promise<string[]> {
    const messages = await waitFor(
      `${count} messages`,
      async () => {
        const { body } = await gateway.agentApi.get(`/api/inbox?last_message_cursor=${cursor}`);
        const all = body.conversations?.[0]?.messages ?? [];
        return all.length >= count && all;
      },
      PATIENCE_MS,
    );
    return messages.map(({ text, attachments = [] }: AnyJson) =>
      [text, ...attachments.map(({ mime }: AnyJson) => mime)].join(' | '),
    );
  }

  it('are read before the agent is told of them, beside the file, and what follows waits', async () => {
    await listen();
    ann.sends('voice', voiceNote('alpha bravo charlie'));
    ann.says('and this');
    ann.sends('voice', voiceNote('delta'), { caption: 'Listen' });
    expect(await told(3)).toEqual([
      '[voice note] alpha bravo charlie | audio/ogg',
      'and this',
      'Listen\n[voice note] delta | audio/ogg',
    ]);
    const { body } = await gateway.settingsApi.get('/api/usage');
    expect(JSON.stringify(body)).toMatch(/telegram/);
  });

  it('come at once where nobody listens, and alone where nothing can be read', async () => {
    ann.sends('voice', voiceNote('golf'));
    expect(await told(1)).toEqual([' | audio/ogg']);
    await listen();
    ann.sends('voice', { ...voiceNote('golf'), bytes: Buffer.from('OggS, or so it says') });
    ann.says('still there');
    expect(await told(3)).toEqual([' | audio/ogg', ' | audio/ogg', 'still there']);
    const { body } = await gateway.api(null).get('/metrics');
    expect(`${body}`).toContain(
      'svc_messenger_events_total{platform="telegram",event="voice_note_unread"} 1',
    );
  });
});

describe.skipIf(requirePeer('ffmpeg')).each([
  ['Slack', 'audio_message.mp4', 'audio/mp4', SlackUnderTest],
  ['Nextcloud Talk', 'Voice message 1.wav', 'audio/wav', NextcloudUnderTest],
] as const)('voice notes of %s', (_platform, name, mime, UnderTest) => {
  it('are read before the agent is told of them', async () => {
    const vendor = await startVendor('deepgram');
    onTestFinished(() => vendor.stop());
    const env = { SVC_DEEPGRAM_URL: vendor.url };
    const subject = await UnderTest.start({ patienceMs: PATIENCE_MS, hasEvents: true, gateway: { env } });
    onTestFinished(() => subject.stop());
    const { settingsApi, agentApi } = subject.gateway;
    const api_key = vendor.keyThatIs('valid');
    await settingsApi.post('/api/voice-configs', { kind: 'stt', provider: 'deepgram', api_key });
    const ann = await subject.person();
    const cursor = await cursorOf(subject.gateway);
    // Slack calls recordings of sound videos, too.
    ann.sendsFile(
      { ...voiceNote('delta echo', mime), name, mime: mime.replace('audio/mp4', 'video/mp4') },
      '',
    );
    ann.writes('and this');
    const messages = await waitFor(
      'the words',
      async () => {
        const { body } = await agentApi.get(`/api/inbox?last_message_cursor=${cursor}`);
        const all = body.conversations?.[0]?.messages ?? [];
        return all.length >= 2 && all;
      },
      PATIENCE_MS,
    );
    expect(messages.map(({ text }: AnyJson) => text)).toEqual(['[voice note] delta echo', 'and this']);
    expect(messages[0].attachments[0].mime).toBe(mime);
  });
});
