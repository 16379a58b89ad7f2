import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReadingTime } from '../../src/base/reading-time.ts';
import { systemClock } from '../../src/base/time.ts';
import { PlatformHttp } from '../../src/connectors/kit/platform-http.ts';
import { RoomTyping } from '../../src/connectors/nctalk/typing/room-typing.ts';
import { TypingPlaces } from '../../src/connectors/nctalk/typing/typing-places.ts';
import { ALL_PERMISSIONS, PERMISSION } from '../fakes/nextcloud/world/attendee.ts';
import { requirePeer } from '../support/require-peer.ts';
import { AGENT_HZ, type AgentCall, SAMPLE_RATE_HZ, TalkCallsWorld } from '../support/talk-calls-world.ts';
import { analyzeTone, toneLevelDb } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const PEOPLE = { Ada: 440, Ben: 700, Cleo: 1_900 } as const;
/** What is not there is at least this much lower than what is. */
const APART_DB = 20;
/** Nobody says this one. */
const SILENT_HZ = 3_100;

describe.skipIf(requirePeer('janus', 'nextcloud-spreed-signaling-server'))(
  'a call over a real signaling server',
  () => {
    let world: TalkCallsWorld;

    beforeEach(async () => {
      world = await TalkCallsWorld.start();
    });

    afterEach(async () => await world.stop());

    it('has three people, heard apart and named, who hear the agent', async () => {
      const users = Object.keys(PEOPLE).map((name) => world.nextcloud.user(name.toLowerCase(), name));
      const room = world.room(...users);
      const persons = users.map((user) => world.person(room, user));
      for (const person of persons) await person.enter();
      await Promise.all(persons.map(async (person, n) => await person.say(Object.values(PEOPLE)[n]!)));
      const startMs = performance.now();
      const call = world.dial(room);
      await call.becomes('answered');
      expect(performance.now() - startMs).toBeLessThan(3_000);
      call.speak();
      await waitFor('three speakers', () => call.speakers.size === 3);
      expect([...call.speakers.values()].toSorted()).toEqual(Object.keys(PEOPLE));
      expect(call.names).toEqual(Object.keys(PEOPLE));
      for (const [voice, name] of call.speakers) {
        const own = PEOPLE[name as keyof typeof PEOPLE];
        const samples = await call.hearsVoice(voice);
        expect(analyzeTone(samples, SAMPLE_RATE_HZ, own).snrDb).toBeGreaterThan(APART_DB);
      }
      const heard = await call.hears();
      for (const toneHz of Object.values(PEOPLE))
        expect(
          toneLevelDb(heard, SAMPLE_RATE_HZ, toneHz) - toneLevelDb(heard, SAMPLE_RATE_HZ, AGENT_HZ),
        ).toBeGreaterThan(APART_DB);
      for (const person of persons) {
        const agent = person.sessionOf(world.bot);
        await person.listenTo(agent);
        await person.hear(agent, 500);
        const samples = await person.hear(agent, 1_000);
        expect(toneLevelDb(samples, SAMPLE_RATE_HZ, AGENT_HZ)).toBeGreaterThan(-30);
      }
      expect(world.nextcloud.mistakes).toEqual([]);
    });

    /** Somebody with a tone, and a call with them. */
    async function talking(toneHz: number = PEOPLE.Ada) {
      const ada = world.nextcloud.user('ada', 'Ada');
      const room = world.room(ada);
      const person = world.person(room, ada);
      await person.enter();
      await person.say(toneHz);
      const call = world.dial(room);
      await call.becomes('answered');
      call.speak();
      await waitFor('Ada to be heard', () => call.speakers.size === 1);
      return { ada, room, person, call };
    }

    const joins = (): number =>
      world.nextcloud.calls.filter((each) => each.startsWith('participant.join')).length;

    /** Whether the agent hears a tone from now on. */
    async function heard(call: AgentCall, toneHz: number): Promise<boolean> {
      const samples = await call.hears(500);
      return (
        toneLevelDb(samples, SAMPLE_RATE_HZ, toneHz) - toneLevelDb(samples, SAMPLE_RATE_HZ, SILENT_HZ) >
        APART_DB
      );
    }

    it('resumes after its socket was cut, without another join, and audio goes on', async () => {
      const { call, room, ada } = await talking();
      const before = joins();
      world.relay.cut();
      const startMs = performance.now();
      room.write(ada, 'Still there?');
      await waitFor('the message', () => call.chats.some(({ text }) => text === 'Still there?'));
      expect(performance.now() - startMs).toBeLessThan(1_000);
      expect(await heard(call, PEOPLE.Ada)).toBe(true);
      expect(joins()).toBe(before);
      expect(call.ends).toEqual([]);
    });

    it('comes back after the signaling server was restarted', async () => {
      const { call, person, room } = await talking();
      await world.signaling.restart();
      const again = world.person(room, person.user);
      await again.enter();
      await again.say(PEOPLE.Ben);
      await waitFor('the tone after the restart', async () => await heard(call, PEOPLE.Ben));
      expect(call.ends).toEqual([]);
    });

    it('is heard and hears again after Janus was restarted', async () => {
      const { call, person, room } = await talking();
      await world.janus.restart();
      const before = person.sessionOf(world.bot);
      await waitFor('the servers to find each other', () =>
        world.signaling.output.includes('Reconnection to Janus'),
      );
      // As Talk in browsers does.
      const again = world.person(room, person.user);
      await again.enter();
      await again.say(PEOPLE.Cleo);
      await waitFor('the person to be heard again', async () => await heard(call, PEOPLE.Cleo));
      await waitFor('the bot to come again', () => !['', before].includes(again.sessionOf(world.bot)));
      const agent = again.sessionOf(world.bot);
      await again.listenTo(agent);
      expect(toneLevelDb(await again.hear(agent), SAMPLE_RATE_HZ, AGENT_HZ)).toBeGreaterThan(-30);
      expect(call.ends).toEqual([]);
    }, 90_000);

    it('ends with the call, and leaves nothing behind', async () => {
      const { call, person, room } = await talking();
      await person.leave(true);
      await call.becomes('ended');
      expect(call.ends).toEqual([
        { by: 'remote', termination: { result: 'completed', reason: 'call ended' } },
      ]);
      await call.leg.released;
      expect(room.attendee(world.bot).sessions).toEqual([]);
    });

    it('leaves when the agent hangs up', async () => {
      const { call, person, room } = await talking();
      call.leg.hangUp();
      await call.leg.released;
      await waitFor('the bot to have left', () => person.sessionOf(world.bot) === '');
      expect(room.attendee(world.bot).sessions).toEqual([]);
    });

    it('ends when the bot is removed, and when the conversation is deleted', async () => {
      const { call, room, ada } = await talking();
      room.remove(world.bot, room.attendee(ada).actor);
      await call.becomes('ended');
      expect(call.ends[0]?.termination).toEqual({
        result: 'completed',
        reason: 'the bot was removed from the conversation',
      });
      const other = world.room(ada);
      await world.person(other, ada).enter();
      const second = world.dial(other);
      await second.becomes('answered');
      world.nextcloud.world.deleteRoom(other);
      await second.becomes('ended');
      expect(second.ends[0]?.termination.result).toBe('completed');
    });

    it('is muted by a moderator', async () => {
      const { call, person } = await talking();
      const agent = person.sessionOf(world.bot);
      await person.listenTo(agent);
      person.control(agent, { action: 'forceMute', peerId: agent });
      await waitFor('no audio to be offered', () => call.offered.at(-1)?.includes('audio_out') === false);
      await waitFor('the person to be told', () => person.told.some(({ type }) => type === 'mute'));
      await call.hears(500);
      await person.heardNow(agent);
      expect(await heard(call, PEOPLE.Ada)).toBe(true);
      const samples = await person.heardNow(agent);
      expect(samples.some((sample) => Math.abs(sample) > 100)).toBe(false);
    });

    it('loses its voice with the permission, and gets it back', async () => {
      const { call, room, person } = await talking();
      room.permit(world.bot, ALL_PERMISSIONS & ~PERMISSION.publishAudio);
      await waitFor('no audio to be offered', () => call.offered.at(-1)?.includes('audio_out') === false);
      room.permit(world.bot, ALL_PERMISSIONS);
      await waitFor('audio to be offered again', () => call.offered.at(-1)?.includes('audio_out') === true);
      const agent = person.sessionOf(world.bot);
      await waitFor('the agent to be heard', async () => {
        await person.listenTo(agent);
        return toneLevelDb(await person.hear(agent), SAMPLE_RATE_HZ, AGENT_HZ) > -30;
      });
    });

    it('waits in the lobby until somebody opens it', async () => {
      const ada = world.nextcloud.user('ada', 'Ada');
      const room = world.room(ada);
      room.changeLobby(true);
      const call = world.dial(room);
      await call.becomes('waiting in the lobby');
      room.changeLobby(false);
      await call.becomes('answered');
    });

    it('reads the chat, writes in it, and shows that it types', async () => {
      const { call, room, ada, person } = await talking();
      room.write(ada, 'Hello, **agent**');
      await waitFor('the message', () => call.chats.length > 0);
      expect(call.chats).toMatchObject([{ sender: 'Ada', text: 'Hello, **agent**', files: [] }]);
      await call.leg.typing?.showTyping(AbortSignal.timeout(5_000));
      await waitFor('typing', () => person.told.some(({ type }) => type === 'startedTyping'));
      const outcome = await call.leg.chat?.send(
        { text: 'Hello, Ada', senderName: 'AI', files: [] },
        AbortSignal.timeout(5_000),
      );
      expect(outcome).toEqual({ kind: 'sent' });
      expect(room.messages.at(-1)).toMatchObject({ text: 'Hello, Ada' });
      await waitFor('no typing', () => person.told.some(({ type }) => type === 'stoppedTyping'));
      expect(call.chats).toHaveLength(1);
    });

    it('has people see that the agent types where it is in no call', async () => {
      const ada = world.nextcloud.user('ada', 'Ada');
      const room = world.room(ada);
      const person = world.person(room, ada);
      await person.enter();
      const failures: unknown[] = [];
      const typing = new RoomTyping({
        clock: systemClock,
        http: new PlatformHttp('Nextcloud', systemClock),
        reach: {
          findAddresses: async () => [],
          isOpen: () => true,
          readingTime: new ReadingTime(systemClock),
        },
        user: world.calling.user,
        places: new TypingPlaces(1),
        inCall: () => false,
        failed: (error) => failures.push(error),
      });
      typing.show(room.token);
      const types = () => person.told.filter(({ type }) => type.endsWith('Typing')).map(({ type }) => type);
      await waitFor('typing', () => types().length === 1);
      typing.hide(room.token);
      await waitFor('no typing', () => types().length === 2);
      expect(types()).toEqual(['startedTyping', 'stoppedTyping']);
      await typing.close();
      expect([failures, room.attendee(world.bot).sessions, world.nextcloud.mistakes]).toEqual([[], [], []]);
    });

    it('tells people that the agent is not muted', async () => {
      const { person } = await talking();
      const agent = person.sessionOf(world.bot);
      await waitFor('it', () => person.told.some(({ from, type }) => from === agent && type === 'unmute'));
    });

    it('rings where a call has started, enters once accepted, and is withdrawn with the call', async () => {
      const ada = world.nextcloud.user('ada', 'Ada');
      const room = world.room(ada);
      const person = world.person(room, ada);
      await person.enter();
      await person.say(PEOPLE.Ada);
      world.callChanged(room);
      world.callChanged(room);
      await waitFor('the call to ring', () => world.rung.length > 0);
      expect(world.rung.map(({ inbound }) => inbound)).toMatchObject([
        { caller: 'Planning', target: `${world.nextcloud.url}/call/${room.token}`, autoAnswer: false },
      ]);
      const { call } = world.rung[0]!;
      expect(room.attendee(world.bot).sessions).toEqual([]);
      call.leg.accept();
      await call.becomes('answered');
      await waitFor('Ada to be heard', () => call.speakers.size === 1);
      world.callChanged(room);
      call.leg.hangUp();
      await call.leg.released;
      expect(world.rung).toHaveLength(1);
      await person.leave();
      const again = world.person(room, ada);
      await again.enter();
      world.callChanged(room);
      await waitFor('the call to ring again', () => world.rung.length > 1);
      const { call: second } = world.rung[1]!;
      await again.leave();
      world.callChanged(room);
      await second.becomes('ended');
      expect(second.ends).toEqual([
        { by: 'remote', termination: { result: 'missed', reason: 'the call ended' } },
      ]);
    });
  },
);

describe.skipIf(requirePeer('janus', 'nextcloud-spreed-signaling-server'))('an internal client', () => {
  it('is in calls of which the Nextcloud knows nothing, hears and is heard', async () => {
    const world = await TalkCallsWorld.start({ isInternal: true });
    try {
      const ada = world.nextcloud.user('ada', 'Ada');
      const room = world.room(ada);
      const person = world.person(room, ada);
      await person.enter();
      await person.say(PEOPLE.Ada);
      const call = world.dial(room);
      await call.becomes('answered');
      await waitFor('Ada to be heard', () => call.speakers.size === 1);
      expect(room.attendee(world.bot).sessions).toEqual([]);
      expect(call.names).toEqual(['Ada']);
    } finally {
      await world.stop();
    }
  });
});
