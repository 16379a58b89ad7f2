import type { ApiError } from './graph-errors.ts';

/** Why a request gets no answer: its connection breaks, or nothing comes ever. */
export type NoAnswer = 'cut' | 'held';

/** The fault that a request for a message meets. `when`: before or after it is carried out. */
type Fault =
  | { readonly error: ApiError }
  | { readonly noAnswer: NoAnswer; readonly when: 'before' | 'after'; reached(): void };

/** The faults of the next requests for messages, one each. */
export class MessageFaults {
  readonly #next: (Fault | null)[] = [];

  /** The request after so many others is answered with this error. */
  refuse(error: ApiError, afterCount: number): void {
    this.#next.push(...Array<null>(afterCount).fill(null), { error });
  }

  /** Resolves when the request has come as far as `when`. */
  leave(noAnswer: NoAnswer, when: 'before' | 'after'): Promise<void> {
    return new Promise((reached) => this.#next.push({ noAnswer, when, reached }));
  }

  /** Carries a request out, or has it meet its fault. */
  meet<Answer>(carryOut: () => Answer, refused: (error: ApiError) => Answer): Answer | NoAnswer {
    const fault = this.#next.shift();
    if (!fault) return carryOut();
    if ('error' in fault) return refused(fault.error);
    if (fault.when === 'after') carryOut();
    fault.reached();
    return fault.noAnswer;
  }
}
