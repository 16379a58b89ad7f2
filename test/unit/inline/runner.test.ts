import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { InlineWorld } from './inline-world.ts';

it('answers a message with the reply of the model', async () => {
  const world = await InlineWorld.start();
  world.model.will('Hello Ann');
  await world.says('42', 'Hi');
  expect(await world.written(1)).toEqual(['Hello Ann']);
  await world.idle();
  const [delivery, ...others] = await world.deliveries();
  expect(others).toEqual([]);
  expect(delivery).toMatchObject({
    eventType: 'dm_chat',
    status: 'delivered',
    responseBody: 'Hello Ann',
    attempts: 1,
    inputTokens: 10,
    outputTokens: 5,
  });
  expect(delivery?.payload).toMatchObject({ type: 'dm_chat', platform: 'telegram', text: 'Hi' });
  expect(world.failures).toEqual([]);
});

it('merges what a person writes within a second, and what arrives during a turn', async () => {
  const world = await InlineWorld.start();
  const reply = world.model.hold();
  await world.says('42', 'one', 'two');
  await expect.poll(() => world.model.turns.length).toBe(1);
  expect(world.model.turns[0]?.text).toMatch(/one.*two/s);
  await world.says('42', 'three', 'four');
  reply('first');
  expect(await world.written(2)).toHaveLength(2);
  await world.idle();
  expect(world.model.turns).toHaveLength(2);
  expect(world.model.turns[1]?.text).toMatch(/three.*four/s);
  const deliveries = await world.deliveries();
  expect(deliveries.map(({ status }) => status)).toEqual(['delivered', 'merged', 'delivered', 'merged']);
  expect(deliveries[1]?.turnId).toBe(deliveries[0]?.id);
  expect(world.failures).toEqual([]);
});

it('remembers the conversation at the provider, each conversation its own', async () => {
  const world = await InlineWorld.start();
  await world.says('42', 'one');
  await world.written(1);
  await world.idle();
  await world.says('43', 'other');
  await world.written(2);
  await world.idle();
  await world.says('42', 'two');
  await world.written(3);
  expect(world.model.turns.map(({ memory }) => memory)).toEqual([null, null, { conversation: 'conv_1' }]);
  expect(world.model.turns[2]?.history).toEqual([]);
});

it('brings the history along for a provider that keeps none', async () => {
  const world = await InlineWorld.start();
  world.model.needsHistory = () => true;
  for (const count of [1, 2]) {
    await world.says('42', `message ${count}`);
    await world.written(count);
    await world.idle();
  }
  expect(world.model.turns.map(({ history }) => history.length)).toEqual([0, 2]);
});

it('begins turns one after the other, not in one turn of the event loop', async () => {
  const world = await InlineWorld.start();
  const people = ['41', '42', '43', '44'];
  for (const person of people) await world.hears(person, 'Hi');
  await waitFor('the deliveries', async () => (await world.deliveries()).length === people.length);
  world.messaging.clock.advance(1_000);
  const asked = [0];
  while (asked.at(-1) !== people.length) {
    await nextTurn();
    asked.push(world.model.turns.length);
  }
  const together = asked.slice(1).map((count, i) => count - (asked[i] ?? 0));
  // On a busy machine, two may have waited for the database together.
  expect(Math.max(...together)).toBeLessThanOrEqual(2);
  await world.idle();
  expect(world.failures).toEqual([]);
});
