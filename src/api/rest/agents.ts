import type { AgentDomain } from '../../agents/agent-domain.ts';
import { changeAgent, createAgent, deleteAgent, setDefaultAgent } from '../../agents/change-agent.ts';
import { listAgentViews, listCandidates } from '../../agents/list-agents.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import {
  Agent,
  AgentChangeBody,
  AgentList,
  AgentNameBody,
  AgentParams,
  CandidateList,
} from '../schema/agent.ts';
import { agentWire, candidateWire } from './agent-wire.ts';

const config = resource('config', 'Agents');

/** Routes for agents. An agent determines which keys act on which platform accounts. */
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
      fails: ['cap_reached'],
      handler: async ({ principal, body }) =>
        reply(200, agentWire(await createAgent(agents, principal, body.name))),
    }),
    config.patch('/api/agents/{agent_id}', {
      operationId: 'changeAgent',
      summary: "Change an agent's name or the text it sends when it does not answer in time",
      params: AgentParams,
      body: AgentChangeBody,
      responses: { 200: { description: 'The agent', schema: Agent } },
      fails: ['agent_not_found'],
      handler: async ({ principal, params, body }) => {
        const wanted = { name: body.name, timeoutText: body.timeout_text };
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
      handler: async ({ principal, params }) => {
        await deleteAgent(agents, principal, params.agent_id);
        return reply(200, { status: 'deleted' as const });
      },
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
  ];
}
