import { expect, test } from 'vitest';
import { SecretBox } from '../../../../src/store/secrets/secret-box.ts';

const PLACE = { table: 'sip_trunks', column: 'sealed_password', row: 'acc_1' };
const box = new SecretBox(Buffer.alloc(32, 7));

test.each(['hunter2', '', 'pâté 🔑', 'x'.repeat(10_000)])('a sealed secret opens again (%#)', (secret) => {
  const sealed = box.seal(secret, PLACE);
  expect(sealed).toMatch(new RegExp(`^v1\\.${box.keyId}\\.[\\w-]+$`));
  expect(box.open(sealed, PLACE)).toBe(secret);
});

test('the same secret is sealed differently each time', () => {
  expect(box.seal('hunter2', PLACE)).not.toBe(box.seal('hunter2', PLACE));
});

test.each([{ table: 'bot_tokens' }, { column: 'realm' }, { row: 'acc_2' }])(
  'a sealed secret does not open with another %j',
  (elsewhere) => {
    const sealed = box.seal('hunter2', PLACE);
    expect(() => box.open(sealed, { ...PLACE, ...elsewhere })).toThrow();
  },
);

test('a sealed secret does not open when any bit is changed, or when it is cut short', () => {
  const sealed = box.seal('hunter2', PLACE);
  const [version, keyId, body] = sealed.split('.') as [string, string, string];
  const bytes = Buffer.from(body, 'base64url');
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes);
    changed[index] = changed[index]! ^ 1;
    expect(() => box.open(`${version}.${keyId}.${changed.toString('base64url')}`, PLACE)).toThrow();
    expect(() =>
      box.open(`${version}.${keyId}.${bytes.subarray(0, index).toString('base64url')}`, PLACE),
    ).toThrow();
  }
});

test('a different key opens nothing, and the error names the right one', () => {
  const other = new SecretBox(Buffer.alloc(32, 8));
  expect(other.keyId).not.toBe(box.keyId);
  expect(() => other.open(box.seal('hunter2', PLACE), PLACE)).toThrow(box.keyId);
  expect(() => box.open('hunter2', PLACE)).toThrow('is not a sealed secret');
});
