import { expect, it } from 'vitest';
import { listRows } from '../../../src/store/database/rows.ts';
import { InlineWorld } from './inline-world.ts';

/** What becomes of a model's reply to a direct message: kind, status and reason of each action. */
async function outcomes(world: InlineWorld, reply: string): Promise<string[]> {
  world.model.will(reply);
  await world.says('42', 'Hi');
  await world.idle();
  const last = (await world.deliveries()).at(-1)!;
  const actions = await listRows(world.messaging.store.db, 'deliveryActions', { deliveryId: last.id }, [
    'position',
  ]);
  return actions.map(({ kind, status, reason }) => `${kind} ${status}: ${reason}`);
}

it('carries out nothing of a call in a turn about a message', async () => {
  const world = await InlineWorld.start();
  const found = await outcomes(world, '<accept/><say>Hello.</say><dtmf>1</dtmf><leave/><write>done</write>');
  expect(found).toHaveLength(5);
  expect(found.filter((text) => text.includes('refused: This is not a call'))).toHaveLength(4);
  expect(world.messenger.texts).toEqual(['done']);
});

it('writes to no conversation that the agent does not have', async () => {
  const world = await InlineWorld.start();
  const found = await outcomes(world, '<dm platform="telegram" to="cnv_of_somebody_else">psst</dm>');
  expect(found).toEqual(['dm failed: No active conversation']);
  expect(world.messenger.texts).toEqual([]);
});

it('lets a model write to others ten times a minute', async () => {
  const world = await InlineWorld.start();
  const dms = Array.from({ length: 12 }, (_, i) => `<dm platform="telegram" to="cnv_${i}">psst</dm>`);
  const found = await outcomes(world, dms.join(''));
  expect(found.filter((text) => text.startsWith('dm refused'))).toHaveLength(2);
});

it('tells the model in its next turn what was not carried out', async () => {
  const world = await InlineWorld.start();
  await outcomes(world, '<leave/>');
  await outcomes(world, 'fine');
  expect(world.model.turns[1]?.text).toMatch(/Not carried out.*leave.*This is not a call/s);
});

it('notes tags that it does not understand', async () => {
  const world = await InlineWorld.start();
  const found = await outcomes(world, '<dtmf>hello</dtmf><write>still written</write>');
  expect(found.some((text) => text.startsWith('dtmf refused'))).toBe(true);
  expect(world.messenger.texts).toEqual(['still written']);
});

it('sends a reply that is too long for the platform in parts', async () => {
  const world = await InlineWorld.start();
  const limit = world.messenger.maxLength;
  const paragraph = 'word '.repeat(limit / 8).trim();
  const found = await outcomes(world, [paragraph, paragraph, paragraph].join('\n\n'));
  expect(found).toEqual(['write done: null', 'write done: null', 'write done: null']);
  expect(world.messenger.texts).toEqual([paragraph, paragraph, paragraph]);
});
