import { expect, it } from 'vitest';
import { LoopGuard, STOP_SCORE } from '../../../src/inline/feed/loop-guard.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

const HERE = { agentId: 'agt_1', lane: 'cnv_1' };
/** The wait for more messages, and a quick model. */
const MODEL_MS = 2_500;
const random = new SeededRandom(44);

/** Somebody who writes to a model. `afterMs`: from the model's message to theirs. */
interface Partner {
  next(count: number): { readonly text: string; readonly afterMs: number };
}

interface Talk {
  /** Calls of the model. */
  readonly calls: number;
  readonly pausedMs: number;
  readonly isStopped: boolean;
  /** All that took. */
  readonly tookMs: number;
}

/** Lets somebody and a model answer each other until the model stops, `most` times at most. */
function talk(partner: Partner, most: number, senderId: string | null = null): Talk {
  const clock = new ManualClock();
  const guard = new LoopGuard(clock);
  let pausedMs = 0;
  for (let calls = 0; calls < most; calls++) {
    const { text, afterMs } = partner.next(calls);
    clock.advance(calls === 0 ? 0 : afterMs);
    const verdict = guard.hear({ ...HERE, senderId, text });
    if (verdict.kind === 'stopped') return { calls, pausedMs, isStopped: true, tookMs: clock.monotonicMs() };
    pausedMs += verdict.pauseMs;
    clock.advance(MODEL_MS + verdict.pauseMs);
    guard.answered(HERE);
  }
  return { calls: most, pausedMs, isStopped: false, tookMs: clock.monotonicMs() };
}

const between = (least: number, most: number): number => least + (most - least) * random.next();
const WORDS = 'the order came late and now one of the parts does not fit so what can I do about it please';
const sentence = (length: number): string => WORDS.repeat(3).slice(0, Math.round(length));

const MACHINES: Readonly<Record<string, Partner>> = {
  'an out-of-office answer': {
    next: () => ({ text: 'I am out of the office until Monday.', afterMs: between(5_000, 30_000) }),
  },
  'a shop that acknowledges everything': {
    next: () => ({
      text: 'Thank you for your message. We will answer within two working days.',
      afterMs: between(3_000, 9_000),
    }),
  },
  'a short answer at once': { next: () => ({ text: 'Busy', afterMs: between(50, 1_000) }) },
  'another model': {
    next: (count) => ({ text: `${count} ${sentence(between(80, 250))}`, afterMs: between(1_000, 4_000) }),
  },
};

const PEOPLE: Readonly<Record<string, Partner>> = {
  // Eight characters a second are a hundred words a minute.
  'a fast typist': {
    next: (count) => {
      const text = `${count} ${sentence(between(5, 80))}`;
      return { text, afterMs: between(800, 12_000) + text.length * 125 };
    },
  },
  'somebody who plays with short answers': {
    next: () => ({ text: random.chance(0.6) ? 'hit' : 'stay', afterMs: between(1_600, 13_000) }),
  },
  'somebody who presses a button': {
    next: () => ({ text: 'Show me another one', afterMs: between(2_000, 14_000) }),
  },
  // Does not wait for answers, which therefore come at any moment of the typing.
  'somebody who writes without waiting': {
    next: (count) => {
      const text = `${count} ${sentence(between(10, 60))}`;
      return { text, afterMs: Math.max(200, between(1_000, 15_000) + text.length * 125 - MODEL_MS) };
    },
  },
  'somebody who often pastes': {
    next: (count) => ({ text: `${count} ${sentence(240)}`, afterMs: random.chance(0.4) ? 3_000 : 20_000 }),
  },
};

it.each(Object.entries(MACHINES))('slows and stops %s', (_name, machine) => {
  const { calls, pausedMs, isStopped } = talk(machine, 200);
  expect(isStopped).toBe(true);
  expect(calls).toBeLessThanOrEqual(STOP_SCORE * 2);
  expect(pausedMs).toBeGreaterThan(10_000);
});

it.each(Object.entries(PEOPLE))('never stops %s, in 400 answers', (_name, person) => {
  const { isStopped, pausedMs, tookMs } = talk(person, 400);
  expect(isStopped).toBe(false);
  expect(pausedMs).toBeLessThan(tookMs / 1_000);
});

it('takes photos and messages that come at once for no answers', () => {
  const clock = new ManualClock();
  const guard = new LoopGuard(clock);
  guard.hear({ ...HERE, senderId: null, text: 'Look' });
  clock.advance(MODEL_MS);
  guard.answered(HERE);
  clock.advance(20_000);
  for (let photo = 0; photo < 50; photo++)
    expect(guard.hear({ ...HERE, senderId: null, text: '' })).toEqual({ kind: 'open', pauseMs: 0 });
});

it('stops each machine in a group, and still hears people there', () => {
  const clock = new ManualClock();
  const guard = new LoopGuard(clock);
  const stopped = new Set<string>();
  let calls = 0;
  for (let round = 0; round < 100 && stopped.size < 11; round++) {
    let isAsked = false;
    for (let bot = 1; bot <= 11; bot++) {
      const text = `Hello from bot ${bot} in round ${round}, how nice to meet all of you here today!`;
      const verdict = guard.hear({ ...HERE, senderId: `bot_${bot}`, text });
      if (verdict.kind === 'stopped') stopped.add(`bot_${bot}`);
      else isAsked = true;
    }
    if (!isAsked) break;
    calls += 1;
    clock.advance(MODEL_MS);
    guard.answered(HERE);
    clock.advance(500);
    // Ann reads along, and asks something now and then.
    if (round % 5 === 0)
      expect(guard.hear({ ...HERE, senderId: 'ann', text: 'What is this?' }).kind).toBe('open');
  }
  expect(stopped.size).toBe(11);
  expect(calls).toBeLessThanOrEqual(STOP_SCORE + 1);
});

it('hears a machine again after a quarter of an hour, slowly', () => {
  const clock = new ManualClock();
  const guard = new LoopGuard(clock);
  const say = () => guard.hear({ ...HERE, senderId: null, text: 'This is an automatic reply.' });
  let verdict = say();
  for (let answers = 0; answers < 2 * STOP_SCORE && verdict.kind === 'open'; answers++) {
    clock.advance(1_000);
    guard.answered(HERE);
    clock.advance(1_000);
    verdict = say();
  }
  expect(verdict).toEqual({ kind: 'stopped', isFirst: true });
  clock.advance(14 * 60_000);
  expect(say()).toEqual({ kind: 'stopped', isFirst: false });
  clock.advance(2 * 60_000);
  expect(say()).toEqual({ kind: 'open', pauseMs: 2_000 });
});
