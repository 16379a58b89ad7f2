import type { Db } from '../../store/database/rows.ts';
import type { Delivery } from '../../store/inline/deliveries.ts';
import { type BusyLane, beginTurn, listTurn, listWaiting } from '../../store/inline/delivery-turns.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { InlineDomain } from '../inline-domain.ts';

/** Limit of events in one turn. */
export const MAX_MERGED = 20;

/** A turn of a model: one delivery that leads it, and those that arrived meanwhile. */
export interface Turn {
  readonly place: BusyLane;
  readonly lead: Delivery;
  /** All of its deliveries, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** More waits in the lane. */
  readonly hasMore: boolean;
}

/**
 * Returns the turn of a lane that an earlier process left, or begins one with what waits there. Null: nothing does.
 */
export async function openTurn({ store, clock }: InlineDomain, place: BusyLane): Promise<Turn | null> {
  const waiting = await listWaiting(store.db, place, MAX_MERGED + 1);
  const [lead] = waiting;
  if (!lead) return null;
  if (lead.status === 'queued') return await newTurn(store.db, place, waiting, clock.nowIso());
  const hasMore = waiting.some(({ status }) => status === 'queued');
  return { place, lead, deliveries: await listTurn(store.db, lead.id), hasMore };
}

async function newTurn(
  db: Db,
  place: BusyLane,
  queued: readonly Delivery[],
  nowIso: string,
): Promise<Turn | null> {
  const [lead, ...others] = queued.slice(0, MAX_MERGED);
  if (!lead) return null;
  await beginTurn(db, [lead.id, ...others.map(({ id }) => id)], nowIso);
  const begun = { ...lead, status: 'sent', turnId: lead.id } as const;
  return { place, lead: begun, deliveries: [begun, ...others], hasMore: queued.length > MAX_MERGED };
}

/** Where a turn takes place, and thus what its actions may do. */
export type TurnPlace =
  | { readonly kind: 'conversation'; readonly platform: MessagePlatform; readonly conversationId: string }
  /** `isInvite`: the turn decides whether the call is accepted. */
  | { readonly kind: 'call'; readonly callId: string; readonly isInvite: boolean }
  /** A synthetic event: nothing is carried out. */
  | { readonly kind: 'test' };

export function placeOf({ deliveries }: Pick<Turn, 'deliveries'>): TurnPlace {
  const [first] = deliveries;
  const { platform, conversation_id, call_id } = first?.payload ?? {};
  if (typeof call_id === 'string') {
    const isInvite = deliveries.some(({ eventType }) => eventType === 'call_invite');
    return { kind: 'call', callId: call_id, isInvite };
  }
  if (typeof conversation_id !== 'string') return { kind: 'test' };
  return { kind: 'conversation', platform: platform as MessagePlatform, conversationId: conversation_id };
}
