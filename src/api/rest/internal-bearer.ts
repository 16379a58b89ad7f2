import type { z } from 'zod';
import type { AgentDomain } from '../../agents/agent-domain.ts';
import { getInternalBearer, rotateInternalBearer } from '../../agents/internal-bearer.ts';
import type { InternalBearer as StoredBearer } from '../../store/agents/internal-bearers.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { AgentParams, InternalBearer } from '../schema/agent.ts';

const config = resource('config', 'Agents');

/** Routes for the key that the model behind an agent uses to call back. */
export function internalBearerRoutes(agents: AgentDomain): Route[] {
  return [
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
