import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import type { Answer, GatewayApi } from '../support/gateway-api.ts';
import { memberOf } from '../support/member.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import type { Person } from '../support/person.ts';

const FACTS = { name: 'a.txt', mime: 'text/plain' };

let gateway: Gateway;
let person: Person;
let settings: GatewayApi;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000' } });
  person = await memberOf(gateway, 'ada@example.com');
  settings = gateway.settingsApi;
});
afterAll(() => gateway?.stop());

/** Repeats an action until it is refused; returns the number of successes, and the refusal. */
async function untilRefused(
  most: number,
  act: (n: number) => Promise<Answer>,
): Promise<[number, number, string]> {
  for (let n = 0; n <= most; n++) {
    const { status, body } = await act(n);
    if (status >= 400) return [n, status, body.detail];
  }
  throw new Error(`not refused ${most + 1} times`);
}

/** Records a new key as a secret, which must not be readable in the database. */
function kept(answer: Answer): Answer {
  for (const value of Object.values(answer.body))
    if (/^svc_[\w-]{40,}$/.test(`${value}`)) gateway.secrets.add(`${value}`);
  return answer;
}

/** Adds rows like the newest one of a table, with values of their own in these columns. */
function addLike(table: string, count: number, own: readonly string[]): void {
  const database = new SqliteDatabase(join(gateway.dataFolder, 'gateway.db'));
  const columns = (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const values = columns.map((name) => (own.includes(name) ? `${name} || '.' || n` : name));
  database.exec(`insert into ${table} (${columns})
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select ${values} from (select * from ${table} order by rowid desc limit 1), numbers`);
  database.close();
}

describe('an account', () => {
  it('may have 100 agents and no more', async () => {
    // The default one is there already.
    const create = (n: number) => settings.post('/api/agents', { name: `agent ${n}` });
    expect(await untilRefused(100, create)).toEqual([99, 409, 'An account may have at most 100 agents']);
    const { agents } = (await settings.get('/api/agents')).body;
    expect((await settings.delete(`/api/agents/${agents.at(-1).id}`)).status).toBe(200);
    expect((await create(100)).status).toBe(200);
    expect((await person.request('POST', '/api/agents', { name: 'of another' })).status).toBe(200);
  });

  it('may have 1,000 keys of both kinds; keys revoked within a day still count', async () => {
    const paths = ['/api/api-keys', '/api/settings-keys'];
    const ids: string[] = [];
    const create = async (n: number) => {
      const answer = kept(await settings.post(paths[n % 2]!, { name: `key ${n}` }));
      if (answer.status === 200 && n % 2 === 0) ids.push(answer.body.id ?? answer.body.key_id);
      return answer;
    };
    const detail = 'An account may have at most 1000 keys, including those created and revoked within a day';
    // Two are there already.
    expect((await create(0)).status).toBe(200);
    addLike('api_keys', 990, ['id', 'hash']);
    expect(await untilRefused(10, create)).toEqual([7, 409, detail]);
    expect((await settings.delete(`${paths[0]}/${ids[0]}`)).status).toBe(200);
    expect((await create(0)).status).toBe(409);
    const { agents } = (await settings.get('/api/agents')).body;
    expect((await settings.post(`/api/agents/${agents[0].id}/keys`, { name: 'x' })).status).toBe(409);
    const other = await person.request('POST', '/api/api-keys', { name: 'of another' });
    expect(kept(other).status).toBe(200);
  });

  it('may register 100 bots', async () => {
    const register = (n: number) => {
      gateway.secrets.add(`xoxb-secret-of-bot-${n}`);
      const bot_token = `xoxb-secret-of-bot-${n}`;
      return settings.post('/api/bot-tokens', {
        platform: 'slack',
        bot_token,
        slack_signing_secret: 'signs',
      });
    };
    expect(await untilRefused(100, register)).toEqual([100, 409, 'An account may have at most 100 bots']);
  });

  it('may have 100 voice presets', async () => {
    const create = () => settings.post('/api/voice-configs', { kind: 'tts', provider: 'local' });
    const detail = 'An account may have at most 100 voice presets';
    expect(await untilRefused(100, create)).toEqual([100, 409, detail]);
    const of = await person.request('POST', '/api/voice-configs', { kind: 'tts', provider: 'local' });
    expect(of.status).toBe(200);
  });

  it('may authorize 100 MCP clients, and reauthorize one of them at the limit', async () => {
    const connected = async () => {
      const client = await OAuthClient.register(gateway);
      await client.connect(person);
      return client;
    };
    const first = await connected();
    await connected();
    addLike('oauth_clients', 97, ['client_id']);
    addLike('mcp_authorizations', 97, ['id', 'client_id']);
    await connected();
    await expect(connected()).rejects.toThrow();
    const { authorizations } = (await person.request('GET', '/api/mcp-authorizations')).body;
    expect(authorizations).toHaveLength(100);
    await first.connect(person, { prompt: 'consent' });
  });

  it('may send feedback 20 times an hour', async () => {
    const give = () => settings.post('/api/feedback', { message: 'x'.repeat(10_000) });
    expect(await untilRefused(20, give)).toEqual([20, 429, 'At most 20 feedback messages per hour']);
    expect((await give()).headers.get('retry-after')).toBe('3600');
    expect((await person.request('POST', '/api/feedback', { message: 'of another' })).status).toBe(200);
  });

  it('may reserve 100 uploads at a time; direct uploads still succeed', async () => {
    const reserve = () => gateway.agentApi.post('/api/files/reserve', FACTS);
    const detail = 'An account may have at most 100 reserved uploads';
    expect(await untilRefused(100, reserve)).toEqual([100, 429, detail]);
    expect((await person.request('POST', '/api/files/reserve', FACTS)).status).toBe(200);
    const inline = { bytes_b64: 'aGVsbG8=', ...FACTS };
    expect((await gateway.agentApi.post('/api/files', inline)).status).toBe(200);
  });
});
