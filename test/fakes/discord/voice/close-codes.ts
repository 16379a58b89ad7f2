/** Close codes of the voice gateway and Discord's words for them (Voice Close Event Codes in Discord's documentation). */
export const CLOSE_CODES = {
  4001: 'Unknown opcode',
  4002: 'Failed to decode payload',
  4003: 'Not authenticated',
  4004: 'Authentication failed',
  4005: 'Already authenticated',
  4006: 'Session is no longer valid',
  4009: 'Session timeout',
  4011: 'Server not found',
  4012: 'Unknown protocol',
  4014: 'Disconnected',
  4015: 'Voice server crashed',
  4016: 'Unknown encryption mode',
  4017: 'E2EE/DAVE protocol required',
  4020: 'Bad request',
  4021: 'Disconnected: Rate Limited',
  4022: 'Disconnected: Call Terminated',
} as const;

export type CloseCode = keyof typeof CLOSE_CODES;

/** A client did what the voice gateway does not take: its connection ends. */
export class VoiceRefusal extends Error {
  readonly code: CloseCode;
  /** Whether the client is to blame. Of a session that has just ended it may not know yet. */
  readonly isOffence: boolean;

  /** `why` is for the fake's log of offences; the client reads only Discord's words. */
  constructor(code: CloseCode, why: string, isOffence = code !== 4006) {
    super(`${code} ${CLOSE_CODES[code]}: ${why}`);
    this.code = code;
    this.isOffence = isOffence;
  }
}
