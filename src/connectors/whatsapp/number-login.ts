import * as z from 'zod';
import type { Clock } from '../../base/time.ts';
import { withDeadline } from '../../base/waits.ts';
import { LOGIN_OK, LoginCheck } from '../kit/login-check.ts';
import type { GraphClient } from './graph-client.ts';

const DEADLINE_MS = 15_000;

const PhoneNumber = z.object({ display_phone_number: z.string() });

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
        ask: async (closing) => ({
          name: await withDeadline(clock, DEADLINE_MS, closing, (signal) => numberOf(graph, signal)),
        }),
        wordsOf: (error) => (error as Error).message,
        onState: ({ status }, former) => {
          if (status !== former.status) onProblem(status === LOGIN_OK ? null : status);
        },
      },
      { status: 'not logged in yet' },
    );
  }
}

/** Rejects with an error that tells the problem. */
async function numberOf(graph: GraphClient, signal: AbortSignal): Promise<string> {
  const answer = await graph.get(`${graph.phoneNumberId}?fields=display_phone_number`, signal);
  if (answer.kind !== 'ok') throw new Error(answer.kind === 'error' ? answer.error.text : answer.reason);
  const { data: number } = PhoneNumber.safeParse(answer.body);
  if (number === undefined) throw new Error('the response contains no phone number');
  return number.display_phone_number;
}
