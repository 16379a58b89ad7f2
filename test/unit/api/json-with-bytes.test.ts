import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_OVERHEAD_BYTES, readJsonWithBytes } from '../../../src/api/http/request/json-with-bytes.ts';
import { ValidationError } from '../../../src/api/http/request/validation.ts';

const FACTS = { name: 'a', mime: 'b/c' };

/** Splits a body into pieces of these lengths, repeating the last one. */
async function* cut(body: Buffer, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, n = 0; at < body.length; n++) {
    const length = lengths[Math.min(n, lengths.length - 1)]!;
    yield body.subarray(at, at + length);
    at += length;
  }
}

/** What a body parses to: its value, and the bytes of each time that the field was found. */
async function read(body: string | Buffer, lengths: readonly number[] = [1_000_000]) {
  const taken: Buffer[] = [];
  const take = async (bytes: AsyncIterable<Uint8Array>) => {
    taken.push(Buffer.concat(await Array.fromAsync(bytes)));
  };
  const value = await readJsonWithBytes(cut(Buffer.from(body), lengths), { name: 'bytes_b64', take });
  return { value, taken };
}

async function faultOf(body: string | Buffer, lengths?: readonly number[]) {
  const error = await read(body, lengths).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ValidationError);
  return (error as ValidationError).faults[0]!;
}

describe('JSON with bytes', () => {
  it('parses what JSON.parse parses, wherever the body is split and the fields are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.dictionary(
          fc.string({ maxLength: 8 }).filter((name) => !['bytes_b64', '__proto__'].includes(name)),
          fc.jsonValue({ maxDepth: 4 }),
          { maxKeys: 4 },
        ),
        fc.record({ place: fc.nat({ max: 4 }), space: fc.constantFrom(0, 1, '\t') }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
        async (bytes, others, { place, space }, lengths) => {
          const fields = Object.entries(others);
          fields.splice(place, 0, ['bytes_b64', Buffer.from(bytes).toString('base64')]);
          const body = JSON.stringify(Object.fromEntries(fields), null, space);
          const { value, taken } = await read(body, lengths);
          expect(value).toEqual({ ...JSON.parse(body), bytes_b64: '' });
          expect(taken).toEqual([Buffer.from(bytes)]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('understands escapes in the string and in its name, wherever they are split', async () => {
    const bytes = Buffer.from('fbeffbff00ffee', 'hex');
    const plain = bytes.toString('base64');
    expect(plain).toContain('/');
    const escaped = [
      plain.replaceAll('/', '\\/'),
      plain.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
      plain.replace(/[+/]/g, (one) => `\\u00${one.charCodeAt(0).toString(16).toUpperCase()}`),
    ];
    for (const text of escaped) {
      for (let length = 1; length < 9; length++) {
        const body = `{"name":"a","bytes\\u005fb64":"${text}"}`;
        expect(await read(body, [length])).toEqual({ value: { name: 'a', bytes_b64: '' }, taken: [bytes] });
      }
    }
  });

  it('finds the field only in the outermost object', async () => {
    const inner = { bytes_b64: 'AAAA' };
    const bodies = [{ deep: inner }, [inner], { list: [inner, 'bytes_b64'], name: 'bytes_b64' }, 'bytes_b64'];
    for (const body of bodies)
      expect(await read(JSON.stringify(body), [3])).toEqual({ value: body, taken: [] });
    const name = '{"bytes_b64":"';
    expect(await read(JSON.stringify({ name, bytes_b64: 'AAAA' }), [3])).toEqual({
      value: { name, bytes_b64: '' },
      taken: [Buffer.alloc(3)],
    });
    expect(await read('')).toEqual({ value: undefined, taken: [] });
  });

  it.each([
    '*',
    'A',
    'AAA',
    'AA=A',
    'AA==AA==',
    '====',
    'A===',
    'AA AA',
    'AA-_',
    'AA\\nAA',
    'AAA\\"',
    'AAA\\\\',
    'ÄAAA',
    'AAAA\\u00',
    'AAAA\\u0100',
    'AA\nAA',
  ])('refuses %j as base64, wherever it is split', async (text) => {
    for (const lengths of [[1], [2], [7], [1_000]])
      expect(await faultOf(`{"bytes_b64":"${text}","name":"a"}`, lengths)).toMatchObject({
        loc: ['body', 'bytes_b64'],
        msg: 'Input should be base64 with padding, such as SGk=',
      });
  });

  it('refuses two fields of the same name, of any type', async () => {
    const duplicates = ['"bytes_b64":"AAAA"', '"bytes_b64":5', '"bytes\\u005Fb64":"BBBB"'];
    for (const first of duplicates)
      for (const second of duplicates)
        expect(await faultOf(`{${first},"name":"a",${second}}`)).toEqual({
          loc: ['body', 'bytes_b64'],
          type: 'duplicate_field',
          msg: 'Field is given twice',
        });
    expect(await faultOf('{"name":"a","name":"b"}')).toMatchObject({ loc: ['body', 'name'] });
  });

  it('refuses a body that is cut off anywhere', async () => {
    const body = JSON.stringify({ name: 'a', bytes_b64: 'AAAABBBB', mime: 'b/c' });
    for (let length = 1; length < body.length; length++)
      expect(await faultOf(body.slice(0, length), [5])).toMatchObject({
        loc: ['body'],
        type: 'json_invalid',
      });
  });

  it.each([
    '{"bytes_b64":"AAAA" "BBBB"}',
    '{"bytes_b64":"AAAA":"BBBB"}',
    '{"bytes_b64":"AAAA"}}',
    '{"bytes_b64":"AAAA"}{"bytes_b64":"BBBB"}'.slice(0, 21),
    '}{"bytes_b64":"AAAA"}',
    '["bytes_b64":"AAAA"]',
    "{'bytes_b64':'AAAA'}",
    '{"bytes_b64":"AAAA",}',
    '\ufeff{"bytes_b64":"AAAA"}',
  ])('refuses %j', async (body) => {
    expect(await faultOf(body, [4])).toMatchObject({ loc: ['body'], type: 'json_invalid' });
  });

  it('refuses excessive depth and text that is not UTF-8', async () => {
    const deep = `{"bytes_b64":"AAAA","name":${'['.repeat(1_000)}${']'.repeat(1_000)}}`;
    expect(await faultOf(deep, [10])).toMatchObject({ type: 'json_too_deep' });
    expect(await faultOf(Buffer.from('{"name":"\xff"}', 'latin1'))).toMatchObject({ type: 'json_invalid' });
  });

  it('holds 64 KB besides the bytes, and not a byte more', async () => {
    const body = JSON.stringify({ ...FACTS, bytes_b64: 'AAAA' });
    const longest = body.padEnd(JSON_OVERHEAD_BYTES + 'AAAA'.length);
    expect((await read(longest, [999])).taken).toEqual([Buffer.alloc(3)]);
    await expect(read(`${longest} `, [999])).rejects.toMatchObject({ code: 'body_too_large' });
  });

  it('takes linear time for a fully escaped string, and delivers bytes as they arrive', async () => {
    const piece = Buffer.from('\\u0041'.repeat(80_000));
    let pieces = 0;
    async function* body() {
      yield Buffer.from('{"bytes_b64":"');
      for (; pieces < 20; pieces++) yield piece;
      yield Buffer.from('"}');
    }
    let lengthBytes = 0;
    let first = -1;
    const take = async (bytes: AsyncIterable<Uint8Array>) => {
      for await (const { byteLength } of bytes) {
        if (first < 0) first = pieces;
        lengthBytes += byteLength;
      }
    };
    const start = process.cpuUsage();
    await readJsonWithBytes(body(), { name: 'bytes_b64', take });
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
    expect({ first, lengthBytes }).toEqual({ first: 0, lengthBytes: (20 * 80_000 * 3) / 4 });
  });
});
