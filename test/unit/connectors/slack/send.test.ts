import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { shownText } from '../../../fakes/slack/world/fake-message.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { BOT_ID, LOGIN, NEVER, outbound, outboundFile, ownBot } from './slack-setup.ts';

it('writes to people, channels and threads', async () => {
  const { workspace, installation, ada, connector } = await ownBot();
  const general = workspace.addChannel('general', [ada.user, installation.bot]);
  const root = ada.says(general, 'who is there?').message.ts;
  const outcome = await connector.provides.messenger!.send(outbound(ada.user.id, 'a < b & **c**'), NEVER);
  const [received] = ada.received(installation);
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [received!.ts] });
  expect([received!.text, shownText(received!.text)]).toEqual(['a &lt; b &amp; *c*', 'a < b & *c*']);
  const place = { login: LOGIN, space: { kind: 'channel', id: general.id }, person: null } as const;
  await connector.provides.messenger!.send(outbound({ ...place, thread: null }, 'I am'), NEVER);
  await connector.provides.messenger!.send(outbound({ ...place, thread: root }, 'here'), NEVER);
  expect(general.messages.slice(1).map(({ text, threadTs }) => [text, threadTs])).toEqual([
    ['I am', null],
    ['here', root],
  ]);
});

it('opens direct messages once', async () => {
  const { slack, ada, connector } = await ownBot();
  for (const text of ['one', 'two'])
    await connector.provides.messenger!.send(outbound(ada.user.id, text), NEVER);
  expect(slack.calls.filter((method) => method === 'conversations.open')).toHaveLength(1);
});

it.each([
  [
    { kind: 'refuse', error: 'restricted_action' },
    { kind: 'refused', reason: 'restricted_action', isAddressGone: false },
  ],
  [
    { kind: 'refuse', error: 'is_archived' },
    { kind: 'refused', reason: 'is_archived', isAddressGone: true },
  ],
  [
    { kind: 'refuse', error: 'service_unavailable' },
    { kind: 'later', reason: 'service_unavailable', afterMs: 1_000 },
  ],
  [
    { kind: 'throttle', retryAfterS: 7 },
    { kind: 'later', reason: 'ratelimited', afterMs: 7_000 },
  ],
  [
    { kind: 'refuse', error: 'fatal_error' },
    { kind: 'unknown', reason: 'fatal_error', sentIds: [] },
  ],
  [
    { kind: 'gateway', status: 502 },
    { kind: 'unknown', reason: expect.stringContaining('502'), sentIds: [] },
  ],
  [
    { kind: 'drop', isDone: true },
    { kind: 'unknown', reason: expect.stringContaining('did not answer'), sentIds: [] },
  ],
] as const)('%j makes the outcome %j', async (fault, outcome) => {
  const { slack, ada, connector } = await ownBot();
  slack.fail('chat.postMessage', fault);
  expect(await connector.provides.messenger!.send(outbound(ada.user.id, 'hello'), NEVER)).toEqual(outcome);
});

it('names a missing scope', async () => {
  const { installation, ada, connector } = await ownBot();
  installation.scopes.delete('im:write');
  expect(await connector.provides.messenger!.send(outbound(ada.user.id, 'hello'), NEVER)).toMatchObject({
    kind: 'refused',
    reason: 'missing_scope (needed: im:write)',
  });
});

it('tries again what failed before anything was shown', async () => {
  const { slack, ada, connector } = await ownBot();
  slack.fail('conversations.open', { kind: 'drop', isDone: true });
  expect(await connector.provides.messenger!.send(outbound(ada.user.id, 'hello'), NEVER)).toMatchObject({
    kind: 'later',
  });
  slack.fail('upload', { kind: 'gateway', status: 500 });
  const message = outbound(ada.user.id, 'the plan', [outboundFile('a.pdf', Buffer.from('bytes'))]);
  expect(await connector.provides.messenger!.send(message, NEVER)).toMatchObject({ kind: 'later' });
});

it('shows several files in one message', async () => {
  const { slack, installation, ada, connector } = await ownBot();
  const bytes = [randomBytes(1), randomBytes(300_000)];
  const files = bytes.map((each, n) => outboundFile(`${n}.pdf`, each));
  const outcome = await connector.provides.messenger!.send(
    outbound(ada.user.id, 'both & more', files),
    NEVER,
  );
  const [message, ...others] = ada.received(installation);
  expect(others).toEqual([]);
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: message!.files.map(({ id }) => id) });
  expect(shownText(message!.text)).toBe('both & more');
  expect(message!.files.map((file, n) => [file.name, file.bytes.equals(bytes[n]!)])).toEqual([
    ['0.pdf', true],
    ['1.pdf', true],
  ]);
  expect(slack.offences).toEqual([]);
});

it('counts a text as Slack does', async () => {
  const { connector } = await ownBot();
  connector.provides.messenger!.checkText('a'.repeat(40_000), false);
  connector.provides.messenger!.checkText('&'.repeat(8_000), false);
  for (const text of ['a'.repeat(40_001), '<'.repeat(10_001)])
    expect(() => connector.provides.messenger!.checkText(text, false)).toThrow(
      /^Failed to send message: the message is too long for Slack/,
    );
});

it('shows a dead login in Slack’s words, and recovers', async () => {
  const { installation, ada, connector, clock, states } = await ownBot();
  installation.deadAs = 'token_revoked';
  expect(await connector.provides.messenger!.send(outbound(ada.user.id, 'hello'), NEVER)).toMatchObject({
    reason: 'token_revoked',
  });
  expect(states.at(-1)).toEqual({ name: '@gateway', status: 'token_revoked' });
  installation.deadAs = null;
  clock.turn(5_000);
  await waitFor('the login', () => states.at(-1)?.status === 'ok');
  expect(await connector.provides.messenger!.send(outbound(ada.user.id, 'hello'), NEVER)).toMatchObject({
    kind: 'sent',
  });
});

it('notices at once that the app was removed', async () => {
  const { installation, tell, states } = await ownBot();
  installation.deadAs = 'account_inactive';
  await tell({ type: 'app_uninstalled' });
  await waitFor('the state', () => states.at(-1)?.status === 'account_inactive');
  await tell({ type: 'tokens_revoked', tokens: { bot: [installation.bot.id] } });
});

it('sends nothing for a bot that is gone', async () => {
  const { ada, connector } = await ownBot();
  await connector.provides.bots!.removeBot(BOT_ID);
  expect(await connector.provides.messenger!.send(outbound(ada.user.id, 'hello'), NEVER)).toMatchObject({
    kind: 'refused',
  });
});
