import { expect, it } from 'vitest';
import { TELEGRAM_REMEDIES } from '../../../src/connectors/telegram/remedies.ts';
import { changeRows } from '../../../src/store/database/rows.ts';
import { listPlatformAccounts } from '../../../src/store/logins/platform-accounts.ts';
import { startDms } from './dm-setup.ts';

it('sends a test message to the operator’s own account only', async () => {
  const { outbound, post, messenger } = await startDms();
  const { db } = outbound.store;
  const ask = (query = '', provider = 'telegram', as = 'settings') =>
    post(`/api/platforms/${provider}/test-dm${query}`, undefined, { as });
  const mark = (conversation_id: string, as = 'settings') =>
    post('/api/platforms/telegram/owner', { conversation_id }, { as });
  const reached = () => messenger.taken.map(({ to }) => [to.login.kind, to.space.id]);
  expect(await ask('', 'discord')).toMatchObject({
    status: 400,
    body: { detail: 'No discord bot registered', code: 'platform_not_configured' },
  });
  expect(await ask('', 'whatsapp')).toMatchObject({
    status: 400,
    body: { detail: 'No whatsapp connection configured', code: 'platform_not_configured' },
  });
  expect((await ask('', 'icq')).status).toBe(404);
  expect((await ask('?connection_id=con_9')).body.detail).toBe('Connection not found');
  expect((await ask('', 'telegram', 'agent')).status).toBe(403);

  const stranger = await outbound.conversation('66');
  await outbound.heard(stranger);
  for (const query of ['', '?connection_id=bot_1']) {
    const refused = await ask(query);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain('POST /api/platforms/telegram/owner');
  }
  expect(reached()).toEqual([]);

  const own = await outbound.conversation('41');
  expect((await mark(own.id, 'agent')).status).toBe(403);
  expect((await mark(own.id, 'foreign')).status).toBe(404);
  expect((await mark('cnv_9')).body).toEqual({
    detail: 'Conversation not found',
    code: 'conversation_not_found',
  });
  expect(await mark(own.id)).toMatchObject({
    status: 200,
    body: { bot_id: 'bot_1', conversation_id: own.id, remote_name: 'Person 41' },
  });
  await outbound.heard(stranger, 'The newest message is mine');
  expect((await ask()).status).toBe(200);
  expect(reached()).toEqual([['bot_token', '41']]);

  for (const [id, createdAt] of [
    ['con_1', '2030-01-01T00:00:00.000Z'],
    ['con_2', '2030-01-02T00:00:00.000Z'],
  ] as const)
    await db
      .insertInto('connections')
      .values({
        id,
        accountId: outbound.accountId,
        provider: 'telegram',
        label: `Me ${id}`,
        status: 'ok',
        loginKey: 'shared',
        remoteId: `of ${id}`,
        sealedCredentials: '',
        createdAt,
        updatedAt: createdAt,
      })
      .execute();
  await ask();
  await ask('?connection_id=con_1');
  await ask('?connection_id=bot_1');
  expect(reached().slice(1)).toEqual([
    ['shared', 'of con_2'],
    ['shared', 'of con_1'],
    ['bot_token', '41'],
  ]);
  const linked = await db
    .selectFrom('conversations')
    .select('id')
    .where('memberId', '=', 'con_1')
    .executeTakeFirstOrThrow();
  expect((await mark(linked.id)).status).toBe(400);
  messenger.will({ kind: 'refused', reason: 'Forbidden: bot was blocked by the user', isAddressGone: true });
  expect(await ask()).toMatchObject({
    status: 502,
    body: { detail: 'Failed to send message: Forbidden: bot was blocked by the user', code: 'send_failed' },
  });
  messenger.remedies = TELEGRAM_REMEDIES;
  await changeRows(db, 'conversations', { id: own.id }, { status: 'active' });
  messenger.will({ kind: 'refused', reason: 'Forbidden: bot was blocked by the user', isAddressGone: true });
  expect(await ask('?connection_id=bot_1')).toMatchObject({
    status: 502,
    body: { suggestion: expect.stringContaining('Unblock the bot') },
  });
  for (const provider of ['meet', 'zoom', 'sip'])
    expect(await ask('', provider)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('has no direct messages') },
    });
  await changeRows(db, 'conversations', { id: own.id }, { status: 'closed' });
  expect((await ask('?connection_id=bot_1')).body).toEqual({
    detail: 'No active conversation',
    code: 'no_conversation',
  });
});

it('reaches an owner even when a bot that was registered later has none', async () => {
  const { outbound, post, messenger } = await startDms();
  const own = await outbound.conversation('41');
  await post('/api/platforms/telegram/owner', { conversation_id: own.id }, { as: 'settings' });
  await outbound.bot('bot_2');
  await outbound.heard(await outbound.conversation('66', 'bot_2'));
  expect((await post('/api/platforms/telegram/test-dm', undefined, { as: 'settings' })).status).toBe(200);
  expect(messenger.taken.map(({ to }) => to.space.id)).toEqual(['41']);
});

it('an account’s bots are listed with the names of their owners', async () => {
  const { outbound, post } = await startDms();
  const { db } = outbound.store;
  const own = await outbound.conversation('41');
  await changeRows(db, 'conversations', { id: own.id }, { remoteName: 'Ada' });
  await post('/api/platforms/telegram/owner', { conversation_id: own.id }, { as: 'settings' });
  await outbound.bot('bot_2');
  const bots = (await listPlatformAccounts(db, own.accountId)).filter(({ type }) => type === 'bot_token');
  expect(bots).toMatchObject([
    { id: 'bot_1', ownerName: 'Ada' },
    { id: 'bot_2', ownerName: null },
  ]);
});
