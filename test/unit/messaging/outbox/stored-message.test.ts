import { expect, it } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import { addressOf, sendStored } from '../../../../src/messaging/outbox/stored-message.ts';
import { NOW } from '../../store/temporary.ts';
import { Outbound } from '../outbound-harness.ts';

async function stored() {
  const outbound = await Outbound.open();
  await outbound.bot();
  const conversation = await outbound.conversation();
  const { message } = await outbound.outgoing(conversation, 'Hello');
  const send = (id = message.id, parts = {}) =>
    sendStored({ ...outbound.domain, ...parts }, id, new AbortController().signal);
  return { outbound, conversation, message, send };
}

it('sends a stored message once, with its files, without changing its status', async () => {
  const { outbound, message, send } = await stored();
  const file = { name: 'a.txt', mime: 'text/plain', sizeBytes: 1, open: async function* () {} };
  outbound.messenger.will({ kind: 'later', reason: 'busy', afterMs: 1 });
  expect(await send(message.id, { filesOf: async () => [file] })).toMatchObject({ kind: 'later' });
  expect(outbound.messenger.asked).toEqual([
    {
      messageId: message.id,
      to: directAddress({ kind: 'bot_token', id: 'bot_1' }, '42'),
      text: 'Hello',
      attachments: [file],
    },
  ]);
  expect(await send()).toEqual({ kind: 'sent', platformMessageIds: ['1'] });
  expect((await outbound.message(message.id)).status).toBe('sending');
});

it('refuses when the message, a file or the platform is gone', async () => {
  const { outbound, message, send } = await stored();
  expect(await send('msg_none')).toMatchObject({ kind: 'refused', isAddressGone: true });
  expect(await send(message.id, { messengers: new Map() })).toMatchObject({ kind: 'refused' });
  const filesOf = () => Promise.reject(new Error('Gone'));
  expect(await send(message.id, { filesOf })).toEqual({
    kind: 'refused',
    reason: 'A file could not be read: Gone',
    isAddressGone: false,
  });
  expect(outbound.messenger.asked).toEqual([]);
});

it('finds the login of a connection', async () => {
  const { outbound, conversation } = await stored();
  const { db } = outbound.store;
  const of = async (loginKey: string | null) => {
    const id = `con_${loginKey}`;
    await db
      .insertInto('connections')
      .values({
        id,
        accountId: outbound.accountId,
        provider: 'telegram',
        label: 'Me',
        status: 'ok',
        loginKey,
        remoteId: '42',
        sealedCredentials: '',
        createdAt: NOW,
        updatedAt: NOW,
      })
      .execute();
    return await addressOf(db, { ...conversation, memberType: 'connection', memberId: id });
  };
  expect(await of('shared')).toEqual(directAddress({ kind: 'shared' }, '42'));
  expect(await of('bot_1')).toEqual(directAddress({ kind: 'bot_token', id: 'bot_1' }, '42'));
  expect(await of(null)).toEqual(directAddress({ kind: 'connection', id: 'con_null' }, '42'));
  expect(await addressOf(db, { ...conversation, memberType: 'connection', memberId: 'con_none' })).toBeNull();
});
