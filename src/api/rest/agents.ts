import type { z } from 'zod';
import type { AgentDomain } from '../../agents/agent-domain.ts';
import {
  attachAccount,
  attachAgentKey,
  detachAccount,
  detachAgentKey,
  mintAgentKey,
} from '../../agents/agent-members.ts';
import { changeAgent, createAgent, deleteAgent, setDefaultAgent } from '../../agents/change-agent.ts';
import { getInternalBearer, rotateInternalBearer } from '../../agents/internal-bearer.ts';
import { type AgentView, type Candidate, listAgentViews, listCandidates } from '../../agents/list-agents.ts';
import { GatewayError } from '../../base/errors.ts';
import { match } from '../../base/match.ts';
import type { InternalBearer as StoredBearer } from '../../store/agents/internal-bearers.ts';
import type { PlatformAccount } from '../../store/logins/platform-accounts.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted, deleted } from '../schema/acknowledgements.ts';
import {
  AccountType,
  Agent,
  type AgentAccount,
  AgentAccountParams,
  AgentChangeBody,
  AgentKeyParams,
  AgentList,
  AgentNameBody,
  AgentParams,
  AttachAccountBody,
  CandidateList,
  type Candidate as CandidateSchema,
  DEFAULT_BUDGET,
  InternalBearer,
  MintKeyBody,
} from '../schema/agent.ts';
import { CreatedKey } from '../schema/api-key.ts';
import { createdKeyWire } from './api-keys.ts';

const config = resource('config', 'Agents');

const DEFAULT_KEY_NAME = 'Agent key';

/**
 * Routes for agents. An agent determines which keys act on which platform accounts; each of these belongs to at least one
 * agent. The model behind an agent calls back with a key of its own.
 */
export function agentRoutes(agents: AgentDomain): Route[] {
  return [
    config.get('/api/agents', {
      operationId: 'listAgents',
      summary: 'List the agents with their members',
      description: 'The default agent comes first. It is created if there is none.',
      responses: { 200: { description: 'The agents', schema: AgentList } },
      handler: async ({ principal }) =>
        reply(200, { agents: (await listAgentViews(agents, principal.accountId)).map(agentWire) }),
    }),
    config.get('/api/agents/_candidates', {
      operationId: 'listAgentCandidates',
      summary: 'List all platform accounts that agents can have as members',
      responses: { 200: { description: 'Connections, bots and numbers', schema: CandidateList } },
      handler: async ({ principal }) =>
        reply(200, { accounts: (await listCandidates(agents, principal.accountId)).map(candidateWire) }),
    }),
    config.post('/api/agents', {
      operationId: 'createAgent',
      summary: 'Create an agent without members',
      body: AgentNameBody,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: [{ cap_reached: 'The account has reached its limit of agents' }],
      handler: async ({ principal, body }) =>
        reply(200, agentWire(await createAgent(agents, principal, body.name))),
    }),
    config.patch('/api/agents/{agent_id}', {
      operationId: 'changeAgent',
      summary: "Change an agent's name, the text it sends when it does not answer in time, or its budget",
      params: AgentParams,
      body: AgentChangeBody,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: ['agent_not_found'],
      handler: async ({ principal, params, body }) => {
        const wanted = { name: body.name, timeoutText: body.timeout_text, budget: body.budget };
        return reply(200, agentWire(await changeAgent(agents, principal, params.agent_id, wanted)));
      },
    }),
    config.delete('/api/agents/{agent_id}', {
      operationId: 'deleteAgent',
      summary: 'Delete an agent',
      description: 'Ends its live calls. Members that belong to no other agent must be moved first.',
      params: AgentParams,
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['agent_is_default', 'would_orphan', 'agent_not_found'],
      handler: ({ principal, params }) => deleted(deleteAgent(agents, principal, params.agent_id)),
    }),
    config.post('/api/agents/{agent_id}/set-default', {
      operationId: 'setDefaultAgent',
      summary: 'Make an agent the default',
      description: 'New keys and newly connected platform accounts join the default agent.',
      params: AgentParams,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: ['agent_not_found'],
      handler: async ({ principal, params }) =>
        reply(200, agentWire(await setDefaultAgent(agents, principal, params.agent_id))),
    }),
    config.post('/api/agents/{agent_id}/keys', {
      operationId: 'mintAgentKey',
      summary: 'Create an agent key in an agent',
      description: 'The key is shown only in this answer.',
      params: AgentParams,
      body: MintKeyBody,
      responses: { 200: { description: 'The key', schema: CreatedKey } },
      fails: [
        'email_not_verified',
        'agent_not_found',
        { cap_reached: 'The account has reached its limit of keys' },
      ],
      handler: async ({ principal, params, body }) => {
        const name = body?.name ?? DEFAULT_KEY_NAME;
        return reply(200, createdKeyWire(await mintAgentKey(agents, principal, params.agent_id, name)));
      },
    }),
    config.post('/api/agents/{agent_id}/keys/{key_id}', {
      operationId: 'attachAgentKey',
      summary: 'Add an agent key to another agent',
      description: 'Does nothing if the agent already has it.',
      params: AgentKeyParams,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: [
        'agent_not_found',
        'key_not_found',
        { cap_reached: 'The account has reached its limit of agents per key' },
      ],
      handler: async ({ principal, params }) =>
        reply(200, agentWire(await attachAgentKey(agents, principal, params.agent_id, params.key_id))),
    }),
    config.delete('/api/agents/{agent_id}/keys/{key_id}', {
      operationId: 'detachAgentKey',
      summary: 'Remove an agent key from an agent',
      description: "Closes the key's call WebSockets on this agent's calls with 1008.",
      params: AgentKeyParams,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: [
        'agent_not_found',
        { would_orphan: 'It is the only agent of the key', key_not_found: 'The agent does not have the key' },
      ],
      handler: async ({ principal, params }) =>
        reply(200, agentWire(await detachAgentKey(agents, principal, params.agent_id, params.key_id))),
    }),
    config.post('/api/agents/{agent_id}/accounts', {
      operationId: 'attachAgentAccount',
      summary: 'Add a platform account to another agent',
      description:
        'Does nothing if the agent already has it. If several agents share an account, its calls and messages go to the default agent among them, otherwise to the oldest.',
      params: AgentParams,
      body: AttachAccountBody,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: ['agent_not_found', 'member_not_found'],
      handler: async ({ principal, params, body }) => {
        const member = { type: body.account_type, id: body.account_id };
        return reply(200, agentWire(await attachAccount(agents, principal, params.agent_id, member)));
      },
    }),
    config.delete('/api/agents/{agent_id}/accounts/{account_type}/{account_id}', {
      operationId: 'detachAgentAccount',
      summary: 'Remove a platform account from an agent',
      params: AgentAccountParams,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: [
        'agent_not_found',
        {
          would_orphan: 'It is the only agent of the account',
          member_not_found: 'The agent does not have the account',
        },
      ],
      handler: async ({ principal, params }) => {
        const type = AccountType.safeParse(params.account_type).data;
        if (type === undefined) throw new GatewayError('member_not_found');
        const member = { type, id: params.account_id };
        return reply(200, agentWire(await detachAccount(agents, principal, params.agent_id, member)));
      },
    }),
    config.get('/api/agents/{agent_id}/internal-bearer', {
      operationId: 'getInternalBearer',
      refusesHead: true,
      summary: 'Get the key with which the provider calls back',
      description:
        'Created if there is none. It only reads, by MCP, and only what this agent may. It is not in the list of keys.',
      params: AgentParams,
      responses: { 200: { description: 'The bearer', schema: InternalBearer } },
      fails: ['email_not_verified', 'agent_not_found'],
      handler: async ({ principal, params }) =>
        reply(200, bearerWire(params.agent_id, await getInternalBearer(agents, principal, params.agent_id))),
    }),
    config.post('/api/agents/{agent_id}/internal-bearer/rotate', {
      operationId: 'rotateInternalBearer',
      summary: 'Replace the key with which the provider calls back',
      description: 'The previous key stops working at once.',
      params: AgentParams,
      responses: { 200: { description: 'The new bearer', schema: InternalBearer } },
      fails: ['email_not_verified', 'agent_not_found'],
      handler: async ({ principal, params }) =>
        reply(
          200,
          bearerWire(params.agent_id, await rotateInternalBearer(agents, principal, params.agent_id)),
        ),
    }),
  ];
}

function bearerWire(agentId: string, stored: StoredBearer): z.output<typeof InternalBearer> {
  return {
    agent_id: agentId,
    bearer: stored.key,
    key_prefix: stored.keyPrefix,
    created_at: stored.createdAt,
    last_used_at: stored.lastUsedAt,
  };
}

/** The API representation of an agent. */
export function agentWire(agent: AgentView): z.output<typeof Agent> {
  return {
    id: agent.id,
    name: agent.name,
    is_default: agent.isDefault,
    provider: agent.provider,
    created_at: agent.createdAt,
    timeout_text: agent.timeoutText,
    budget: { ...DEFAULT_BUDGET, ...agent.budget },
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
  return match(account, 'type', {
    connection: (account) => ({
      type: account.type,
      id,
      status,
      label,
      provider: account.provider,
      email: account.email,
    }),
    bot_token: (account) => ({
      type: account.type,
      id,
      status,
      label,
      platform: account.platform,
      bot_name: account.botName,
    }),
    sip_number: (account) => ({ type: account.type, id, status, label, number: account.number }),
  });
}
