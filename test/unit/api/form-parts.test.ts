import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldText, formParts } from '../../../src/api/http/request/form-parts.ts';

const B = 'xYzZY';

interface Part {
  readonly headers: string;
  readonly body: Buffer;
}

function form(parts: readonly Part[], { preamble = '', epilogue = '' } = {}): Buffer {
  const pieces = parts.flatMap(({ headers, body }) => [
    Buffer.from(`--${B}\r\n${headers}\r\n\r\n`),
    body,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([Buffer.from(preamble), ...pieces, Buffer.from(`--${B}--${epilogue}`)]);
}

const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`;
const part = (rest: string, body: string | Buffer = 'v'): Part => ({
  headers: disposition(rest),
  body: Buffer.from(body),
});

/** A body that arrives in pieces of these lengths, the last one with the rest. */
function inPieces(bytes: Buffer, lengths: readonly number[] = []) {
  return {
    contentType: `multipart/form-data; boundary=${B}`,
    async *[Symbol.asyncIterator]() {
      let at = 0;
      for (const length of lengths) {
        if (at < bytes.length) yield bytes.subarray(at, at + length);
        at += length;
      }
      if (at < bytes.length) yield bytes.subarray(at);
    },
  };
}

async function taken(body: ReturnType<typeof inPieces>) {
  const parts = [];
  for await (const { bytes, ...rest } of formParts(body)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    parts.push({ ...rest, body: Buffer.concat(chunks) });
  }
  return parts;
}

const named = async (rest: string) => (await taken(inPieces(form([part(rest)]))))[0];

describe('the parts of a form', () => {
  it('arrive unchanged, wherever the body is split', async () => {
    // Bytes from the delimiter produce many near matches.
    const bodies = fc
      .array(fc.constantFrom(...Buffer.from(`\r\n--${B}a`)), { maxLength: 60 })
      .map(Buffer.from);
    const plain = bodies.filter((body) => !`\r\n${body.toString('latin1')}`.includes(`\r\n--${B}`));
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 });
    const edges = fc.record({
      preamble: fc.constantFrom('', 'This is a form.\r\n', '\r\n'),
      epilogue: fc.constantFrom('', '\r\n', '\r\nmore'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(plain, { maxLength: 4 }), cuts, edges, async (sent, lengths, around) => {
        const parts = sent.map((body, i) => part(`name="n${i}"`, body));
        const got = await taken(inPieces(form(parts, around), lengths));
        expect(got.map(({ name, body }) => [name, body.toString('latin1')])).toEqual(
          sent.map((body, i) => [`n${i}`, body.toString('latin1')]),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('have the names that clients send, in any spelling', async () => {
    expect(await named('name=plain')).toMatchObject({ name: 'plain', fileName: null, contentType: null });
    expect(await named('name="file"; filename="a b.txt"')).toMatchObject({ fileName: 'a b.txt' });
    expect(await named('name="file"; filename="a\\"b\\\\c.txt"')).toMatchObject({ fileName: 'a"b\\c.txt' });
    expect(await named('name="file"; filename="a%22b.txt"')).toMatchObject({ fileName: 'a"b.txt' });
    expect(await named('name="file"; filename="ünï ; name=x.txt"')).toMatchObject({
      name: 'file',
      fileName: 'ünï ; name=x.txt',
    });
    expect(await named(`name=f; filename="x"; filename*=UTF-8''%e2%82%ac.txt`)).toMatchObject({
      fileName: '€.txt',
    });
    const typed = {
      headers: `content-TYPE:  text/plain\r\n${disposition('name=f')}`,
      body: Buffer.from('v'),
    };
    expect((await taken(inPieces(form([typed]))))[0]).toMatchObject({ contentType: 'text/plain' });
  });

  it('may be left unread or half read', async () => {
    const sent = form([part('name=a', 'x'.repeat(5_000)), part('name=b', 'y'.repeat(5_000)), part('name=c')]);
    const names: string[] = [];
    for await (const { name, bytes } of formParts(inPieces(sent, [100, 2_000, 2_000]))) {
      names.push(name);
      if (name === 'b') for await (const _chunk of bytes) break;
    }
    expect(names).toEqual(['a', 'b', 'c']);
  });

  it('end with the last delimiter, without reading further', async () => {
    let asked = 0;
    const body = {
      contentType: `multipart/form-data; boundary="${B}"`,
      async *[Symbol.asyncIterator]() {
        asked += 1;
        yield form([part('name=a')]);
        asked += 1;
      },
    };
    expect(await taken(body)).toHaveLength(1);
    expect(asked).toBe(1);
  });
});

describe('malformed form bodies', () => {
  const refused = async (bytes: Buffer | string, contentType?: string) => {
    const body = inPieces(Buffer.from(bytes));
    const parts = taken(contentType === undefined ? body : { ...body, contentType });
    await expect(parts).rejects.toMatchObject({ faults: [{ loc: ['body'], type: 'form_invalid' }] });
  };

  it.each([
    ['an empty body', ''],
    ['no boundary', 'hello'],
    ['cut off in a delimiter', `--${B}`],
    ['cut off in the headers', `--${B}\r\nContent-Disposition: form-da`],
    ['cut off in a part', form([part('name=a')]).subarray(0, -8)],
    ['a delimiter with trailing characters', `--${B}x\r\n${disposition('name=a')}\r\n\r\nv\r\n--${B}--`],
    ['a part without headers', `--${B}\r\n\r\nv\r\n--${B}--`],
    ['a part without a name', form([part('filename="x"')])],
    [
      'a part that is an attachment',
      form([{ headers: 'Content-Disposition: attachment; name=a', body: Buffer.from('v') }]),
    ],
    ['headers without an end', `--${B}\r\n${'x'.repeat(10_000)}`],
    ['only a preamble', 'x'.repeat(20_000)],
    ['too many parts', form(Array.from({ length: 9 }, () => part('name=a')))],
  ])('are refused: %s', async (_, bytes) => {
    await refused(bytes);
  });

  it('are refused without a valid boundary in the content type', async () => {
    await refused(form([part('name=a')]), 'multipart/form-data');
    await refused(form([part('name=a')]), 'multipart/form-data; boundary=');
    await refused(form([part('name=a')]), `multipart/form-data; boundary=${'x'.repeat(71)}y`);
  });

  it('are refused quickly, whatever their headers contain', async () => {
    const before = process.threadCpuUsage();
    await refused(`--${B}\r\nContent-Disposition: form-data${';a="'.repeat(500)}\r\n\r\nv`);
    expect(process.threadCpuUsage(before).user).toBeLessThan(1e6);
  });

  it('are refused when a field is over its size limit', async () => {
    const read = async (maxBytes: number) => {
      for await (const field of formParts(inPieces(form([part('name=a', 'é')])))) {
        return await fieldText(field, maxBytes);
      }
      return null;
    };
    expect(await read(2)).toBe('é');
    await expect(read(1)).rejects.toMatchObject({ faults: [{ type: 'form_invalid' }] });
  });
});
