import type { IncomingHttpHeaders } from 'node:http';
import type { UpgradeRefusal } from '../speech-sockets.ts';

const REQUEST_ID = '0d7f2e0c-0000-4000-8000-000000000001';

/** Answers to upgrades. https://developers.deepgram.com/docs/errors */
export function deepgramRefusal(status: number, err_code: string, err_msg: string): UpgradeRefusal {
  return {
    status,
    body: { err_code, err_msg, request_id: REQUEST_ID },
    headers: { 'dg-error': err_msg, 'dg-request-id': REQUEST_ID },
  };
}

export const BAD_KEY = deepgramRefusal(401, 'INVALID_AUTH', 'Invalid credentials.');
export const TOO_MANY = deepgramRefusal(
  429,
  'TOO_MANY_REQUESTS',
  'Too many requests. Please try again later',
);
export const NO_MODEL = deepgramRefusal(
  403,
  'INSUFFICIENT_PERMISSIONS',
  'Project does not have access to the model',
);
/** The newer form of the body. */
export const OUT_OF_FUNDS: UpgradeRefusal = {
  status: 402,
  body: {
    category: 'ASR_PAYMENT_REQUIRED',
    message: 'Project does not have enough credits for an ASR request.',
    details: 'Please top up.',
    request_id: REQUEST_ID,
  },
};

/** Idle for 10 s. */
export const IDLE_CLOSE = {
  code: 1011,
  reason: 'Deepgram did not receive audio data or a text message within the timeout window: NET-0001',
} as const;

export function hasKey({ authorization }: IncomingHttpHeaders, key: string): boolean {
  return authorization === `Token ${key}`;
}
