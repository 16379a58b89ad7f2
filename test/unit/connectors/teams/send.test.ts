import { expect, it } from 'vitest';
import { shownText } from '../../../fakes/teams/shown-text.ts';
import { connected, LOGIN, NEVER, outbound } from './teams-setup.ts';

async function heard() {
  const setup = await connected();
  setup.ada.says('hello');
  await setup.settled();
  return { ...setup, to: setup.ada.remoteId };
}

it('answers people, threads of channels and group chats where they wrote', async () => {
  const { teams, ada, messenger, intake, settled, to } = await heard();
  const channel = teams.world.addChannel(teams.world.addTeam('Acme', teams.tenantId), 'plans', [ada.user]);
  const group = teams.world.addGroup('Lunch', [ada.user]);
  ada.mentions(channel, 'one');
  await settled();
  ada.mentions(group, 'two');
  await settled();
  const [, inChannel, inGroup] = intake.messages;
  expect([inChannel!.remoteName, inChannel!.from.thread]).toEqual(['plans', channel.messages[0]!.id]);
  expect([inGroup!.remoteName, inGroup!.from.thread]).toEqual(['Lunch', null]);
  const outcome = await messenger.send(outbound(to, 'a < b & **c**, `<d>`'), NEVER);
  const [received] = ada.received();
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [received!.id] });
  expect(shownText(received!.text)).toBe('a < b & **c**, `<d>`');
  for (const { from } of [inChannel!, inGroup!]) await messenger.send(outbound(from, 'here'), NEVER);
  expect(channel.messages.at(-1)).toMatchObject({ text: 'here', root: channel.messages[0]!.id });
  expect(group.messages.at(-1)).toMatchObject({ text: 'here', from: null });
  expect(teams.offences).toEqual([]);
});

it.each([
  [
    { kind: 'refuse', status: 403, code: 'MessageWritesBlocked', message: 'Blocked' },
    { kind: 'refused', reason: 'Blocked (MessageWritesBlocked)', isAddressGone: true },
  ],
  [
    { kind: 'refuse', status: 403, code: 'BotNotInConversationRoster', message: 'Not there' },
    { kind: 'refused', reason: 'Not there (BotNotInConversationRoster)', isAddressGone: true },
  ],
  [
    { kind: 'refuse', status: 404, code: 'ConversationNotFound', message: 'Gone' },
    { kind: 'refused', reason: 'Gone (ConversationNotFound)', isAddressGone: true },
  ],
  [
    { kind: 'refuse', status: 400, code: 'BadSyntax', message: 'No' },
    { kind: 'refused', reason: 'No (BadSyntax)', isAddressGone: false },
  ],
  [
    { kind: 'throttle', retryAfterS: 7 },
    { kind: 'later', reason: 'API calls quota exceeded', afterMs: 7_000 },
  ],
  [
    { kind: 'refuse', status: 500, code: 'ServiceError', message: 'Oops' },
    { kind: 'unknown', reason: 'Oops', sentIds: [] },
  ],
  [
    { kind: 'drop', isDone: true },
    { kind: 'unknown', reason: expect.stringContaining('did not answer'), sentIds: [] },
  ],
] as const)('%j makes the outcome %j', async (fault, outcome) => {
  const { teams, messenger, to } = await heard();
  teams.fail('send', fault);
  expect(await messenger.send(outbound(to, 'hello'), NEVER)).toEqual(outcome);
});

it.each([412, 429, 502, 503, 504])(
  'doubles the pause after status %i, until something arrives',
  async (status) => {
    const { teams, messenger, to } = await heard();
    const pauses: number[] = [];
    for (let n = 0; n < 3; n++) {
      teams.fail('send', { kind: 'gateway', status });
      const outcome = await messenger.send(outbound(to, 'hello'), NEVER);
      if (outcome.kind === 'later') pauses.push(outcome.afterMs);
    }
    for (const [n, pauseMs] of pauses.entries()) {
      expect(pauseMs).toBeGreaterThanOrEqual(1_000 * 2 ** n);
      expect(pauseMs).toBeLessThanOrEqual(1_500 * 2 ** n);
    }
    expect(pauses).toHaveLength(3);
    expect(await messenger.send(outbound(to, 'hello'), NEVER)).toMatchObject({ kind: 'sent' });
    teams.fail('send', { kind: 'throttle', retryAfterS: null });
    const afresh = await messenger.send(outbound(to, 'hello'), NEVER);
    expect(afresh.kind === 'later' && afresh.afterMs).toBeLessThanOrEqual(1_500);
  },
);

it('opens the chat with somebody who has the app', async () => {
  const { teams, ada, messenger, records } = await connected();
  teams.world.installed.add(ada.user);
  expect(await messenger.send(outbound(ada.remoteId, 'good morning'), NEVER)).toMatchObject({ kind: 'sent' });
  expect(ada.received().map(({ text }) => text)).toEqual(['good morning']);
  expect(records.of('space').length).toBe(1);
});

it('installs the app first, where the tenant has granted that', async () => {
  const { teams, ada, messenger } = await connected();
  const refusal = { kind: 'refused', isAddressGone: true, reason: expect.stringMatching(/Forbidden/) };
  expect(await messenger.send(outbound(ada.remoteId, 'good morning'), NEVER)).toMatchObject(refusal);
  teams.bot.installsIn.add(teams.tenantId);
  expect(await messenger.send(outbound(ada.remoteId, 'good morning'), NEVER)).toMatchObject({ kind: 'sent' });
  expect(ada.received().map(({ text }) => text)).toEqual(['good morning']);
  expect(teams.offences).toEqual([]);
});

it('cannot write to somebody of another tenant, nor to a channel that it has not heard of', async () => {
  const { teams, ada, messenger } = await connected();
  teams.world.installed.add(ada.user);
  const elsewhere = `11111111-2222-4333-8444-555555555555:${ada.user.objectId}`;
  expect(await messenger.send(outbound(elsewhere, 'hello'), NEVER)).toMatchObject({ kind: 'refused' });
  const channel = {
    login: LOGIN,
    space: { kind: 'channel', id: '19:x@thread.v2' },
    thread: null,
    person: null,
  } as const;
  expect(await messenger.send(outbound(channel, 'hello'), NEVER)).toMatchObject({ kind: 'refused' });
});

it('replaces a token that is refused, once', async () => {
  const { teams, messenger, to } = await heard();
  await messenger.send(outbound(to, 'one'), NEVER);
  teams.login.forgetTokens();
  expect(await messenger.send(outbound(to, 'two'), NEVER)).toMatchObject({ kind: 'sent' });
  expect(teams.login.issued).toBe(2);
});

it('follows a conversation to another service', async () => {
  const { teams, ada, records, settled } = await heard();
  const [before] = records.of<{ serviceUrl: string }>('space');
  Object.defineProperty(teams, 'serviceUrl', { value: `${teams.origin}/teams/emea/` });
  ada.says('again');
  await settled();
  const [after] = records.of<{ serviceUrl: string }>('space');
  expect([before!.serviceUrl, after!.serviceUrl]).toEqual([
    `${teams.origin}/teams/`,
    `${teams.origin}/teams/emea/`,
  ]);
});
