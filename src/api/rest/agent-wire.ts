import type { z } from 'zod';
import type { AgentView, Candidate } from '../../agents/list-agents.ts';
import { unreachable } from '../../base/assert.ts';
import type { PlatformAccount } from '../../store/logins/platform-accounts.ts';
import type { Agent, AgentAccount, Candidate as CandidateSchema } from '../schema/agent.ts';

/** The API representation of an agent. */
export function agentWire(agent: AgentView): z.output<typeof Agent> {
  return {
    id: agent.id,
    name: agent.name,
    is_default: agent.isDefault,
    provider: agent.provider,
    created_at: agent.createdAt,
    timeout_text: agent.timeoutText,
    keys: agent.keys.map(({ id, keyPrefix }) => ({ id, key_prefix: keyPrefix })),
    oauth_clients: agent.oauthClients.map((client) => ({
      client_id: client.clientId,
      client_name: client.clientName,
      registered_at: client.registeredAt,
      last_used_at: client.lastUsedAt,
    })),
    accounts: agent.accounts.map(accountWire),
  };
}

export function candidateWire(candidate: Candidate): z.output<typeof CandidateSchema> {
  return { ...accountWire(candidate), agent_ids: [...candidate.agentIds] };
}

function accountWire(account: PlatformAccount): z.output<typeof AgentAccount> {
  const { id, status, label } = account;
  switch (account.type) {
    case 'connection':
      return { type: account.type, id, status, label, provider: account.provider, email: account.email };
    case 'bot_token':
      return {
        type: account.type,
        id,
        status,
        label,
        platform: account.platform,
        bot_name: account.botName,
      };
    case 'sip_number':
      return { type: account.type, id, status, label, number: account.number };
    default:
      return unreachable(account);
  }
}
