import { expect, it } from 'vitest';
import { type VoiceChat, voiceChat } from '../../../../../src/connectors/discord/calls/voice-chat.ts';
import type { VoiceSignaling } from '../../../../../src/connectors/discord/gateway/voice-signaling.ts';
import { Message } from '../../../../../src/connectors/discord/objects.ts';

const BOT = '3001';

function chat(hearsBots: boolean): VoiceChat {
  const signaling = { botUserId: BOT } as VoiceSignaling;
  return voiceChat(signaling, { checkText: () => undefined, hearsBots }, () => '2001');
}

function message(author: { readonly id: string; readonly bot?: boolean }, more: object = {}) {
  const written = {
    id: '5001',
    channel_id: '2001',
    type: 0,
    content: 'ahoy',
    timestamp: '2026-11-24T12:00:00Z',
  };
  return Message.parse({ ...written, author: { ...author, username: 'somebody' }, ...more });
}

it.each([
  ['a person', message({ id: '1' }), true, true],
  ['another bot', message({ id: '2', bot: true }), false, true],
  ['the bot itself', message({ id: BOT, bot: true }), false, false],
  ['a webhook', message({ id: '4', bot: true }, { webhook_id: '4' }), false, false],
])('what %s writes reaches the agent as the operator wishes', (_who, written, usually, withBots) => {
  expect(chat(false).read(written) !== null).toBe(usually);
  expect(chat(true).read(written) !== null).toBe(withBots);
});
