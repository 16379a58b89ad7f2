import type { Call } from '../../api/items.ts';
import { texts } from '../../texts.ts';

/** Who or what the call is with. */
export function otherSide({
  direction,
  caller,
  meeting_url: url,
}: Pick<Call, 'direction' | 'caller' | 'meeting_url'>): string {
  return (direction === 'inbound' ? caller : url) || texts.calls.unknown;
}
