import { expect, it } from 'vitest';
import type { LiveMessage } from '../../../../src/connectors/contract/live-message.ts';
import { connected, NEVER, outbound } from './teams-setup.ts';

/** A person to whom the first words of a message have been shown. */
async function begun() {
  const setup = await connected();
  const { ada, messenger, settled, teams } = setup;
  ada.says('hello');
  await settled();
  const { to } = outbound(ada.remoteId, '');
  const live = messenger.live!;
  const show = (text: string, more: Partial<LiveMessage> = {}) =>
    live.show({ to, key: 'turn_1', shownId: null, unclearSince: null, text, ...more }, NEVER);
  const outcome = await show('One');
  const shownId = outcome.kind === 'shown' ? outcome.shownId! : '';
  const complete = async (text: string) =>
    await messenger.send({ messageId: 'msg_1', to, text, attachments: [], shownId }, NEVER);
  const { chat } = ada;
  return { ...setup, teams, chat, live, to, show, complete, shownId };
}

it('streams a message, which the whole text ends', async () => {
  const { chat, ada, show, complete, shownId, teams } = await begun();
  expect([chat.streams.informed.map(({ text }) => text), ada.received()]).toEqual([['One'], []]);
  for (const text of ['One **two**', 'One **two** three'])
    expect(await show(text, { shownId })).toEqual({ kind: 'shown', shownId });
  expect(ada.received().map(({ id, text }) => [id, text])).toEqual([[shownId, 'One **two** three']]);
  expect(await complete('One **two** three four')).toEqual({ kind: 'sent', platformMessageIds: [shownId] });
  // As the next process does.
  expect(await complete('One **two** three four')).toEqual({ kind: 'sent', platformMessageIds: [shownId] });
  expect(ada.received().map(({ id, text }) => [id, text])).toEqual([[shownId, 'One **two** three four']]);
  expect(teams.offences).toEqual([]);
});

it.each([
  ['its time is over', 'One two three', (streams: Streams) => streams.expire()],
  ['somebody stops it', 'One two three', (streams: Streams) => streams.stop()],
  ['its text has changed', 'Other words', () => undefined],
])('has the whole text in place of the stream when %s', async (_when, text, happen) => {
  const { chat, ada, show, complete, shownId } = await begun();
  await show('One two', { shownId });
  happen(chat.streams);
  const outcome = await complete(text);
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [shownId] });
  expect(ada.received().map((each) => each.text)).toEqual([text]);
});

type Streams = Awaited<ReturnType<typeof begun>>['chat']['streams'];

it('posts the whole text where nothing of the stream can become it', async () => {
  const { ada, show, complete, shownId, teams } = await begun();
  await show('One two', { shownId });
  const refused = { kind: 'refuse', status: 403, code: 'ContentStreamNotAllowed', message: 'No' } as const;
  teams.fail('send', refused, refused);
  const outcome = await complete('One two three');
  expect(ada.received().map(({ id, text }) => [id, text])).toEqual([[expect.any(String), 'One two three']]);
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [ada.received()[0]!.id] });
});

it('shows nothing that it would have to change, and nothing of a stream that another process has begun', async () => {
  const { ada, show, shownId, teams } = await begun();
  await show('One two', { shownId });
  expect(await show('Two', { shownId })).toEqual({ kind: 'refused' });
  expect(await show('One', { shownId: 'other' })).toEqual({ kind: 'refused' });
  expect(await show('One', { unclearSince: new Date().toISOString() })).toEqual({ kind: 'refused' });
  expect(ada.received().map(({ text }) => text)).toEqual(['One two']);
  expect(teams.offences).toEqual([]);
});

it('streams in chats with one person only', async () => {
  const { live, to } = await begun();
  const channel = { ...to, space: { kind: 'channel', id: 'c' } } as const;
  expect([live.shows(to), live.shows(channel)]).toEqual([true, false]);
});
