import { expect, test } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import { readDetail } from '../../../src/messaging/inbox/inbox.ts';
import { insertAgent } from '../../../src/store/agents/agents.ts';
import { openAgentConversation } from '../../../src/store/messages/agent-conversations.ts';
import { messagingWorld, write } from './messaging-world.ts';

const FIRST = { limit: 50, offset: 0 };

/** A person's name, and the one that an agent asks for. */
const SAME_NAMES: [string, string][] = [
  ['Étoile', 'étoile'],
  ['émile', 'ÉMILE'],
  ['Παύλος', 'ΠΑΎΛΟΣ'],
  ['Юлия', 'юЛИЯ'],
  ['Straße', 'STRASSE'],
  ['Zoe\u0308', 'zoë'],
];

test.each(SAME_NAMES)('a person called %s is found as %s', async (remoteName, peer) => {
  const world = await messagingWorld();
  await write(world, '1', { remoteName, text: 'from them' });
  await write(world, '2', { remoteName: 'Somebody', text: 'from another' });
  const wanted = { platform: 'telegram', status: 'active', task: '', peer } as const;
  const { messages } = await readDetail(world.reading, world.scope, wanted, FIRST);
  expect(messages.map(({ text }) => text)).toEqual(['from them']);
});

test.each(SAME_NAMES)('an agent called %s is found as %s', async (name, peer) => {
  const { store, clock, scope, accountId, agentId, reading } = await messagingWorld();
  const createdAt = clock.nowIso();
  const peerAgentId = newId('agt');
  await insertAgent(store.db, { id: peerAgentId, accountId, name, isDefault: false, createdAt } as never);
  const { id } = await openAgentConversation(
    store.db,
    { accountId, agentId, peerAgentId, task: '' },
    createdAt,
  );
  const wanted = { platform: 'agent', status: 'active', task: '', peer } as const;
  expect((await readDetail(reading, scope, wanted, FIRST)).conversation.id).toBe(id);
});

test('a name is not an id, and accents matter', async () => {
  const { reading, scope, ...world } = await messagingWorld();
  await write({ reading, scope, ...world }, 'Ab1', { remoteName: 'Émile' });
  for (const peer of ['ab1', 'Emile'])
    await expect(
      readDetail(reading, scope, { platform: 'telegram', status: null, task: '', peer }, FIRST),
    ).rejects.toThrow('No active conversation');
});
