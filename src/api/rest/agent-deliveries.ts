import type { z } from 'zod';
import {
  type DeliveryDomain,
  getDelivery,
  pageDeliveries,
  replayDelivery,
  type WholeDelivery,
} from '../../inline/deliveries/deliveries.ts';
import { isProviderStatus } from '../../inline/provider/provider-status.ts';
import type { Delivery as StoredDelivery } from '../../store/inline/deliveries.ts';
import type { StoredAction } from '../../store/inline/delivery-actions.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { AgentParams } from '../schema/agent.ts';
import {
  type Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
  NewDelivery,
} from '../schema/delivery.ts';

const config = resource('config', 'Agents');

/** Routes for deliveries to the models behind agents. */
export function deliveryRoutes(domain: DeliveryDomain): Route[] {
  return [
    config.get('/api/agents/{agent_id}/deliveries', {
      operationId: 'listDeliveries',
      summary: "List an agent's deliveries",
      params: AgentParams,
      query: DeliveryQuery,
      responses: { 200: { description: 'One page', schema: DeliveryList } },
      fails: ['agent_not_found'],
      handler: async ({ principal, params, query }) => {
        const page = await pageDeliveries(domain, principal.accountId, params.agent_id, query);
        return reply(200, { deliveries: page.deliveries.map(deliveryWire), total: page.total, ...query });
      },
    }),
    config.get('/api/agent-deliveries/{id}', {
      operationId: 'getDelivery',
      summary: 'Get a delivery with its payload and response',
      params: DeliveryParams,
      responses: { 200: { description: 'The delivery', schema: DeliveryDetail } },
      fails: ['delivery_not_found'],
      handler: async ({ principal, params }) =>
        reply(200, deliveryDetailWire(await getDelivery(domain, principal.accountId, params.id))),
    }),
    config.post('/api/agent-deliveries/{id}/replay', {
      operationId: 'replayDelivery',
      summary: 'Deliver the event of a failed delivery again',
      description: 'Queues a new delivery, which the model answers anew.',
      params: DeliveryParams,
      responses: { 202: { description: 'The new delivery, queued', schema: NewDelivery } },
      fails: ['delivery_not_found', 'delivery_not_failed', 'too_many_deliveries'],
      handler: async ({ principal, params }) =>
        reply(202, newDeliveryWire(queued(await replayDelivery(domain, principal, params.id)))),
    }),
  ];
}

function deliveryWire(delivery: StoredDelivery): z.output<typeof Delivery> {
  return {
    id: delivery.id,
    agent_id: delivery.agentId,
    event_type: delivery.eventType,
    status: delivery.status,
    error: delivery.error,
    error_type: delivery.errorType,
    turn_id: delivery.turnId,
    replay_of: delivery.replayOf,
    created_at: delivery.createdAt,
    updated_at: delivery.updatedAt,
  };
}

/** A delivery without a reply yet. */
export function queued(delivery: StoredDelivery): WholeDelivery {
  return { delivery, actions: [] };
}

/** A delivery with its payload, the response and what it asked for. */
export function deliveryDetailWire({ delivery, actions }: WholeDelivery): z.output<typeof DeliveryDetail> {
  return {
    ...deliveryWire(delivery),
    payload: delivery.payload,
    response_body: delivery.responseBody,
    provider: delivery.provider,
    attempts: delivery.attempts,
    usage: { input_tokens: delivery.inputTokens, output_tokens: delivery.outputTokens },
    health: healthOf(delivery),
    started_at: delivery.startedAt,
    answered_at: delivery.answeredAt,
    turn_metrics: delivery.turnMetrics,
    actions: actions.map(actionWire),
  };
}

/** A delivery that a request has made. */
export function newDeliveryWire(whole: WholeDelivery): z.output<typeof NewDelivery> {
  return { ...deliveryDetailWire(whole), result_path: `/api/agent-deliveries/${whole.delivery.id}` };
}

function healthOf({ eventType, status, errorType }: StoredDelivery) {
  if (eventType !== 'healthcheck') return null;
  if (status === 'delivered') return 'ok';
  return isProviderStatus(errorType) ? errorType : null;
}

function actionWire({ position, detail, status, reason, updatedAt }: StoredAction) {
  return { index: position, action: detail, status, reason, updated_at: updatedAt };
}
