import { expect, it } from 'vitest';
import { makeOwnerCode, markOwner } from '../../../src/messaging/owner/bot-owner.ts';
import { newestOwnedBot } from '../../../src/store/agents/test-targets.ts';
import { deleteBot } from '../../../src/store/logins/bot-tokens.ts';
import { findConversationAt } from '../../../src/store/messages/spaces.ts';
import { seedAccount } from '../store/temporary.ts';
import { directPlace, messagingWorld, seedBot, type World, write, written } from './messaging-world.ts';

/** A world, and another tenant of the same gateway who also has a bot. */
async function twoTenants() {
  const world = await messagingWorld();
  const other = await seedAccount(world.store, 'b');
  const othersBotId = await seedBot(world.store, other.accountId, other.agentId);
  const actor = { accountId: world.accountId, kind: 'settings', credentialId: 'key_1' } as const;
  return { world, other: { ...actor, accountId: other.accountId }, othersBotId, actor };
}

async function conversationWith({ store }: World, botId: string, remoteId: string): Promise<string> {
  return (await findConversationAt(store.db, { type: 'bot_token', id: botId }, directPlace(remoteId)))!.id;
}

/** The owner of the bot, by the platform's id. */
async function ownerOf({ store }: World, accountId: string, botId: string): Promise<string | undefined> {
  return (await newestOwnedBot(store.db, accountId, 'telegram', botId))?.conversation.remoteId;
}

const countMessages = async ({ store }: World) =>
  (await store.db.selectFrom('messages').select('text').execute()).length;

it('marks the person of a conversation, but only with one of the account’s own bots', async () => {
  const { world, other, othersBotId, actor } = await twoTenants();
  const { store, domain, botId, accountId } = world;
  await write(world, '42');
  await write(world, '43');
  await world.intake.received(written(othersBotId, '99'));
  const conversationId = await conversationWith(world, botId, '42');
  for (const [who, platform, id] of [
    [other, 'telegram', conversationId],
    [actor, 'telegram', await conversationWith(world, othersBotId, '99')],
    [actor, 'discord', conversationId],
    [actor, 'telegram', 'cnv_nothing'],
  ] as const)
    await expect(markOwner(domain, who, platform, id)).rejects.toMatchObject({
      code: 'conversation_not_found',
    });
  expect(await ownerOf(world, accountId, botId)).toBeUndefined();

  expect(await markOwner(domain, actor, 'telegram', conversationId)).toEqual({
    botId,
    conversationId,
    remoteName: 'Name of 42',
  });
  expect(await ownerOf(world, accountId, botId)).toBe('42');
  await markOwner(domain, actor, 'telegram', await conversationWith(world, botId, '43'));
  expect(await ownerOf(world, accountId, botId)).toBe('43');
  expect(await ownerOf(world, other.accountId, othersBotId)).toBeUndefined();
  const log = await store.db.selectFrom('auditLog').select(['action', 'subject']).execute();
  expect(log).toEqual([
    { action: 'bot_owner.mark', subject: botId },
    { action: 'bot_owner.mark', subject: botId },
  ]);

  await deleteBot(store.db, accountId, botId);
  await expect(markOwner(domain, actor, 'telegram', conversationId)).rejects.toMatchObject({
    code: 'conversation_not_found',
  });
});

it('accepts the code in a message to its bot, in any case, and keeps it out of the inbox', async () => {
  const { world, actor } = await twoTenants();
  const { domain, intake, store, botId, accountId, owned, received, clock } = world;
  const { code, expiresAt } = await makeOwnerCode(domain, actor, 'telegram', null);
  expect(code).toMatch(/^owner(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
  expect(Date.parse(expiresAt) - Date.parse(clock.nowIso())).toBe(900_000);
  const message = written(botId, '42', { text: ` ${code.toUpperCase()}\n` });
  expect(await intake.received(message)).toBe('stored');
  expect(owned).toEqual([await conversationWith(world, botId, '42')]);
  expect(await ownerOf(world, accountId, botId)).toBe('42');
  // The platform repeats a message that was not acknowledged.
  expect(await intake.received(message)).toBe('duplicate');
  expect(owned).toHaveLength(1);
  expect([received, await countMessages(world)]).toEqual([[], 0]);
  expect(await store.db.selectFrom('events').select('id').execute()).toEqual([]);
  const stored = JSON.stringify(await store.db.selectFrom('ownerCodes').selectAll().execute());
  expect(stored).not.toContain(code.slice('owner-'.length));
  expect(JSON.stringify(await store.db.selectFrom('auditLog').selectAll().execute())).not.toContain(code);
});

it('rejects a code that is guessed, reused, replaced, expired, or sent to another bot', async () => {
  const { world, other, othersBotId, actor } = await twoTenants();
  const { domain, intake, botId, accountId, owned, clock } = world;
  const sends = (to: string, remoteId: string, text: string) =>
    intake.received(written(to, remoteId, { text }));
  const replaced = (await makeOwnerCode(domain, actor, 'telegram', null)).code;
  const { code } = await makeOwnerCode(domain, actor, 'telegram', null);
  const othersCode = (await makeOwnerCode(domain, other, 'telegram', null)).code;

  await sends(botId, '66', replaced);
  await sends(botId, '66', 'owner-0000-0000-0000');
  await sends(botId, '66', `${code} please`);
  await sends(botId, '66', othersCode);
  await sends(othersBotId, '66', code);
  expect(owned).toEqual([]);
  expect(await countMessages(world)).toBe(5);

  await sends(botId, '42', code);
  await sends(botId, '66', code);
  expect(await ownerOf(world, accountId, botId)).toBe('42');
  expect(await ownerOf(world, other.accountId, othersBotId)).toBeUndefined();

  const late = (await makeOwnerCode(domain, actor, 'telegram', botId)).code;
  clock.advance(900_000);
  await sends(botId, '66', late);
  expect(await ownerOf(world, accountId, botId)).toBe('42');
  expect(owned).toHaveLength(1);

  await expect(makeOwnerCode(domain, actor, 'telegram', othersBotId)).rejects.toMatchObject({
    code: 'connection_not_found',
  });
  await expect(makeOwnerCode(domain, actor, 'slack', null)).rejects.toMatchObject({
    code: 'platform_not_configured',
  });
});
