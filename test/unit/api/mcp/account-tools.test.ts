import { expect, test } from 'vitest';
import { ToolWorld } from './tool-world.ts';

test('a new agent learns what is connected and where new messages start', async () => {
  const world = await ToolWorld.open();
  const conversation = await world.outbound.conversation();
  await world.outbound.heard(conversation);
  world.ring();
  const account = await world.ask('svc_account');
  expect(account).toMatchObject({
    account_id: world.outbound.accountId,
    features: { transport: 'ready', hosted_tts: 'byok', channel: 'poll' },
    platforms: { telegram: { files: true }, sip: { status: 'not_configured' } },
    concurrent_calls: { active: 1, limit: 3 },
  });
  const { last_message_cursor } = account;
  expect(await world.ask('svc_inbox', { last_message_cursor })).toMatchObject({ conversations: [] });
  await world.outbound.heard(conversation, 'New');
  const { conversations } = await world.ask('svc_inbox', { last_message_cursor });
  expect(conversations).toMatchObject([{ messages: [{ text: 'New' }] }]);
});

test('later answers reflect changes, stored or not', async () => {
  const world = await ToolWorld.open();
  const { db } = world.outbound.store;
  const telegram = async () => (await world.ask('svc_account')).platforms.telegram.status;
  expect(await telegram()).toBe('This gateway has no connector for telegram');
  await db.deleteFrom('botTokens').execute();
  expect(await telegram()).toBe('not_configured');
  expect((await world.ask('svc_account')).concurrent_calls.active).toBe(0);
  world.ring();
  expect((await world.ask('svc_account')).concurrent_calls.active).toBe(1);
});

test('a session that receives events is told so', async () => {
  const world = await ToolWorld.open();
  const { features } = await world.ask('svc_account', {}, { isStateful: true });
  expect(features.channel).toBe('ready');
});

test('a deleted account gets 401', async () => {
  const world = await ToolWorld.open();
  expect(await world.fault('svc_account', {}, { as: world.stranger })).toBe('401 Invalid or missing API key');
});
