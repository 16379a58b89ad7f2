import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { Turn } from './open-turn.ts';

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
