import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { waitFor, within } from '../support/wait-for.ts';

const PUBLIC_LIMIT_BYTES = 16_384;
const WEBHOOK_LIMIT_BYTES = 1_048_576;
const APP_SECRET = 'secret-of-the-test-app';
const WEBHOOK = '/api/whatsapp/webhook/shared';

let gateway: Gateway;
const sockets: Socket[] = [];

beforeAll(async () => {
  const env = { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000', SVC_WHATSAPP_APP_SECRET: APP_SECRET };
  gateway = await Gateway.start({ env });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => gateway?.stop());

/**
 * Sends headers that announce a body, and nothing of it; resolves with the status of the answer. Who is waited for is
 * told 408.
 */
async function statusBeforeBody(
  path: string,
  headers: readonly string[],
  bytes = 1_000_000,
): Promise<number> {
  const socket = connect(gateway.httpPort, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  socket.write(
    [`POST ${path} HTTP/1.1`, 'Host: a', `Content-Length: ${bytes}`, ...headers, '', ''].join('\r\n'),
  );
  const status = waitFor('an answer', () => /^HTTP\/1.1 (\d+)/.exec(received)?.[1]);
  return Number(await status);
}

async function post(path: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${gateway.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
    redirect: 'manual',
  });
}

/** Every public route that takes a body, except webhooks and uploads. */
async function publicBodies(): Promise<string[]> {
  const { paths } = (await gateway.api(null).get('/openapi.json')).body;
  return Object.entries<Record<string, { requestBody?: unknown; security?: unknown[]; tags: string[] }>>(
    paths,
  )
    .filter(
      ([, { post: told }]) =>
        told?.requestBody && told.security?.length === 0 && !/webhook|upload/i.test(told.tags.join()),
    )
    .map(([path]) => path)
    .filter((path) => !/webhook|\{slot\}/.test(path));
}

describe('a stranger', () => {
  it('may send 16 KB to every public route, and not a byte more', async () => {
    const paths = await publicBodies();
    expect(paths).toEqual(
      expect.arrayContaining(['/auth/login', '/auth/signup', '/auth/forgot-password', '/oauth/register']),
    );
    const others = ['/oauth/token', '/oauth/revoke', '/oauth/authorize', '/api/nctalk/callback'];
    for (const path of [...paths, ...others]) {
      const over = await post(path, 'x'.repeat(PUBLIC_LIMIT_BYTES + 1));
      expect([path, over.status]).toEqual([path, 413]);
      expect([path, (await post(path, 'x'.repeat(PUBLIC_LIMIT_BYTES))).status]).not.toEqual([path, 413]);
    }
  });

  it('cannot overload the parser with deeply nested JSON', async () => {
    const deep = '['.repeat(PUBLIC_LIMIT_BYTES);
    const answer = await post('/auth/login', deep);
    expect([answer.status, await answer.json()]).toEqual([
      422,
      {
        code: 'validation_failed',
        detail: [{ loc: ['body'], type: 'json_too_deep', msg: 'JSON may be nested at most 32 levels deep' }],
      },
    ]);
    const client = await post('/oauth/register', `{"redirect_uris":${deep.slice(0, 1_000)}`);
    expect([client.status, (await client.json()) as object]).toMatchObject([
      400,
      { error: 'invalid_client_metadata' },
    ]);
  });

  it('without a signature is refused before a webhook body is read', async () => {
    expect(await statusBeforeBody(WEBHOOK, [])).toBe(401);
    expect(await statusBeforeBody(WEBHOOK, ['X-Hub-Signature-256: sha256=abc'])).toBe(401);
    expect(await statusBeforeBody('/api/whatsapp/webhook/other', [])).toBe(404);
    expect(await statusBeforeBody('/api/telegram/webhook/bot_unknown', [])).toBe(404);
  });

  it('with a valid webhook signature may send 1 MB, but not deeply nested JSON', async () => {
    const signed = (body: string) => {
      const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex');
      return post(WEBHOOK, body, { 'X-Hub-Signature-256': `sha256=${signature}` });
    };
    const padded = (bytes: number) => {
      const payload = { object: 'whatsapp_business_account', entry: [], padding: '' };
      payload.padding = 'x'.repeat(bytes - JSON.stringify(payload).length);
      return JSON.stringify(payload);
    };
    expect((await signed(padded(WEBHOOK_LIMIT_BYTES))).status).toBe(200);
    expect((await signed(padded(WEBHOOK_LIMIT_BYTES + 1))).status).toBe(413);
    expect((await signed('['.repeat(WEBHOOK_LIMIT_BYTES))).status).toBe(400);
    const wrong = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` };
    expect((await post(WEBHOOK, '['.repeat(1_000), wrong)).status, 'not even parsed').toBe(401);
  });

  it('without the token of a reserved upload is refused before the file is read', async () => {
    const form = ['Content-Type: multipart/form-data; boundary=x'];
    const path = '/api/files/upload/made-up';
    expect(await statusBeforeBody(path, form, 25_000_000)).toBe(404);
  });

  it('with the token of a reserved upload may send a file of 2 MB', async () => {
    const reserved = await gateway.agentApi.post('/api/files/reserve', { name: 'a', mime: 'text/plain' });
    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(2 * WEBHOOK_LIMIT_BYTES)]), 'a');
    const answer = await within(
      'the upload',
      fetch(reserved.body.upload_url, { method: 'POST', body: form }),
    );
    expect(answer.status).toBe(200);
  });
});

describe('a client with a key', () => {
  it('gets only the first hundred faults of a request', async () => {
    const { id } = (await gateway.settingsApi.get('/api/agents')).body.agents[0];
    const config = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`colour-${n}`, 'red']));
    const answer = await gateway.settingsApi.patch(`/api/agents/${id}/provider`, {
      provider: 'openai',
      config,
    });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toHaveLength(100);
  });
});
