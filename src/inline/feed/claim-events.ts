import { DEFAULT_EVENT_FILTER, type EventType } from '../../agents/provider-settings.ts';
import { newId } from '../../base/ids.ts';
import { changeRows, type Db } from '../../store/database/rows.ts';
import { insertDelivery } from '../../store/inline/deliveries.ts';
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
import { type Fate, fateOf } from './skip-event.ts';
import { QUEUE_FULL } from './skipped.ts';

/** Events of an agent claimed in one transaction, which holds up everybody else. */
const MAX_CLAIMED = 20;
/** A lane with a new delivery. */
export interface ClaimedLane extends BusyLane {
  readonly eventType: string;
  /** How long its turn waits, because a machine may be answering there. */
  readonly pauseMs: number;
}

/** What was claimed in one transaction. */
interface Claimed {
  readonly lanes: readonly ClaimedLane[];
  /** Conversations in which nobody gets an answer, nor the gateway's text. */
  readonly silent: readonly string[];
  /** The account has got an event of ours. */
  readonly hasNews: boolean;
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
  const silent: string[] = [];
  let hasNews = false;
  let isFull = false;
  for (const agent of await listAgentsWithNews(trx, accountId)) {
    const events = await unreadEvents(trx, agent, MAX_CLAIMED);
    const before = lanes.length;
    for (const event of events) {
      const queued = agent.queued + lanes.length - before;
      const claimed = await claim(domain, trx, { ...agent, queued }, event);
      if (claimed === null) continue;
      if (claimed.fate.kind === 'turn') lanes.push({ ...claimed.lane, pauseMs: claimed.fate.pauseMs });
      else if (claimed.fate.isSilent) silent.push(claimed.lane.lane);
      hasNews ||= claimed.fate.kind === 'skip' && claimed.fate.isTold;
    }
    isFull ||= events.length === MAX_CLAIMED;
    const feedPosition = events.at(-1)?.id ?? agent.feedPosition;
    await changeRows(trx, 'agentProviders', { agentId: agent.agentId }, { feedPosition });
  }
  return { lanes, silent, hasNews, isFull };
}

/** An event for which there is a delivery now. */
interface ClaimedEvent {
  readonly lane: Omit<ClaimedLane, 'pauseMs'>;
  readonly fate: Fate;
}

/** Null: the event is not for the model. */
async function claim(
  domain: InlineDomain,
  trx: Db,
  agent: AgentWithNews,
  event: StoredEvent,
): Promise<ClaimedEvent | null> {
  const lane = laneOf(event);
  if (lane === null || !isWanted(agent, event.type) || isBeforeAnswer(event)) return null;
  const { accountId, agentId } = agent;
  const fate = await fateOf(domain, trx, agent, { event, lane });
  const failure = fate.kind === 'skip' ? fate.failure : null;
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
  return { lane: { accountId, agentId, lane, eventType: event.type }, fate };
}

/** Returns whether an agent's model is called for an event. */
function isWanted({ eventFilter }: Pick<InlineAgent, 'eventFilter'>, type: string): boolean {
  return (
    Object.hasOwn(DEFAULT_EVENT_FILTER, type) &&
    (eventFilter[type] ?? DEFAULT_EVENT_FILTER[type as EventType])
  );
}

/** What is announced before a call is answered needs no reply: it would be the first that the far end hears. */
function isBeforeAnswer({ type, payload }: StoredEvent): boolean {
  return type === 'call_transcript' && payload.state === 'connecting';
}

/** Returns the conversation or call that an event is about. Null: neither. */
function laneOf({ payload: { call_id, conversation_id } }: Pick<StoredEvent, 'payload'>): string | null {
  const lane = call_id ?? conversation_id;
  return typeof lane === 'string' ? lane : null;
}
