import type { z } from 'zod';
import type { AgentDomain } from '../../agents/agent-domain.ts';
import { getInternalBearer, rotateInternalBearer } from '../../agents/internal-bearer.ts';
import type { InternalBearer as StoredBearer } from '../../store/agents/internal-bearers.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { AgentParams, InternalBearer } from '../schema/agent.ts';

const TAGS = ['Agents'] as const;
const NOT_FOUND = 'Agent not found';
const UNVERIFIED = 'Email address is not verified, or the credential is of another kind';

/** Routes for the key that the model behind an agent uses to call back. */
export function internalBearerRoutes(agents: AgentDomain): Route[] {
  return [bearer(agents), rotate(agents)];
}

function bearer(agents: AgentDomain): Route {
  return route({
    method: 'get',
    path: '/api/agents/{agent_id}/internal-bearer',
    access: 'config',
    operationId: 'getInternalBearer',
    refusesHead: true,
    summary: 'Show the key by which the provider calls back',
    description: 'It is made when there is none, acts for this agent alone, and is not among the keys.',
    tags: TAGS,
    params: AgentParams,
    responses: {
      200: { description: 'The bearer', schema: InternalBearer },
      403: UNVERIFIED,
      404: NOT_FOUND,
    },
    handler: async ({ principal, params }) =>
      reply(200, bearerWire(params.agent_id, await getInternalBearer(agents, principal, params.agent_id))),
  });
}

function rotate(agents: AgentDomain): Route {
  return route({
    method: 'post',
    path: '/api/agents/{agent_id}/internal-bearer/rotate',
    access: 'config',
    operationId: 'rotateInternalBearer',
    summary: 'Replace the key by which the provider calls back',
    description: 'The former opens nothing any more.',
    tags: TAGS,
    params: AgentParams,
    responses: {
      200: { description: 'The new bearer', schema: InternalBearer },
      403: UNVERIFIED,
      404: NOT_FOUND,
    },
    handler: async ({ principal, params }) =>
      reply(200, bearerWire(params.agent_id, await rotateInternalBearer(agents, principal, params.agent_id))),
  });
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
