import { DEFAULT_EVENT_FILTER, type EventType } from '../../agents/provider-settings.ts';
import type { InlineAgent } from '../../store/inline/inline-agents.ts';
import type { StoredEvent } from '../../store/messages/events.ts';

/** Returns whether an agent's model is called for an event. */
export function isWanted({ eventFilter }: Pick<InlineAgent, 'eventFilter'>, type: string): boolean {
  return (
    Object.hasOwn(DEFAULT_EVENT_FILTER, type) &&
    (eventFilter[type] ?? DEFAULT_EVENT_FILTER[type as EventType])
  );
}

/** Returns the conversation or call that an event is about. Null: neither. */
export function laneOf({
  payload: { call_id, conversation_id },
}: Pick<StoredEvent, 'payload'>): string | null {
  const lane = call_id ?? conversation_id;
  return typeof lane === 'string' ? lane : null;
}
