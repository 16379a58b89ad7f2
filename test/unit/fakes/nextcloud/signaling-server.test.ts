import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeNextcloud } from '../../../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../../../fakes/nextcloud/world/fake-nc-user.ts';
import type { FakeRoom } from '../../../fakes/nextcloud/world/fake-room.ts';
import { requirePeer } from '../../../support/require-peer.ts';
import { SignalingServer } from '../../../support/signaling-server.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { OcsPerson } from './ocs-person.ts';

// biome-ignore lint/suspicious/noExplicitAny: what the signaling server says
type Said = any;

/** A client of the signaling server, with nothing but a WebSocket. */
class SignalingClient {
  readonly said: Said[] = [];
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/spreed`);
    this.#socket.addEventListener('message', ({ data }) => void this.said.push(JSON.parse(`${data}`)));
  }

  async hears(type: string, isIt: (message: Said) => boolean = () => true): Promise<Said> {
    const found = () => this.said.find((message) => message.type === type && isIt(message));
    await waitFor(`${type} from the signaling server`, () => found() !== undefined);
    return found();
  }

  says(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#socket.close();
  }
}

describe.skipIf(requirePeer('nextcloud-spreed-signaling-server'))('with a real signaling server', () => {
  let nextcloud: FakeNextcloud;
  let signaling: SignalingServer;
  let ada: FakeNcUser;
  let bob: FakeNcUser;
  let room: FakeRoom;
  let person: OcsPerson;
  let client: SignalingClient;

  beforeEach(async () => {
    nextcloud = await FakeNextcloud.start();
    signaling = await SignalingServer.start({
      backends: [{ url: nextcloud.url, secret: nextcloud.hpb.backendSecret }],
    });
    nextcloud.hpb.url = signaling.url;
    ada = nextcloud.user('ada', 'Ada Lovelace');
    bob = nextcloud.user('bob', 'Bob');
    room = nextcloud.room({ kind: 'group', name: 'Team', members: [ada, bob] });
    person = new OcsPerson(nextcloud, bob);
    client = new SignalingClient(signaling.url);
    await client.hears('welcome');
  });

  afterEach(async () => {
    client.close();
    await signaling.stop();
    await nextcloud.stop();
  });

  /** Joins as a client of Talk does. Returns the sessions at the Nextcloud and at the signaling server. */
  async function enter(version: '1.0' | '2.0') {
    const joined = await person.ask('POST', `api/v4/room/${room.token}/participants/active`, {});
    const settings = await person.ask('GET', `api/v3/signaling/settings?token=${room.token}`);
    expect(settings.data).toMatchObject({ signalingMode: 'external', server: signaling.url });
    client.says({
      id: '1',
      type: 'hello',
      hello: {
        version,
        auth: {
          url: `${nextcloud.url}/ocs/v2.php/apps/spreed/api/v3/signaling/backend`,
          params: settings.data.helloAuthParams[version],
        },
      },
    });
    const { hello } = await client.hears('hello');
    const { sessionId } = joined.data;
    client.says({ id: '2', type: 'room', room: { roomid: room.token, sessionid: sessionId } });
    const entered = await client.hears('room');
    expect(entered.room).toMatchObject({ roomid: room.token, properties: { name: 'Team', type: 2 } });
    return { nextcloudSession: sessionId as string, session: hello.sessionid as string };
  }

  test.each(['1.0', '2.0'] as const)(
    'a login of version %s is taken, and the conversation',
    async (version) => {
      await enter(version);
      const { event } = await client.hears('event', ({ event: { type } }) => type === 'join');
      expect(event.join).toMatchObject([{ userid: 'bob', user: { displayname: 'Bob' } }]);
      expect(nextcloud.mistakes).toEqual([]);
      expect(nextcloud.notifier.failures).toEqual([]);
    },
  );

  test('who is in a call, what is written, and its end for all are told', async () => {
    const { session } = await enter('2.0');
    const joined = await person.ask('POST', `api/v4/call/${room.token}`, { flags: 3, silent: true });
    expect(joined.status).toBe(200);
    const { event } = await client.hears(
      'event',
      ({ event: { target, update } }) => target === 'participants' && update.users?.[0]?.inCall === 3,
    );
    expect(event.update).toMatchObject({
      roomid: room.token,
      users: [{ sessionId: session, userId: 'bob' }],
    });
    room.write(ada, 'hello');
    const chat = await client.hears('event', ({ event: { type } }) => type === 'message');
    expect(chat.event.message).toMatchObject({
      roomid: room.token,
      data: { type: 'chat', chat: { refresh: true } },
    });
    room.call.end(nextcloud.startCall(room, ada));
    await client.hears('event', ({ event: { update } }) => update?.all === true && update.incall === 0);
    expect(nextcloud.notifier.failures).toEqual([]);
  });

  test('who is removed, and a conversation that is deleted, are told', async () => {
    await enter('2.0');
    room.remove(bob, room.attendee(ada).actor);
    await client.hears(
      'event',
      ({ event: { target, type } }) => target === 'roomlist' && type === 'disinvite',
    );
    await nextcloud.notifier.idle();
    nextcloud.world.deleteRoom(room);
    await nextcloud.notifier.idle();
    expect(nextcloud.notifier.failures).toEqual([]);
  });

  test('a wrong ticket is refused', async () => {
    client.says({
      id: '1',
      type: 'hello',
      hello: {
        version: '1.0',
        auth: {
          url: `${nextcloud.url}/ocs/v2.php/apps/spreed/api/v3/signaling/backend`,
          params: { userid: 'bob', ticket: 'a:1:bob:00' },
        },
      },
    });
    expect((await client.hears('error')).error.code).toBe('invalid_ticket');
  });
});

describe('calls', () => {
  test('need a session, consent where it is asked for, and calls that are allowed', async () => {
    const nextcloud = await FakeNextcloud.start();
    const ada = nextcloud.user('ada');
    const room = nextcloud.room({ kind: 'group', name: 'Team', members: [ada] });
    const person = new OcsPerson(nextcloud, ada);
    const join = (more = {}) => person.ask('POST', `api/v4/call/${room.token}`, { flags: 3, ...more });
    expect((await join()).status).toBe(404);
    await person.ask('POST', `api/v4/room/${room.token}/participants/active`, {});
    nextcloud.policy.recordingConsent = 1;
    expect(await join()).toMatchObject({ status: 400, data: { error: 'consent' } });
    expect((await join({ recordingConsent: true })).status).toBe(200);
    expect((await person.ask('PUT', `api/v4/call/${room.token}`, { flags: 1 })).status).toBe(200);
    expect((await person.ask('GET', `api/v4/room/${room.token}`)).data).toMatchObject({
      hasCall: true,
      callFlag: 1,
    });
    expect((await person.ask('DELETE', `api/v4/call/${room.token}`)).status).toBe(200);
    expect(room.messages.map(({ system }) => system)).toEqual([
      'conversation_created',
      'call_started',
      'call_left',
      'call_ended',
    ]);
    nextcloud.policy.startCalls = 3;
    expect((await join({ recordingConsent: true })).status).toBe(403);
    await nextcloud.stop();
  });
});
