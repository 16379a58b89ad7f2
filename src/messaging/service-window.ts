import { isoAfter } from '../base/time.ts';
import type { Conversation } from '../store/conversations.ts';

/** Whether the other side may be written to without having to write first. */
export function isWindowOpen(
  { lastInboundAt }: Pick<Conversation, 'lastInboundAt'>,
  nowIso: string,
  windowMs: number,
): boolean {
  return lastInboundAt !== null && nowIso < isoAfter(lastInboundAt, windowMs);
}
