import { describe, expect, it } from 'vitest';
import { attachmentSources } from '../../../src/api/rest/dms.ts';
import { fileRoutes } from '../../../src/api/rest/files.ts';
import { AttachmentsBody } from '../../../src/api/schema/fields.ts';
import type { AnyJson } from '../../support/any-json.ts';
import { waitFor } from '../../support/wait-for.ts';
import { MAX_BYTES, PUBLIC_URL, testFiles } from '../files/test-files.ts';
import { AGENT, RawClient, served } from './served.ts';

const KEY = { 'X-API-Key': 'svc_agent' };

/** The routes on a real server, for an existing account. */
async function startServer() {
  const tested = await testFiles();
  const { url, port, failures } = await served(
    fileRoutes(tested.files, () => PUBLIC_URL),
    {
      authenticate: (key) => (key === 'svc_agent' ? { ...AGENT, accountId: 'acc_a' } : null),
      bodySilenceMs: 200,
    },
  );
  const post = async (path: string, body: FormData | string, headers: Record<string, string> = KEY) => {
    const answer = await fetch(`${url}${path.replace(PUBLIC_URL, '')}`, { method: 'POST', headers, body });
    return { status: answer.status, body: (await answer.json()) as AnyJson };
  };
  const get = (fileUrl: string, init: RequestInit = {}) => fetch(fileUrl.replace(PUBLIC_URL, url), init);
  return { ...tested, url, port, failures, post, get };
}

function form(file: Blob | string, fields: Record<string, string> = {}, name = 'file.bin'): FormData {
  const data = new FormData();
  data.append('file', typeof file === 'string' ? new Blob([file]) : file, name);
  for (const [field, value] of Object.entries(fields)) data.append(field, value);
  return data;
}

describe('uploading a file', () => {
  it('accepts a form, whose fields take precedence', async () => {
    const { post, get, clock } = await startServer();
    const plain = await post(
      '/api/files',
      form(new Blob(['hello'], { type: 'text/plain' }), {}, 'häl"lo.txt'),
    );
    expect(plain).toMatchObject({
      status: 200,
      body: { name: 'häl"lo.txt', mime: 'text/plain', size: 5 },
    });
    expect(plain.body.file_id).toMatch(/^f_/);
    expect(Date.parse(plain.body.expires_at) - Date.parse(clock.nowIso())).toBe(86_400_000);
    expect(await (await get(plain.body.url)).text()).toBe('hello');
    const named = await post('/api/files', form('x', { name: '../n.csv', mime: 'text/csv' }));
    expect(named.body).toMatchObject({ name: 'n.csv', mime: 'text/csv' });
  });

  it('accepts a form from any client: curl’s, and one with its parts in another order', async () => {
    const { post } = await startServer();
    const headers = {
      ...KEY,
      'Content-Type': 'multipart/form-data; boundary=------------------------d74496d66958873e',
    };
    const b = '--------------------------d74496d66958873e';
    const curl = `${b}\r\nContent-Disposition: form-data; name="mime"\r\n\r\ntext/plain\r\n${b}\r\nContent-Disposition: attachment; filename="x"\r\n\r\n`;
    expect((await post('/api/files', curl, headers)).status).toBe(422);
    const right = `${b}\r\nContent-Disposition: form-data; name="name"\r\n\r\nreal.txt\r\n${b}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n${b}--\r\n`;
    expect((await post('/api/files', right, headers)).body).toMatchObject({ name: 'real.txt', size: 5 });
  });

  it('accepts JSON with bytes, and names missing fields', async () => {
    const { post, get } = await startServer();
    const json = (body: unknown) => post('/api/files', JSON.stringify(body));
    const bytes_b64 = Buffer.from('hello').toString('base64');
    const inline = await json({ bytes_b64, name: 'a.txt', mime: 'text/plain' });
    expect(inline).toMatchObject({ status: 200, body: { name: 'a.txt', size: 5 } });
    expect(await (await get(inline.body.url)).text()).toBe('hello');
    for (const both of [{}, { url: 'http://x/', bytes_b64, name: 'a', mime: 'b/c' }]) {
      expect(await json(both)).toEqual({
        status: 400,
        body: { detail: 'Provide exactly one of url or bytes_b64', code: 'file_source' },
      });
    }
    expect((await json({ bytes_b64 })).status).toBe(422);
    expect((await json({ bytes_b64: '*', name: 'a', mime: 'b/c' })).status).toBe(422);
    for (const url of ['http://169.254.169.254/', 'file:///etc/passwd', 'nonsense', 'http://10.0.0.1/']) {
      expect(await json({ url })).toEqual({
        status: 400,
        body: { detail: 'Invalid URL / SSRF blocked', code: 'url_blocked' },
      });
    }
  });

  it('fetches a URL and takes the name from it', async () => {
    const { post, url: base } = await startServer();
    const { post: postOther, get: getOther } = await startServer();
    const source = await post(
      '/api/files',
      form(new Blob(['from afar'], { type: 'text/plain' }), {}, 'far.txt'),
    );
    const url = source.body.url.replace(PUBLIC_URL, base);
    const fetched = await postOther('/api/files', JSON.stringify({ url }));
    expect(fetched).toMatchObject({ status: 200, body: { name: 'far.txt', mime: 'text/plain', size: 9 } });
    expect(await (await getOther(fetched.body.url)).text()).toBe('from afar');
    const named = await postOther('/api/files', JSON.stringify({ url, name: 'near.txt' }));
    expect(named.body.name).toBe('near.txt');
  });

  it('copies one of its own files by URL without a network request', async () => {
    const { post, get, files, clock } = await startServer();
    const web = { open: () => Promise.reject(new Error('the network was asked')) };
    Object.assign(files, { web });
    const facts = new Blob(['ours'], { type: 'text/plain' });
    const { url } = (await post('/api/files', form(facts, {}, 'ours.txt'))).body;
    clock.advance(86_400_000 - 1);
    const again = await post('/api/files', JSON.stringify({ url, name: 'again.txt' }));
    expect(again).toMatchObject({ status: 200, body: { name: 'again.txt', mime: 'text/plain', size: 4 } });
    expect(again.body.url).not.toBe(url);
    clock.advance(1);
    expect(await (await get(again.body.url)).text()).toBe('ours');
    expect(await post('/api/files', JSON.stringify({ url }))).toEqual({
      status: 404,
      body: { detail: 'Unknown file token', code: 'file_not_found' },
    });
  });

  it('enforces the size limit to the byte for every kind of upload', async () => {
    const { post, files } = await startServer();
    const full = Buffer.alloc(MAX_BYTES, 0x78);
    const over = Buffer.alloc(MAX_BYTES + 1, 0x78);
    const refusal = {
      status: 413,
      body: { detail: `File exceeds max size (${MAX_BYTES} bytes)`, code: 'file_too_large' },
    };
    const inline = (bytes: Buffer) =>
      JSON.stringify({ bytes_b64: bytes.toString('base64'), name: 'a', mime: 'b/c' });
    expect((await post('/api/files', form(new Blob([full])))).status).toBe(200);
    expect((await post('/api/files', inline(full))).status).toBe(200);
    expect(await post('/api/files', form(new Blob([over])))).toEqual(refusal);
    expect(await post('/api/files', inline(over))).toEqual(refusal);
    expect(files.ledger.totalBytes).toBe(2 * MAX_BYTES);
  });

  it('releases the reserved room when the JSON turns out to be invalid', async () => {
    const { post, files } = await startServer();
    const bytes_b64 = 'aGVsbG8=';
    const refused = [
      [JSON.stringify({ bytes_b64, name: 'a' }), 422],
      [JSON.stringify({ bytes_b64, name: 'a', mime: 5 }), 422],
      [JSON.stringify({ bytes_b64, url: 'http://x/' }), 400],
      [`{"bytes_b64":"${bytes_b64}","name":"a","mime":"b/c"`, 422],
      [`{"bytes_b64":"${bytes_b64}","name":"a","mime":"b/c","bytes_b64":"AAAA"}`, 422],
      [`{"bytes_b64":"${bytes_b64}","name":"a","mime":"b/c"}`.padEnd(70_000), 413],
      [`{"bytes_b64":"${bytes_b64}*","name":"a","mime":"b/c"}`, 422],
      [JSON.stringify({ bytes_b64: [bytes_b64], name: 'a', mime: 'b/c' }), 422],
      [JSON.stringify([bytes_b64]), 422],
      ['', 422],
      ['null', 422],
    ] as const;
    for (const [body, status] of refused)
      expect([body.slice(0, 99), (await post('/api/files', body)).status]).toEqual([
        body.slice(0, 99),
        status,
      ]);
    expect(files.ledger.totalBytes).toBe(0);
  });

  it('releases the reserved room when the client disconnects', async () => {
    const { port, files } = await startServer();
    const client = new RawClient(port).write(
      'POST /api/files HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_agent\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"bytes_b64":"QUFBQUFB',
    );
    await waitFor('the bytes', () => files.ledger.totalBytes > 0);
    client.socket.destroy();
    await waitFor('their end', () => files.ledger.totalBytes === 0);
  });

  it('refuses an upload that is announced as too large before it arrives', async () => {
    const { port } = await startServer();
    const client = new RawClient(port).write(
      'POST /api/files HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_agent\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000000000\r\n\r\n',
    );
    expect(await client.until(({ received }) => received.includes('bytes)'))).toMatch(/^HTTP\/1.1 413 /);
  });

  it.each(['Content-Length: 1000000', 'Transfer-Encoding: chunked'])(
    'refuses an upload with %s at the first byte over the limit, whatever follows',
    async (framing) => {
      const { port } = await startServer();
      const isChunked = framing.startsWith('Transfer');
      const client = new RawClient(port).write(
        `POST /api/files HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_agent\r\nContent-Type: multipart/form-data; boundary=b\r\n${framing}\r\n\r\n`,
      );
      const head = '--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\n';
      for (const piece of [Buffer.from(head), Buffer.alloc(MAX_BYTES + 1)]) {
        if (isChunked) client.write(`${piece.length.toString(16)}\r\n`);
        client.write(piece);
        if (isChunked) client.write('\r\n');
      }
      expect(await client.until(({ received }) => received.includes('bytes)'))).toMatch(/^HTTP\/1.1 413 /);
    },
  );

  it('leaves nothing behind when a client disconnects or stalls', async () => {
    const { port, files, failures, get, url } = await startServer();
    const head = `POST /api/files HTTP/1.1\r\nHost: a\r\nX-API-Key: svc_agent\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n--b\r\nContent-Disposition: form-data; name=file\r\n\r\n${'x'.repeat(40_000)}`;
    const gone = new RawClient(port).write(head);
    const stalled = new RawClient(port).write(head);
    await expect.poll(() => files.ledger.totalBytes).toBeGreaterThan(60_000);
    gone.socket.destroy();
    expect(await stalled.until(({ received }) => received.includes('detail'))).toMatch(/^HTTP\/1.1 408 /);
    await expect.poll(() => files.ledger.totalBytes).toBe(0);
    expect((await get(`${url}/api/files/none`)).status).toBe(404);
    expect(failures).toEqual([]);
  });

  it('requires a key and a file', async () => {
    const { post } = await startServer();
    expect((await post('/api/files', form('x'), {})).status).toBe(401);
    const nothing = new FormData();
    nothing.append('name', 'x');
    expect(await post('/api/files', nothing)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'file'], type: 'missing' }] },
    });
    expect((await post('/api/files', form('x', { name: 'n'.repeat(5_000) }))).status).toBe(422);
  });
});

describe('an upload slot', () => {
  it('accepts a file by its URL alone, once', async () => {
    const { post, get, clock } = await startServer();
    const reserved = await post('/api/files/reserve', JSON.stringify({ name: 'r.txt', mime: 'text/plain' }));
    expect(reserved.status).toBe(200);
    const { file_id, upload_url, expires_at } = reserved.body;
    expect(Date.parse(expires_at) - Date.parse(clock.nowIso())).toBe(300_000);
    expect(upload_url).toMatch(/^https:\/\/gateway\.test\/api\/files\/upload\/[\w-]{43}$/);
    const brought = await post(upload_url, form('hello'), {});
    expect(brought).toMatchObject({
      status: 200,
      body: { file_id, name: 'r.txt', mime: 'text/plain', size: 5 },
    });
    expect(await (await get(brought.body.url)).text()).toBe('hello');
    expect(await post(upload_url, form('again'), {})).toEqual({
      status: 404,
      body: { detail: 'Unknown file token', code: 'file_not_found' },
    });
  });

  it('has the same size limit', async () => {
    const { post } = await startServer();
    const { body } = await post('/api/files/reserve', JSON.stringify({ name: 'r', mime: 'a/b' }));
    expect((await post(body.upload_url, form(new Blob([Buffer.alloc(MAX_BYTES + 1)])), {})).status).toBe(413);
    expect((await post(body.upload_url, form(new Blob([Buffer.alloc(MAX_BYTES)])), {})).status).toBe(200);
  });

  it('cannot be guessed', async () => {
    const { post } = await startServer();
    expect((await post('/api/files/upload/none', form('x'), {})).status).toBe(404);
    expect((await post('/api/files/upload/none', 'x', {})).status).toBe(422);
  });
});

describe('serving a file', () => {
  const TEXT = '0123456789';

  it('returns the bytes as a download, whole or in part', async () => {
    const { post, get } = await startServer();
    const { body } = await post('/api/files', form(new Blob([TEXT], { type: 'text/plain' }), {}, 'é.txt'));
    const whole = await get(body.url);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      'content-disposition': `attachment; filename="_.txt"; filename*=UTF-8''%C3%A9.txt`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${body.file_id}"`,
    });
    const part = await get(body.url, { headers: { Range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    const last = await get(body.url, { headers: { Range: 'bytes=-2', 'If-Range': `"${body.file_id}"` } });
    expect([last.status, await last.text()]).toEqual([206, '89']);
    const other = await get(body.url, { headers: { Range: 'bytes=-2', 'If-Range': '"other"' } });
    expect([other.status, await other.text()]).toEqual([200, TEXT]);
    const beyond = await get(body.url, { headers: { Range: 'bytes=10-' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const { post, get } = await startServer();
    const { body } = await post('/api/files', form(new Blob([TEXT], { type: 'image/png' }), {}, 'p.png'));
    const [whole, head] = [await get(body.url), await get(body.url, { method: 'HEAD' })];
    for (const name of ['content-type', 'content-length', 'content-disposition']) {
      expect(head.headers.get(name), name).toBe(whole.headers.get(name));
    }
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
    expect((await get(`${PUBLIC_URL}/api/files/none`, { method: 'HEAD' })).status).toBe(404);
  });

  it('serves pages and scripts as plain bytes', async () => {
    const { post, get } = await startServer();
    for (const type of ['text/html', 'image/svg+xml', 'text/javascript', 'application/xhtml+xml']) {
      const { body } = await post('/api/files', form(new Blob(['<svg onload=alert(1)>'], { type })));
      expect((await get(body.url)).headers.get('content-type')).toBe('application/octet-stream');
    }
  });

  it('returns 404 for a wrong token', async () => {
    const { get } = await startServer();
    const answer = await get(`${PUBLIC_URL}/api/files/${'x'.repeat(32)}`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { detail: 'Unknown file token', code: 'file_not_found' },
    ]);
  });
});

describe('the attachments of a request', () => {
  it('have exactly one of three forms', () => {
    const right = [
      { file_id: 'f_1' },
      { url: 'http://x/', name: 'n' },
      { bytes_b64: 'aGVsbG8=', name: 'n', mime: 'a/b' },
    ];
    expect(attachmentSources(AttachmentsBody.parse(right))).toEqual([
      { fileId: 'f_1' },
      { url: 'http://x/', name: 'n', mime: null },
      { bytes: Buffer.from('hello'), name: 'n', mime: 'a/b' },
    ]);
    const wrong = [
      {},
      { file_id: 'f', url: 'x' },
      { bytes_b64: 'aGVsbG8=' },
      { bytes_b64: '*', name: 'n', mime: 'm' },
    ];
    for (const each of wrong) expect(AttachmentsBody.safeParse([each]).success).toBe(false);
    expect(AttachmentsBody.safeParse(Array(11).fill({ file_id: 'f' })).success).toBe(false);
  });
});
