import { expect, test } from 'vitest';
import { isoAfter } from '../../../../src/base/time.ts';
import { appendAgentEvent, appendEvent, eventsOfAgents } from '../../../../src/store/messages/events.ts';
import { NOW, seedAccount, temporaryStore } from '../temporary.ts';

test("an account's feed is read in pieces, in order, without other accounts' events", async () => {
  const store = await temporaryStore();
  const { db } = store;
  const [a, b] = [await seedAccount(store, 'a'), await seedAccount(store, 'b')];
  const scope = { ...a, agentIds: [a.agentId], platforms: null };
  const ids: number[] = [];
  for (const [n, owner] of [a, b, a, a, b].entries()) {
    ids.push(
      await appendEvent(db, {
        ...owner,
        type: 'call_invite',
        payload: { n, nested: { ok: true } },
        createdAt: NOW,
      }),
    );
  }
  const first = await eventsOfAgents(db, scope, 0, 2);
  expect(first).toEqual(
    [0, 2].map((n, at) => ({
      id: ids[n],
      ...a,
      type: 'call_invite',
      payload: { n, nested: { ok: true } },
      createdAt: NOW,
      messageSeq: null,
      platform: null,
      cursorTime: isoAfter(NOW, at),
    })),
  );
  const rest = await eventsOfAgents(db, scope, first[1]!.id, 10);
  expect(rest.map(({ payload }) => payload.n)).toEqual([3]);
  expect(await eventsOfAgents(db, scope, rest[0]!.id, 10)).toEqual([]);
});

test('an id is never used twice, even after the newest event was deleted', async () => {
  const store = await temporaryStore();
  const { db } = store;
  const owner = await seedAccount(store, 'a');
  const event = { ...owner, type: 'call_state', payload: {}, createdAt: NOW };
  await appendEvent(db, event);
  const newest = await appendEvent(db, event);
  await db.deleteFrom('events').execute();
  expect(await appendEvent(db, event)).toBeGreaterThan(newest);
});

test('events of a deleted agent are not kept', async () => {
  const store = await temporaryStore();
  const { db } = store;
  const owner = await seedAccount(store, 'a');
  const event = { ...owner, type: 'call_state', payload: { n: 1 }, createdAt: NOW };
  await appendAgentEvent(db, event);
  await appendAgentEvent(db, { ...event, agentId: 'agt_gone' });
  await appendAgentEvent(db, { ...event, accountId: 'acc_other' });
  expect(
    await eventsOfAgents(db, { ...owner, agentIds: [owner.agentId], platforms: null }, 0, 10),
  ).toMatchObject([event]);
  expect(await db.selectFrom('events').select('id').execute()).toHaveLength(1);
});
