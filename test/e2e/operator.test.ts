import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR, setupLink } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';

describe('what the operator sees', () => {
  let gateway: Gateway;
  let cookie: string;

  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs
  const get = async (path: string, as = cookie): Promise<{ status: number; body: any }> => {
    const answer = await fetch(`${gateway.baseUrl}${path}`, { headers: { cookie: as } });
    return { status: answer.status, body: await answer.json() };
  };

  beforeAll(async () => {
    gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open' } });
    const body = JSON.stringify({ token: (await setupLink(gateway)).split('#')[1], ...OPERATOR });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${gateway.baseUrl}/auth/setup`, { method: 'POST', headers, body });
    cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!;
  });
  afterAll(() => gateway?.stop());

  it('has the gateway, its accounts and its log, without secrets', async () => {
    const { status, body } = await get('/api/operator');
    expect(status).toBe(200);
    expect(body).toMatchObject({ data_dir: gateway.dataFolder, accounts_total: 1, feedback: [] });
    expect(body.accounts[0]).toMatchObject({ email: OPERATOR.email, live_calls: 0 });
    expect(body.log.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toMatch(/svc_[\w-]{16,}/);
  });

  it('is shown to nobody else', async () => {
    const member = await memberOf(gateway, 'ada@example.com');
    expect((await get('/api/operator', member.cookie!)).status).toBe(403);
    for (const key of [gateway.agentKey, gateway.settingsKey]) {
      const answer = await fetch(`${gateway.baseUrl}/api/operator`, { headers: { 'x-api-key': key } });
      expect(answer.status).toBe(403);
    }
    expect((await get('/api/operator')).body.accounts_total).toBe(2);
  });

  it('keeps who has changed what, a page at a time, for each account alone', async () => {
    for (const name of ['one', 'two', 'three']) await gateway.settingsApi.post('/api/agents', { name });
    const newest = (await get('/api/audit-log?limit=2')).body;
    expect(newest.lines.map(({ action, by }: { action: string; by: string }) => [action, by])).toEqual([
      ['agent.create', 'settings'],
      ['agent.create', 'settings'],
    ]);
    const next = (await get(`/api/audit-log?limit=200&before=${newest.next_before}`)).body;
    expect(next.lines[0].id).toBeLessThan(newest.lines[1].id);
    expect(next.next_before).toBeNull();
    const actions = next.lines.map(({ action }: { action: string }) => action);
    expect(actions).toContain('account.set_up');
    const member = await memberOf(gateway, 'grace@example.com');
    const own = (await get('/api/audit-log', member.cookie!)).body;
    expect(JSON.stringify(own)).not.toContain('agent.create');
    expect((await get('/api/audit-log?before=0')).status).toBe(422);
  });
});
