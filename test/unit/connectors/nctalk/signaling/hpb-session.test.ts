import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReadingTime } from '../../../../../src/base/reading-time.ts';
import { systemClock } from '../../../../../src/base/time.ts';
import type { HelloAuth } from '../../../../../src/connectors/nctalk/signaling/hello.ts';
import type { HpbMessage } from '../../../../../src/connectors/nctalk/signaling/hpb-messages.ts';
import { HpbSession } from '../../../../../src/connectors/nctalk/signaling/hpb-session.ts';
import { refusal, ScriptedSignaling } from '../../../../support/scripted-signaling.ts';
import { waitFor } from '../../../../support/wait-for.ts';

const USER: HelloAuth = { kind: 'user', token: 'a.jwt', userId: 'bot', ticket: 'a-ticket' };
const NEXTCLOUD = 'http://cloud.example';

let server: ScriptedSignaling;
let sessions: HpbSession[];
let messages: HpbMessage[];
let ends: string[];
let resumes: number;

beforeEach(async () => {
  server = await ScriptedSignaling.start();
  sessions = [];
  messages = [];
  ends = [];
  resumes = 0;
});

afterEach(async () => {
  for (const session of sessions) session.close();
  await server.stop();
});

async function open(
  auth = USER,
  address = server.url,
  isOpen = (_address: string) => true,
  found = '127.0.0.1',
) {
  const session = await HpbSession.open(
    {
      clock: systemClock,
      reach: { findAddresses: async () => [found], isOpen, readingTime: new ReadingTime(systemClock) },
      server: address,
      nextcloud: NEXTCLOUD,
      auth,
      observer: {
        message: (message) => void messages.push(message),
        resumed: () => void resumes++,
        over: (reason, code) => void ends.push(code || reason),
      },
    },
    AbortSignal.timeout(5_000),
  );
  sessions.push(session);
  return session;
}

describe('the hello', () => {
  it('shows the token where the server takes it', async () => {
    await open();
    const url = `${NEXTCLOUD}/ocs/v2.php/apps/spreed/api/v3/signaling/backend`;
    expect(server.all('hello')).toMatchObject([
      { hello: { version: '2.0', auth: { url, params: { token: 'a.jwt' } } } },
    ]);
  });

  it.each([
    ['older servers', ['welcome'], USER],
    ['Nextclouds without tokens', ['hello-v2'], { ...USER, token: null }],
  ] as const)('shows the ticket to %s', async (_what, features, auth) => {
    server.features = features;
    await open(auth);
    expect(server.all('hello')[0].hello).toMatchObject({
      version: '1.0',
      auth: { params: { userid: 'bot', ticket: 'a-ticket' } },
    });
  });

  it('proves that it knows the secret of internal clients, and does not show it', async () => {
    await open({ kind: 'internal', secret: 'not-to-be-seen' });
    const { auth } = server.all('hello')[0].hello;
    expect(auth).toMatchObject({ type: 'internal', params: { backend: NEXTCLOUD } });
    expect(auth.params.random).toMatch(/^[0-9a-f]{64}$/);
    expect(auth.params.token).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(server.told)).not.toContain('not-to-be-seen');
  });

  it('is refused with the word of the server', async () => {
    server.script = ({ type }) => (type === 'hello' ? refusal('invalid_token') : undefined);
    await expect(open()).rejects.toMatchObject({ code: 'invalid_token' });
    await waitFor('the connection to be closed', () => server.connections === 0);
  });
});

describe('a cut', () => {
  it('is followed by another connection of the same session, on which what waits is sent', async () => {
    const session = await open();
    const { id } = session;
    server.script = ({ hello }) => {
      if (hello?.resumeid) session.send({ type: 'message', message: { data: { said: 'meanwhile' } } });
      return undefined;
    };
    server.cut();
    await waitFor('the session', () => resumes === 1);
    expect(session.id).toBe(id);
    expect(server.all('hello')[1].hello).toEqual({ version: '1.0', resumeid: 'resume-1' });
    await waitFor('the message', () => server.all('message').length === 1);
    server.say({ type: 'event', event: { target: 'room', type: 'leave', leave: ['one'] } });
    await waitFor('an event', () => messages.length === 1);
    expect(ends).toEqual([]);
  });

  it('ends the session that the server has forgotten', async () => {
    await open();
    server.script = ({ hello }) => (hello?.resumeid ? refusal('no_such_session') : undefined);
    server.cut();
    await waitFor('the end', () => ends.length > 0);
    expect(ends).toEqual(['no_such_session']);
  });

  it('is none when the session was closed: the server is told', async () => {
    const session = await open();
    session.close();
    await waitFor('the end', () => server.connections === 0);
    expect(server.told.at(-1)).toEqual({ type: 'bye', bye: {} });
    expect([resumes, ends]).toEqual([0, []]);
  });

  it('does not follow a goodbye', async () => {
    await open();
    server.say({ type: 'bye', bye: { reason: 'room_session_reconnected' } });
    await waitFor('the end', () => ends.length > 0);
    expect(ends).toEqual(['room_session_reconnected']);
    expect(server.all('hello')).toHaveLength(1);
  });
});

describe('a server', () => {
  it.each([
    ['ftp://talk.example', 'server_invalid'],
    ['https://user:password@talk.example', 'server_invalid'],
    ['no URL', 'server_invalid'],
  ])('at %s is not asked', async (address, code) => {
    await expect(open(USER, address)).rejects.toMatchObject({ code });
  });

  it('inside of the network is not asked, by its address or its name', async () => {
    await expect(open(USER, server.url, () => false)).rejects.toMatchObject({ code: 'server_blocked' });
    const named = server.url.replace('127.0.0.1', 'talk.example');
    await expect(open(USER, named, () => false)).rejects.toMatchObject({ code: 'server_blocked' });
    expect(server.told).toEqual([]);
    await open(USER, named);
    expect(server.all('hello')).toHaveLength(1);
  });

  it('that is not a signaling server ends nothing but the session', async () => {
    await open();
    server.script = () => refusal('no_such_session');
    for (const text of ['', '{', '[]', 'null', '[[[[', '{"type":7}', `${'['.repeat(5_000)}`, '{"id":"1"}'])
      for (let times = 0; times < 4; times++) server.say(text);
    await waitFor('the end', () => ends.length > 0);
    expect(messages).toEqual([]);
  });

  it('that cuts each connection is not asked again and again at once', async () => {
    await open();
    const startMs = performance.now();
    server.cut();
    for (let times = 1; times <= 3; times++) {
      await waitFor('another connection', () => resumes === times);
      server.cut();
    }
    expect(performance.now() - startMs).toBeGreaterThan(300);
  });

  it('that sends too much is cut off, and resumed', async () => {
    await open();
    server.say(`"${'x'.repeat(1_100_000)}"`);
    await waitFor('the session', () => resumes === 1);
  });
});
