import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeVendors, VENDOR_NAMES, type VendorName } from '../fakes/speech-vendor/all-vendors.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { requirePeer } from '../support/require-peer.ts';
import { voiceNote } from '../support/voice-note.ts';
import { waitFor } from '../support/wait-for.ts';

const WORDS = 'hotel india juliett kilo lima mike november oscar papa quebec';
/** Longer than what a recognizer keeps until it has been sent. */
const LONG = Array<string>(4).fill(WORDS).join(' ');
const PATIENCE_MS = 60_000;

/** A gateway that listens to voice notes, and a person who has sent one. */
async function sent(
  provider: VendorName,
  mime: Parameters<typeof voiceNote>[1] = 'audio/ogg',
  words = WORDS,
): Promise<Gateway> {
  const [telegram, vendors] = await Promise.all([FakeTelegram.start(), FakeVendors.start()]);
  const bot = telegram.addBot();
  const gateway = await Gateway.start({
    env: { SVC_TELEGRAM_API_URL: telegram.url, ...vendors.settings, SVC_DM_TIMEOUT_TEXT: 'off' },
  });
  onTestFinished(async () => {
    await gateway.stop();
    await Promise.all([telegram.stop(), vendors.stop()]);
  });
  gateway.secrets.add(bot.token);
  await gateway.settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
  const api_key = vendors.by[provider].keyThatIs('valid');
  const set = await gateway.settingsApi.post('/api/voice-configs', { kind: 'stt', provider, api_key });
  expect(set.status).toBe(200);
  bot.person({ id: 1_001, first_name: 'Ann' }).sends('voice', voiceNote(words, mime));
  return gateway;
}

/** What the agent reads of the note. */
async function wordsIn({ agentApi }: Gateway): Promise<string> {
  const text = await waitFor(
    'the words',
    async () => {
      const { body } = await agentApi.get('/api/inbox?platform=telegram&status=all');
      return body.conversations?.[0]?.messages?.[0] as { text: string } | undefined;
    },
    PATIENCE_MS,
  );
  return text.text
    .replace('[voice note]', '')
    .replace(/[^a-z ]/gi, '')
    .trim()
    .toLowerCase();
}

describe.skipIf(requirePeer('ffmpeg'))('a voice note', () => {
  it.each(VENDOR_NAMES)('is read by %s', async (provider) => {
    expect(await wordsIn(await sent(provider, 'audio/ogg', LONG))).toBe(LONG);
  });

  it.each(['audio/mp4', 'audio/wav', 'audio/mpeg', 'audio/webm'] as const)('is read as %s', async (mime) => {
    expect(await wordsIn(await sent('deepgram', mime))).toBe(WORDS);
  });

  it('is read by the next process when the gateway is killed', async () => {
    const gateway = await sent('deepgram');
    const held = () => readGatewayRows(gateway.dataFolder, 'select id from held_messages').length;
    await waitFor('the note to be stored', () => held() === 1);
    await gateway.killHard();
    await gateway.restart();
    expect(await wordsIn(gateway)).toBe(WORDS);
    expect(held()).toBe(0);
  });
});
