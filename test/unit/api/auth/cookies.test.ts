import { expect, test } from 'vitest';
import { clearedSessionCookie, sessionCookie, sessionTokenOf } from '../../../../src/api/auth/cookies.ts';

test.each([
  ['svc_session=abc', 'abc'],
  ['theme=dark; svc_session=abc; x=1', 'abc'],
  ['theme=dark;svc_session= abc ', 'abc'],
  ['svc_session=a=b', 'a=b'],
  ['', null],
  ['svc_session=', null],
  ['svc_session', null],
  ['not_svc_session=abc', null],
  ['x=svc_session=abc', null],
  [';;;', null],
])('%j has the session token %j', (header, token) => {
  expect(sessionTokenOf(header)).toBe(token);
});

test('the session cookie is hidden from scripts and other sites, and from plain http behind https', () => {
  expect(sessionCookie('abc', 'http://127.0.0.1:8080')).toBe(
    'svc_session=abc; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax',
  );
  expect(sessionCookie('abc', 'https://voice.example.com')).toMatch(/; Secure$/);
  expect(clearedSessionCookie('https://voice.example.com')).toBe(
    'svc_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
  );
});
