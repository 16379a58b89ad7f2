import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakePerson } from '../fakes/slack/fake-person.ts';
import { FakeSlack } from '../fakes/slack/fake-slack.ts';
import type { FakeApp, Installation } from '../fakes/slack/world/fake-app.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';

const MINUTES_S = 60;

let slack: FakeSlack;
let gateway: Gateway;
let app: FakeApp;
let installation: Installation;
let other: Installation;
let ada: FakePerson;

beforeAll(async () => {
  slack = await FakeSlack.start();
  app = slack.addApp('Own');
  installation = app.install(slack.addWorkspace('Acme'));
  other = slack.addApp('Other').install(slack.addWorkspace('Elsewhere'));
  ada = slack.addPerson(installation.workspace, 'Ada');
  gateway = await Gateway.start({ env: { ...slack.settings } });
  for (const each of [installation, other]) {
    const secrets = { bot_token: each.token, slack_signing_secret: each.app.signingSecret };
    const { status } = await gateway.settingsApi.post('/api/bot-tokens', { platform: 'slack', ...secrets });
    expect(status).toBe(200);
  }
});
afterAll(async () => {
  await gateway?.stop();
  await slack?.stop();
});

/** What a request claims: all of it true unless changed. */
interface Claim {
  readonly secret?: string;
  readonly agoS?: number;
  /** In place of the header; null: without it. */
  readonly timestamp?: string | null;
  /** In place of, or made from, the right signature; null: without it. */
  readonly signature?: string | null | ((right: string) => string);
  /** The signed text, in place of the right one. */
  readonly base?: (timestamp: string, body: string) => string;
  readonly hash?: string;
  /** What is sent in place of what was signed. */
  readonly sent?: (body: string) => string;
  readonly envelope?: () => object;
}

const envelopeOf = (of: Installation) => of.app.envelope(of, eventOf());

function eventOf() {
  const { id: channel } = ada.directMessages(installation);
  return {
    type: 'message',
    channel_type: 'im',
    channel,
    user: ada.user.id,
    text: 'forged',
    ts: '1700000000.000100',
  };
}

function requestOf(claim: Claim) {
  const body = JSON.stringify((claim.envelope ?? (() => envelopeOf(installation)))());
  const timestamp = `${Math.floor(Date.now() / 1_000) - (claim.agoS ?? 0)}`;
  const base = (claim.base ?? ((at, bytes) => `v0:${at}:${bytes}`))(timestamp, body);
  const digest = createHmac(claim.hash ?? 'sha256', claim.secret ?? app.signingSecret)
    .update(base)
    .digest('hex');
  const { signature } = claim;
  const shown =
    typeof signature === 'function'
      ? signature(`v0=${digest}`)
      : signature === undefined
        ? `v0=${digest}`
        : signature;
  const at = claim.timestamp === undefined ? timestamp : claim.timestamp;
  return {
    body: (claim.sent ?? ((bytes) => bytes))(body),
    headers: {
      'content-type': 'application/json',
      ...(shown === null ? {} : { 'x-slack-signature': shown }),
      ...(at === null ? {} : { 'x-slack-request-timestamp': at }),
    },
  };
}

async function post({ body, headers }: ReturnType<typeof requestOf>): Promise<number> {
  const answer = await fetch(`${gateway.baseUrl}/api/slack/webhook`, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

const withoutSignature = (value: NonNullable<Claim['signature']> | null): Claim => ({ signature: value });

/** Forged requests, by what is wrong with them. */
const FORGERIES: Readonly<Record<string, () => Claim>> = {
  'another secret': () => ({ secret: '8f742231b10e8888abcd99yyyzzz85a5' }),
  'no secret': () => ({ secret: '' }),
  'the bot token as the secret': () => ({ secret: installation.token }),
  "the client's secret": () => ({ secret: app.clientSecret }),
  'the app id as the secret': () => ({ secret: app.id }),
  'the secret with a line break': () => ({ secret: `${app.signingSecret}\n` }),
  'the secret in capitals': () => ({ secret: app.signingSecret.toUpperCase() }),
  'the secret as bytes of hex': () => ({ secret: Buffer.from(app.signingSecret, 'hex').toString('latin1') }),
  "another registered app's secret": () => ({ secret: other.app.signingSecret }),
  "another app's secret for another workspace's event": () => ({
    secret: app.signingSecret,
    envelope: () => envelopeOf(other),
  }),
  "another's workspace claimed at the top": () => ({
    secret: other.app.signingSecret,
    envelope: () => ({ ...envelopeOf(installation), team_id: other.workspace.id }),
  }),
  'no workspace named': () => ({
    envelope: () => ({ ...envelopeOf(installation), team_id: null, authorizations: [] }),
  }),
  'a workspace that is a list': () => ({
    envelope: () => ({
      ...envelopeOf(installation),
      team_id: [installation.workspace.id],
      authorizations: [],
    }),
  }),
  'six minutes old': () => ({ agoS: 6 * MINUTES_S }),
  'five minutes and two seconds old': () => ({ agoS: 5 * MINUTES_S + 2 }),
  'six minutes ahead': () => ({ agoS: -6 * MINUTES_S }),
  'a new time on an old signature': () => ({
    agoS: 6 * MINUTES_S,
    timestamp: `${Math.floor(Date.now() / 1_000)}`,
  }),
  'no time': () => ({ timestamp: null }),
  'an empty time': () => ({ timestamp: '' }),
  'time zero': () => ({ timestamp: '0' }),
  'a negative time': () => ({ timestamp: '-1' }),
  'a time in milliseconds': () => ({ timestamp: `${Date.now()}` }),
  'a time with a fraction': () => ({ timestamp: `${Math.floor(Date.now() / 1_000)}.5` }),
  'a time in hex': () => ({ timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}` }),
  'no signature': () => withoutSignature(null),
  'an empty signature': () => withoutSignature(''),
  'only the version': () => withoutSignature('v0='),
  'a signature of zeros': () => withoutSignature(`v0=${'0'.repeat(64)}`),
  'the signature without its version': () => withoutSignature((right) => right.slice(3)),
  'another version': () => withoutSignature((right) => right.replace('v0', 'v1')),
  'half of the signature': () => withoutSignature((right) => right.slice(0, 35)),
  'more than the signature': () => withoutSignature((right) => `${right}00`),
  'the signature in capitals': () => withoutSignature((right) => `v0=${right.slice(3).toUpperCase()}`),
  'the signature in base64': () =>
    withoutSignature((right) => `v0=${Buffer.from(right.slice(3), 'hex').toString('base64')}`),
  'two signatures': () => withoutSignature((right) => `${right},${right}`),
  'the body signed alone': () => ({ base: (_at, body) => body }),
  'the version left out of what is signed': () => ({ base: (at, body) => `${at}:${body}` }),
  'the time left out of what is signed': () => ({ base: (_at, body) => `v0::${body}` }),
  'no body signed': () => ({ base: (at) => `v0:${at}:` }),
  'SHA-1': () => ({ hash: 'sha1' }),
  'SHA-512, cut': () => ({ hash: 'sha512', signature: (right) => right.slice(0, 67) }),
  'one letter changed': () => ({ sent: (body) => body.replace('forged', 'farged') }),
  'a space behind the body': () => ({ sent: (body) => `${body} ` }),
  'a byte order mark before the body': () => ({ sent: (body) => `\uFEFF${body}` }),
  'a second event in the body': () => ({ sent: (body) => body.replace('}', ',"text":"more"}') }),
  'a body in another order': () => ({
    sent: (body) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).reverse())),
  }),
  'an empty body': () => ({ sent: () => '' }),
  'a challenge': () => ({
    secret: 'guessed',
    envelope: () => ({ type: 'url_verification', challenge: 'x' }),
  }),
};

describe('forged requests', () => {
  it('there are at least forty', () => expect(Object.keys(FORGERIES).length).toBeGreaterThanOrEqual(40));

  it.each(Object.keys(FORGERIES))('%s: refused, nothing stored', async (name) => {
    expect(await post(requestOf(FORGERIES[name]!()))).toBe(401);
    expect(rows('messages')).toBe(0);
    expect(rows('conversations')).toBe(0);
  });
});

describe('strangers', () => {
  it('may send bytes one by one without holding up anyone', async () => {
    const { port, hostname } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    const { headers } = requestOf({});
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /api/slack/webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n${head.join('')}\r\n{`,
    );
    expect(await post(requestOf({ secret: 'wrong' }))).toBe(401);
    socket.destroy();
  });

  it('are refused before their body is read', async () => {
    const { port, hostname } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      'POST /api/slack/webhook HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n{',
    );
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /);
  });

  it('learn nothing of who is registered', async () => {
    const envelopes = [
      envelopeOf(installation),
      { ...envelopeOf(installation), team_id: 'T0NOBODY', authorizations: [] },
    ];
    const answers = envelopes.map(async (envelope) => {
      const { headers, body } = requestOf({ secret: 'wrong', envelope: () => envelope });
      const answer = await fetch(`${gateway.baseUrl}/api/slack/webhook`, { method: 'POST', headers, body });
      return [answer.status, await answer.text()];
    });
    const [known, unknown] = await Promise.all(answers);
    expect(known).toEqual(unknown);
  });

  it('and yet the real thing is stored', async () => {
    expect(await post(requestOf({}))).toBe(200);
    expect(await post(requestOf({}))).toBe(200);
    expect(rows('messages')).toBe(1);
  });
});

function rows(table: 'messages' | 'conversations'): number {
  return readGatewayRows(gateway.dataFolder, `select 1 from ${table}`).length;
}
