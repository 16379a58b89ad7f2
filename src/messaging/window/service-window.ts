import { isoAfter } from '../../base/time.ts';
import type { Conversation } from '../../store/messages/conversations.ts';

/**
 * Returns whether a person can be written to on a platform with a service window. The window runs from the platform's
 * timestamp of their last message, unless the platform has since reported it closed.
 */
export function isWindowOpen(
  { closure, lastInboundAt }: Pick<Conversation, 'closure' | 'lastInboundAt'>,
  nowIso: string,
  windowMs: number,
): boolean {
  return closure === null && lastInboundAt !== null && nowIso < isoAfter(lastInboundAt, windowMs);
}
