import { expect, it } from 'vitest';
import type { LiveMessage } from '../../../../src/connectors/contract/live-message.ts';
import { LOGIN, NEVER, outbound, ownBot } from './slack-setup.ts';

const LONG = 'long '.repeat(1_000).trim();

/** A bot that has shown the beginning of a message: to a person, or in a thread of a channel. */
async function begun(where: 'direct' | 'thread' = 'direct') {
  const setup = await ownBot();
  const { ada, installation, workspace, connector, clock } = setup;
  const general = workspace.addChannel('general', [ada.user, installation.bot]);
  const channel = where === 'direct' ? ada.directMessages(installation) : general;
  const root = ada.says(channel, 'Hi').message.ts;
  const { to: person } = outbound(ada.user.id, '');
  const to: LiveMessage['to'] =
    where === 'direct'
      ? person
      : { login: LOGIN, space: { kind: 'channel', id: general.id }, thread: root, person: null };
  const { live, send } = connector.provides.messenger!;
  const since = clock.nowIso();
  const show = (text: string, more: Partial<LiveMessage> = {}) =>
    live!.show({ to, key: 'turn_1', shownId: null, unclearSince: null, text, ...more }, NEVER);
  const outcome = await show('One **two**');
  const shownId = outcome.kind === 'shown' ? outcome.shownId! : '';
  const complete = (text: string, more: { shownId?: string } = {}) =>
    send({ messageId: 'msg_1', to, text, attachments: [], shownId, ...more }, NEVER);
  const shown = () =>
    channel.messages.filter(({ user }) => user === installation.bot).map(({ ts, text }) => ({ ts, text }));
  return { ...setup, channel, to, since, show, complete, shownId, shown };
}

it.each(['direct', 'thread'] as const)('edits one message up to the whole text: %s', async (where) => {
  const { show, complete, shown, shownId, channel } = await begun(where);
  expect(shown()).toEqual([{ ts: shownId, text: 'One *two*' }]);
  expect(await show('One **two** three', { shownId })).toEqual({ kind: 'shown', shownId });
  expect(shown()).toEqual([{ ts: shownId, text: 'One *two* three' }]);
  expect(await complete('One **two** three four')).toEqual({ kind: 'sent', platformMessageIds: [shownId] });
  expect(shown()).toEqual([{ ts: shownId, text: 'One *two* three four' }]);
  expect(channel.message(shownId)!.threadTs).toBe(where === 'thread' ? channel.messages[0]!.ts : null);
});

it.each(['direct', 'thread'] as const)('finds what an earlier request has shown: %s', async (where) => {
  const { show, shown, shownId, since, ada, channel } = await begun(where);
  for (let n = 0; n < 5; n++)
    ada.says(channel, `more ${n}`, where === 'thread' ? channel.messages[0]!.ts : null);
  expect(await show('One', { unclearSince: since })).toEqual({ kind: 'shown', shownId });
  expect(shown()).toHaveLength(1);
  const other = await show('Other', { key: 'turn_2', unclearSince: since });
  expect([other.kind, shown().length]).toEqual(['shown', 2]);
});

it('tells what became of a first request', async () => {
  const { show, slack, since } = await begun();
  slack.fail('chat.postMessage', { kind: 'drop', isDone: true }, { kind: 'throttle', retryAfterS: 7 });
  expect(await show('One', { key: 'turn_2' })).toMatchObject({ kind: 'later', isUnclear: true });
  expect(await show('One', { key: 'turn_3' })).toEqual({ kind: 'later', afterMs: 7_000, isUnclear: false });
  slack.fail('conversations.history', { kind: 'throttle', retryAfterS: 60 });
  const looked = await show('One', { key: 'turn_2', unclearSince: since });
  expect(looked).toEqual({ kind: 'later', afterMs: 60_000, isUnclear: false });
  slack.fail('conversations.history', { kind: 'refuse', error: 'missing_scope' });
  expect(await show('One', { key: 'turn_2', unclearSince: since })).toEqual({ kind: 'refused' });
});

it.each([
  ['is longer than an edit', LONG, null],
  ['comes when the time for edits is over', 'One two', { kind: 'refuse', error: 'edit_window_closed' }],
  ['cannot be edited', 'One two', { kind: 'refuse', error: 'cant_update_message' }],
  ['comes when there were too many edits', 'One two', { kind: 'throttle', retryAfterS: 30 }],
] as const)('posts a whole text in place of what is shown, once, if it %s', async (_why, text, fault) => {
  const { complete, shown, shownId, slack } = await begun();
  if (fault) slack.fail('chat.update', fault, fault);
  slack.fail('chat.postMessage', { kind: 'drop', isDone: true });
  expect((await complete(text)).kind).toBe('unknown');
  // As the next process does.
  const again = await complete(text);
  expect(shown()).toEqual([{ ts: expect.not.stringMatching(shownId), text }]);
  expect(again).toEqual({ kind: 'sent', platformMessageIds: [shown()[0]!.ts] });
  expect(slack.offences).toEqual([]);
});

it('shows no more of a text than an edit takes, and takes it away', async () => {
  const { show, shown, shownId, connector, to } = await begun();
  expect(await show(LONG, { shownId })).toEqual({ kind: 'refused' });
  await connector.provides.messenger!.live!.remove(to, shownId, NEVER);
  expect(shown()).toEqual([]);
});
