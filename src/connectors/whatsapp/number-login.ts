import type { Clock } from '../../base/time.ts';
import { LOGIN_OK, LoginCheck } from '../kit/login-check.ts';
import type { GraphClient } from './client.ts';

/**
 * Requests our phone number from Meta until it succeeds. Success proves that the token is valid and gives the number
 * for invite links: the login's name, as Meta displays it, for example `+1 555-0100`.
 */
export class NumberLogin extends LoginCheck {
  /** `onProblem` is called when a problem appears, changes or clears (null). */
  constructor(graph: GraphClient, clock: Clock, onProblem: (problem: string | null) => void) {
    super(
      {
        clock,
        ask: async (signal) => ({ name: await graph.displayedNumber(signal) }),
        wordsOf: (error) => (error as Error).message,
        onState: ({ status }, former) => {
          if (status !== former.status) onProblem(status === LOGIN_OK ? null : status);
        },
      },
      { status: 'not logged in yet' },
    );
  }
}
