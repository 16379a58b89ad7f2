import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, QueueModel } from '../queue-model.ts';
import { QueueWorld, type Sent } from '../queue-world.ts';

const HOUR_MS = 3_600_000;

/**
 * Every span is chosen so that no sum of them ends shortly before 24 hours or 7 days: the extra minute that a step takes
 * never matters.
 */
const SPANS_H = [10, 30, 72, 216];
const JUMP_H = 40;

type Step =
  | { readonly kind: 'send' | 'send_lost' | 'reply' | 'reply_and_crash' | 'restart' | 'platform_closes' }
  | { readonly kind: 'next'; readonly fate: 'later' | 'refused' }
  | { readonly kind: 'templates'; readonly refused: boolean }
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'jump'; readonly hours: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ kind: 'send' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'send_lost' } as const) },
  { weight: 5, arbitrary: fc.constant({ kind: 'reply' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'reply_and_crash' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'platform_closes' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('next' as const),
      fate: fc.constantFrom('later' as const, 'refused' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('templates' as const), refused: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(...SPANS_H) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('jump' as const), hours: fc.constantFrom(JUMP_H, -JUMP_H) }),
  },
);

function answerOf(sent: Sent): Answer {
  if (sent.kind !== 'waits') return sent.kind;
  return { templateSent: sent.templateSent, position: sent.position };
}

/** Performs a step in the world and in the model, which must give the same answer. */
async function take(world: QueueWorld, model: QueueModel, one: Step, text: string): Promise<void> {
  const { platform, clock } = world;
  switch (one.kind) {
    case 'send': {
      const expected = model.send(text, clock.nowIso(), platform);
      expect(answerOf(await world.pass(world.send(text)))).toEqual(expected);
      return;
    }
    case 'send_lost':
      await sendLost(world, model, text);
      return;
    case 'reply':
    case 'reply_and_crash': {
      platform.lastWroteMs = Date.parse(clock.trueIso());
      model.reply(text, clock.nowIso(), clock.trueIso(), platform);
      await world.pass(world.reply(text, one.kind === 'reply_and_crash'));
      return;
    }
    case 'restart':
      await world.pass(world.restart());
      return;
    case 'platform_closes':
      platform.lastWroteMs = null;
      return;
    case 'next':
      platform.next = one.fate;
      return;
    case 'templates':
      platform.refusesTemplates = one.refused;
      return;
    case 'wait':
      clock.advance(one.hours * HOUR_MS);
      return;
    case 'jump':
      clock.jump(one.hours * HOUR_MS);
  }
}

/** A message that the platform accepts and later returns by a status. */
async function sendLost(world: QueueWorld, model: QueueModel, text: string): Promise<void> {
  const { platform, clock } = world;
  platform.next = 'lost';
  const expected = model.send(text, clock.nowIso(), platform);
  const sent = await world.pass(world.send(text));
  expect(answerOf(sent)).toEqual(expected);
  platform.next = null;
  if (expected !== 'delivered') return;
  const back = model.comesBack(clock.nowIso(), platform);
  expect(answerOf(await world.pass(world.queue.cameBack(sent.id)))).toEqual(back);
}

/** Everything that can happen to a message and the queue: a random test proves only what it has reached. */
const ALL_ENDS = ['delivered', 'dropped', 'failed', 'pending'];
const ALL_EVENTS = ['dropped', 'flushed', 'queued', 'template_failed', 'template_sent'];

test('the queue matches the model of the specification in any sequence of events', async () => {
  const seen = { ends: new Set<string>(), events: new Set<string>() };
  await fc.assert(
    // The default size would be ten steps at most.
    fc.asyncProperty(fc.array(step, { maxLength: 18, size: 'max' }), async (steps) => {
      const world = await QueueWorld.make();
      const model = new QueueModel();
      for (const [index, one] of steps.entries()) {
        await take(world, model, one, `${index}`);
        // A message that was refused or delayed is the only one.
        const { next } = world.platform;
        await world.settle();
        model.look(world.clock.nowIso(), { ...world.platform, isOpen: world.platform.isOpen, next } as never);
        expect(await world.outbound()).toEqual(model.messages.map(({ text, status }) => [text, status]));
        expect(world.platform.arrived).toEqual(model.arrived);
        expect(world.platform.templates).toEqual(model.templates);
        expect(await world.events()).toEqual(model.events);
      }
      expect(world.failures).toEqual([]);
      for (const { status } of model.messages) seen.ends.add(status);
      for (const event of world.counts) seen.events.add(event);
      await world.queue.close(0);
      await world.store.close();
    }),
    // A refused template is too rare at random.
    { numRuns: 60, examples: [[[{ kind: 'templates', refused: true }, { kind: 'send' }]]] },
  );
  expect([[...seen.ends].sort(), [...seen.events].sort()]).toEqual([ALL_ENDS, ALL_EVENTS]);
});
