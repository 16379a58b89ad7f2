import { expect } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import type { MessengerRule, MessengerUnderTest } from './messenger-under-test.ts';
import { cursorOf } from './receiving-rules.ts';
import { Talk } from './talk.ts';

/** How platforms name the thumb of the rules. */
const THUMBS: readonly string[] = ['👍', '+1', 'thumbsup', 'like'];
const CHOICES = ['Tea', 'Coffee'] as const;

/** What a message is about: the one that it answers, choices, reactions, and its own parts. */
export const CONTEXT_RULES: readonly MessengerRule[] = [
  {
    title: 'a person’s answer says what it answers',
    async check(subject) {
      const talk = await Talk.begun(subject);
      if (talk.person.answers === undefined) return;
      const { messageId, platformMessageId } = await asked(talk, 'Option A or B?');
      talk.person.answers(platformMessageId, 'B');
      await talk.waitForInbound(['B']);
      const answer = (await talk.messages()).at(-1);
      expect(answer.reply_to).toMatchObject({ message_id: messageId, text: 'Option A or B?' });
    },
  },
  {
    title: 'an agent’s message shows what it answers',
    async check(subject) {
      const talk = await Talk.with(subject);
      const { platformMessageId } = await talk.hears('Option A or B?');
      const reply_to = (await talk.messages()).at(-1).id;
      expect((await talk.send('B', [], { reply_to })).status).toBe(200);
      const [shown] = talk.person.received();
      if (subject.connector.provides.messenger!.quotes) {
        expect([shown!.text, shown!.quotes]).toEqual(['B', platformMessageId]);
      } else {
        expect(shown!.text).toMatch(/Option A or B\?[\s\S]*\nB$/);
      }
      expect((await talk.messages()).at(-1)).toMatchObject({ text: 'B', reply_to: { message_id: reply_to } });
      expect((await talk.send('B', [], { reply_to: 'msg_unknown' })).status).toBe(404);
    },
  },
  {
    title: 'what a person picks of the choices is a message with a choice',
    async check(subject) {
      const talk = await Talk.begun(subject);
      const { choices } = subject.connector.provides.messenger!;
      const { messageId, platformMessageId, text } = await asked(talk, 'What shall it be?', {
        choices: CHOICES,
      });
      const hasButtons = choices !== undefined;
      expect(text.includes('2. Coffee')).toBe(!hasButtons);
      if (hasButtons && talk.person.presses) talk.person.presses(platformMessageId, 'Coffee');
      else talk.person.writes(hasButtons ? 'coffee' : '2');
      await talk.becomes('the pick', async () => (await talk.messages()).at(-1).direction === 'inbound');
      const pick = (await talk.messages()).at(-1);
      expect(pick.choice).toBe('Coffee');
      if (talk.person.presses)
        expect(pick).toMatchObject({ text: 'Coffee', reply_to: { message_id: messageId } });
      if (!choices || choices.most >= 25) return;
      const tooMany = Array.from({ length: choices.most + 1 }, (_, n) => `${n}`);
      expect(await talk.send('Which?', [], { choices: tooMany })).toMatchObject({ status: 400 });
      expect(talk.read()).toHaveLength(1);
    },
  },
  {
    title: 'a person’s reaction is an event, and so is taking it back',
    applies: (subject) => hasReactions(subject) && subject.seesReactionsLate !== true,
    async check(subject) {
      const talk = await Talk.begun(subject);
      const { messageId, platformMessageId } = await asked(talk, 'It is done.');
      const cursor = await cursorOf(subject.gateway);
      const told = async (): Promise<AnyJson[]> => {
        const { body } = await subject.gateway.agentApi.get(`/api/inbox?last_message_cursor=${cursor}`);
        return (body.events ?? []).filter(({ type }: AnyJson) => type === 'dm_reaction');
      };
      talk.person.reacts!(platformMessageId, true);
      await talk.becomes('the reaction', async () => (await told()).length === 1);
      talk.person.reacts!(platformMessageId, false);
      await talk.becomes('its end', async () => (await told()).length === 2);
      const [added, removed] = await told();
      expect(added).toMatchObject({ message_id: messageId, emoji: '👍', action: 'added' });
      expect(added.person).toMatchObject({ id: talk.person.remoteId });
      expect(removed).toMatchObject({ message_id: messageId, action: 'removed' });
    },
  },
  {
    title: 'an agent reacts to a person’s message, and takes it back',
    applies: hasReactions,
    async check(subject) {
      const talk = await Talk.with(subject);
      const { platformMessageId } = await talk.hears('Is it done?');
      const message_id = (await talk.messages()).at(-1).id;
      const { platform } = subject.connector;
      const react = async (more: object) =>
        await subject.gateway.agentApi.post('/api/dm/react', { platform, message_id, emoji: '👍', ...more });
      expect(await react({})).toMatchObject({ status: 200 });
      const [shown, ...more] = talk.person.reactionsTo!(platformMessageId);
      expect([THUMBS.includes(shown!), more]).toEqual([true, []]);
      expect(await react({ remove: true })).toMatchObject({ status: 200 });
      expect(talk.person.reactionsTo!(platformMessageId)).toEqual([]);
      expect((await react({ message_id: 'msg_unknown' })).status).toBe(404);
    },
  },
  {
    title: 'a text that is too long is sent in parts, in order, if the agent wants',
    applies: (subject) => subject.textLimit !== null && knowsLimit(subject, subject.textLimit + 1),
    async check(subject) {
      const talk = await Talk.begun(subject);
      const { textLimit, textOf = 'x' } = subject;
      const length = Math.min(2.2 * textLimit!, LONGEST - WORD);
      const words = Array.from({ length: Math.ceil(length / WORD) }, (_, n) =>
        `word${n}`.padEnd(WORD - 1, textOf),
      );
      const text = words.join(' ');
      expect((await talk.send(text)).status).toBe(502);
      const { status, body } = await talk.send(text, [], { split: true });
      const parts = Math.ceil(length / textLimit!);
      expect([status, body.message_ids[0], body.message_ids.length]).toEqual([200, body.message_id, parts]);
      expect(talk.read().join(' ').split(/\s+/)).toEqual(text.split(' '));
      expect((await talk.messages()).map(({ id }) => id)).toEqual(body.message_ids);
    },
  },
];

/** The longest text that the API takes. */
const LONGEST = 10_000;
/** Length of a word and the space behind it. */
const WORD = 100;

/** The platform bridge leaves the limit to the bridge. */
function knowsLimit({ connector, textOf = 'x' }: MessengerUnderTest, tooLong: number): boolean {
  try {
    connector.provides.messenger!.checkText(textOf.repeat(tooLong), false);
    return false;
  } catch {
    return true;
  }
}

function hasReactions({ connector }: MessengerUnderTest): boolean {
  return connector.provides.messenger?.reactions !== undefined;
}

/** The agent writes, and the person has it. */
async function asked(
  talk: Talk,
  question: string,
  more: object = {},
): Promise<{ readonly messageId: string; readonly platformMessageId: string; readonly text: string }> {
  const { status, body } = await talk.send(question, [], more);
  expect([status, body.status]).toEqual([200, 'delivered']);
  const shown = await talk.becomes('the question', () =>
    talk.person.received().find(({ text }) => text.startsWith(question)),
  );
  return { messageId: body.message_id, ...shown };
}
