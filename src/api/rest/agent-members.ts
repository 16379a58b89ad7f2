import type { AgentDomain } from '../../agents/agent-domain.ts';
import {
  attachAccount,
  attachAgentKey,
  detachAccount,
  detachAgentKey,
  mintAgentKey,
} from '../../agents/agent-members.ts';
import { GatewayError } from '../../base/errors.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import {
  AccountType,
  Agent,
  AgentAccountParams,
  AgentKeyParams,
  AgentParams,
  AttachAccountBody,
  MintKeyBody,
} from '../schema/agent.ts';
import { CreatedKey } from '../schema/api-key.ts';
import { agentWire } from './agent-wire.ts';
import { createdKeyWire } from './api-keys.ts';

const config = resource('config', 'Agents');
const DEFAULT_KEY_NAME = 'Agent key';

/** Routes for an agent's members: keys and platform accounts. Each belongs to at least one agent. */
export function agentMemberRoutes(agents: AgentDomain): Route[] {
  return [
    config.post('/api/agents/{agent_id}/keys', {
      operationId: 'mintAgentKey',
      summary: 'Create an agent key in an agent',
      description: 'The key is shown only in this answer.',
      params: AgentParams,
      body: MintKeyBody,
      responses: { 200: { description: 'The key', schema: CreatedKey } },
      fails: ['email_not_verified', 'agent_not_found', 'cap_reached'],
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
      fails: ['agent_not_found', 'key_not_found', 'cap_reached'],
      handler: async ({ principal, params }) =>
        reply(200, agentWire(await attachAgentKey(agents, principal, params.agent_id, params.key_id))),
    }),
    config.delete('/api/agents/{agent_id}/keys/{key_id}', {
      operationId: 'detachAgentKey',
      summary: 'Remove an agent key from an agent',
      description: "Closes the key's call WebSockets on this agent's calls with 1008.",
      params: AgentKeyParams,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: ['would_orphan', 'agent_not_found', 'key_not_found'],
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
      fails: ['would_orphan', 'agent_not_found', 'member_not_found'],
      handler: async ({ principal, params }) => {
        const type = AccountType.safeParse(params.account_type).data;
        if (type === undefined) throw new GatewayError('member_not_found');
        const member = { type, id: params.account_id };
        return reply(200, agentWire(await detachAccount(agents, principal, params.agent_id, member)));
      },
    }),
  ];
}
