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
  await world.setPolicy({ newConversations: true });
  const found = await outcomes(world, '<dm platform="telegram" to="cnv_of_somebody_else">psst</dm>');
  expect(found).toEqual(['dm failed: No active conversation']);
  expect(world.messenger.texts).toEqual([]);
});

it('lets a model write to others ten times a minute', async () => {
  const world = await InlineWorld.start();
  await world.setPolicy({ newConversations: true, actionsPerTurn: 20 });
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

it('writes to nobody else and calls nobody, unless the policy of the agent has them', async () => {
  const world = await InlineWorld.start();
  const asks = [
    '<dm platform="telegram" to="cnv_1">psst</dm>',
    '<dm platform="agent" to="Second">psst</dm>',
    '<call_join platform="sip" url="+19005550123"/>',
    '<call_join platform="sip" url="sip:+19005550123@127.0.0.1"/>',
    '<write>done</write>',
  ];
  const found = await outcomes(world, asks.join(''));
  expect(found.slice(0, 4)).toEqual([
    'dm refused: The policy of the agent does not let it write to other conversations',
    'dm refused: The policy of the agent does not let it write to other conversations',
    'call_join refused: The policy of the agent does not have this number or address',
    'call_join refused: The policy of the agent does not have this number or address',
  ]);
  expect(world.messenger.texts).toEqual(['done']);
  expect(world.refused).toEqual(['dm', 'dm', 'call_join', 'call_join']);
  await outcomes(world, 'fine');
  expect(world.model.turns[1]?.text).toContain(
    '"The policy of the agent does not have this number or address"',
  );
});

it('may write to the conversation of its turn by name', async () => {
  const world = await InlineWorld.start();
  await outcomes(world, 'Hello');
  const { conversation_id: own } = (await world.deliveries())[0]!.payload;
  expect(await outcomes(world, `<dm platform="telegram" to="${own}">Hello again</dm>`)).toEqual([
    'dm done: null',
  ]);
});

it('carries out as many actions of a turn as the policy of the agent allows', async () => {
  const world = await InlineWorld.start();
  const writes = Array.from({ length: 8 }, (_, at) => `<write>${at}</write>`).join('');
  const found = await outcomes(world, writes);
  expect(world.messenger.texts).toEqual(['0', '1', '2', '3', '4']);
  expect(found.at(-1)).toBe(
    'write refused: The policy of the agent allows 5 actions in a turn; the other 3 are dropped',
  );
  expect(world.refused).toEqual(['write', 'write', 'write']);
  await world.setPolicy({ actionsPerTurn: 0 });
  await outcomes(world, 'Not even this');
  expect(world.messenger.texts).toHaveLength(5);
});
