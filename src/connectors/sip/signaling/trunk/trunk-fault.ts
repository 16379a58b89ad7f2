/**
 * Error code shown to an account when its trunk is unusable. Nothing more is revealed, because exact errors and their
 * timing would expose the gateway's network.
 */
export type TrunkFaultCode = 'unreachable' | 'tls_failed' | 'not_allowed';

const TEXTS = {
  unreachable: 'the SIP trunk cannot be reached',
  tls_failed: 'TLS with the SIP trunk failed',
  not_allowed: 'the address of the SIP trunk is not allowed',
} as const;

/** Carries the exact error as `cause`, for the log. */
export class TrunkFault extends Error {
  readonly code: TrunkFaultCode;

  constructor(code: TrunkFaultCode, cause?: unknown) {
    super(TEXTS[code], { cause });
    this.name = 'TrunkFault';
    this.code = code;
  }
}

/** Converts any failure to reach a trunk's server into the error its account may see. */
export function trunkFault(error: unknown): TrunkFault {
  return error instanceof TrunkFault ? error : new TrunkFault('unreachable', error);
}

/** Returns the exact error text, for the log. */
export function faultDetail(fault: TrunkFault): string {
  return fault.cause instanceof Error ? fault.cause.message : fault.message;
}
