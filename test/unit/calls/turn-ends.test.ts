import { expect, it } from 'vitest';
import { TurnEnds, type TurnEndsDeps } from '../../../src/calls/turn-ends.ts';
import { textState } from '../../../src/calls/turn-text.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const SPEAKER = '+33123456789';

function scene(ask: TurnEndsDeps['ask'] = null) {
  const clock = new ManualClock();
  const told: string[] = [];
  const ends = new TurnEnds({
    clock,
    ask,
    ended: (speaker, reason, confidence) => told.push(`${speaker} ${reason} ${confidence}`),
  });
  return { clock, told, ends };
}

it.each([
  ['When does it open?', 'question'],
  ['My number is +33 1 23 45 67 89', 'number'],
  ['My number is 0 1 2', 'unfinished'],
  ['I would like to', 'unfinished'],
  ['I would like to.', 'unfinished'],
  ['Yes, and', 'unfinished'],
  ['Well, um…', 'unfinished'],
  ['Ich möchte gerne einen', 'unfinished'],
  ['Je voudrais un', 'unfinished'],
  ['Quiero hablar con el', 'unfinished'],
  ['I would like to order.', 'sentence'],
  ['Ich möchte das.', 'sentence'],
  ['yes', 'open'],
  ['at 7', 'open'],
  ['', 'open'],
])('“%s” reads %s', (text, state) => {
  expect(textState(text)).toBe(state);
});

it('what is finished ends a turn at once, and an unfinished sentence waits for more', () => {
  const { clock, told, ends } = scene();
  ends.understood(SPEAKER, 'When does it open?');
  expect(told.splice(0)).toEqual([`${SPEAKER} question 0.9`]);
  ends.understood(SPEAKER, 'I would like to');
  expect([told, ends.isOpen]).toEqual([[], true]);
  clock.advance(1_000);
  ends.spoke(SPEAKER, 'started', false);
  clock.advance(5_000);
  expect(told).toEqual([]);
  ends.spoke(SPEAKER, 'ended', false);
  ends.understood(SPEAKER, 'book a table.');
  expect([told.splice(0), ends.isOpen]).toEqual([[`${SPEAKER} sentence 0.8`], false]);
  ends.understood(SPEAKER, 'And');
  clock.advance(1_199);
  ends.understood(SPEAKER, 'because');
  clock.advance(1_199);
  expect(told).toEqual([]);
  clock.advance(1);
  expect(told.splice(0)).toEqual([`${SPEAKER} silence 0.4`]);
});

it('nobody keeps a turn open for longer than 10 s', () => {
  const { clock, told, ends } = scene();
  ends.understood(SPEAKER, 'and');
  ends.spoke(SPEAKER, 'started', false);
  clock.advance(9_999);
  expect(told).toEqual([]);
  clock.advance(1);
  expect(told).toEqual([`${SPEAKER} silence 0.4`]);
});

it('a vendor that tells of turns is believed, before its words and after them', () => {
  const { told, ends } = scene();
  ends.spoke(SPEAKER, 'started', true);
  ends.spoke(SPEAKER, 'ended', true);
  ends.understood(SPEAKER, 'I would like to');
  expect(told.splice(0)).toEqual([`${SPEAKER} vendor 0.9`]);
  ends.understood(SPEAKER, 'because');
  ends.spoke(SPEAKER, 'ended', true);
  expect(told).toEqual([`${SPEAKER} vendor 0.9`]);
});

it('a model decides what the words do not tell, and its silence changes nothing', async () => {
  const shares: (number | null)[] = [0.9, 0.2, null];
  const asked: string[] = [];
  const { clock, told, ends } = scene(async (text) => {
    asked.push(text);
    return shares.shift()!;
  });
  for (const text of ['yes please', 'so I thought', 'tomorrow']) {
    ends.understood(SPEAKER, text);
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(1_200);
  }
  expect(asked).toEqual(['yes please', 'so I thought', 'tomorrow']);
  expect(told).toEqual([`${SPEAKER} model 0.9`, `${SPEAKER} silence 0.4`, `${SPEAKER} silence 0.4`]);
});

it('many speakers cost nothing: beyond 32 nobody waits', () => {
  const { told, ends } = scene();
  for (let i = 0; i < 40; i++) ends.understood(`${i}`, 'and');
  expect(told).toHaveLength(8);
  ends.close();
  expect(ends.isOpen).toBe(false);
});
