import { GatewayError } from '../../base/errors.ts';
import { networkCode, neverArrived } from '../../base/network-error.ts';
import { oneLine } from '../../base/one-line.ts';

/** Kinds of failed requests to a platform. */
export type FailureKind =
  /** The platform rejected the request. */
  | 'refused'
  /** Rate limited, or a short outage. Nothing was done. */
  | 'later'
  /** The request did not reach the platform. */
  | 'unreachable'
  /** The request may have been carried out: there was no readable answer, or a server error. */
  | 'unclear';

export interface FailureFacts {
  /** HTTP status; 0 without an answer of the platform's. */
  readonly status?: number;
  /** The platform's own word or number for the error; '' for none. */
  readonly code?: string;
  /** Delay before the request may be repeated; 0: the platform did not say. */
  readonly afterMs?: number;
  /** Whether the platform does not accept the token, or no longer. */
  readonly isLoggedOut?: boolean;
}

const MAX_WORDS = 300;

/** A failed request to a platform. */
export class PlatformFailure extends Error implements Required<FailureFacts> {
  override readonly name = 'PlatformFailure';
  readonly kind: FailureKind;
  readonly status: number;
  readonly code: string;
  readonly afterMs: number;
  readonly isLoggedOut: boolean;

  /** `words` are the platform's where it has answered, and never contain a token. */
  constructor(kind: FailureKind, words: string, facts: FailureFacts = {}) {
    super(oneLine(words, MAX_WORDS));
    this.kind = kind;
    this.status = facts.status ?? 0;
    this.code = facts.code ?? '';
    this.afterMs = facts.afterMs ?? 0;
    this.isLoggedOut = facts.isLoggedOut ?? false;
  }
}

/**
 * Classifies what `fetch`, or a client built on it, rejected with. `platform`: its name. `wasWhole`: the entire request had
 * been handed over. A file to upload that cannot be read refuses the request: nothing else of it is read from elsewhere.
 */
export function platformFailure(platform: string, error: unknown, wasWhole = true): PlatformFailure {
  if (error instanceof PlatformFailure) return error;
  const { cause } = error as { cause?: unknown };
  const source = [error, cause].find((each) => each instanceof GatewayError);
  if (source !== undefined) return new PlatformFailure('refused', source.message);
  const code = networkCode(error);
  if (neverArrived(code))
    return new PlatformFailure('unreachable', `${platform} could not be reached: ${code}`);
  const words = `${platform} did not answer${code === '' ? '' : ` (${code})`}`;
  return new PlatformFailure(wasWhole ? 'unclear' : 'unreachable', words);
}

/** What a failed look-up of a file means to whoever wants it. `isGone`: whether the platform says that it has no such file. */
export async function fileFound<T>(
  looking: Promise<T>,
  isGone: (failure: PlatformFailure) => boolean,
): Promise<T> {
  return await looking.catch((error: unknown) => {
    if (!(error instanceof PlatformFailure)) throw error;
    throw isGone(error) ? new GatewayError('file_gone') : new GatewayError('platform_failed', error.message);
  });
}
