import { expect, it } from 'vitest';
import type {
  LiveMessage,
  LiveOutcome,
  ShowsWriting,
} from '../../../../src/connectors/contract/live-message.ts';
import { LiveLine } from '../../../../src/messaging/live/live-line.ts';
import { LiveText } from '../../../../src/messaging/live/live-text.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** When the first request is made. */
const SINCE = '2030-01-01T00:00:00.150Z';
const SHOWN: LiveOutcome = { kind: 'shown', shownId: 'm1' };
/** The platform's answer has not arrived. */
const UNCLEAR: LiveOutcome = { kind: 'later', afterMs: 1_000, isUnclear: true };
const BUSY: LiveOutcome = { kind: 'later', afterMs: 1_000, isUnclear: false };

function setup(outcomes: LiveOutcome[], parts: { kind?: 'draft'; unclearSince?: string } = {}) {
  const clock = new ManualClock();
  const requests: Pick<LiveMessage, 'key' | 'shownId' | 'unclearSince' | 'text'>[] = [];
  const stored: string[] = [];
  const platform: ShowsWriting = {
    kind: parts.kind ?? 'message',
    pace: { most: 100, updates: 100, withinMs: 1_000, everyMs: 0 },
    shows: () => true,
    show: async ({ key, shownId, unclearSince, text }) => {
      requests.push({ key, shownId, unclearSince, text });
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
    unclearSince: parts.unclearSince ?? null,
    line: new LiveLine(clock, platform.pace),
    checkText: () => {},
    begun: async () => void stored.push('begun'),
    appeared: async (shownId) => void stored.push(shownId),
    leave: () => {},
    waiting: () => {},
  });
  const pass = async (ms: number) => {
    await new Promise(setImmediate);
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  return { text, requests, stored, pass };
}

it('asks again with the same key, before the whole message, when the answer to the first request is not known', async () => {
  const { text, requests, stored, pass } = setup([UNCLEAR, UNCLEAR, SHOWN]);
  text.write('One two');
  await pass(150);
  const first = { key: 'dlv_1', shownId: null, unclearSince: null, text: 'One' };
  expect(requests).toEqual([first]);
  const ended = text.end();
  await pass(0);
  await pass(1_000);
  // The login still pauses; the whole message waits no longer than this.
  await pass(10_000);
  await ended;
  const again = { ...first, unclearSince: SINCE };
  expect(requests).toEqual([first, again, again]);
  expect(stored.at(-1)).toBe('m1');
});

it('asks also for a text that the model does not write again after a crash', async () => {
  const { text, requests, stored } = setup([SHOWN], { unclearSince: SINCE });
  await text.end();
  expect(requests).toEqual([{ key: 'dlv_1', shownId: null, unclearSince: SINCE, text: '…' }]);
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
  const busy = setup([BUSY]);
  busy.text.write('One two');
  await busy.pass(150);
  const sent = busy.text.end();
  await busy.pass(60_000);
  await sent;
  expect(busy.requests).toHaveLength(1);
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

it('shows the same text again when only a hint of it was shown', async () => {
  const { text, requests, pass } = setup([{ ...SHOWN, isHint: true }, SHOWN]);
  text.write('One two');
  await pass(150);
  await pass(1);
  expect(requests.map((each) => [each.shownId, each.text])).toEqual([
    [null, 'One'],
    ['m1', 'One'],
  ]);
  await pass(10_000);
  expect(requests).toHaveLength(2);
});
