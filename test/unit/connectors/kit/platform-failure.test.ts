import { expect, test } from 'vitest';
import { GatewayError } from '../../../../src/base/errors.ts';
import { platformFailure } from '../../../../src/connectors/kit/platform-failure.ts';

const REFUSED = Object.assign(new Error('connect ECONNREFUSED ::1:9'), { code: 'ECONNREFUSED' });

/** How `fetch` reports a failure of the network. */
function failedFetch(cause: unknown): Error {
  return new TypeError('fetch failed', { cause });
}

test.each([
  ['no listener', failedFetch(REFUSED), 'unreachable', 'Acme could not be reached: ECONNREFUSED'],
  [
    'an error per address',
    failedFetch(new AggregateError([REFUSED, REFUSED])),
    'unreachable',
    'Acme could not be reached: ECONNREFUSED',
  ],
  [
    'a certificate of another host',
    failedFetch({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
    'unreachable',
    'Acme could not be reached: ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  ['a reset', failedFetch({ code: 'ECONNRESET' }), 'unclear', 'Acme did not answer (ECONNRESET)'],
  ['a deadline', new DOMException('late', 'TimeoutError'), 'unclear', 'Acme did not answer'],
  [
    'an unreadable file',
    failedFetch(new GatewayError('platform_failed', 'The file is gone')),
    'refused',
    'The file is gone',
  ],
] as const)('%s', (_what, error, kind, words) => {
  expect(platformFailure('Acme', error)).toMatchObject({ kind, message: words });
});

test('a request that was cut before its end did not reach the platform', () => {
  const error = failedFetch({ code: 'ECONNRESET' });
  expect(platformFailure('Acme', error, false).kind).toBe('unreachable');
});
