import { requireAgent } from '../../agents/agent-domain.ts';
import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Clock } from '../../base/time.ts';
import { findProvider } from '../../store/agents/agent-providers.ts';
import { countRows, type Db, findRow, listRows } from '../../store/database/rows.ts';
import {
  type Delivery,
  insertDelivery,
  listDeliveries,
  type NewDelivery,
  type Page,
} from '../../store/inline/deliveries.ts';
import type { StoredAction } from '../../store/inline/delivery-actions.ts';
import type { BusyLane } from '../../store/inline/delivery-turns.ts';
import { type Actor, audit } from '../../store/people/audit-log.ts';
import type { Store } from '../../store/store.ts';
import type { DeliveryWait, DeliveryWaits } from './delivery-waits.ts';

/** Limit of queued deliveries when one is added by hand. */
const MAX_QUEUED = 100;

/** Dependencies of the operations on deliveries, built once by the composition root. */
export interface DeliveryDomain {
  readonly store: Store;
  readonly clock: Clock;
  /** Called after the commit for a lane with a new delivery. */
  readonly offer: (lane: BusyLane) => void;
  readonly waits: DeliveryWaits;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly total: number;
}

/** A delivery with what the model's reply asked for. A merged delivery has the actions of its turn. */
export interface WholeDelivery {
  readonly delivery: Delivery;
  readonly actions: readonly StoredAction[];
}

/**
 * Kinds of deliveries that can be sent by hand to an agent's model: a probe of its endpoint, or a synthetic message.
 */
export type TestKind = 'healthcheck' | 'test';

/** Returns one page of an agent's deliveries, newest first. Throws `agent_not_found`. */
export async function pageDeliveries(
  { store }: DeliveryDomain,
  accountId: string,
  agentId: string,
  page: Page,
): Promise<DeliveryPage> {
  await requireAgent(store.db, accountId, agentId);
  const deliveries = await listDeliveries(store.db, agentId, page);
  return { deliveries, total: await countRows(store.db, 'deliveries', { agentId }) };
}

/** Returns one delivery. Throws `delivery_not_found`. */
export async function getDelivery(
  { store }: DeliveryDomain,
  accountId: string,
  deliveryId: string,
): Promise<WholeDelivery> {
  const delivery = await findRow(store.db, 'deliveries', { accountId, id: deliveryId });
  if (!delivery) throw new GatewayError('delivery_not_found');
  const lead = delivery.turnId ?? delivery.id;
  const actions = await listRows(store.db, 'deliveryActions', { deliveryId: lead }, ['position']);
  return { delivery, actions };
}

/**
 * Delivers the event of a failed delivery again, as a new delivery with a turn and actions of its own. Throws
 * `delivery_not_found`, `delivery_not_failed`, `too_many_deliveries`.
 */
export async function replayDelivery(
  domain: DeliveryDomain,
  actor: Actor,
  deliveryId: string,
): Promise<Delivery> {
  const replayed = await domain.store.db.transaction().execute(async (trx) => {
    const former = await findRow(trx, 'deliveries', { accountId: actor.accountId, id: deliveryId });
    if (!former) throw new GatewayError('delivery_not_found');
    if (former.status !== 'failed') throw new GatewayError('delivery_not_failed');
    await assertQueueRoom(trx, former.agentId);
    const { accountId, agentId, eventId, eventType, lane, payload } = former;
    const event = { accountId, agentId, eventId, eventType, lane, payload };
    const id = newId('dlv');
    await audit(trx, actor, { action: 'delivery.replay', subject: deliveryId, detail: { deliveryId: id } });
    return await insertDelivery(trx, {
      ...event,
      id,
      replayOf: deliveryId,
      createdAt: domain.clock.nowIso(),
    });
  });
  domain.offer(replayed);
  return replayed;
}

async function assertQueueRoom(db: Db, agentId: string): Promise<void> {
  if ((await countRows(db, 'deliveries', { agentId, status: 'queued' })) >= MAX_QUEUED)
    throw new GatewayError('too_many_deliveries');
}

/**
 * Queues a test for an agent's model. Throws `agent_not_found`, `no_provider`, `too_many_deliveries`.
 */
export async function queueTest(
  domain: DeliveryDomain,
  actor: Actor,
  agentId: string,
  kind: TestKind,
): Promise<Delivery> {
  const { store, clock } = domain;
  const queued = await store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    if (!(await findProvider(trx, store.secrets, agentId))) throw new GatewayError('no_provider');
    await assertQueueRoom(trx, agentId);
    const delivery = testDelivery(actor.accountId, agentId, kind, clock.nowIso());
    await audit(trx, actor, {
      action: `agent.${kind}`,
      subject: agentId,
      detail: { deliveryId: delivery.id },
    });
    return await insertDelivery(trx, delivery);
  });
  domain.offer(queued);
  return queued;
}

/**
 * Queues a test and waits until it has ended. Resolves with what is known of it by then. Throws as `queueTest`, and
 * `too_many_waiters` before anything is queued.
 */
export async function runTest(
  domain: DeliveryDomain,
  actor: Actor,
  target: { readonly agentId: string; readonly kind: TestKind },
  wait: DeliveryWait,
): Promise<WholeDelivery> {
  const { accountId } = actor;
  const leave = domain.waits.enter({ accountId, credentialId: actor.credentialId });
  try {
    const delivery = await queueTest(domain, actor, target.agentId, target.kind);
    // It is gone when its agent is deleted meanwhile.
    const read = async () =>
      (await findRow(domain.store.db, 'deliveries', { accountId, id: delivery.id })) &&
      (await getDelivery(domain, accountId, delivery.id));
    const isOver = (found: WholeDelivery | undefined) => found === undefined || hasEnded(found.delivery);
    return (await domain.waits.until(accountId, read, isOver, wait)) ?? { delivery, actions: [] };
  } finally {
    leave();
  }
}

const UNDER_WAY: ReadonlySet<Delivery['status']> = new Set(['queued', 'sent', 'answered']);

/** Whether nothing more becomes of a delivery. */
export function hasEnded({ status }: Delivery): boolean {
  return !UNDER_WAY.has(status);
}

function testDelivery(accountId: string, agentId: string, kind: TestKind, nowIso: string): NewDelivery {
  const message = { type: 'dm_chat', platform: 'test', text: 'Hello! This is a test.', created_at: nowIso };
  return {
    id: newId('dlv'),
    accountId,
    agentId,
    eventId: null,
    eventType: kind === 'test' ? 'dm_chat' : 'healthcheck',
    lane: kind,
    payload: kind === 'test' ? { ...message, synthetic: true } : { type: 'healthcheck' },
    replayOf: null,
    createdAt: nowIso,
  };
}
