import { setTimeout as pause } from 'node:timers/promises';
import { GatewayApi } from '../../../test/support/gateway-api.ts';
import type { Attack, Target } from '../attack.ts';
import { addressOf, leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { RawConnection } from '../raw-connection.ts';

const NUMBER = 9;
const KEYS = 101;
const PER_KEY = 100;
const BATCH = 200;
const SETTLE_MS = 2_500;
/** As many as one account may have wait at a time. What else it asks for waits for its turn. */
const LEAST_ENDED = 1_000;
/** No news comes after it. */
const LATER = '2030-01-01';

interface Poll {
  readonly key: string;
  readonly connection: RawConnection;
}

/** One account asks for every place that there is to wait, and has all of its waits end at one moment. */
export const longPolls: Attack = {
  number: NUMBER,
  name: 'all places for long-polls',
  async run(target, notes, mails) {
    const tenant = await newTenant(target, mails, NUMBER, 1);
    const keys = await manyKeys(tenant);
    notes.act(`${keys.length} keys of one account, ${PER_KEY} long-polls each`);
    const { cursor } = (await tenant.agentApi.get('/api/inbox')).body;
    const polls = await waiting(target, keys, cursor);
    const connections = polls.map(({ connection }) => connection);
    const refused = connections.filter(({ text }) => text !== '');
    const isRefusal = refused.every(({ text }) => text.startsWith('HTTP/1.1 429'));
    const held = polls.filter(({ connection: { text, isClosed } }) => text === '' && !isClosed);
    notes.demand(held.length < KEYS * PER_KEY * 0.9, 'places that one account has', held.length);
    notes.see(`${refused.length} were answered at once, ${isRefusal ? 'with 429' : 'not all with 429'}`);
    await demandPlace(target, notes);
    notes.act('a message ends all that wait, and then their time');
    await writeToAll(target, tenant);
    await pause(SETTLE_MS);
    const answered = held.filter(({ connection: { text } }) => text.startsWith('HTTP/1.1 200')).length;
    notes.demand(answered >= LEAST_ENDED, 'long-polls that the message ended', answered);
    for (const waitS of [1, 55]) {
      for (const { connection, key } of held) ask(connection, key, { cursor: LATER, waitS });
      await pause(SETTLE_MS);
    }
    notes.act('all are closed');
    for (const each of connections) each.destroy();
    await pause(1_000);
    await leave(tenant);
  },
};

/** What an agent itself writes wakes nobody who waits for it. */
async function writeToAll({ baseUrl }: Target, { settingsApi }: Tenant): Promise<void> {
  const { agents } = (await settingsApi.get('/api/agents')).body;
  const peer = (await settingsApi.post('/api/agents', { name: 'Peer' })).body;
  const key = await keyOf(settingsApi, peer.id);
  const message = { platform: 'agent', peer: agents[0].name, text: 'all of you' };
  const { status } = await new GatewayApi(baseUrl, key).post('/api/dm/chat', message);
  if (status !== 200) throw new Error(`a message to all: ${status}`);
}

async function keyOf(settingsApi: GatewayApi, agentId: string): Promise<string> {
  const { body } = await settingsApi.post(`/api/agents/${agentId}/keys`, {});
  const key = /svc_[\w-]{30,}/.exec(JSON.stringify(body))?.[0];
  if (key === undefined) throw new Error(`a key of an agent: ${JSON.stringify(body)}`);
  return key;
}

async function manyKeys({ browser }: Tenant): Promise<string[]> {
  const keys: string[] = [];
  for (let n = 0; n < KEYS; n++) {
    const { text } = await browser.post('/api/api-keys', { name: `key ${n}` });
    const key = /svc_[\w-]{30,}/.exec(text)?.[0];
    if (key !== undefined) keys.push(key);
  }
  return keys;
}

/** From a network of the attacker's own: who is in the same one shares its limit. */
async function waiting(target: Target, keys: readonly string[], cursor: string): Promise<Poll[]> {
  const { httpPort } = target;
  const localAddress = addressOf(target, NUMBER, 1);
  const polls: Poll[] = [];
  const wanted = keys.flatMap((key) => Array.from({ length: PER_KEY }, () => key));
  for (let at = 0; at < wanted.length; at += BATCH) {
    const batch = wanted.slice(at, at + BATCH).map(async (key) => {
      const connection = await RawConnection.open(httpPort, { localAddress });
      ask(connection, key, { cursor, waitS: 55 });
      return { key, connection };
    });
    polls.push(...(await Promise.all(batch)));
  }
  await pause(2_000);
  return polls;
}

interface Asked {
  readonly cursor: string;
  readonly waitS: number;
}

function ask(connection: RawConnection, key: string, { cursor, waitS }: Asked): void {
  const query = `last_message_cursor=${encodeURIComponent(cursor)}&wait=${waitS}`;
  connection.send(`GET /api/inbox?${query} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`);
}

async function demandPlace({ baseUrl, agentKey }: Target, notes: Notes): Promise<void> {
  const api = new GatewayApi(baseUrl, agentKey);
  const { status } = await api.get(`/api/inbox?last_message_cursor=${LATER}&wait=1`);
  notes.demand(status === 200, 'a long-poll of another account meanwhile', status);
}
