import { GatewayError } from '../../base/errors.ts';
import { networkCode, neverArrived } from '../../base/network-error.ts';

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

/** A request that got no answer. */
export interface Unanswered {
  readonly kind: Exclude<FailureKind, 'later'>;
  readonly words: string;
}

/**
 * Classifies what `fetch`, or a client built on it, rejected with. `platform`: its name. `wasWhole`: the entire request had
 * been handed over. A file to upload that cannot be read refuses the request: nothing else of it is read from elsewhere.
 */
export function unanswered(platform: string, error: unknown, wasWhole = true): Unanswered {
  const { cause } = error as { cause?: unknown };
  const source = [error, cause].find((each) => each instanceof GatewayError);
  if (source !== undefined) return { kind: 'refused', words: source.message };
  const code = networkCode(error);
  if (neverArrived(code)) return { kind: 'unreachable', words: `${platform} could not be reached: ${code}` };
  const words = `${platform} did not answer${code === '' ? '' : ` (${code})`}`;
  return { kind: wasWhole ? 'unclear' : 'unreachable', words };
}
