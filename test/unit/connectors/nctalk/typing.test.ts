import { expect, it, onTestFinished } from 'vitest';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { PlatformHttp } from '../../../../src/connectors/kit/platform-http.ts';
import { RoomTyping } from '../../../../src/connectors/nctalk/typing/room-typing.ts';
import { TypingPlaces } from '../../../../src/connectors/nctalk/typing/typing-places.ts';
import { joined, refusal, ScriptedSignaling } from '../../../support/scripted-signaling.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { fakeNextcloud, NEVER, pairedChat, toAda, toRoom } from './chat-setup.ts';

async function typingChat() {
  const server = await ScriptedSignaling.start();
  onTestFinished(() => server.stop());
  server.inRoom = [joined('ada-1', 'Ada')];
  const nextcloud = await fakeNextcloud();
  nextcloud.hpb.url = server.url;
  const chat = await pairedChat({ nextcloud });
  const typing = chat.connector.provides.messenger!.typing!;
  const { bot, room } = chat;
  return {
    ...chat,
    server,
    show: async (to = toAda('').to) => await typing.showTyping(to, NEVER),
    /** Who was told what. */
    told: () =>
      server
        .all('message')
        .map(
          ({ message: { recipient, data } }) =>
            `${recipient.sessionid} ${data.type} ${data.to} ${data.roomType}`,
        ),
    asked: (route: string) => nextcloud.calls.filter((each) => each.startsWith(route)).length,
    sessions: () => room.attendee(bot).sessions.length,
  };
}

const STARTED = 'ada-1 startedTyping ada-1 video';
const STOPPED = 'ada-1 stoppedTyping ada-1 video';

it('shows each session in the room that the agent is typing, until it has written', async () => {
  const { server, show, told, connector, nextcloud, sessions } = await typingChat();
  await show();
  await waitFor('the indicator', () => told().length === 1);
  server.say(joined('ada-2', 'Ada'));
  await waitFor('whoever comes to see it', () => told().length === 2);
  await show();
  await waitFor('it to be repeated', () => told().length === 4);
  await connector.provides.messenger!.send(toAda('Hello'), NEVER);
  await waitFor('its end', () => told().length === 6);
  const both = (type: string) => [`ada-1 ${type} ada-1 video`, `ada-2 ${type} ada-2 video`];
  expect(told()).toEqual([...both('startedTyping'), ...both('startedTyping'), ...both('stoppedTyping')]);
  // Nobody is told what they do not see.
  await connector.provides.messenger!.send(toAda('Hello again'), NEVER);
  server.say(joined('ada-3', 'Ada'));
  await show();
  await waitFor('it again', () => told().length === 9);
  expect(told()[6]).toBe(STARTED);
  expect([server.all('hello').length, sessions()]).toEqual([1, 1]);
  expect(nextcloud.mistakes).toEqual([]);
});

it('leaves the room when nothing was typed for a while', async () => {
  const { server, show, told, clock, sessions } = await typingChat();
  await show();
  await waitFor('the indicator', () => told().length === 1);
  clock.turn(19_000);
  await show();
  // Which also says that the connection is alive.
  server.say(joined('ada-2', 'Ada'));
  await waitFor('it again, and for others', () => told().length === 3);
  clock.turn(19_000);
  expect(server.connections).toBe(1);
  clock.turn(2_000);
  await waitFor('the bot to be gone', () => server.connections === 0 && sessions() === 0);
  await show();
  await waitFor('it in another session', () => told().length === 4);
});

it('ends with the answer of a post', async () => {
  const { nextcloud, ada, room, intake, show, told } = await typingChat();
  nextcloud.addon.takesAnswers = true;
  intake.answers = true;
  room.write(ada, 'Are you there?');
  await waitFor('the post to wait', () => intake.waits.length === 1);
  await show();
  await waitFor('the indicator', () => told().length === 1);
  intake.waits[0]!.answer({ message: toAda('Yes'), settle: () => undefined } as never);
  await waitFor('its end', () => told().length === 2);
  expect(told()).toEqual([STARTED, STOPPED]);
});

it('asks once where there is no signaling server', async () => {
  const nextcloud = await fakeNextcloud();
  const [ada, bot] = [nextcloud.user('ada', 'Ada'), nextcloud.user('bot', 'AI')];
  const { token } = nextcloud.room({ kind: 'one-to-one', name: '', members: [ada, bot] });
  const [clock, places] = [new TurnableClock(), new TypingPlaces(1)];
  const failures: unknown[] = [];
  const typing = new RoomTyping({
    clock,
    places,
    http: new PlatformHttp('Nextcloud', clock),
    reach: { findAddresses: async () => [], isOpen: () => true, readingTime: new ReadingTime(clock) },
    user: { server: nextcloud.url, userId: bot.uid, password: bot.addAppPassword() },
    inCall: () => false,
    failed: (error) => failures.push(error),
  });
  typing.show(token);
  await waitFor('its end', () => places.take());
  places.giveBack();
  for (let times = 0; times < 9; times++) {
    clock.turn(60_000);
    typing.show(token);
    expect(places.take()).toBe(true);
    places.giveBack();
  }
  clock.turn(60_000);
  typing.show(token);
  expect(places.take()).toBe(false);
  await typing.close();
  expect(nextcloud.calls.filter((each) => each.startsWith('participant'))).toEqual([]);
  expect([failures, nextcloud.mistakes]).toEqual([[], []]);
});

it('lets a signaling server that refuses it rest, and holds up no message', async () => {
  const { server, show, asked, clock, connector, counts, sessions } = await typingChat();
  server.script = ({ type }) => (type === 'hello' ? null : undefined);
  await show();
  await waitFor('the hello', () => server.all('hello').length === 1);
  expect(await connector.provides.messenger!.send(toAda('Hello'), NEVER)).toMatchObject({ kind: 'sent' });
  clock.turn(10_000);
  await waitFor('the failure', () => counts.get('typing_failed') === 1 && sessions() === 0);
  server.script = ({ type }) => (type === 'hello' ? refusal('invalid_ticket') : undefined);
  await show();
  clock.turn(60_000);
  await show();
  await waitFor('the refusal', () => counts.get('typing_failed') === 2);
  expect([server.all('hello').length, asked('signaling.settings')]).toEqual([2, 2]);
});

it('is in a few rooms at a time', async () => {
  const { server, nextcloud, ada, bot, show, connector, connection } = await typingChat();
  const rooms = Array.from({ length: 6 }, (_, index) => {
    const room = nextcloud.room({ kind: 'group', name: `Plans ${index}`, members: [ada] });
    room.add(bot, room.attendee(ada).actor, 2);
    room.write(ada, '/activate');
    return room;
  });
  await waitFor('the activations', () => rooms.every((room) => room.writtenBy(bot).length > 0));
  for (const room of rooms) await show(toRoom(room, '').to);
  await waitFor('the sessions', () => server.all('room').length === 4);
  expect(rooms.map((room) => room.attendee(bot).sessions.length)).toEqual([1, 1, 1, 1, 0, 0]);
  connector.provides.pairing!.disconnected(connection);
  await waitFor('the end of all', () => server.connections === 0);
});

it('is in no room that the bot was not activated in', async () => {
  const { nextcloud, ada, bot, show, asked } = await typingChat();
  const room = nextcloud.room({ kind: 'group', name: 'Plans', members: [ada, bot] });
  await show(toRoom(room, '').to);
  await show();
  await waitFor('the session with Ada', () => asked('participant.join') === 1);
  expect(room.attendee(bot).sessions).toEqual([]);
});
