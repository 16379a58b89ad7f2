import { expect, it } from 'vitest';
import { ModelFault, type ModelFaultKind } from '../../../src/models/model-fault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { InlineWorld } from './inline-world.ts';

function fault(
  kind: ModelFaultKind,
  detail: { retryAfterMs?: number; isDoubtful?: boolean } = {},
): ModelFault {
  return new ModelFault(kind, { words: `the provider says ${kind}`, ...detail });
}

/** Lets time pass until the next timer, but no longer than a second. */
function pass({ messaging: { clock } }: InlineWorld): void {
  clock.advance(Math.min(clock.restMs, 1_000));
}

/** Lets time pass until the model was asked so often. */
async function asked(world: InlineWorld, times: number): Promise<void> {
  await waitFor(`${times} attempts`, () => {
    if (world.model.turns.length >= times) return true;
    pass(world);
    return false;
  });
}

it.each<ModelFaultKind>(['rate_limited', 'overloaded', 'unreachable'])(
  'asks again after %s, twice at most',
  async (kind) => {
    const world = await InlineWorld.start();
    world.model.will(fault(kind), fault(kind), 'at last');
    await world.says('42', 'Hi');
    await asked(world, 3);
    expect(await world.written(1)).toEqual(['at last']);
    world.model.will(fault(kind), fault(kind), fault(kind), 'never');
    await world.says('42', 'Hi');
    await asked(world, 6);
    await world.idle();
    const [, second] = await world.deliveries();
    expect(second).toMatchObject({ status: 'failed', errorType: kind, error: `the provider says ${kind}` });
  },
);

it.each<ModelFaultKind>(['key_rejected', 'no_access', 'not_found', 'bad_request', 'refused', 'quota'])(
  'does not ask again after %s',
  async (kind) => {
    const world = await InlineWorld.start();
    world.model.will(fault(kind));
    await world.says('42', 'Hi');
    await world.idle();
    expect(world.model.turns).toHaveLength(1);
    expect((await world.deliveries())[0]).toMatchObject({ status: 'failed', errorType: kind });
  },
);

it('keeps no more of a reply than its tokens can have', async () => {
  const world = await InlineWorld.start();
  world.model.will('word '.repeat(100_000));
  await world.says('42', 'Hi');
  await world.idle();
  expect((await world.deliveries())[0]).toMatchObject({ status: 'delivered' });
  expect((await world.deliveries())[0]?.responseBody).toHaveLength(65_536);
});

it('waits until the conversation is no longer locked', async () => {
  const world = await InlineWorld.start();
  world.model.will(...Array.from({ length: 8 }, () => fault('locked')), 'at last');
  await world.says('42', 'Hi');
  await asked(world, 9);
  expect(await world.written(1)).toEqual(['at last']);
});

it('gives up a turn whose conversation stays locked', async () => {
  const world = await InlineWorld.start();
  world.model.otherwise = () => Promise.reject(fault('locked'));
  await world.says('42', 'Hi');
  await waitFor('the turn to be given up', () => {
    pass(world);
    return world.runner.lanes === 0;
  });
  expect((await world.deliveries())[0]).toMatchObject({ status: 'failed', errorType: 'locked' });
});

it('takes the reply of a turn that the provider was still working on', async () => {
  const world = await InlineWorld.start();
  world.model.will('one');
  await world.says('42', 'first');
  await world.written(1);
  await world.idle();
  const found = world.model.says('found', { memory: { conversation: 'conv_1' } });
  world.model.will(fault('cut', { isDoubtful: true }), () => {
    world.model.fate = { kind: 'answered', reply: found };
    throw fault('locked');
  });
  await world.says('42', 'second');
  await asked(world, 3);
  await waitFor('the reply', () => {
    pass(world);
    return world.messenger.texts.length === 2;
  });
  expect(world.messenger.texts).toEqual(['one', 'found']);
  expect([world.model.turns.length, world.model.reconciled.length]).toEqual([3, 2]);
});

it('goes on with the newest part of a conversation that has become too long', async () => {
  const world = await InlineWorld.start();
  for (let i = 1; i <= 8; i++) {
    world.model.will(`reply ${i}`);
    await world.says('42', `message ${i}`);
    await world.written(i);
    await world.idle();
    // A machine would answer at once.
    world.messaging.clock.advance(60_000);
  }
  world.model.will(fault('too_long'), fault('too_long'), 'short');
  await world.says('42', 'more');
  expect((await world.written(9)).at(-1)).toBe('short');
  const [, again, last] = world.model.turns.slice(-3);
  expect([again?.memory, last?.memory]).toEqual([null, null]);
  expect(again?.history.at(-1)?.text).toBe('reply 8');
  expect(again!.history.length).toBeLessThan(8);
  expect(last!.history.length).toBeLessThan(again!.history.length);
  await waitFor('the deletion', () => world.model.forgotten.length === 1);
});

it('fails a message that is too long by itself', async () => {
  const world = await InlineWorld.start();
  world.model.otherwise = () => Promise.reject(fault('too_long'));
  await world.says('42', 'Hi');
  await world.idle();
  expect(world.model.turns).toHaveLength(1);
  expect((await world.deliveries())[0]).toMatchObject({ status: 'failed', errorType: 'too_long' });
});

it('waits as long as the provider asks, but not beyond the deadline', async () => {
  const world = await InlineWorld.start();
  world.model.will(fault('rate_limited', { retryAfterMs: 7_000 }), 'after 7 s');
  await world.says('42', 'Hi');
  await waitFor('the first attempt', () => world.model.turns.length === 1);
  await asked(world, 2);
  expect(world.messaging.clock.monotonicMs()).toBeGreaterThanOrEqual(8_000);
  await world.written(1);
  world.model.will(fault('rate_limited', { retryAfterMs: 60_000 }));
  await world.says('42', 'Hi');
  await world.idle();
  expect((await world.deliveries())[1]).toMatchObject({ status: 'failed', errorType: 'rate_limited' });
});

it('gives up a model that does not answer within 55 s, before the gateway answers itself', async () => {
  const world = await InlineWorld.start();
  world.model.hold();
  await world.says('42', 'Hi');
  await waitFor('the turn', () => world.model.turns.length === 1);
  world.messaging.clock.advance(54_999);
  expect(world.model.turns[0]?.signal.aborted).toBe(false);
  world.messaging.clock.advance(1);
  await world.idle();
  expect((await world.deliveries())[0]).toMatchObject({ status: 'failed', errorType: 'timeout' });
});

it('rebuilds a conversation that the provider has lost from its own transcript', async () => {
  const world = await InlineWorld.start();
  world.model.will('one', fault('lost_memory'), 'two');
  await world.says('42', 'first');
  await world.written(1);
  await world.idle();
  await world.says('42', 'second');
  expect(await world.written(2)).toEqual(['one', 'two']);
  const [, lost, rebuilt] = world.model.turns;
  expect(lost?.memory).toEqual({ conversation: 'conv_1' });
  expect(rebuilt?.memory).toBeNull();
  expect(rebuilt?.history.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(rebuilt?.history[1]?.text).toBe('one');
});

it('finds out what has become of a doubtful turn before it is sent again', async () => {
  const world = await InlineWorld.start();
  world.model.will('one');
  await world.says('42', 'first');
  await world.written(1);
  await world.idle();

  world.model.will(fault('cut', { isDoubtful: true }), 'sent again');
  await world.says('42', 'absent');
  await world.written(2);
  await world.idle();
  expect(world.model.turns.slice(1).map(({ text }) => text?.includes('absent'))).toEqual([true, true]);

  world.model.fate = { kind: 'unanswered' };
  world.model.will(fault('cut', { isDoubtful: true }), 'only the reply');
  await world.says('42', 'unanswered');
  await world.written(3);
  await world.idle();
  expect(world.model.turns.at(-1)?.text).toBeNull();

  world.model.fate = {
    kind: 'answered',
    reply: world.model.says('found', { memory: { conversation: 'conv_1' } }),
  };
  world.model.will(fault('cut', { isDoubtful: true }));
  await world.says('42', 'answered');
  expect((await world.written(4)).at(-1)).toBe('found');
  expect(world.model.turns).toHaveLength(6);
  expect(world.model.reconciled.map(({ marker }) => marker)).toHaveLength(3);
});

it('stops calling a model after five refusals of its key, until a healthcheck passes', async () => {
  const world = await InlineWorld.start();
  for (let i = 1; i <= 6; i++) {
    world.model.will(fault('key_rejected'));
    await world.says('42', `message ${i}`).catch(() => {});
    await world.idle();
  }
  expect(world.model.turns).toHaveLength(5);
  expect((await world.deliveries())[5]).toMatchObject({ status: 'failed', errorType: 'key_refused' });
});

it('asks once more for words when a model has only thought, and then fails the turn', async () => {
  const world = await InlineWorld.start();
  world.model.will('', 'now I know');
  await world.says('42', 'Hi');
  expect(await world.written(1)).toEqual(['now I know']);
  world.model.will(' \n', '', 'never');
  await world.says('42', 'And now?');
  await world.idle();
  const [, second] = await world.deliveries();
  expect(second).toMatchObject({
    status: 'failed',
    errorType: 'empty',
    error: "The model's answer has no words",
  });
  expect(world.model.turns).toHaveLength(4);
});
