import { expect, test } from 'vitest';
import { keyOfLogin, type LoginRef, loginOfKey } from '../../../../src/base/address.ts';
import { newId } from '../../../../src/base/ids.ts';

test.each<[LoginRef, RegExp]>([
  [{ kind: 'shared' }, /^shared$/],
  [{ kind: 'bot_token', id: newId('bot') }, /^bot_/],
  [{ kind: 'connection', id: newId('con') }, /^con_/],
])('the login %o is found again by its key', (login, key) => {
  expect(keyOfLogin(login)).toMatch(key);
  expect(loginOfKey(keyOfLogin(login))).toEqual(login);
});
