import type { Principal } from '../../../src/api/auth/principal.ts';
import { IdempotentRequests } from '../../../src/api/http/idempotency/idempotent-requests.ts';
import { botOwnerRoutes } from '../../../src/api/rest/bot-owner.ts';
import { dmRoutes } from '../../../src/api/rest/dms.ts';
import { insertAgent } from '../../../src/store/agents/agents.ts';
import type { AnyJson } from '../../support/any-json.ts';
import { Outbound } from '../messaging/outbound-harness.ts';
import { NOW } from '../store/temporary.ts';
import { served } from './served.ts';

/** The endpoints over a real server; keys: `agent`, `other` (an agent without the bot), `both`, `stranger`, `settings`, `sip` and `telegram`. */
export async function startDms(options: Parameters<typeof Outbound.open>[0] = {}) {
  const outbound = await Outbound.open(options);
  await outbound.bot();
  const { store, accountId, agentId, domain, clock } = outbound;
  await insertAgent(store.db, { id: 'agt_2', accountId, name: 'Second', isDefault: false, createdAt: NOW });
  const principal = (credentialId: string, agentIds: string[], more: Partial<Principal> = {}): Principal => ({
    accountId,
    kind: 'agent',
    credentialId,
    agentIds,
    platforms: null,
    ...more,
  });
  const principals: Record<string, Principal> = {
    agent: principal('key_1', [agentId]),
    other: principal('key_2', ['agt_2']),
    both: principal('key_3', ['agt_2', agentId]),
    stranger: principal('key_4', ['agt_9'], { accountId: 'acc_9' }),
    settings: principal('key_5', [], { kind: 'settings' }),
    foreign: principal('key_6', [], { kind: 'settings', accountId: 'acc_9' }),
    sip: principal('grt_1', ['agt_2', agentId], { kind: 'oauth', platforms: new Set(['sip'] as const) }),
    telegram: principal('grt_2', [agentId], { kind: 'oauth', platforms: new Set(['telegram'] as const) }),
  };
  const { url, failures } = await served([...dmRoutes(domain), ...botOwnerRoutes(domain)], {
    authenticate: (credential) => principals[credential ?? ''] ?? null,
    idempotency: new IdempotentRequests(store, clock, (error) => outbound.failures.push(error)),
  });
  const post = async (path: string, body: unknown, { as = 'agent', key = '' } = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'X-API-Key': as, ...(key === '' ? {} : { 'Idempotency-Key': key }) },
      body: JSON.stringify(body),
    });
    const told: AnyJson = await answer.json();
    return { status: answer.status, body: told, headers: answer.headers };
  };
  const chat = (fields: Record<string, unknown>, who = {}) =>
    post('/api/dm/chat', { platform: 'telegram', ...fields }, who);
  return { outbound, messenger: outbound.messenger, clock, failures, post, chat };
}

/** With a person who has already written. */
export async function conversing(options: Parameters<typeof Outbound.open>[0] = {}) {
  const opened = await startDms(options);
  const conversation = await opened.outbound.conversation();
  await opened.outbound.heard(conversation);
  return { ...opened, conversation };
}
