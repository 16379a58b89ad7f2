import type { Termination } from '../../../../base/termination.ts';
import { splitList } from '../message/list-header.ts';

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const GAVE_UP: Termination = { result: 'missed', reason: 'caller hung up' };

/** What became of the call at another place, by protocol and cause: a status, or ITU-T Q.850's "non-selected user clearing". */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['SIP 200', 'answered elsewhere'],
  ['Q.850 26', 'answered elsewhere'],
  ['SIP 600', 'declined elsewhere'],
  ['SIP 603', 'declined elsewhere'],
]);

/** What the Reason headers of a CANCEL (RFC 3326) say of a call that rings at several places. */
export function cancellationOf(reasons: readonly string[]): Termination {
  for (const reason of reasons.flatMap(splitList)) {
    const [protocol = '', ...parameters] = reason.replace(QUOTED, '').split(';');
    const cause = parameters
      .map((each) => /^\s*cause\s*=\s*(\d{1,3})\s*$/i.exec(each)?.[1])
      .find((each) => each);
    const elsewhere = ELSEWHERE.get(`${protocol.trim().toUpperCase()} ${cause}`);
    if (elsewhere !== undefined) return { result: 'missed', reason: elsewhere };
  }
  return GAVE_UP;
}
