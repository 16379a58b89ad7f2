import type { Termination, TerminationResult } from '../../../../base/termination.ts';

/** Maps the final status of a rejected or unanswered INVITE to the call's termination (RFC 3261 section 21). */
export function terminationOf(status: number, phrase: string): Termination {
  return { result: resultOf(status), reason: `${status} ${phrase}`.trim() };
}

function resultOf(status: number): TerminationResult {
  switch (status) {
    case 486:
    case 600:
      return 'busy';
    case 603:
      return 'refused';
    case 408:
    case 480:
    case 487:
      return 'no_answer';
    default:
      return 'failed';
  }
}
