import { expect, it } from 'vitest';
import { ConversationReferences } from '../../../../src/connectors/teams/messages/conversation-references.ts';
import { newSigningKey } from '../../../fakes/teams/auth/signing-keys.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { connected } from './teams-setup.ts';

it('stores what people write, once, and what they change', async () => {
  const { ada, intake, settled } = await connected();
  const written = ada.says('hello');
  ada.repeats(written);
  ada.edits(written, 'hello there');
  ada.deletes(written);
  await settled();
  expect(intake.messages.map(({ text, remoteName }) => [text, remoteName])).toEqual([['hello', 'Ada']]);
  expect(intake.edits.map(({ text }) => text)).toEqual(['hello there', null]);
});

it('knows a person by tenant and object, in lower case', async () => {
  const { ada, intake, settled } = await connected();
  ada.says('hello');
  await settled();
  const id = `${ada.user.tenantId}:${ada.user.objectId}`.toLowerCase();
  expect(intake.messages[0]!.from).toMatchObject({ space: { kind: 'direct', id }, person: id, thread: null });
});

it('tells of the app’s coming and going', async () => {
  const { teams, ada, intake, settled } = await connected();
  const group = teams.world.addGroup('Lunch', [ada.user]);
  ada.installs();
  ada.installs(false);
  await settled();
  ada.brings(group);
  ada.brings(group, false);
  await settled();
  expect(intake.reached).toEqual([
    { remoteId: ada.remoteId, isReachable: true },
    { remoteId: ada.remoteId, isReachable: false },
    { remoteId: group.id, isReachable: true },
    { remoteId: group.id, isReachable: false },
  ]);
});

it('tells strangers once what to do, and connects who shows a code', async () => {
  const { ada, intake, settled, counts } = await connected();
  intake.knowsNobody = true;
  const code = 'c'.repeat(32);
  intake.tokens.add(code);
  ada.says('hello');
  ada.says('hello?');
  ada.says('w'.repeat(32));
  ada.says(`the code: ${code}`);
  await settled();
  await waitFor('the notes', () => ada.received().length === 3);
  expect(
    ada
      .received()
      .map(({ text }) => text.split('.')[0])
      .toSorted(),
  ).toEqual([
    'This bot does not know which agent to connect you to',
    'This code is not valid, or no longer',
    'You are connected',
  ]);
  expect(intake.bound).toEqual([{ remoteId: ada.remoteId, remoteName: 'Ada', token: code }]);
  expect(counts.get('note_failed')).toBeUndefined();
});

it('lets no guest connect a channel', async () => {
  const { teams, ada, intake, settled } = await connected();
  intake.knowsNobody = true;
  intake.tokens.add('c'.repeat(32));
  const channel = teams.world.addChannel(teams.world.addTeam('Acme', teams.tenantId), 'plans', [ada.user]);
  ada.user.role = 'guest';
  ada.mentions(channel, 'c'.repeat(32));
  await settled();
  await waitFor('the note', () => channel.messages.some(({ text }) => text.startsWith('Only members')));
  expect(intake.bound).toEqual([]);
});

it('follows a new key, but asks for it at most every five minutes', async () => {
  const { teams, clock, ada, intake, settled } = await connected();
  ada.says('one');
  await settled();
  teams.keys = [newSigningKey()];
  ada.says('too early');
  await settled();
  clock.turn(300_000);
  ada.says('two');
  await settled();
  expect(intake.messages.map(({ text }) => text)).toEqual(['one', 'two']);
});

it('answers 503 while it cannot read the keys, so that Teams repeats', async () => {
  const { teams, ada, intake, settled, counts } = await connected();
  teams.fail('keys', { kind: 'gateway', status: 503 });
  ada.says('hello');
  await settled();
  expect([intake.messages.length, teams.delivery.lost, counts.get('keys_failed')]).toEqual([0, 1, 1]);
});

it('skips bots, people without an account and messages that do not mention it', async () => {
  const { teams, ada, intake, settled } = await connected();
  const group = teams.world.addGroup('Lunch', [ada.user]);
  const { chat, user } = ada;
  const base = {
    type: 'message',
    id: '1',
    serviceUrl: teams.serviceUrl,
    channelId: 'msteams',
    recipient: { id: teams.bot.id },
    conversation: { id: chat.id, conversationType: 'personal', tenantId: user.tenantId },
    text: 'unheard',
  };
  const from = { id: user.id, name: 'Ada', aadObjectId: user.objectId };
  const inGroup = { id: group.id, conversationType: 'groupChat', tenantId: user.tenantId };
  for (const activity of [
    { ...base, from: { id: user.id } },
    { ...base, from: { ...from, id: '28:other' } },
    { ...base, from: { ...from, role: 'bot' } },
    { ...base, from, conversation: inGroup },
    { ...base, from, id: undefined },
    { ...base, from, text: '  ' },
    { ...base, from, type: 'messageReaction' },
    { ...base, from, type: 'invoke', name: 'task/fetch' },
  ])
    teams.delivery.deliver(chat.id, activity);
  await settled();
  expect([intake.messages, teams.delivery.lost]).toEqual([[], 0]);
});

it('keeps where a conversation is reached as soon as an account is connected to it, again if need be', async () => {
  const space = { kind: 'channel', id: '19:x' } as const;
  const reference = { conversationId: '19:x', serviceUrl: 'https://smba.example/', tenantId: 't' };
  const world = { isConnected: false, kept: 0 };
  const references = new ConversationReferences({
    reference: async () => null,
    putReference: async () => {
      if (world.isConnected) world.kept += 1;
      return world.isConnected;
    },
  });
  await references.heard(space, reference);
  await references.keep(space);
  world.isConnected = true;
  await references.keep(space);
  await references.keep(space);
  expect(world.kept).toBe(1);
  await references.keep(space, true);
  expect(world.kept).toBe(2);
});
