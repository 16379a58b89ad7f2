import { expect, it } from 'vitest';
import type {
  LiveMessage,
  LiveOutcome,
  ShowsWriting,
} from '../../../../src/connectors/contract/live-message.ts';
import { LiveLine } from '../../../../src/messaging/live/live-line.ts';
import { LiveText } from '../../../../src/messaging/live/live-text.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const SHOWN: LiveOutcome = { kind: 'shown', shownId: 'm1' };
/** The platform's answer has not arrived. */
const UNCLEAR: LiveOutcome = { kind: 'later', afterMs: 60_000 };

function setup(outcomes: LiveOutcome[], parts: { kind?: 'draft'; mayBeShown?: boolean } = {}) {
  const clock = new ManualClock();
  const requests: Pick<LiveMessage, 'key' | 'shownId' | 'text'>[] = [];
  const stored: string[] = [];
  const platform: ShowsWriting = {
    kind: parts.kind ?? 'message',
    pace: { perSecond: 100, updates: 100, everyMs: 0 },
    shows: () => true,
    show: async ({ key, shownId, text }) => {
      requests.push({ key, shownId, text });
      return outcomes.shift()!;
    },
    remove: async () => {},
  };
  const space = { kind: 'direct', id: 'p1' } as const;
  const text = new LiveText({
    clock,
    platform,
    accountId: 'acc_1',
    to: { login: { kind: 'bot_token', id: 'bt_1' }, space, thread: null, person: 'p1' },
    key: 'dlv_1',
    shownId: null,
    mayBeShown: parts.mayBeShown ?? false,
    line: new LiveLine(clock, platform.pace),
    checkText: () => {},
    begun: async () => void stored.push('begun'),
    appeared: async (shownId) => void stored.push(shownId),
    leave: () => {},
    waiting: () => {},
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  return { text, requests, stored, pass };
}

it('asks again with the same key, before the whole message, when the answer to the first request is not known', async () => {
  const { text, requests, stored, pass } = setup([UNCLEAR, UNCLEAR, SHOWN]);
  text.write('One two');
  await pass(150);
  expect(requests).toEqual([{ key: 'dlv_1', shownId: null, text: 'One' }]);
  const ended = text.end();
  await pass(0);
  await pass(1_000);
  // The login still pauses; the whole message waits no longer than this.
  await pass(10_000);
  await ended;
  const again = { key: 'dlv_1', shownId: null, text: 'One' };
  expect(requests).toEqual([again, again, again]);
  expect(stored.at(-1)).toBe('m1');
});

it('asks also for a text that the model does not write again after a crash', async () => {
  const { text, requests, stored } = setup([SHOWN], { mayBeShown: true });
  await text.end();
  expect(requests).toEqual([{ key: 'dlv_1', shownId: null, text: '…' }]);
  expect(stored).toContain('m1');
});

it('asks no more when the message is known, refused, never begun, or a draft', async () => {
  for (const outcome of [SHOWN, { kind: 'refused' } as const]) {
    const { text, requests, pass } = setup([outcome]);
    text.write('One two');
    await pass(150);
    await text.end();
    expect(requests).toHaveLength(1);
  }
  const fresh = setup([]);
  fresh.text.write('One two');
  await fresh.text.end();
  expect(fresh.requests).toEqual([]);
  const draft = setup([UNCLEAR], { kind: 'draft' });
  draft.text.write('One two');
  await draft.pass(150);
  const ended = draft.text.end();
  await draft.pass(60_000);
  await ended;
  expect(draft.requests).toHaveLength(1);
});
