import { expect, it } from 'vitest';
import { listRows } from '../../../src/store/database/rows.ts';
import type { StoredAction } from '../../../src/store/inline/delivery-actions.ts';
import { InlineWorld } from './inline-world.ts';

/** A world in which the gateway died after the turn's reply was stored and its action claimed. */
async function crashed(reply: string): Promise<InlineWorld> {
  const world = await InlineWorld.start();
  world.model.will(reply);
  await world.says('42', 'Hi');
  await world.idle();
  const { db } = world.messaging.store;
  await db.updateTable('deliveries').set({ status: 'answered' }).execute();
  await db.updateTable('deliveryActions').set({ status: 'claimed' }).execute();
  return world;
}

async function onlyAction(world: InlineWorld): Promise<StoredAction> {
  const [delivery] = await world.deliveries();
  expect(delivery).toMatchObject({ status: 'delivered' });
  const [action] = await listRows(world.messaging.store.db, 'deliveryActions', { deliveryId: delivery!.id }, [
    'position',
  ]);
  return action!;
}

it('finds the message of an action that was being carried out when the gateway died', async () => {
  const world = await crashed('<write>once</write>');
  await world.restart();
  await world.idle();
  expect(await onlyAction(world)).toMatchObject({ status: 'done', reason: null });
  expect(world.messenger.texts).toEqual(['once']);
});

it('writes a message that the gateway had not stored when it died', async () => {
  const world = await crashed('<write>once</write>');
  const { db } = world.messaging.store;
  await db.updateTable('deliveryActions').set({ messageId: null }).execute();
  await db.deleteFrom('messages').where('direction', '=', 'outbound').execute();
  await world.restart();
  await world.idle();
  expect(await onlyAction(world)).toMatchObject({ status: 'done' });
  expect(world.messenger.texts).toEqual(['once', 'once']);
});

it.each([
  ['may have arrived', { status: 'unknown', error: 'The gateway restarted' }, 'unknown'],
  ['was refused', { status: 'failed', error: 'Blocked' }, 'failed'],
] as const)('ends an action whose message %s as the message did', async (_what, fate, status) => {
  const world = await crashed('<write>once</write>');
  const { db } = world.messaging.store;
  await db.updateTable('messages').set(fate).where('direction', '=', 'outbound').execute();
  await world.restart();
  await world.idle();
  const action = await onlyAction(world);
  expect(action.status).toBe(status);
  expect(action.reason).toContain(fate.error);
  expect(world.messenger.texts).toEqual(['once']);
});

it('does not write again what was deleted meanwhile', async () => {
  const world = await crashed('<write>once</write>');
  await world.messaging.store.db.deleteFrom('messages').where('direction', '=', 'outbound').execute();
  await world.restart();
  await world.idle();
  expect(await onlyAction(world)).toMatchObject({ status: 'unknown' });
  expect(world.messenger.texts).toEqual(['once']);
});
