import { expect, test } from 'vitest';
import { cookieNamed } from '../../../src/api/auth/cookies.ts';

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
