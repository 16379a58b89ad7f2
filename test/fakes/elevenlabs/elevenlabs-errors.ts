import type { IncomingHttpHeaders } from 'node:http';
import type { UpgradeRefusal } from '../speech-sockets.ts';

/** Answers to upgrades. https://elevenlabs.io/docs/eleven-api/resources/errors */
export const BAD_KEY: UpgradeRefusal = {
  status: 401,
  body: {
    detail: {
      type: 'authentication_error',
      code: 'invalid_api_key',
      message: 'Invalid API key',
      status: 'invalid_api_key',
      request_id: 'r-1',
      param: null,
    },
  },
};
/** The older form of the body: a genuine key without money answers 401 as well. */
export const OUT_OF_FUNDS: UpgradeRefusal = {
  status: 401,
  body: { detail: { status: 'quota_exceeded', message: 'This request exceeds your quota of 10000.' } },
};
export const TOO_MANY: UpgradeRefusal = {
  status: 429,
  body: { detail: { status: 'too_many_concurrent_requests', message: 'Too many concurrent requests.' } },
};
export const NO_VOICE: UpgradeRefusal = {
  status: 400,
  body: { detail: { status: 'voice_not_found', message: 'A voice with this id was not found.' } },
};

/** A failed validation, as FastAPI words it. */
export function invalidQuery(msg: string): UpgradeRefusal {
  return { status: 422, body: { detail: [{ type: 'value_error', loc: ['query'], msg }] } };
}

export function hasKey(headers: IncomingHttpHeaders, key: string): boolean {
  return headers['xi-api-key'] === key;
}
