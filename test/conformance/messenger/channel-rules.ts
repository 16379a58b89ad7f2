import { expect } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { MessengerRule, MessengerUnderTest } from './messenger-under-test.ts';
import { cursorOf } from './receiving-rules.ts';

export const CHANNEL_RULES: readonly MessengerRule[] = [
  {
    title: 'a channel and its threads are conversations of their own, each answered where it is',
    applies: ({ channel }) => channel !== undefined,
    async check(subject) {
      const channel = subject.channel!();
      const asked = await newsAfter(subject, () => channel.writes('Who is there?'));
      const root = channel.opensThread?.() ?? asked.platformMessageId;
      expect(asked.conversation).toMatchObject({
        kind: 'channel',
        remote_id: channel.id,
        remote_name: channel.name,
        messages: [{ text: 'Who is there?', sender: { name: channel.memberName } }],
      });
      await answer(subject, asked.conversation, 'I am');
      await waitFor('the answer', () => channel.received().length === 1, subject.patienceMs);
      const inThread = await newsAfter(subject, () => channel.writes('And here?', root));
      expect(inThread.conversation).toMatchObject({ kind: 'channel', remote_id: channel.id, thread: root });
      const isSame = inThread.conversation.conversation_id === asked.conversation.conversation_id;
      expect(isSame).toBe(channel.isAllThreads === true);
      const other = isSame ? await newsAfter(subject, () => channel.writes('Something else')) : inThread;
      expect(other.conversation.conversation_id).not.toBe(asked.conversation.conversation_id);
      await answer(subject, other.conversation, 'Here, too');
      await waitFor('the other answer', () => channel.received().length === 2, subject.patienceMs);
      expect(channel.received()).toEqual([
        { text: 'I am', thread: isSame ? root : null },
        { text: 'Here, too', thread: isSame ? other.platformMessageId : root },
      ]);
    },
  },
];

/** The conversation to which something is written, with the new message. */
async function newsAfter(
  { gateway, patienceMs }: MessengerUnderTest,
  write: () => string,
): Promise<{ conversation: AnyJson; platformMessageId: string }> {
  const cursor = await cursorOf(gateway);
  const platformMessageId = write();
  const news = async (): Promise<AnyJson> => {
    const { body } = await gateway.agentApi.get(`/api/inbox?last_message_cursor=${cursor}`);
    return body.conversations[0];
  };
  return { conversation: await waitFor('the message', news, patienceMs), platformMessageId };
}

async function answer(
  { gateway, connector: { platform } }: MessengerUnderTest,
  { conversation_id }: AnyJson,
  text: string,
): Promise<void> {
  const { status } = await gateway.agentApi.post('/api/dm/chat', { platform, conversation_id, text });
  expect(status).toBe(200);
}
