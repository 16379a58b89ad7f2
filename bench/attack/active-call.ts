import { setTimeout as pause } from 'node:timers/promises';
import { PROVIDER_HOST } from './attack.ts';
import type { Tenant } from './member.ts';

/** Places a call of a tenant to a provider at this port. Resolves with its id once it is active. */
export async function activeCall({ settingsApi, agentApi }: Tenant, port: number): Promise<string> {
  const trunk = { host: PROVIDER_HOST, port, username: 'a', password: 'b', register: false };
  const put = await settingsApi.put('/api/sip/trunk', trunk);
  if (put.status !== 200) throw new Error(`the trunk: ${put.status} ${JSON.stringify(put.body)}`);
  const uri = `sip:+4930123@${PROVIDER_HOST}:${port}`;
  const { body } = await agentApi.post('/api/call', { platform: 'sip', meeting_url: uri });
  for (let waited = 0; waited < 50; waited++) {
    const { body: shown } = await agentApi.get(`/api/call/${body.call_id}`);
    if (shown.state === 'active') return body.call_id;
    await pause(50);
  }
  throw new Error(`the call did not become active: ${JSON.stringify(body)}`);
}
