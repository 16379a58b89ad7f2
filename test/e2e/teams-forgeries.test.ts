import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSigningKey, type SigningKey } from '../fakes/teams/auth/signing-keys.ts';
import { messageActivity } from '../fakes/teams/delivery/activities.ts';
import type { FakePerson } from '../fakes/teams/fake-person.ts';
import { FakeTeams, ISSUER } from '../fakes/teams/fake-teams.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';

const HOUR_S = 3_600;
const OTHER_TENANT = '11111111-2222-4333-8444-555555555555';

let teams: FakeTeams;
let gateway: Gateway;
let ada: FakePerson;
/** Published, but for another channel. */
let webChat: SigningKey;
let unknown: SigningKey;
let token: string;

beforeAll(async () => {
  teams = await FakeTeams.start({ retryDelays: [] });
  webChat = newSigningKey(['webchat']);
  unknown = newSigningKey();
  teams.keys = [webChat, newSigningKey([]), ...teams.keys];
  gateway = await Gateway.start({ env: { ...teams.settings } });
  gateway.secrets.add(teams.bot.secret);
  ada = teams.addPerson('Ada');
  await connected();
  token = await teams.token();
});
afterAll(async () => {
  await gateway?.stop();
  await teams?.stop();
});

/** Connects the person, so that everything she wrote would be stored. */
async function connected(): Promise<void> {
  const { body } = await gateway.settingsApi.post('/api/teams/connect', {});
  const activity = messageActivity(
    teams.source,
    happening(),
    ada.chat.post({ from: ada.user, text: body.code }),
    false,
  );
  expect(await post({ authorization: `Bearer ${await teams.token()}`, activity })).toBe(200);
}

const happening = () => ({ chat: ada.chat, user: ada.user });

/** A message of a person who is connected; what is changed makes it a forgery. */
function activityOf(change: Readonly<Record<string, unknown>> = {}): object {
  const message = ada.chat.post({ from: ada.user, text: 'forged' });
  return { ...messageActivity(teams.source, happening(), message, false), ...change };
}

interface Request {
  /** Absent: without the header. */
  readonly authorization?: string;
  readonly activity?: object;
}

async function post({ authorization, activity = activityOf() }: Request): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
  };
  const url = `${gateway.baseUrl}/api/messages`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(activity) });
  await answer.arrayBuffer();
  return answer.status;
}

const genuine = (): SigningKey => teams.keys.at(-1)!;

interface Claim {
  readonly key?: SigningKey;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly claims?: JWTPayload;
  /** Claims to leave out. */
  readonly without?: readonly string[];
  readonly secret?: KeyObject | Uint8Array;
}

/** A token of which everything is true unless changed. */
async function tokenOf({
  key = genuine(),
  header = {},
  claims = {},
  without = [],
  secret,
}: Claim): Promise<string> {
  const nowS = Math.floor(Date.now() / 1_000);
  const payload: JWTPayload = {
    iss: ISSUER,
    aud: teams.bot.appId,
    serviceurl: teams.serviceUrl,
    nbf: nowS - 300,
    exp: nowS + HOUR_S,
    ...claims,
  };
  const kept = Object.fromEntries(Object.entries(payload).filter(([name]) => !without.includes(name)));
  return await new SignJWT(kept)
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT', ...header })
    .sign(secret ?? key.privateKey);
}

const forged = (claim: Claim) => async (): Promise<Request> => ({
  authorization: `Bearer ${await tokenOf(claim)}`,
});
const nowS = () => Math.floor(Date.now() / 1_000);
const publicPem = () =>
  Buffer.from(createPublicKey(genuine().privateKey).export({ type: 'spki', format: 'pem' }).toString());
const partsOf = (jwt: string) => jwt.split('.') as [string, string, string];
const shown = (authorization: string) => async (): Promise<Request> => ({ authorization });

/** Forged requests, by what is wrong with them. */
const FORGERIES: Readonly<Record<string, () => Promise<Request>>> = {
  'no token': async () => ({}),
  'an empty header': shown(''),
  'only the scheme': shown('Bearer '),
  'another scheme': async () => ({ authorization: `Basic ${token}` }),
  'the token without its scheme': async () => ({ authorization: token }),
  'a small scheme': async () => ({ authorization: `bearer ${token}` }),
  'two tokens': async () => ({ authorization: `Bearer ${token}, Bearer ${token}` }),
  'words in place of a token': shown('Bearer one.two.three'),
  "an agent's key": async () => ({ authorization: `Bearer ${gateway.agentKey}` }),
  "the bot's own token": async () => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: teams.bot.appId,
      client_secret: teams.bot.secret,
      scope: 'https://api.botframework.com/.default',
    });
    const { body } = teams.login.token(teams.tenantId, form);
    return { authorization: `Bearer ${(body as { access_token: string }).access_token}` };
  },
  'a key that is not published': async () => forged({ key: unknown })(),
  "an unknown key under a known key's id": async () =>
    forged({ key: unknown, header: { kid: genuine().kid } })(),
  "a known key under another's id": async () => forged({ header: { kid: webChat.kid } })(),
  'no key id': async () => forged({ header: { kid: '' } })(),
  'a key in the header': async () => {
    const jwk = createPublicKey(unknown.privateKey).export({ format: 'jwk' });
    return await forged({ key: unknown, header: { jwk: jwk as never, kid: genuine().kid } })();
  },
  "a key's address in the header": async () =>
    forged({ key: unknown, header: { jku: `${teams.origin}/keys`, kid: genuine().kid } })(),
  'no signature': async () => {
    const [head, payload] = partsOf(token);
    return { authorization: `Bearer ${head}.${payload}.` };
  },
  'a signature of zeros': async () => {
    const [head, payload] = partsOf(token);
    return { authorization: `Bearer ${head}.${payload}.${'A'.repeat(342)}` };
  },
  'the signature of another token': async () => {
    const [head, payload] = partsOf(token);
    const [, , signature] = partsOf(await tokenOf({ claims: { iat: 1 } }));
    return { authorization: `Bearer ${head}.${payload}.${signature}` };
  },
  'half of the signature': async () => ({ authorization: `Bearer ${token.slice(0, -171)}` }),
  'a fourth part': async () => ({ authorization: `Bearer ${token}.x` }),
  'alg none': async () => ({
    authorization: `Bearer ${new UnsecuredJWT({ serviceurl: teams.serviceUrl }).setIssuer(ISSUER).setAudience(teams.bot.appId).setNotBefore('0s').setExpirationTime('1h').encode()}`,
  }),
  'alg none with a signature': async () => {
    const [, payload, signature] = partsOf(token);
    const head = Buffer.from(JSON.stringify({ alg: 'none', kid: genuine().kid })).toString('base64url');
    return { authorization: `Bearer ${head}.${payload}.${signature}` };
  },
  'HS256 with the public key': async () => forged({ header: { alg: 'HS256' }, secret: publicPem() })(),
  'HS256 with the modulus': async () => {
    const { n = '' } = createPublicKey(genuine().privateKey).export({ format: 'jwk' });
    return await forged({ header: { alg: 'HS256' }, secret: Buffer.from(n, 'base64url') })();
  },
  'HS256 with the secret of the bot': async () =>
    forged({ header: { alg: 'HS256' }, secret: Buffer.from(teams.bot.secret.padEnd(32)) })(),
  'RS512 with the right key': async () => forged({ header: { alg: 'RS512' } })(),
  'PS256 with the right key': async () => forged({ header: { alg: 'PS256' } })(),
  'ES256 with an own key': async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return await forged({ header: { alg: 'ES256' }, secret: privateKey })();
  },
  'expired six minutes ago': async () => forged({ claims: { exp: nowS() - 360, nbf: nowS() - HOUR_S } })(),
  'expired a day ago, as a replay': async () =>
    forged({ claims: { exp: nowS() - 24 * HOUR_S, nbf: nowS() - 25 * HOUR_S } })(),
  'valid in six minutes': async () => forged({ claims: { nbf: nowS() + 360 } })(),
  'no expiry': async () => forged({ without: ['exp'] })(),
  'no beginning': async () => forged({ without: ['nbf'] })(),
  'an expiry as text': async () => forged({ claims: { exp: `${nowS() + HOUR_S}` as never } })(),
  'another bot': async () => forged({ claims: { aud: '00000000-0000-4000-8000-000000000000' } })(),
  'several audiences': async () => forged({ claims: { aud: [teams.bot.appId, 'other'] } })(),
  'no audience': async () => forged({ without: ['aud'] })(),
  'the app id in capitals': async () => forged({ claims: { aud: teams.bot.appId.toUpperCase() } })(),
  'no issuer': async () => forged({ without: ['iss'] })(),
  "another cloud's issuer": async () => forged({ claims: { iss: 'https://api.botframework.us' } })(),
  "a tenant's issuer": async () =>
    forged({ claims: { iss: `https://sts.windows.net/${teams.tenantId}/` } })(),
  "another tenant's issuer": async () =>
    forged({
      claims: { iss: `https://login.microsoftonline.com/${OTHER_TENANT}/v2.0`, tid: OTHER_TENANT },
    })(),
  'the issuer with a slash': async () => forged({ claims: { iss: `${ISSUER}/` } })(),
  'no service URL in the token': async () => forged({ without: ['serviceurl'] })(),
  'another service URL in the token': async () =>
    forged({ claims: { serviceurl: 'https://smba.trafficmanager.net/teams/' } })(),
  'another service URL in the activity': async () => ({
    authorization: `Bearer ${token}`,
    activity: activityOf({ serviceUrl: 'https://smba.trafficmanager.net/teams/' }),
  }),
  'a service URL below the right one': async () => ({
    authorization: `Bearer ${token}`,
    activity: activityOf({ serviceUrl: `${teams.serviceUrl}evil` }),
  }),
  'a stranger as the service, in both': async () => ({
    authorization: `Bearer ${await tokenOf({ claims: { serviceurl: 'https://evil.example.com/' } })}`,
    activity: activityOf({ serviceUrl: 'https://evil.example.com/' }),
  }),
  'a service on this machine, in both': async () => ({
    authorization: `Bearer ${await tokenOf({ claims: { serviceurl: 'http://127.0.0.1:1/' } })}`,
    activity: activityOf({ serviceUrl: 'http://127.0.0.1:1/' }),
  }),
  'a service that begins like one of Teams, in both': async () => {
    const serviceUrl = 'https://smba.trafficmanager.net.example.com/';
    return {
      authorization: `Bearer ${await tokenOf({ claims: { serviceurl: serviceUrl } })}`,
      activity: activityOf({ serviceUrl }),
    };
  },
  'a service with a user name, in both': async () => {
    const serviceUrl = teams.serviceUrl.replace('//', '//a@');
    return {
      authorization: `Bearer ${await tokenOf({ claims: { serviceurl: serviceUrl } })}`,
      activity: activityOf({ serviceUrl }),
    };
  },
  'a key of another channel': async () => forged({ key: webChat })(),
  'a key without endorsements': async () => forged({ key: teams.keys[1]! })(),
  "another channel's activity": async () => ({
    authorization: `Bearer ${token}`,
    activity: activityOf({ channelId: 'emulator' }),
  }),
};

describe('forged requests', () => {
  it('there are at least forty', () => expect(Object.keys(FORGERIES).length).toBeGreaterThanOrEqual(40));

  it.each(Object.keys(FORGERIES))('%s: refused, nothing stored', async (name) => {
    expect(await post(await FORGERIES[name]!())).toBe(401);
    expect(inbound()).toBe(0);
  });

  it('an activity that claims two tenants is refused, nothing stored', async () => {
    const activity = activityOf({ channelData: { tenant: { id: OTHER_TENANT } } });
    expect(await post({ authorization: `Bearer ${token}`, activity })).toBe(400);
    expect(inbound()).toBe(0);
  });
});

describe('strangers', () => {
  it('cannot make the gateway fetch keys', async () => {
    const fetched = () => teams.calls.filter((call) => call.startsWith('keys')).length;
    const before = fetched();
    for (let n = 0; n < 20; n++)
      expect(await post(await forged({ header: { kid: `guess-${n}` } })())).toBe(401);
    expect(fetched() - before).toBeLessThanOrEqual(2);
  });

  it('are refused before their body is read', async () => {
    const { port, hostname } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    const head = 'POST /api/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\nConnection: close';
    socket.write(`${head}\r\nAuthorization: Bearer a.b.c\r\n\r\n{`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /);
  });

  it('and yet the real thing is stored, once', async () => {
    const request = { authorization: `Bearer ${token}`, activity: activityOf() };
    expect(await post(request)).toBe(200);
    expect(await post(request)).toBe(200);
    expect(inbound()).toBe(1);
  });
});

function inbound(): number {
  return readGatewayRows(gateway.dataFolder, "select 1 from messages where direction = 'inbound'").length;
}
