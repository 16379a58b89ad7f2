import { expect, it } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { NEVER, pairedChat, toAda, toRoom, writtenBy } from './chat-setup.ts';

const REFUSED = { kind: 'refuse', status: 403, error: 'permission' } as const;

it('sends texts, and tells their ids', async () => {
  const { connector, room, bot } = await pairedChat();
  const { messenger } = connector.provides;
  const outcome = await messenger!.send(toAda('*hello* @ada'), NEVER);
  const [message] = room.writtenBy(bot).slice(-1);
  expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [`${message!.id}`] });
  expect(message).toMatchObject({
    text: '**hello** @ada',
    referenceId: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

it('counts characters as Talk does', async () => {
  const { connector } = await pairedChat();
  const { messenger } = connector.provides;
  const longest = '😀'.repeat(32_000);
  expect(() => messenger!.checkText(longest, false)).not.toThrow();
  expect(() => messenger!.checkText(`${longest}a`, false)).toThrow(/at most 32000/);
  expect(await messenger!.send(toAda(longest, [], 'msg_long'), NEVER)).toMatchObject({ kind: 'sent' });
});

it('looks for a message whose answer is lost, and does not send it again', async () => {
  const { connector, room, bot, nextcloud, clock } = await pairedChat();
  nextcloud.fail('chat.send', { kind: 'drop', isDone: true });
  const outcome = await connector.provides.messenger!.send(toAda('once'), NEVER);
  expect(outcome).toMatchObject({ kind: 'sent', platformMessageIds: [expect.any(String)] });
  nextcloud.fail('chat.send', { kind: 'drop', isDone: false });
  let lost: unknown = null;
  void connector.provides.messenger!.send(toAda('lost'), NEVER).then((outcome) => {
    lost = outcome;
  });
  await waitFor('the second look', () => {
    clock.turn(500);
    return lost !== null;
  });
  expect(lost).toMatchObject({ kind: 'unknown', sentIds: [] });
  expect(writtenBy(bot, room)).toEqual(['once']);
});

it('sends what another process was sending only if it has not arrived', async () => {
  const { connector, room, bot, nextcloud } = await pairedChat();
  const { messenger } = connector.provides;
  for (const [text, isDone] of [
    ['arrived', true],
    ['not yet', false],
  ] as const) {
    const reached = Promise.withResolvers<void>();
    nextcloud.fail('chat.send', { kind: 'hang', isDone, reached: reached.resolve });
    // The process ends before it has an answer.
    void messenger!.send(toAda(text), NEVER);
    await reached.promise;
    expect(await messenger!.send(toAda(text), NEVER)).toMatchObject({ kind: 'sent' });
  }
  expect(writtenBy(bot, room)).toEqual(['arrived', 'not yet']);
});

it('tells refusals, pauses and rooms that are gone apart', async () => {
  const { connector, nextcloud, ada } = await pairedChat();
  const { messenger } = connector.provides;
  nextcloud.fail(
    'chat.send',
    REFUSED,
    { kind: 'throttle', retryAfterS: 7 },
    { kind: 'gateway', status: 502 },
  );
  expect(await messenger!.send(toAda('1'), NEVER)).toMatchObject({ kind: 'refused', isAddressGone: false });
  expect(await messenger!.send(toAda('2'), NEVER)).toMatchObject({ kind: 'later', afterMs: 7_000 });
  const unknown = nextcloud.room({ kind: 'group', name: 'Others', members: [ada] });
  expect(await messenger!.send(toRoom(unknown, '3'), NEVER)).toEqual({
    kind: 'refused',
    reason: 'The conversation is not activated',
    isAddressGone: true,
  });
});

it('opens the conversation again that the owner has left', async () => {
  const { connector, nextcloud, ada, bot, room } = await pairedChat();
  nextcloud.world.deleteRoom(room);
  expect(await connector.provides.messenger!.send(toAda('still here'), NEVER)).toMatchObject({
    kind: 'sent',
  });
  expect(writtenBy(bot, nextcloud.world.direct(ada, bot).room)).toEqual(['still here']);
});

it('notices a login that is dead, in the Nextcloud’s words, and one whose addon is switched off', async () => {
  const { connector, nextcloud, statuses, bot, clock } = await pairedChat();
  expect(statuses).toEqual(['ok']);
  nextcloud.guard.mostFailures = 1_000;
  bot.isDisabled = true;
  nextcloud.world.users.delete(bot.uid);
  const outcome = await connector.provides.messenger!.send(toAda('hello?'), NEVER);
  expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('401') });
  expect(statuses.at(-1)).toMatch(/401/);
  nextcloud.world.users.set(bot.uid, bot);
  bot.isDisabled = false;
  await waitFor('the login', () => {
    clock.turn(5_000);
    return statuses.at(-1) === 'ok';
  });
  await nextcloud.addon.disable();
  await waitFor('the notice', () => {
    clock.turn(60_000);
    return /switched off/.test(statuses.at(-1)!);
  });
});

it('answers a post with the agent’s message, and reads its id from the room', async () => {
  const { intake, room, ada } = await pairedChat();
  intake.answers = true;
  room.write(ada, 'who are you?');
  const [wait] = await waitFor('the wait', () => intake.waits.length === 1 && intake.waits);
  expect(wait!.from).toMatchObject({ space: { kind: 'direct', id: 'ada' } });
  const settled = Promise.withResolvers<unknown>();
  wait!.answer({ message: toAda('your agent'), settle: settled.resolve });
  const posted = await waitFor('the answer', () => room.messages.find(({ text }) => text === 'your agent'));
  expect(posted.actor.type).toBe('bots');
  expect(await settled.promise).toEqual({ kind: 'sent', platformMessageIds: [`${posted.id}`] });
  expect(intake.texts).toEqual(['who are you?']);
});
