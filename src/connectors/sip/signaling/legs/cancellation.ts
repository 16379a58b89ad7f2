import type { Termination } from '../../../../base/termination.ts';
import { splitList } from '../message/list-header.ts';

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const GAVE_UP: Termination = { result: 'missed', reason: 'caller hung up' };

/** What the Reason headers of a CANCEL (RFC 3326) say of a call that rings at several places: by the status that ended it. */
export function cancellationOf(reasons: readonly string[]): Termination {
  for (const reason of reasons.flatMap(splitList)) {
    const [protocol = '', ...parameters] = reason.replace(QUOTED, '').split(';');
    if (protocol.trim().toUpperCase() !== 'SIP') continue;
    const cause = parameters
      .map((each) => /^\s*cause\s*=\s*(\d{3})\s*$/i.exec(each)?.[1])
      .find((each) => each);
    if (cause === '200') return { result: 'missed', reason: 'answered elsewhere' };
    if (cause === '600' || cause === '603') return { result: 'missed', reason: 'declined elsewhere' };
  }
  return GAVE_UP;
}
