/**
 * What an account is told when its trunk cannot be used. No more than that: exact errors and their timing would map
 * the gateway's network.
 */
export type TrunkFaultCode = 'unreachable' | 'tls_failed' | 'not_allowed';

const TEXTS = {
  unreachable: 'the SIP trunk cannot be reached',
  tls_failed: 'TLS with the SIP trunk failed',
  not_allowed: 'the address of the SIP trunk is not allowed',
} as const;

/** The exact error is its `cause`, for the log. */
export class TrunkFault extends Error {
  readonly code: TrunkFaultCode;

  constructor(code: TrunkFaultCode, cause?: unknown) {
    super(TEXTS[code], { cause });
    this.name = 'TrunkFault';
    this.code = code;
  }
}

/** Whatever went wrong on the way to a trunk's server, as its account may know it. */
export function trunkFault(error: unknown): TrunkFault {
  return error instanceof TrunkFault ? error : new TrunkFault('unreachable', error);
}

/** The exact text, for the log. */
export function faultDetail(fault: TrunkFault): string {
  return fault.cause instanceof Error ? fault.cause.message : fault.message;
}
