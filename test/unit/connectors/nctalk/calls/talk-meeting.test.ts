import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Capability } from '../../../../../src/base/platform.ts';
import { ReadingTime } from '../../../../../src/base/reading-time.ts';
import type { Termination } from '../../../../../src/base/termination.ts';
import { systemClock } from '../../../../../src/base/time.ts';
import type {
  InboundChat,
  LegObserver,
  Participant,
  PlatformLeg,
} from '../../../../../src/connectors/contract/call-leg.ts';
import type { InboundCall } from '../../../../../src/connectors/contract/connector.ts';
import { PlatformHttp } from '../../../../../src/connectors/kit/platform-http.ts';
import { type CallingBot, TalkCalls } from '../../../../../src/connectors/nctalk/calls/talk-calls.ts';
import { FakeNextcloud } from '../../../../fakes/nextcloud/fake-nextcloud.ts';
import { ALL_PERMISSIONS, PERMISSION } from '../../../../fakes/nextcloud/world/attendee.ts';
import type { FakeNcUser } from '../../../../fakes/nextcloud/world/fake-nc-user.ts';
import type { FakeRoom } from '../../../../fakes/nextcloud/world/fake-room.ts';
import { joined, refusal, ScriptedSignaling } from '../../../../support/scripted-signaling.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { PlayedMedia } from './call-media.ts';

const LOGIN = { kind: 'connection', id: 'con_1' } as const;

let nextcloud: FakeNextcloud;
let server: ScriptedSignaling;
let media: PlayedMedia;
let calls: TalkCalls;
let bot: FakeNcUser;
let ada: FakeNcUser;
let room: FakeRoom;
let legs: PlatformLeg[];
let failures: string[];
let configured: boolean[];
let calling: CallingBot;

beforeEach(async () => {
  nextcloud = await FakeNextcloud.start();
  server = await ScriptedSignaling.start();
  nextcloud.hpb.url = server.url;
  media = new PlayedMedia();
  legs = [];
  failures = [];
  configured = [];
  bot = nextcloud.user('ai-bot-1', 'AI');
  ada = nextcloud.user('ada', 'Ada');
  room = nextcloud.room({ kind: 'group', name: 'Planning', members: [ada, bot] });
  const password = bot.addAppPassword();
  calling = {
    connectionId: LOGIN.id,
    accountId: 'acc_1',
    user: { server: nextcloud.url, userId: bot.uid, password },
  };
  calls = new TalkCalls({
    clock: systemClock,
    bridges: media.bridges,
    http: new PlatformHttp('Nextcloud', systemClock),
    reach: {
      findAddresses: async () => ['127.0.0.1'],
      isOpen: (address) => address === '127.0.0.1',
      readingTime: new ReadingTime(systemClock),
    },
    internalSecrets: new Map(),
    checkText: () => undefined,
    botOf: (login) => ('id' in login && login.id === LOGIN.id ? calling : null),
    agentOf: async () => 'agt_1',
    failed: (_id, failure) => void failures.push(failure.isLoggedOut ? 'logged out' : failure.kind),
  });
  admit();
});

afterEach(async () => {
  for (const leg of legs) leg.hangUp();
  await Promise.all(legs.map(({ released }) => released));
  await server.stop();
  await nextcloud.stop();
});

/** What a signaling server says once the Nextcloud has told it that the bot is in the call. */
function users(...list: readonly object[]): object {
  return { type: 'event', event: { target: 'participants', type: 'update', update: { users: list } } };
}

/** The server answers offers, and says that the bot is in the call. */
function admit(session = 'session-1'): void {
  server.inRoom = [users({ sessionId: session, inCall: 3 })];
  server.script = ({ type, message }) => {
    if (type === 'message' && message.data.type === 'offer') {
      const { sid } = message.data;
      server.sayFrom(message.recipient.sessionid, {
        type: 'answer',
        sid,
        payload: { type: 'answer', sdp: 'v=0' },
      });
    }
    return undefined;
  };
}

class Call implements LegObserver {
  readonly leg: PlatformLeg;
  readonly states: string[] = [];
  readonly chats: InboundChat[] = [];
  offered: readonly Capability[] = [];
  people: readonly Participant[] = [];
  end: Termination | null = null;

  constructor(target = `${nextcloud.url}/index.php/call/${room.token}`) {
    const control = {
      open: async () => ({
        configure: async ({ sending }: { sending: boolean }) => void configured.push(sending),
        command: async () => undefined,
      }),
    } as never;
    const dial = { accountId: 'acc_1', agentId: 'agt_1', dtmf: '', agentName: 'AI', callId: 'call_1' };
    this.leg = calls.dial({ ...dial, login: LOGIN, target }, control, this);
    legs.push(this.leg);
  }

  async becomes(state: string): Promise<void> {
    await waitFor(`the call to be ${state}`, () => this.states.includes(state), 5_000).catch(
      (error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify([this.states, this.end])}`);
      },
    );
  }

  ringing(): void {}
  earlyMedia(): void {}
  held(): void {}
  dtmf(): void {}
  said(): void {}
  created(): void {}
  speaking(): void {}
  waiting(reason: string): void {
    this.states.push(reason);
  }
  answered(): void {
    this.states.push('answered');
  }
  capabilities(list: readonly Capability[]): void {
    this.offered = list;
  }
  participants(list: readonly Participant[]): void {
    this.people = list;
  }
  chat(message: InboundChat): void {
    this.chats.push(message);
  }
  ended(_by: string, termination: Termination): void {
    this.states.push('ended');
    this.end = termination;
  }
}

async function answered(): Promise<Call> {
  const call = new Call();
  await call.becomes('answered');
  return call;
}

describe('a call', () => {
  it('is entered with consent, and its leaving is told to everybody', async () => {
    nextcloud.policy.recordingConsent = 1;
    const call = await answered();
    expect(room.attendee(bot).hasConsented).toBe(true);
    expect(room.call.sessions).toHaveLength(1);
    expect(call.offered).toEqual(['audio_in', 'audio_out', 'read', 'write', 'typing', 'files']);
    call.leg.hangUp();
    await call.leg.released;
    expect(room.attendee(bot).sessions).toEqual([]);
    expect(server.all('bye')).toHaveLength(1);
    expect([media.opened, media.closed]).toEqual([1, 1]);
    expect(nextcloud.mistakes).toEqual([]);
  });

  it('leaves nothing in the conversation when it is hung up before the Nextcloud has let it in', async () => {
    const attendee = room.attendee(bot);
    const join = attendee.join.bind(attendee);
    vi.spyOn(attendee, 'join').mockImplementation((now) => {
      call.leg.hangUp();
      return join(now);
    });
    const call = new Call();
    await call.becomes('ended');
    await call.leg.released;
    expect(attendee.join).toHaveBeenCalledOnce();
    expect(attendee.sessions).toEqual([]);
    expect(server.all('hello')).toEqual([]);
  });

  it.each([
    [
      'encrypts calls',
      () => Object.assign(nextcloud.policy, { encryptsCalls: true }),
      'failed',
      /end-to-end encrypted/,
    ],
    ['has no calls', () => Object.assign(nextcloud.policy, { startCalls: 3 }), 'refused', /no calls/],
    [
      'does not know the bot any more',
      () => Object.assign(bot, { isDisabled: true }),
      'refused',
      /login of the bot/,
    ],
    [
      'has removed the bot',
      () => room.remove(bot, room.attendee(ada).actor),
      'refused',
      /no such conversation/,
    ],
    [
      'keeps the bot out',
      () => nextcloud.fail('call.join', { kind: 'refuse', status: 403 }),
      'refused',
      /may not start or join/,
    ],
    ['is locked', () => Object.assign(room, { isReadOnly: true }), 'refused', /may not start|locked/],
  ] as const)('ends at a Nextcloud that %s', async (_what, happen, result, reason) => {
    happen();
    server.inRoom = [];
    const call = new Call();
    await call.becomes('ended');
    expect(call.end).toEqual({ result, reason: expect.stringMatching(reason) });
    await call.leg.released;
    expect(room.call.sessions).toEqual([]);
  });

  it('ends when the Nextcloud encrypts, although the server has audio, and tells of a login that is gone', async () => {
    bot.isDisabled = true;
    const call = new Call();
    await call.becomes('ended');
    expect(failures).toContain('logged out');
  });

  it('is text only without a signaling server, which is known before the next one', async () => {
    nextcloud.hpb.url = '';
    const offer = () => calls.prepare({ login: LOGIN, target: room.token } as never).capabilities;
    expect(offer()).toContain('audio_in');
    nextcloud.startCall(room, ada);
    const call = new Call();
    await waitFor('the end of audio', () => !call.offered.includes('audio_in') && call.offered.length > 0);
    expect(call.offered).toEqual(['read', 'write', 'files']);
    await call.becomes('answered');
    await waitFor('Ada', () => call.people.length === 1);
    expect([call.people[0]?.name, media.opened]).toEqual(['Ada', 0]);
    expect(room.call.flags).toBe(3);
    call.leg.hangUp();
    await call.leg.released;
    expect(offer()).toEqual(['read', 'write', 'files']);
  });

  it('asks the Nextcloud for another token when the signaling server finds one too old', async () => {
    let times = 0;
    const { script } = server;
    server.script = (told) =>
      told.type === 'hello' && ++times === 1 ? refusal('token_expired') : script(told);
    await answered();
    expect(nextcloud.calls.filter((each) => each.startsWith('signaling.settings'))).toHaveLength(2);
  });

  it('shows the ticket when the clock of the Nextcloud is ahead of that of the signaling server', async () => {
    const { script } = server;
    server.script = (told) => (told.hello?.version === '2.0' ? refusal('token_not_valid_yet') : script(told));
    await answered();
    expect(server.all('hello').map(({ hello }) => hello.version)).toEqual(['2.0', '1.0']);
  });

  it.each([
    ['invalid_token', 'failed'],
    ['too_many_requests', 'failed'],
    ['invalid_backend', 'failed'],
  ])('ends when the signaling server says %s', async (code, result) => {
    server.script = ({ type }) => (type === 'hello' ? refusal(code) : undefined);
    const call = new Call();
    await call.becomes('ended');
    expect(call.end?.result).toBe(result);
  });

  it.each([
    ['duplicate_session', 'failed'],
    ['no_such_room', 'refused'],
  ])('ends when the signaling server does not let it into the room: %s', async (code, result) => {
    server.script = ({ type }) => (type === 'room' ? refusal(code) : undefined);
    const call = new Call();
    await call.becomes('ended');
    expect(call.end?.result).toBe(result);
  });

  it('is entered again when the signaling server has forgotten its session', async () => {
    const call = await answered();
    const { script } = server;
    server.inRoom = [users({ sessionId: 'session-2', inCall: 3 })];
    server.script = (told) => (told.hello?.resumeid ? refusal('no_such_session') : script(told));
    server.cut();
    await waitFor('another session', () => media.names.filter((name) => name === 'answered').length === 2);
    expect(call.end).toBeNull();
    expect(room.attendee(bot).sessions).toHaveLength(1);
  });

  it('is entered again when its bridge thread is lost', async () => {
    const call = await answered();
    server.inRoom = [users({ sessionId: 'session-2', inCall: 3 })];
    media.lose('the thread died');
    await waitFor('another connection', () => media.names.filter((name) => name === 'answered').length === 2);
    expect([call.end, media.opened]).toEqual([null, 2]);
  });

  it('speaks to no STUN or TURN server inside of the network, and to others by their address', async () => {
    nextcloud.hpb.stunServers = ['10.0.0.1:53', 'stun.example:443'];
    const turn = { schemes: 'turn', secret: 'shared', protocols: 'tcp' } as const;
    nextcloud.hpb.turnServers = [
      { ...turn, server: '10.0.0.1:6379' },
      { ...turn, server: '127.0.0.1:3478' },
    ];
    await answered();
    expect(media.open).toMatchObject({
      iceServers: [
        { urls: ['stun:127.0.0.1:443'], serverName: 'stun.example' },
        { urls: ['turn:127.0.0.1:3478?transport=tcp'], credential: expect.any(String) },
      ],
    });
  });

  it('belongs to whoever took its session over', async () => {
    const call = await answered();
    server.say({ type: 'bye', bye: { reason: 'room_session_reconnected' } });
    await call.becomes('ended');
    expect(call.end?.result).toBe('disconnected');
  });

  it('cannot be entered twice', async () => {
    await answered();
    expect(() => calls.prepare({ login: LOGIN, target: room.token } as never)).toThrow(/already/);
  });
});

describe('people in a call', () => {
  it('are named, without the bot and services, and subscribed to if they send audio', async () => {
    const call = await answered();
    for (const [session, name] of Object.entries({ s1: 'Ada', s2: 'Ben', s3: 'Cleo' }))
      server.say(joined(session, name));
    server.say(
      users(
        { sessionId: 's1', inCall: 3 },
        { sessionId: 's2', inCall: 1 },
        { sessionId: 's3', inCall: 0 },
        { sessionId: 's4', inCall: 7, userId: bot.uid },
        { sessionId: 's5', inCall: 3, internal: true },
        { sessionId: 's6', inCall: 11, virtual: true, displayName: '+49 30 123' },
        { sessionId: 's7', inCall: 3 },
      ),
    );
    await waitFor('them', () => call.people.length === 4);
    expect(call.people.map(({ name }) => name)).toEqual(['Ada', 'Ben', '+49 30 123', 'Guest']);
    const asked = () =>
      server
        .all('message')
        .filter(({ message }) => message.data.type === 'requestoffer')
        .map(({ id }) => id);
    await waitFor('requests', () => asked().length >= 3);
    expect([...new Set(asked())]).toEqual(['s1', 's5', 's7']);
    server.sayFrom('s7', { type: 'nickChanged', payload: { name: 'Dora' } });
    await waitFor('Dora', () => call.people.some(({ name }) => name === 'Dora'));
    server.say({ type: 'event', event: { target: 'room', type: 'leave', leave: ['s1'] } });
    await waitFor('Ada to leave', () => call.people.length === 3);
  });

  it('may be thousands, with endless names', async () => {
    const call = await answered();
    const many = Array.from({ length: 3_000 }, (_, n) => ({
      sessionId: `s${n}`,
      inCall: 3,
      displayName: 'x'.repeat(200),
    }));
    server.say(users(...many));
    await waitFor('them', () => call.people.length > 0);
    expect(call.people.length).toBeLessThanOrEqual(2_000);
    expect(call.people[0]?.name).toHaveLength(100);
    const asked = server.all('message').filter(({ message }) => message.data.type === 'requestoffer');
    expect(asked.length).toBeLessThanOrEqual(24);
  });

  it('who moderate mute the agent, others and their offers do nothing', async () => {
    const call = await answered();
    const control = (data: object) =>
      server.say({ type: 'control', control: { sender: { sessionid: 's1' }, data } });
    control({ action: 'forceMute', peerId: 'somebody-else' });
    server.sayFrom('s9', { type: 'offer', sid: '1', payload: { sdp: 'v=0' } });
    server.sayFrom('s9', { type: 'forceMute', payload: { action: 'forceMute', peerId: 'session-1' } });
    control({ action: 'forceMute', peerId: 'session-1' });
    await waitFor('no audio', () => !call.offered.includes('audio_out'));
    expect(configured).toEqual([true, false]);
    expect(media.names).toEqual(['publish', 'answered']);
  });

  it('decide whether the agent may speak', async () => {
    room.permit(bot, ALL_PERMISSIONS & ~PERMISSION.publishAudio);
    server.inRoom = [users({ sessionId: 'session-1', inCall: 1 })];
    const call = await answered();
    expect([call.offered.includes('audio_out'), media.names]).toEqual([false, []]);
    server.say(users({ sessionId: 'session-1', inCall: 1, participantPermissions: ALL_PERMISSIONS }));
    await waitFor('its voice', () => media.names.includes('answered'));
    expect(call.offered).toContain('audio_out');
  });

  it('take the agent out of the call, which ends it', async () => {
    const call = await answered();
    server.say(users({ sessionId: 'session-1', inCall: 0 }));
    await call.becomes('ended');
    expect(call.end).toEqual({ result: 'completed', reason: 'the bot was removed from the call' });
  });
});

describe('a call that has started', () => {
  const rung: InboundCall[] = [];
  const asked = () => nextcloud.calls.filter((each) => each.startsWith('room.get')).length;
  /** Something says that the call has changed. A second look begins once the first one is over. */
  const changed = async (): Promise<void> => {
    const before = asked();
    await waitFor('the Nextcloud to be asked', () => {
      calls.callChanged(calling, room.token);
      return asked() > before + 1;
    });
  };

  beforeEach(() => {
    rung.length = 0;
    calls.onInbound({
      ring: (inbound) => {
        rung.push(inbound);
        const leg = inbound.take({} as never, { ended: () => undefined } as never);
        legs.push(leg);
        return 'ringing';
      },
    });
  });

  it('is looked for again where it has changed while the Nextcloud was being asked', async () => {
    const before = asked();
    for (let times = 0; times < 3; times++) calls.callChanged(calling, room.token);
    await waitFor('the second look', () => asked() === before + 2);
  });

  it('rings once, also when it was refused and is told again', async () => {
    nextcloud.startCall(room, ada);
    await changed();
    await changed();
    expect(rung).toMatchObject([{ accountId: 'acc_1', agentId: 'agt_1', login: LOGIN, caller: 'Planning' }]);
    legs.at(-1)!.refuse();
    await changed();
    expect(rung).toHaveLength(1);
  });

  it('does not ring when the bot was in it, and is told late of its start', async () => {
    nextcloud.startCall(room, ada);
    const looks = () => nextcloud.calls.filter((each) => each.startsWith('room.get')).length;
    const call = await answered();
    await waitFor('the look at the call', () => looks() === 1);
    call.leg.hangUp();
    await call.leg.released;
    await changed();
    expect(rung).toEqual([]);
  });

  it('shows that the agent is typing in the chat of its conversation', async () => {
    server.inRoom = [joined('ada-1', 'Ada'), ...server.inRoom];
    const call = await answered();
    const types = () =>
      server
        .all('message')
        .filter(({ message }) => message.recipient.sessionid === 'ada-1')
        .map(({ message }) => message.data.type)
        .filter((type) => type.endsWith('Typing'));
    expect(calls.type('con_2', room.token, true)).toBe(false);
    expect(calls.type(LOGIN.id, room.token, true)).toBe(true);
    expect(calls.type(LOGIN.id, room.token, false)).toBe(true);
    await waitFor('the indicator', () => types().length === 2);
    expect(types()).toEqual(['startedTyping', 'stoppedTyping']);
    call.leg.hangUp();
    await call.leg.released;
    expect(calls.type(LOGIN.id, room.token, true)).toBe(false);
  });

  it('does not ring where there is none, whatever is said', async () => {
    await changed();
    expect(rung).toEqual([]);
  });
});

describe('a link', () => {
  it.each([
    ['https://cloud.example/call/abcd1234', /another Nextcloud/],
    ['https://cloud.example/apps/files', /no conversation/],
    ['javascript:/call/abcd1234', /no conversation/],
    ['../../admin', /no conversation/],
  ])('%s is refused', (target, words) => {
    expect(() => calls.prepare({ login: LOGIN, target } as never)).toThrow(words);
  });

  it('leads to one Nextcloud, and a token to any', () => {
    const leads = (target: string) => calls.reaches(LOGIN, target);
    expect(leads(`${nextcloud.url}/call/abcd1234`)).toBe(true);
    expect(leads(`${nextcloud.url}/index.php/call/abcd1234#message_1`)).toBe(true);
    expect(leads('https://cloud.example/call/abcd1234')).toBe(false);
    expect(leads('abcd1234')).toBe(true);
    expect(calls.reaches({ kind: 'connection', id: 'con_2' }, 'abcd1234')).toBe(false);
  });
});
