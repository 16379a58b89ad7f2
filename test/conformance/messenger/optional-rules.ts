import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import { type MessengerRule, sendsFiles, type TestFile } from './messenger-under-test.ts';
import { cursorOf } from './receiving-rules.ts';
import { Talk } from './talk.ts';

/** Above SVC_FILES_MAX_SIZE_MB. */
const TOO_LARGE_BYTES = 2 * 1_048_576;
const FILE_BYTES = 20_000;

/** Rules about the optional parts of a messenger. */
export const OPTIONAL_RULES: readonly MessengerRule[] = [
  {
    title: 'a person’s file has its bytes',
    applies: ({ connector }) => connector.provides.messenger?.files !== undefined,
    async check(subject) {
      const talk = await Talk.with(subject);
      const file = pdf('plan.pdf');
      talk.person.sendsFile(file, 'the plan');
      await talk.waitForInbound(['the plan']);
      const [{ attachments }] = await talk.messages();
      expect(attachments).toMatchObject([{ name: 'plan.pdf', mime: 'application/pdf' }]);
      const answer = await fetch(attachments[0].url);
      expect(Buffer.from(await answer.arrayBuffer()).equals(file.bytes)).toBe(true);
    },
  },
  {
    title: 'a file that is too large is named in the text',
    applies: ({ connector }) => connector.provides.messenger?.files !== undefined,
    async check(subject) {
      const talk = await Talk.with(subject);
      talk.person.sendsFile({ ...pdf('huge.pdf'), bytes: Buffer.alloc(TOO_LARGE_BYTES, 7) }, 'all of it');
      await talk.hears('the next message');
      await talk.waitForInbound(['all of it\n[attachment too large]', 'the next message']);
      expect((await talk.messages()).flatMap(({ attachments }) => attachments)).toEqual([]);
    },
  },
  {
    title: 'an agent’s files have their bytes and order, the first one the text',
    applies: sendsFiles,
    async check(subject) {
      const talk = await Talk.begun(subject);
      const cursor = await cursorOf(subject.gateway);
      const files = [pdf('one.pdf'), pdf('two.pdf')];
      const { status, body } = await talk.send('both of them', files);
      expect([status, body.status, body.reason]).toEqual([202, 'queued', 'still_sending']);
      await talk.becomes('the event of its end', async () => {
        const delta = await subject.gateway.agentApi.get(`/api/inbox?last_message_cursor=${cursor}`);
        return delta.body.events?.some(
          ({ type, message_id }: AnyJson) => type === 'dm_sent' && message_id === body.message_id,
        );
      });
      const received = talk.person.received();
      expect(received.map(({ text }) => text)).toEqual(['both of them', '']);
      expect(received.map(({ file }, n) => file?.equals(files[n]!.bytes))).toEqual([true, true]);
    },
  },
  {
    title: 'the typing indicator is shown, repeated, and ended by the answer',
    isSlow: true,
    applies: ({ connector }) => connector.provides.messenger?.typing !== undefined,
    async check(subject) {
      const { typingRepeatMs } = subject.connector.provides.messenger!.typing!;
      const [ada, bob] = [await Talk.with(subject), await Talk.with(subject)];
      const shown = (talk: Talk) => talk.person.typingShown!();
      ada.person.writes('hello?');
      await ada.becomes('typing to be shown', () => shown(ada) === 1);
      const shownAtMs = performance.now();
      await ada.becomes('typing to be repeated', () => shown(ada) === 2);
      expect(performance.now() - shownAtMs).toBeLessThan(typingRepeatMs + subject.patienceMs / 2);
      expect((await ada.send('hello')).status).toBe(200);
      // What would be repeated for Ada would be repeated before what is begun now.
      const before = shown(ada);
      bob.person.writes('hello?');
      await bob.becomes('typing for somebody else', () => shown(bob) === 2);
      expect(shown(ada)).toBe(before);
    },
  },
  {
    title: 'outside the window messages are queued, and sent when the person writes',
    applies: ({ connector }) => connector.provides.messenger?.window !== undefined,
    async check(subject) {
      const talk = await Talk.begun(subject);
      talk.person.closesWindow!();
      expect(await talk.send('first')).toMatchObject({
        status: 202,
        body: { status: 'queued', reason: 'outside_24h_window', queue_position: 1, template_sent: true },
      });
      expect(await talk.send('second')).toMatchObject({
        status: 202,
        body: { status: 'queued', queue_position: 2, template_sent: false },
      });
      expect([talk.person.askedToReply!(), talk.read()]).toEqual([['first'], []]);
      talk.person.writes('I am back');
      await talk.becomes('the queue to be sent', () => talk.read().length === 2);
      expect((await talk.send('third')).status).toBe(200);
      expect(talk.read()).toEqual(['first', 'second', 'third']);
    },
  },
];

function pdf(name: string): TestFile {
  return { name, mime: 'application/pdf', bytes: randomBytes(FILE_BYTES) };
}
