import { expect, it } from 'vitest';
import { MAX_AGENT_TURNS, MAX_QUEUED } from '../../../src/inline/feed/skip-event.ts';
import { listRows } from '../../../src/store/database/rows.ts';
import { insertDelivery } from '../../../src/store/inline/deliveries.ts';
import { waitFor } from '../../support/wait-for.ts';
import { happen } from '../messaging/messaging-world.ts';
import { InlineWorld } from './inline-world.ts';

it('calls no model for a conversation in which agents write to each other without end', async () => {
  const world = await InlineWorld.start();
  const { messaging } = world;
  const payload = { conversation_id: 'cnv_of_agents', text: 'Your turn' };
  for (let n = 0; n <= MAX_AGENT_TURNS + 2; n++)
    await happen(messaging, messaging.agentId, { type: 'dm_chat', platform: 'agent', payload });
  const deliveries = await waitFor('the deliveries', async () => {
    const all = await world.deliveries();
    return all.length > MAX_AGENT_TURNS + 2 && all;
  });
  expect(deliveries.at(-1)).toMatchObject({ status: 'failed', errorType: 'loop' });
  expect(deliveries.filter(({ status }) => status === 'failed')).toHaveLength(3);
  const told = await listRows(messaging.store.db, 'events', { agentId: messaging.agentId, type: 'loop' });
  expect(told.map(({ payload }) => payload.conversation_id)).toEqual(['cnv_of_agents']);
});

it('fails what happens while too much waits, with the reason', async () => {
  const world = await InlineWorld.start();
  const { store, accountId, agentId } = world.messaging;
  for (let n = 0; n < MAX_QUEUED; n++)
    await insertDelivery(store.db, {
      id: `dlv_${n}`,
      accountId,
      agentId,
      eventId: null,
      eventType: 'dm_chat',
      lane: 'cnv_busy',
      payload: { type: 'dm_chat' },
      replayOf: null,
      createdAt: world.messaging.clock.nowIso(),
    });
  await world.hears('42', 'Hi');
  const last = await waitFor('the delivery', async () => {
    const all = await world.deliveries();
    return all.length > MAX_QUEUED && all.at(-1);
  });
  expect(last).toMatchObject({ status: 'failed', errorType: 'queue_full' });
});

it('delivers only the events that the filter has, and none of what is announced before an answer', async () => {
  const world = await InlineWorld.start();
  const { messaging } = world;
  const payload = { call_id: 'call_1', state: 'ended' };
  await happen(messaging, messaging.agentId, { type: 'call_state', payload });
  const announced = { call_id: 'call_1', state: 'connecting', speaker: '+33123456789', text: 'Please hold' };
  await happen(messaging, messaging.agentId, { type: 'call_transcript', payload: announced });
  await happen(messaging, messaging.agentId, { type: 'utterance', payload });
  await happen(messaging, null, { type: 'connection_status', payload: {} });
  await world.says('42', 'Hi');
  await world.written(1);
  expect((await world.deliveries()).map(({ eventType }) => eventType)).toEqual(['dm_chat']);
});
