import { expect, test } from 'vitest';
import { cookieNamed, returnCookie, returnUrl } from '../../../src/api/auth/cookies.ts';

test.each([
  ['svc=1', '1'],
  ['a=b; svc=1; c=d', '1'],
  ['a=b;svc=1', '1'],
  ['a=b;\t svc \t= 1 ;c=d', '1'],
  ['svc=1; svc=2', '1'],
  ['svc=a=b==', 'a=b=='],
  ['svc=', ''],
  ['', ''],
  ['svc', ''],
  ['svc; svc=1', '1'],
  ['xsvc=1', ''],
  ['svcx=1; svc=2', '2'],
  ['a=svc=1', ''],
  ['a=svc; svc=2', '2'],
  ['a="; svc=1"', '1"'],
  ['SVC=1', ''],
  ['s svc=1', ''],
  ['svcsvc=1; svc=2', '2'],
])('the value of svc in %j is %j', (header, value) => {
  expect(cookieNamed('svc', header)).toBe(value);
});

test('the page that required a sign-in is found again, without its wish for one', () => {
  const query = { nc_url: 'https://a.example/?&;=', prompt: 'login' };
  const cookie = returnCookie('/connect/nctalk', query, 'https://gateway.example')!;
  const kept = cookie.split(';')[0]!;
  expect(returnUrl(kept, 'https://gateway.example')).toBe(
    'https://gateway.example/connect/nctalk?nc_url=https%3A%2F%2Fa.example%2F%3F%26%3B%3D',
  );
});

test.each([
  '',
  '/oauth/authorize',
  '//evil.example/connect/a?x',
  '/connect/../api/account?x',
  '/connect/a/b?x',
  '/connect/?x',
  '@evil.example/connect/a?x',
  '/auth/logout?x',
])('%j is no page to return to', (kept) => {
  expect(returnUrl(`svc_return=${kept}`, 'https://gateway.example')).toBeNull();
});
