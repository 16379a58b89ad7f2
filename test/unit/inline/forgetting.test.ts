import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { ModelMemory } from '../../../src/models/model-client.ts';
import { ModelFault } from '../../../src/models/model-fault.ts';
import { deleteRows } from '../../../src/store/database/rows.ts';
import { insertForgotten } from '../../../src/store/inline/forgotten-at-providers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { NOW } from '../store/temporary.ts';
import { InlineWorld } from './inline-world.ts';

const MEMORY = { conversation: 'conv_1' };
const MINUTE_MS = 60_000;

/** A world with a conversation at the provider, which is noted to be deleted. The agent is gone. */
async function worldToForget(): Promise<InlineWorld> {
  const world = await InlineWorld.start();
  await world.says('42', 'Hi');
  await world.written(1);
  await world.idle();
  const { store, agentId } = world.messaging;
  await store.db.transaction().execute(async (trx) => {
    expect(await world.runner.leaveConversations(trx, agentId)).toBe(1);
    await deleteRows(trx, 'agents', { id: agentId });
  });
  return world;
}

async function left(world: InlineWorld): Promise<number> {
  const rows = await world.messaging.store.db.selectFrom('forgottenAtProviders').select('id').execute();
  return rows.length;
}

it('deletes the conversations of an agent at its provider once the agent is gone', async () => {
  const world = await worldToForget();
  world.runner.forget();
  await waitFor('the deletion', async () => (await left(world)) === 0);
  expect(world.model.forgotten).toEqual([MEMORY]);
});

it('deletes what an earlier process has noted', async () => {
  const world = await worldToForget();
  await world.restart();
  await waitFor('the deletion', async () => (await left(world)) === 0);
  expect(world.model.forgotten).toEqual([MEMORY]);
});

it('deletes nothing of what was not committed', async () => {
  const world = await InlineWorld.start();
  await world.says('42', 'Hi');
  await world.written(1);
  await world.idle();
  const { store, agentId } = world.messaging;
  const failed = store.db.transaction().execute(async (trx) => {
    await world.runner.leaveConversations(trx, agentId);
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  await world.restart();
  expect([await left(world), world.model.forgotten]).toEqual([0, []]);
});

it('tries again later while the provider is overloaded, six times at most', async () => {
  const world = await worldToForget();
  const { clock } = world.messaging;
  world.model.forgetFault = new ModelFault('overloaded', { words: 'too much to do' });
  world.runner.forget();
  const leastPauses = [1, 4, 16, 64, 256];
  const minutes: number[] = [];
  for (let attempt = 1; attempt <= 6; attempt++) {
    clock.advance(((leastPauses[attempt - 2] ?? 1) - 1) * MINUTE_MS);
    await waitFor('an attempt', () => {
      if (world.model.forgotten.length === attempt) return true;
      clock.advance(MINUTE_MS);
      return false;
    });
    minutes.push(Math.floor(clock.monotonicMs() / MINUTE_MS));
  }
  await waitFor('the end', async () => (await left(world)) === 0);
  const pauses = minutes.slice(1).map((minute, i) => minute - minutes[i]!);
  expect(pauses.map((pause, i) => pause >= leastPauses[i]!)).toEqual(pauses.map(() => true));
  expect(world.model.forgotten).toHaveLength(6);
  expect(world.skipped).toEqual(['forgotten_conversations']);
});

it('does not try again with a key that is refused', async () => {
  const world = await worldToForget();
  world.model.forgetFault = new ModelFault('key_rejected', { words: 'wrong key' });
  world.runner.forget();
  await waitFor('the end', async () => (await left(world)) === 0);
  expect([world.model.forgotten.length, world.skipped]).toEqual([1, ['forgotten_conversations']]);
});

it('deletes the access of a bearer that is replaced', async () => {
  const world = await InlineWorld.start();
  const { store, agentId } = world.messaging;
  const url = 'https://gateway.example/mcp';
  world.tools = { url, bearer: 'svc_first' };
  await store.db.transaction().execute((trx) => world.runner.leaveTools(trx, agentId));
  world.tools = { url, bearer: 'svc_second' };
  world.runner.forget();
  await waitFor('the deletion', async () => (await left(world)) === 0);
  expect(world.model.forgottenTools).toHaveLength(1);
  expect(world.model.forgottenTools[0]).not.toContain('svc_');
});

it('is not kept by the deletions of one account, whose provider does not answer, from those of another', async () => {
  const world = await worldToForget();
  const { store, clock } = world.messaging;
  const asked: unknown[] = [];
  const silent = async (memory: ModelMemory, signal: AbortSignal): Promise<void> => {
    asked.push(memory);
    if (memory.conversation !== MEMORY.conversation) await once(signal, 'abort');
  };
  Object.assign(world.model, { forget: silent });
  const provider = { agentId: 'agt_greedy', provider: 'openai', config: {}, secrets: {}, updatedAt: NOW };
  for (let n = 0; n < 200; n++) {
    const noted = { id: `fgt_${n}`, kept: { memory: { conversation: `greedy ${n}` } }, dueAt: NOW };
    await insertForgotten(store.db, store.secrets, provider, noted);
  }
  world.runner.forget();
  await waitFor('the deletion of the other', async () => (await left(world)) === 200);
  expect(clock.monotonicMs()).toBeLessThan(10_000);
  expect(asked).toHaveLength(3);
});
