import { expect, it } from 'vitest';
import { ModelFault } from '../../../src/models/model-fault.ts';
import { type Db, deleteRows } from '../../../src/store/database/rows.ts';
import { dropMemories } from '../../../src/store/inline/model-conversations.ts';
import { waitFor } from '../../support/wait-for.ts';
import { InlineWorld } from './inline-world.ts';

/** A turn that waits for its reply. */
async function turnUnderWay(): Promise<{ world: InlineWorld; reply: (text: string) => void }> {
  const world = await InlineWorld.start();
  const reply = world.model.hold();
  await world.says('42', 'Hi');
  await waitFor('the turn', () => world.model.turns.length === 1);
  return { world, reply };
}

it('ends the turn of an agent that is deleted, and carries out nothing', async () => {
  const { world } = await turnUnderWay();
  const { store, agentId } = world.messaging;
  await deleteRows(store.db, 'agents', { id: agentId });
  world.runner.dismiss(agentId);
  await world.idle();
  expect(world.model.turns[0]?.signal.aborted).toBe(true);
  expect([await world.deliveries(), world.messenger.texts, world.failures]).toEqual([[], [], []]);
});

it('carries out nothing of a reply that arrives after the agent was deleted', async () => {
  const { world, reply } = await turnUnderWay();
  const { store, agentId } = world.messaging;
  await deleteRows(store.db, 'agents', { id: agentId });
  reply('too late');
  await world.idle();
  expect([await world.deliveries(), world.messenger.texts, world.failures]).toEqual([[], [], []]);
});

it('fails what waits for an agent whose provider was removed', async () => {
  const { world, reply } = await turnUnderWay();
  const { store, agentId } = world.messaging;
  await world.says('42', 'more');
  await deleteRows(store.db, 'agentProviders', { agentId });
  reply('one');
  await world.idle();
  const [first, second] = await world.deliveries();
  expect([first?.status, second?.status, second?.errorType]).toEqual(['delivered', 'failed', 'no_provider']);
});

it.each([
  ['reset', (db: Db, agentId: string) => deleteRows(db, 'modelConversations', { agentId })],
  ['left for another provider', dropMemories],
])('forgets a conversation that was %s during a turn', async (_how, leave) => {
  const { world, reply } = await turnUnderWay();
  const { store, agentId } = world.messaging;
  await leave(store.db, agentId);
  reply('one');
  await world.written(1);
  await world.idle();
  await waitFor('the deletion', () => world.model.forgotten.length === 1);
  await world.says('42', 'again');
  await waitFor('the next turn', () => world.model.turns.length === 2);
  expect(world.model.turns[1]?.memory).toBeNull();
});

it('keeps nothing of a conversation that was reset during a turn, and does not rebuild it', async () => {
  const world = await InlineWorld.start();
  const { store, agentId } = world.messaging;
  world.model.will('one');
  await world.says('42', 'first');
  await world.written(1);
  await world.idle();
  world.model.will(async () => {
    await deleteRows(store.db, 'modelConversations', { agentId });
    throw new ModelFault('lost_memory', { words: 'deleted' });
  }, 'two');
  await world.says('42', 'second');
  await world.written(2);
  await world.idle();
  expect(world.model.turns.map(({ history }) => history.length)).toEqual([0, 0, 0]);
  expect(await store.db.selectFrom('modelTurns').selectAll().execute()).toEqual([]);
  const forgotten = () => world.model.forgotten.map(({ conversation }) => conversation).toSorted();
  await waitFor('the deletions', () => forgotten().length === 2);
  expect(forgotten()).toEqual(['conv_1', 'conv_2']);
  await world.says('42', 'third');
  await world.written(3);
  expect(world.model.turns.at(-1)).toMatchObject({ memory: null, history: [] });
});

it('resumes a turn that was under way when the gateway stopped', async () => {
  const { world } = await turnUnderWay();
  await world.restart();
  expect(await world.written(1)).toHaveLength(1);
  await world.idle();
  expect((await world.deliveries()).map(({ status, attempts }) => [status, attempts])).toEqual([
    ['delivered', 2],
  ]);
});

it('does not deliver what happened before the provider was set', async () => {
  const world = await InlineWorld.start();
  const { store, agentId } = world.messaging;
  await deleteRows(store.db, 'agentProviders', { agentId });
  await world.runner.follow(world.messaging.accountId);
  await world.hears('42', 'unheard');
  await world.setProvider(agentId);
  await world.runner.follow(world.messaging.accountId);
  await world.says('42', 'heard');
  await world.written(1);
  expect(await world.deliveries()).toHaveLength(1);
  expect(world.model.turns[0]?.text).not.toContain('unheard');
});
