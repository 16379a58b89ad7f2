import { expect, it } from 'vitest';
import { LOGIN, NEVER, outbound, ownBot } from './slack-setup.ts';

async function thread() {
  const { slack, ada, installation, connector } = await ownBot();
  const messenger = connector.provides.messenger!;
  await messenger.send(outbound(ada.user.id, 'What is it?'), NEVER);
  const [root] = ada.received(installation);
  const to = { ...LOGINS(ada.user.id), thread: root!.ts };
  const shown = () => ada.received(installation).at(-1)!;
  return { slack, messenger, to, shown, live: messenger.live! };
}

const LOGINS = (person: string) => ({ login: LOGIN, space: { kind: 'direct', id: person }, person }) as const;
const part = (prefix: string, text = prefix) => ({ prefix, text });

it('streams in the threads of direct messages, and ends as the whole message', async () => {
  const { slack, messenger, to, shown, live } = await thread();
  const first = await live.show(
    { to, key: 'dlv_1', shownId: null, ...part('One **two', 'One **two**') },
    NEVER,
  );
  expect(first).toEqual({ kind: 'shown', shownId: shown().ts });
  const shownId = shown().ts;
  await live.show({ to, key: 'dlv_1', shownId, ...part('One **two three', 'One **two three**') }, NEVER);
  expect([shown().text, shown().threadTs]).toEqual(['One **two three', to.thread]);
  const sent = await messenger.send(
    { messageId: 'msg_1', to, text: 'One **two three** four', attachments: [], shownId },
    NEVER,
  );
  expect(sent).toEqual({ kind: 'sent', platformMessageIds: [shownId] });
  expect([shown().text, shown().isStreaming]).toEqual(['One *two three* four', false]);
  expect(slack.calls.filter((method) => /Stream/.test(method))).toEqual([
    'chat.startStream',
    'chat.appendStream',
    'chat.stopStream',
  ]);
});

it('posts the whole message anew where what is shown was deleted, or takes no text of that length', async () => {
  const { messenger, to, shown, live } = await thread();
  for (const [text, isDeleted] of [
    ['short', true],
    ['long '.repeat(1_000), false],
  ] as const) {
    await live.show({ to, key: text, shownId: null, ...part('beginning') }, NEVER);
    const shownId = shown().ts;
    if (isDeleted) await live.remove(to, shownId, NEVER);
    const sent = await messenger.send({ messageId: 'msg_1', to, text, attachments: [], shownId }, NEVER);
    expect(sent).toEqual({ kind: 'sent', platformMessageIds: [shown().ts] });
    expect(shown().ts).not.toBe(shownId);
    expect(shown().text.trim()).toBe(text.trim());
  }
});

it('waits as long as Slack asks', async () => {
  const { slack, to, live } = await thread();
  slack.fail('chat.startStream', { kind: 'throttle', retryAfterS: 7 });
  expect(await live.show({ to, key: 'k', shownId: null, ...part('One') }, NEVER)).toEqual({
    kind: 'later',
    afterMs: 7_000,
  });
});
