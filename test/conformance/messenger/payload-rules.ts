import { expect } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import type { MessengerRule, MessengerUnderTest } from './messenger-under-test.ts';
import { Talk } from './talk.ts';

/** Issue 47: kinds of a platform. */
const LEAST_KINDS = 40;
const COUNTED = /^svc_messenger_events_total\{(.*event="\w*(?:ignored|skipped)".*)\} (\d+)$/gm;

/** Nothing that a platform sends vanishes. */
export const PAYLOAD_RULES: readonly MessengerRule[] = [
  {
    title: 'every kind of payload is seen by the agent, or counted as ignored',
    applies: ({ payloads }) => payloads !== undefined,
    async check(subject) {
      const { kinds, deliver } = subject.payloads!;
      const all = Object.entries(kinds);
      expect(all.length).toBeGreaterThanOrEqual(LEAST_KINDS);
      const talk = await Talk.begun(subject);
      const before = await ignoredBy(subject);
      for (const [, { payload }] of all) deliver(talk.person, payload);
      const shown = all.filter(([, { shows }]) => shows !== null);
      const isDone = async () =>
        (await talk.messages()).length >= shown.length &&
        (await ignoredBy(subject)) - before >= all.length - shown.length;
      await talk.becomes('what becomes of the payloads', isDone).catch(() => undefined);
      const read = (await talk.messages()).map(asRead);
      const faults = shown.flatMap(([kind, { shows }], n) =>
        shows!.test(read[n] ?? '') ? [] : [`${kind}: ${JSON.stringify(read[n])} instead of ${shows}`],
      );
      expect(faults).toEqual([]);
      expect(read.length, 'messages').toBe(shown.length);
      expect((await ignoredBy(subject)) - before, 'counted as ignored').toBe(all.length - shown.length);
    },
  },
  {
    title: 'an edit or a deletion that overtakes its message wins, also over the message’s retry',
    applies: ({ payloads }) => payloads?.overtakes !== undefined,
    async check(subject) {
      const { tellsDeletions, deliver } = subject.payloads!.overtakes!;
      const talk = await Talk.begun(subject);
      const changes = ['as it is now', ...(tellsDeletions ? [null] : [])];
      const again = changes.map((change) => deliver(talk.person, 'as it was', change));
      await talk.hears('the next one');
      for (const repeat of again) repeat();
      await talk.hears('the last one');
      const stored = changes.map((change) => change ?? '[message deleted]');
      await talk.waitForInbound([...stored, 'the next one', 'the last one']);
    },
  },
];

/** Payloads of the platform that the gateway has counted as ignored. */
async function ignoredBy({ gateway, connector: { platform } }: MessengerUnderTest): Promise<number> {
  const { body } = await gateway.api(null).get('/metrics');
  return [...`${body}`.matchAll(COUNTED)]
    .filter(([, labels]) => labels!.includes(`platform="${platform}"`))
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

function asRead({ text, attachments = [] }: AnyJson): string {
  return [text, ...attachments.map(({ name }: AnyJson) => `file: ${name}`)].join('\n');
}
