import { DEFAULT_EVENT_FILTER, type EventType } from '../../agents/provider-settings.ts';
import { newId } from '../../base/ids.ts';
import { isoAfter } from '../../base/time.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { countLaneSince, type DeliveryFailure, insertDelivery } from '../../store/inline/deliveries.ts';
import type { BusyLane } from '../../store/inline/delivery-turns.ts';
import {
  type AgentWithNews,
  type InlineAgent,
  listAgentsWithNews,
  unreadEvents,
} from '../../store/inline/inline-agents.ts';
import type { StoredEvent } from '../../store/messages/events.ts';
import type { InlineDomain } from '../inline-domain.ts';
import { claimedPayload } from '../turn/told-events.ts';
import { MODEL_BUDGETS } from '../turn/turn-budget.ts';
import { budgetSpent, KEY_REFUSED, LOOP, QUEUE_FULL } from './skipped.ts';

/** Events of an agent claimed in one transaction, which holds up everybody else. */
const MAX_CLAIMED = 20;
/** Limit of deliveries of an agent that wait. Further ones fail. */
export const MAX_QUEUED = 500;
/** A model whose key was refused so often is no longer called. */
export const MAX_KEY_REFUSALS = 5;
/** Limit of messages in one conversation between agents for which a model is called. */
export const MAX_AGENT_TURNS = 20;
const AGENT_TURNS_MS = 3_600_000;

/** A lane with a new delivery. */
export interface ClaimedLane extends BusyLane {
  readonly eventType: string;
}

/** What was claimed in one transaction. */
interface Claimed {
  readonly lanes: readonly ClaimedLane[];
  /** Whether there may be more events. */
  readonly isFull: boolean;
}

/**
 * Turns some new events of an account into deliveries to its agents' models, one for each event that an agent's model is
 * called for. The deliveries and the position in the feed are stored together, so that each event is claimed once.
 */
export async function claimEvents(domain: InlineDomain, accountId: string): Promise<Claimed> {
  return await domain.store.db.transaction().execute((trx) => claimSome(domain, trx, accountId));
}

async function claimSome(domain: InlineDomain, trx: Db, accountId: string): Promise<Claimed> {
  const lanes: ClaimedLane[] = [];
  let isFull = false;
  for (const agent of await listAgentsWithNews(trx, accountId)) {
    const events = await unreadEvents(trx, agent, MAX_CLAIMED);
    const before = lanes.length;
    for (const event of events) {
      const queued = agent.queued + lanes.length - before;
      lanes.push(...(await claim(domain, trx, { ...agent, queued }, event)));
    }
    isFull ||= events.length === MAX_CLAIMED;
    const feedPosition = events.at(-1)?.id ?? agent.feedPosition;
    await changeRows(trx, 'agentProviders', { agentId: agent.agentId }, { feedPosition });
  }
  return { lanes, isFull };
}

async function claim(
  domain: InlineDomain,
  trx: Db,
  agent: AgentWithNews,
  event: StoredEvent,
): Promise<ClaimedLane[]> {
  const lane = laneOf(event);
  if (lane === null || !isWanted(agent, event.type)) return [];
  const { accountId, agentId } = agent;
  const failure = await reasonToSkip(domain, trx, agent, { event, lane });
  if (failure === QUEUE_FULL) domain.observer.queueFull('model_deliveries');
  await insertDelivery(
    trx,
    {
      id: newId('dlv'),
      accountId,
      agentId,
      eventId: event.id,
      eventType: event.type,
      lane,
      payload: claimedPayload(event),
      replayOf: null,
      createdAt: domain.clock.nowIso(),
    },
    failure,
  );
  return failure === null ? [{ accountId, agentId, lane, eventType: event.type }] : [];
}

async function reasonToSkip(
  { clock, budgets }: InlineDomain,
  trx: Db,
  agent: AgentWithNews,
  { event, lane }: { readonly event: StoredEvent; readonly lane: string },
): Promise<DeliveryFailure | null> {
  const { agentId, keyRefusals, queued } = agent;
  if (keyRefusals >= MAX_KEY_REFUSALS) return KEY_REFUSED;
  if (queued >= MAX_QUEUED) return QUEUE_FULL;
  const spent = budgets.spent(agent, MODEL_BUDGETS);
  if (spent) return budgetSpent(spent);
  if (event.platform !== 'agent') return null;
  const since = isoAfter(clock.nowIso(), -AGENT_TURNS_MS);
  return (await countLaneSince(trx, agentId, lane, since)) >= MAX_AGENT_TURNS ? LOOP : null;
}

/** Returns whether an agent's model is called for an event. */
function isWanted({ eventFilter }: Pick<InlineAgent, 'eventFilter'>, type: string): boolean {
  return (
    Object.hasOwn(DEFAULT_EVENT_FILTER, type) &&
    (eventFilter[type] ?? DEFAULT_EVENT_FILTER[type as EventType])
  );
}

/** Returns the conversation or call that an event is about. Null: neither. */
function laneOf({ payload: { call_id, conversation_id } }: Pick<StoredEvent, 'payload'>): string | null {
  const lane = call_id ?? conversation_id;
  return typeof lane === 'string' ? lane : null;
}
