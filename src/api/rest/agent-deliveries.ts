import type { z } from 'zod';
import type { AgentDomain } from '../../agents/agent-domain.ts';
import { getDelivery, pageDeliveries, replayDelivery } from '../../agents/deliveries.ts';
import type { Delivery as StoredDelivery } from '../../store/agents/deliveries.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { AgentParams } from '../schema/agent.ts';
import {
  type Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
} from '../schema/delivery.ts';

const TAGS = ['Agents'] as const;
const NOT_FOUND = 'Delivery not found';

/** Routes for deliveries to the models behind agents. */
export function deliveryRoutes(agents: AgentDomain): Route[] {
  return [list(agents), detail(agents), replay(agents)];
}

function list(agents: AgentDomain): Route {
  return route({
    method: 'get',
    path: '/api/agents/{agent_id}/deliveries',
    access: 'config',
    operationId: 'listDeliveries',
    summary: "List an agent's deliveries",
    tags: TAGS,
    params: AgentParams,
    query: DeliveryQuery,
    responses: { 200: { description: 'One page', schema: DeliveryList }, 404: 'Agent not found' },
    handler: async ({ principal, params, query }) => {
      const page = await pageDeliveries(agents, principal.accountId, params.agent_id, query);
      return reply(200, { deliveries: page.deliveries.map(deliveryWire), total: page.total, ...query });
    },
  });
}

function detail(agents: AgentDomain): Route {
  return route({
    method: 'get',
    path: '/api/agent-deliveries/{id}',
    access: 'config',
    operationId: 'getDelivery',
    summary: 'Get a delivery with its payload and response',
    tags: TAGS,
    params: DeliveryParams,
    responses: { 200: { description: 'The delivery', schema: DeliveryDetail }, 404: NOT_FOUND },
    handler: async ({ principal, params }) =>
      reply(200, deliveryDetailWire(await getDelivery(agents, principal.accountId, params.id))),
  });
}

function replay(agents: AgentDomain): Route {
  return route({
    method: 'post',
    path: '/api/agent-deliveries/{id}/replay',
    access: 'config',
    operationId: 'replayDelivery',
    summary: 'Queue a failed delivery again',
    tags: TAGS,
    params: DeliveryParams,
    responses: {
      202: { description: 'The delivery, queued', schema: DeliveryDetail },
      404: NOT_FOUND,
      409: 'Only a failed delivery can be replayed',
    },
    handler: async ({ principal, params }) =>
      reply(202, deliveryDetailWire(await replayDelivery(agents, principal, params.id))),
  });
}

function deliveryWire(delivery: StoredDelivery): z.output<typeof Delivery> {
  return {
    id: delivery.id,
    agent_id: delivery.agentId,
    event_type: delivery.eventType,
    status: delivery.status,
    error: delivery.error,
    created_at: delivery.createdAt,
    updated_at: delivery.updatedAt,
  };
}

/** A delivery with its payload and the response. */
export function deliveryDetailWire(delivery: StoredDelivery): z.output<typeof DeliveryDetail> {
  return { ...deliveryWire(delivery), payload: delivery.payload, response_body: delivery.responseBody };
}
