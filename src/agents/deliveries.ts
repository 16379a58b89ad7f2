import { GatewayError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { findProvider } from '../store/agents/agent-providers.ts';
import {
  countDeliveries,
  type Delivery,
  findDelivery,
  insertDelivery,
  listDeliveries,
  type Page,
  requeueDelivery,
} from '../store/agents/deliveries.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';

/** Limit of queued deliveries when a test is added. */
const MAX_QUEUED = 100;

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly total: number;
}

/**
 * Kinds of deliveries that can be sent by hand to an agent's model: a probe of its endpoint, or a synthetic message.
 */
export type TestKind = 'healthcheck' | 'test';

/** Returns one page of an agent's deliveries, newest first. Throws `agent_not_found`. */
export async function pageDeliveries(
  { store }: AgentDomain,
  accountId: string,
  agentId: string,
  page: Page,
): Promise<DeliveryPage> {
  await requireAgent(store.db, accountId, agentId);
  const deliveries = await listDeliveries(store.db, agentId, page);
  return { deliveries, total: await countDeliveries(store.db, agentId) };
}

/** Returns one delivery. Throws `delivery_not_found`. */
export async function getDelivery(
  { store }: AgentDomain,
  accountId: string,
  deliveryId: string,
): Promise<Delivery> {
  const delivery = await findDelivery(store.db, accountId, deliveryId);
  if (!delivery) throw new GatewayError('delivery_not_found');
  return delivery;
}

/** Queues a failed delivery again. Throws `delivery_not_found`, `delivery_not_failed`. */
export async function replayDelivery(
  { store, clock }: AgentDomain,
  actor: Actor,
  deliveryId: string,
): Promise<Delivery> {
  return await store.db.transaction().execute(async (trx) => {
    const former = await findDelivery(trx, actor.accountId, deliveryId);
    if (!former) throw new GatewayError('delivery_not_found');
    if (former.status !== 'failed') throw new GatewayError('delivery_not_failed');
    const updatedAt = clock.nowIso();
    await requeueDelivery(trx, deliveryId, updatedAt);
    await audit(trx, actor, { action: 'delivery.replay', subject: deliveryId });
    return { ...former, status: 'queued', responseBody: null, error: null, updatedAt };
  });
}

/**
 * Queues a test for an agent's model. Throws `agent_not_found`, `no_provider`, `too_many_deliveries`.
 */
export async function queueTest(
  { store, clock }: AgentDomain,
  actor: Actor,
  agentId: string,
  kind: TestKind,
): Promise<Delivery> {
  return await store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    if (!(await findProvider(trx, store.secrets, agentId))) throw new GatewayError('no_provider');
    if ((await countDeliveries(trx, agentId, 'queued')) >= MAX_QUEUED)
      throw new GatewayError('too_many_deliveries');
    const delivery = testDelivery(actor.accountId, agentId, kind, clock.nowIso());
    await insertDelivery(trx, delivery);
    await audit(trx, actor, {
      action: `agent.${kind}`,
      subject: agentId,
      detail: { deliveryId: delivery.id },
    });
    return delivery;
  });
}

function testDelivery(accountId: string, agentId: string, kind: TestKind, nowIso: string): Delivery {
  const message = { type: 'dm_chat', platform: 'test', text: 'Hello! This is a test.', created_at: nowIso };
  return {
    id: newId('dlv'),
    accountId,
    agentId,
    eventType: kind === 'test' ? 'dm_chat' : 'healthcheck',
    status: 'queued',
    payload: kind === 'test' ? { ...message, synthetic: true } : { type: 'healthcheck' },
    responseBody: null,
    error: null,
    createdAt: nowIso,
    updatedAt: nowIso,
  };
}
