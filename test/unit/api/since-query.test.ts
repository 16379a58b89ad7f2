import { expect, it } from 'vitest';
import { ValidationError, validate } from '../../../src/api/http/request/validation.ts';
import { SinceQuery } from '../../../src/api/schema/call.ts';

it.each([
  [{}, 0],
  [{ since: '0' }, 0],
  [{ since: '17' }, 17],
])('reads %j', (query, since) => {
  expect(validate(SinceQuery, 'query', query)).toEqual({ since });
});

it.each(['', ' ', '0x10', '1e3', '1.5', '+1', 'x', '٣'])('refuses %j as not a whole number', (since) => {
  const refusal = expect.objectContaining({
    faults: [{ loc: ['query', 'since'], type: 'int_parsing', msg: expect.any(String) }],
  });
  expect(() => validate(SinceQuery, 'query', { since })).toThrow(ValidationError);
  try {
    validate(SinceQuery, 'query', { since });
  } catch (error) {
    expect(error).toEqual(refusal);
  }
});

it('refuses a number below zero', () => {
  expect(() => validate(SinceQuery, 'query', { since: '-1' })).toThrow(ValidationError);
});
