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

/** One account asks for every place that there is to wait. */
export const longPolls: Attack = {
  number: NUMBER,
  name: 'all places for long-polls',
  async run(target, notes, mails) {
    const tenant = await newTenant(target, mails, NUMBER, 1);
    const keys = await manyKeys(tenant);
    notes.act(`${keys.length} keys of one account, ${PER_KEY} long-polls each`);
    const connections = await waiting(target, keys);
    const refused = connections.filter(({ text }) => text !== '');
    const isRefusal = refused.every(({ text }) => text.startsWith('HTTP/1.1 429'));
    const held = connections.filter(({ text, isClosed }) => text === '' && !isClosed).length;
    notes.demand(held < KEYS * PER_KEY * 0.9, 'places that one account has', held);
    notes.see(`${refused.length} were answered at once, ${isRefusal ? 'with 429' : 'not all with 429'}`);
    await demandPlace(target, notes);
    for (const each of connections) each.destroy();
    await pause(1_000);
    await leave(tenant);
  },
};

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
async function waiting(target: Target, keys: readonly string[]): Promise<RawConnection[]> {
  const { httpPort } = target;
  const localAddress = addressOf(target, NUMBER, 1);
  const connections: RawConnection[] = [];
  const wanted = keys.flatMap((key) => Array.from({ length: PER_KEY }, () => key));
  for (let at = 0; at < wanted.length; at += BATCH) {
    const batch = wanted.slice(at, at + BATCH).map(async (key) => {
      const connection = await RawConnection.open(httpPort, { localAddress });
      const query = 'last_message_cursor=2030-01-01&wait=55';
      connection.send(`GET /api/inbox?${query} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`);
      return connection;
    });
    connections.push(...(await Promise.all(batch)));
  }
  await pause(2_000);
  return connections;
}

async function demandPlace({ baseUrl, agentKey }: Target, notes: Notes): Promise<void> {
  const api = new GatewayApi(baseUrl, agentKey);
  const { status } = await api.get('/api/inbox?last_message_cursor=2030-01-01&wait=1');
  notes.demand(status === 200, 'a long-poll of another account meanwhile', status);
}
