import type { z } from 'zod';
import type { AgentDomain } from '../../agents/agent-domain.ts';
import { changePolicy, getPolicy } from '../../agents/agent-policy.ts';
import { parseCallPattern } from '../../base/call-pattern.ts';
import type { AgentPolicy as StoredPolicy } from '../../store/agents/agent-policies.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { AgentParams } from '../schema/agent.ts';
import { AgentPolicy, AgentPolicyBody } from '../schema/agent-policy.ts';

const config = resource('config', 'Agents');

/** Routes for what an agent's model may do. Keys of people and programs decide for themselves. */
export function agentPolicyRoutes(agents: AgentDomain): Route[] {
  return [
    config.get('/api/agents/{agent_id}/policy', {
      operationId: 'getAgentPolicy',
      summary: "Get what an agent's model may do",
      params: AgentParams,
      responses: { 200: { description: 'The policy', schema: AgentPolicy } },
      fails: ['agent_not_found'],
      handler: async ({ principal, params: { agent_id: agentId } }) =>
        reply(200, policyWire(agentId, await getPolicy(agents, principal.accountId, agentId))),
    }),
    config.patch('/api/agents/{agent_id}/policy', {
      operationId: 'changeAgentPolicy',
      summary: "Change what an agent's model may do",
      description:
        'Applies to the next action. It limits the model of a provider, not the keys of people and programs.',
      params: AgentParams,
      body: AgentPolicyBody,
      responses: { 200: { description: 'The policy', schema: AgentPolicy } },
      fails: ['agent_not_found'],
      handler: async ({ principal, params: { agent_id: agentId }, body }) => {
        const policy = await changePolicy(agents, principal, agentId, {
          callsTo: body.calls?.flatMap((text) => parseCallPattern(text)?.text ?? []),
          newConversations: body.new_conversations,
          actionsPerTurn: body.actions_per_turn,
          readingTools: body.tools,
        });
        return reply(200, policyWire(agentId, policy));
      },
    }),
  ];
}

function policyWire(agentId: string, policy: StoredPolicy): z.output<typeof AgentPolicy> {
  return {
    agent_id: agentId,
    calls: [...policy.callsTo],
    new_conversations: policy.newConversations,
    actions_per_turn: policy.actionsPerTurn,
    tools: policy.readingTools && ([...policy.readingTools] as z.output<typeof AgentPolicy>['tools']),
  };
}
