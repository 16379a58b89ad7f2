import { expect, it } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { chatConnector, fakeNextcloud, pairedChat, writtenBy } from './chat-setup.ts';

it.each([true, false])('stores what the owner writes, in its order (events: %s)', async (hasEvents) => {
  const { room, ada, intake, nextcloud, clock } = await pairedChat({ hasEvents });
  const ids = ['one', 'two', 'three'].map((text) => room.write(ada, text));
  await waitFor('the messages', () => {
    clock.turn(1_000);
    return intake.texts.length === 3;
  });
  expect(intake.messages.map(({ platformMessageId }) => platformMessageId)).toEqual(ids.map(String));
  expect(intake.messages[0]).toMatchObject({
    from: { space: { kind: 'direct', id: 'ada' }, person: 'ada', thread: null },
    remoteName: 'Ada Lovelace',
    senderName: null,
    text: 'one',
    files: [],
  });
  expect(nextcloud.mistakes).toEqual([]);
});

it('welcomes the owner once, whatever happens in between', async () => {
  const { records, nextcloud, room, bot, ada, connection, connector } = await pairedChat();
  connector.provides.pairing!.connected(connection);
  await connector.close();
  const again = await pairedAgain(nextcloud, records, connection);
  room.write(ada, 'hello');
  await waitFor('the message', () => again.intake.texts.length === 1);
  const welcomes = room.messages.filter(
    ({ actor, text }) => actor.id === bot.uid && text.startsWith('You are'),
  );
  expect(welcomes).toHaveLength(1);
});

it('welcomes the owner later when the Nextcloud fails at first', async () => {
  const nextcloud = await fakeNextcloud();
  nextcloud.fail('room.create', { kind: 'gateway', status: 502 });
  nextcloud.fail('chat.receive', { kind: 'gateway', status: 502 });
  const { room, bot, nextcloud: same } = await pairedChat({ nextcloud, turnsMs: 2_000 });
  expect(room.writtenBy(bot)[0]?.text).toMatch(/^You are connected/);
  expect(same.mistakes).toEqual([]);
});

it('loses nothing that is written while it is down', async () => {
  const { records, nextcloud, room, ada, connection, connector, intake } = await pairedChat();
  room.write(ada, 'before');
  await waitFor('the message', () => intake.texts.length === 1);
  await connector.close();
  room.write(ada, 'meanwhile');
  const again = await pairedAgain(nextcloud, records, connection);
  await waitFor('the message', () => again.intake.texts.length > 0);
  expect(again.intake.texts).toEqual(['meanwhile']);
});

it('finds by polling what no event tells of, and asks again whether events arrive', async () => {
  const { room, ada, intake, nextcloud, clock, records } = await pairedChat();
  nextcloud.addon.eventsWork = false;
  const hasEvents = () => records.of<{ hasEvents: boolean | null }>('bot')[0]?.hasEvents;
  let written = 0;
  await waitFor('polling', () => {
    if (intake.texts.length === written) room.write(ada, `message ${++written}`);
    clock.turn(10_000);
    return hasEvents() !== true;
  });
  expect(written).toBeGreaterThanOrEqual(3);
});

it('shows an edit, and a deletion, and nothing of the bot’s own', async () => {
  const { room, ada, bot, intake } = await pairedChat();
  const id = room.write(ada, 'before');
  await waitFor('the message', () => intake.texts.length === 1);
  room.edit(ada, id, 'after');
  await waitFor('the edit', () => intake.edits.length === 1);
  room.delete(ada, id);
  await waitFor('the deletion', () => intake.edits.length === 2);
  expect(intake.edits.map(({ text, platformMessageId }) => [platformMessageId, text])).toEqual([
    [`${id}`, 'after'],
    [`${id}`, null],
  ]);
  const own = room.write(bot, 'mine');
  room.react(ada, own, '👍');
  room.write(ada, 'next');
  await waitFor('the next message', () => intake.texts.includes('next'));
  expect(intake.texts).toEqual(['before', 'next']);
});

it('reads replies, mentions and files', async () => {
  const { room, ada, bot, intake, connector } = await pairedChat();
  const asked = room.write(bot, 'Which plan?');
  const bytes = Buffer.from('the bytes of the plan');
  room.write(ada, 'this one', { replyTo: asked });
  room.write(ada, `@${bot.uid} @ada look`);
  room.write(ada, 'the plan', { file: { name: 'plan ü.pdf', mime: 'application/pdf', bytes } });
  await waitFor('the messages', () => intake.texts.length === 3);
  expect(intake.texts).toEqual(['this one', '@Ada Lovelace look', 'the plan']);
  const answered = { platformMessageId: `${asked}`, author: bot.displayName, text: 'Which plan?' };
  expect(intake.messages[0]!.replyTo).toMatchObject(answered);
  const [file] = intake.messages[2]!.files;
  expect(file).toEqual({
    ...{ name: 'plan ü.pdf', mime: 'application/pdf', sizeBytes: bytes.length, ref: 'Talk/plan ü.pdf' },
  });
  const login = { kind: 'connection', id: 'con_nextcloud' } as const;
  const { files } = connector.provides.messenger!;
  const read = await Array.fromAsync(await files!.fetchFile(login, file!.ref!, new AbortController().signal));
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
});

it('polls groups of which no event tells, because the bot is no moderator there', async () => {
  const { nextcloud, ada, bot, intake, clock, records } = await pairedChat();
  const room = nextcloud.room({ kind: 'group', name: 'Plans', members: [ada] });
  room.add(bot, room.attendee(ada).actor);
  room.write(ada, '/activate');
  const turning = async (what: string, isSo: () => boolean): Promise<number> => {
    let turnedMs = 0;
    await waitFor(what, () => {
      clock.turn(1_000);
      turnedMs += 1_000;
      return isSo();
    });
    return turnedMs;
  };
  await turning('the activation', () => writtenBy(bot, room).length === 1);
  for (const text of ['one', 'two', 'three']) {
    room.write(ada, text);
    await turning(text, () => intake.texts.includes(text));
  }
  const lists = () => nextcloud.calls.filter((call) => call.startsWith('room.list')).length;
  const before = lists();
  // Where events tell of everything, a minute passes before each list.
  expect(await turning('three lists', () => lists() >= before + 3)).toBeLessThan(120_000);
  expect(records.of<{ hasEvents: boolean }>('bot')[0]!.hasEvents).toBe(true);
});

it('hears a group once its owner has activated it, until they deactivate it', async () => {
  const { nextcloud, ada, bot, intake, clock } = await pairedChat();
  const eve = nextcloud.user('eve', 'Eve');
  const room = nextcloud.room({ kind: 'group', name: 'Plans', members: [ada, eve] });
  room.add(bot, room.attendee(ada).actor, 2);
  nextcloud.addon.enableIn(room);
  room.write(eve, 'not for you');
  room.write(eve, '/activate');
  room.write(ada, '/activate');
  await waitFor('the answer', () => {
    clock.turn(0);
    return writtenBy(bot, room).length === 1;
  });
  expect(writtenBy(bot, room)[0]).toContain('/deactivate');
  expect(nextcloud.addon.authorizedRooms.get(room.token)).toBe('ada');
  room.write(eve, 'for you');
  await waitFor('the message', () => intake.texts.length === 1);
  expect(intake.messages[0]).toMatchObject({
    from: { space: { kind: 'channel', id: room.token }, person: 'eve' },
    remoteName: 'Plans',
    senderName: 'Eve',
    text: 'for you',
  });
  room.write(eve, '/deactivate');
  room.write(ada, '/deactivate');
  await waitFor('the answer', () => writtenBy(bot, room).length === 2);
  expect(nextcloud.addon.authorizedRooms.has(room.token)).toBe(false);
  room.write(eve, 'not for you any more');
  clock.turn(400_000);
  await waitFor('another list', () => nextcloud.calls.at(-1) !== undefined);
  expect(intake.texts).toEqual(['for you', '/deactivate']);
  expect(intake.reached).toEqual([
    { remoteId: room.token, isReachable: true },
    { remoteId: room.token, isReachable: false },
  ]);
});

async function pairedAgain(
  nextcloud: Awaited<ReturnType<typeof fakeNextcloud>>,
  records: Awaited<ReturnType<typeof pairedChat>>['records'],
  connection: Awaited<ReturnType<typeof pairedChat>>['connection'],
) {
  const again = await chatConnector({ records });
  nextcloud.addon.backendUrl = again.gatewayUrl;
  again.connector.provides.pairing!.connected(connection);
  return again;
}
