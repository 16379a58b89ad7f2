import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RequestPart } from '../../../src/api/http/request/fault-wording.ts';
import { jsonBody } from '../../../src/api/http/request/request-body.ts';
import { ValidationError, validate } from '../../../src/api/http/request/validation.ts';

function faults(schema: z.ZodType, input: unknown, part: RequestPart = 'body') {
  try {
    validate(schema, part, input);
  } catch (error) {
    if (error instanceof ValidationError) return error.faults.map(({ loc, type }) => [loc.join('.'), type]);
    throw error;
  }
  return [];
}

const Person = z.object({
  name: z.string().min(2).max(4),
  age: z.int().min(1).max(9).optional(),
  tags: z.array(z.string()).min(1).max(2).optional(),
  kind: z.enum(['a', 'b']).optional(),
  id: z.uuid().optional(),
  code: z.string().regex(/^x/).optional(),
  flag: z.boolean().optional(),
  url: z.url().optional(),
  at: z.iso.datetime().optional(),
  step: z.number().multipleOf(5).optional(),
  above: z.number().gt(1).lt(3).optional(),
});

describe('validation faults', () => {
  it('name the place and the kind of every fault in a body', () => {
    const cases: [unknown, string, string][] = [
      [undefined, 'body', 'missing'],
      [null, 'body', 'missing'],
      [[], 'body', 'model_attributes_type'],
      [{}, 'body.name', 'missing'],
      [{ name: 1 }, 'body.name', 'string_type'],
      [{ name: null }, 'body.name', 'missing'],
      [{ name: 'x' }, 'body.name', 'string_too_short'],
      [{ name: 'xxxxx' }, 'body.name', 'string_too_long'],
      [{ name: 'ok', age: 'x' }, 'body.age', 'float_type'],
      [{ name: 'ok', age: 1.5 }, 'body.age', 'int_type'],
      [{ name: 'ok', age: 0 }, 'body.age', 'greater_than_equal'],
      [{ name: 'ok', age: 10 }, 'body.age', 'less_than_equal'],
      [{ name: 'ok', tags: 'x' }, 'body.tags', 'list_type'],
      [{ name: 'ok', tags: [] }, 'body.tags', 'too_short'],
      [{ name: 'ok', tags: ['a', 'b', 'c'] }, 'body.tags', 'too_long'],
      [{ name: 'ok', tags: ['a', 1] }, 'body.tags.1', 'string_type'],
      [{ name: 'ok', kind: 'c' }, 'body.kind', 'enum'],
      [{ name: 'ok', id: 'c' }, 'body.id', 'uuid_parsing'],
      [{ name: 'ok', code: 'c' }, 'body.code', 'string_pattern_mismatch'],
      [{ name: 'ok', flag: 'c' }, 'body.flag', 'bool_type'],
      [{ name: 'ok', url: 'c' }, 'body.url', 'url_parsing'],
      [{ name: 'ok', at: 'c' }, 'body.at', 'datetime_parsing'],
      [{ name: 'ok', step: 3 }, 'body.step', 'multiple_of'],
      [{ name: 'ok', above: 1 }, 'body.above', 'greater_than'],
      [{ name: 'ok', above: 3 }, 'body.above', 'less_than'],
    ];
    for (const [input, loc, type] of cases) {
      expect(faults(Person, input), JSON.stringify(input)).toEqual([[loc, type]]);
    }
  });

  it('include all faults at once', () => {
    expect(faults(Person, { age: 0, kind: 7 })).toEqual([
      ['body.name', 'missing'],
      ['body.age', 'greater_than_equal'],
      ['body.kind', 'enum'],
    ]);
  });

  it('treat query values as text', () => {
    const Query = z.object({
      since: z.coerce.number().int().min(0),
      wait: z.coerce.number().int().default(1),
    });
    expect(faults(Query, { since: 'abc' }, 'query')).toEqual([['query.since', 'int_parsing']]);
    expect(faults(Query, { since: '1.5' }, 'query')).toEqual([['query.since', 'int_parsing']]);
    expect(faults(Query, { since: '-1' }, 'query')).toEqual([['query.since', 'greater_than_equal']]);
    expect(faults(Query, {}, 'query')).toEqual([['query.since', 'missing']]);
    expect(faults(Query, { since: '4' }, 'query')).toEqual([]);
  });

  it('name each unknown key of a strict object', () => {
    expect(faults(z.strictObject({ a: z.string() }), { a: 'x', b: 1, c: 2 })).toEqual([
      ['body.b', 'extra_forbidden'],
      ['body.c', 'extra_forbidden'],
    ]);
  });

  it('distinguish unions from custom rules', () => {
    const Tagged = z.discriminatedUnion('t', [
      z.object({ t: z.literal('a') }),
      z.object({ t: z.literal('b') }),
    ]);
    expect(faults(Tagged, { t: 'c' })).toEqual([['body.t', 'union_tag_invalid']]);
    expect(faults(Tagged, {})).toEqual([['body.t', 'missing']]);
    expect(faults(z.union([z.string(), z.number()]), true)).toEqual([['body', 'union_error']]);
    const Rule = z
      .object({ a: z.string().optional() })
      .refine((o) => o.a !== undefined, { path: ['a'], message: 'a!' });
    expect(faults(Rule, {})).toEqual([['body.a', 'value_error']]);
    expect(faults(z.literal('x'), 'y')).toEqual([['body', 'literal_error']]);
    expect(faults(z.record(z.string(), z.number()), { a: 'x' })).toEqual([['body.a', 'float_type']]);
  });
});

describe('null', () => {
  const Thing = z.object({
    name: z.string(),
    size: z.int().default(3),
    label: z.string().nullish(),
    kind: z.enum(['a', 'b']).optional(),
    inner: z.object({ flag: z.boolean().optional() }).optional(),
    list: z.array(z.string().nullable()).optional(),
    files: z
      .array(
        z.union([
          z.object({ id: z.string(), url: z.never().optional() }),
          z.object({ url: z.string(), id: z.never().optional(), mime: z.string().optional() }),
        ]),
      )
      .optional(),
    filter: z.partialRecord(z.enum(['x', 'y']), z.boolean()).optional(),
    host: z.union([z.ipv4(), z.hostname()]).optional(),
  });
  const read = (input: unknown) => validate(Thing, 'body', input);

  it('means absent for every optional field, at every depth', () => {
    expect(read({ name: 'n', size: null, kind: null, host: null, inner: null, filter: null })).toEqual({
      name: 'n',
      size: 3,
    });
    const files = [
      { id: 'i', url: null },
      { id: null, url: 'u', mime: null },
    ];
    expect(read({ name: 'n', inner: { flag: null }, filter: { x: null, y: true }, files })).toEqual({
      name: 'n',
      size: 3,
      inner: {},
      filter: { y: true },
      files: [{ id: 'i' }, { url: 'u' }],
    });
  });

  it('keeps its meaning where a schema takes it', () => {
    expect(read({ name: 'n', label: null, size: null, list: [null, 'a'] })).toEqual({
      name: 'n',
      size: 3,
      label: null,
      list: [null, 'a'],
    });
  });

  it('is a missing field where one is required, and no item of a list', () => {
    expect(faults(Thing, { name: null })).toEqual([['body.name', 'missing']]);
    expect(faults(Thing, { name: 'n', files: [null] })).toEqual([['body.files.0', 'union_error']]);
    expect(faults(z.array(z.string()), ['a', null])).toEqual([['body.1', 'string_type']]);
  });

  it('stands for no body at all', () => {
    expect(validate(Thing.optional(), 'body', null)).toBeUndefined();
    expect(validate(Thing.nullish(), 'body', null)).toBeNull();
  });

  it('leaves the input alone', () => {
    const input = { name: 'n', size: null, inner: { flag: null } };
    read(input);
    expect(input).toEqual({ name: 'n', size: null, inner: { flag: null } });
  });

  it('is dropped only as far as lists may be long', () => {
    const Listed = z.object({ files: z.array(Thing).max(2) });
    const input = { files: Array.from({ length: 100_000 }, () => ({ name: null, size: null })) };
    expect(faults(Listed, input)).toEqual([['body.files', 'too_long']]);
  });
});

describe('parseJson', () => {
  it('accepts any JSON value, and nothing for an empty body', () => {
    expect(jsonBody(Buffer.from('{"é":[1]}'))).toEqual({ é: [1] });
    expect(jsonBody(Buffer.alloc(0))).toBeUndefined();
  });

  it('refuses anything but JSON in UTF-8', () => {
    const wrong = [
      Buffer.from('{'),
      Buffer.from(' '),
      Buffer.from('a=1&b=2'),
      Buffer.from([0x22, 0xff, 0x22]),
      Buffer.from('[NaN]'),
      Buffer.from('['.repeat(500_000)),
    ];
    for (const bytes of wrong) {
      expect(() => jsonBody(bytes), bytes.toString('latin1').slice(0, 20)).toThrow(ValidationError);
    }
  });
});
