import { expect, test } from 'vitest';
import { answer, messagingWorld, type World, write } from '../messaging-world.ts';

const BOT = { isFromBot: true };
const MINUTE_MS = 60_000;

/** Another bot writes, and our agent answers, until that is not heard. Returns the number of answers. */
async function talk(world: World, remoteId: string): Promise<number> {
  for (let answers = 0; answers < 50; answers++) {
    if ((await write(world, remoteId, BOT)) === 'unheard') return answers;
    await answer(world, remoteId);
    world.clock.advance(1_000);
  }
  return Number.POSITIVE_INFINITY;
}

test('a bot is answered ten times in a row, and what it writes then is neither stored nor told', async () => {
  const world = await messagingWorld();
  expect(await talk(world, '7')).toBe(10);
  expect(world.unheard).toEqual([[expect.any(String), true]]);
  const received = world.received.length;
  expect(await write(world, '7', BOT)).toBe('unheard');
  expect(world.unheard.map(([, isFirst]) => isFirst)).toEqual([true, false]);
  expect(world.received).toHaveLength(received);
});

test('each conversation has its own count, which an hour or a person ends', async () => {
  const world = await messagingWorld();
  expect(await talk(world, '7')).toBe(10);
  expect(await talk(world, '8')).toBe(10);
  world.clock.advance(61 * MINUTE_MS);
  expect(await talk(world, '7')).toBe(10);
  expect(await write(world, '7')).toBe('stored');
  await answer(world, '7');
  expect(await talk(world, '7')).toBeGreaterThan(8);
});

test('a bot that nobody answers is heard, however much it writes, and so is a person who is answered', async () => {
  const world = await messagingWorld();
  for (let count = 0; count < 40; count++) expect(await write(world, '7', BOT)).toBe('stored');
  for (let count = 0; count < 40; count++) {
    expect(await write(world, '8')).toBe('stored');
    await answer(world, '8');
  }
  expect(world.unheard).toEqual([]);
});
