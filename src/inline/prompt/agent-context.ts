import type { Capability } from '../../base/platform.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import { CONTEXT_MARKER, type ForeignText } from './foreign-text.ts';

/** Facts that save the model a look-up, as plain data. */
export interface AgentContext {
  /** By it the turn can be found at the provider again. */
  readonly deliveryId: string;
  readonly agentName: string;
  /** ISO 8601. */
  readonly nowIso: string;
  /** The platform accounts of the agent. */
  readonly accounts: readonly { readonly id: string; readonly platform: string }[];
  /** Its live calls. */
  readonly calls: readonly {
    readonly callId: string;
    readonly platform: string;
    readonly state: string;
  }[];
  readonly place: ConversationContext | CallContext | null;
}

/** The conversation that the events are from. */
export interface ConversationContext {
  readonly kind: 'conversation';
  readonly conversationId: string;
  readonly platform: MessagePlatform;
  readonly takesFiles: boolean;
  /** Maximum length of a message; null: unknown. */
  readonly maxCharacters: number | null;
  /** Until the person writes again, messages wait; null: the platform always takes them. */
  readonly isWindowOpen: boolean | null;
}

/** The call that the events are from. */
export interface CallContext {
  readonly kind: 'call';
  readonly callId: string;
  readonly platform: string;
  readonly capabilities: readonly Capability[];
  /** Whether text of the reply is spoken. */
  readonly isSpoken: boolean;
}

/** The line that stands before the events of a turn: JSON behind a marker. */
export function contextLine(context: AgentContext, foreign: ForeignText): string {
  const { deliveryId, agentName, nowIso, accounts, calls, place } = context;
  const facts = {
    delivery: deliveryId,
    agent: agentName,
    now: nowIso,
    accounts: accounts.map(({ id, platform }) => ({ account_id: id, platform })),
    active_calls: calls.map(({ callId, platform, state }) => ({ call_id: callId, platform, state })),
    ...(place !== null && { here: placeFacts(place) }),
  };
  return `${CONTEXT_MARKER} ${foreign.json(facts)}`;
}

function placeFacts(place: ConversationContext | CallContext): Record<string, unknown> {
  if (place.kind === 'call') {
    const { callId, platform, capabilities, isSpoken } = place;
    return { call_id: callId, platform, capabilities, text_is: isSpoken ? 'spoken' : 'written' };
  }
  const { conversationId, platform, takesFiles, maxCharacters, isWindowOpen } = place;
  return {
    conversation_id: conversationId,
    platform,
    files: takesFiles,
    ...(maxCharacters !== null && { max_characters: maxCharacters }),
    ...(isWindowOpen !== null && { window_open: isWindowOpen }),
  };
}
