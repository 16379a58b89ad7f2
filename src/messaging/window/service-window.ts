import { isoAfter } from '../../base/time.ts';
import type { Conversation } from '../../store/messages/conversations.ts';

/**
 * Whether somebody may be written to on a platform where they must have written lately: by the time that the platform
 * gave their last message, unless the platform has said since then that it is over.
 */
export function isWindowOpen(
  { closure, lastInboundAt }: Pick<Conversation, 'closure' | 'lastInboundAt'>,
  nowIso: string,
  windowMs: number,
): boolean {
  return closure === null && lastInboundAt !== null && nowIso < isoAfter(lastInboundAt, windowMs);
}
