import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { LoopbackVendor } from '../../loopback/server/loopback-vendor.ts';
import type { Meeting } from '../../loopback/server/meeting.ts';
import { waitFor } from '../../support/wait-for.ts';

let vendor: LoopbackVendor;
let token: string;
let meeting: Meeting;

beforeAll(async () => {
  vendor = await LoopbackVendor.start();
  ({ token } = vendor.accounts.bot('App'));
  meeting = vendor.meeting();
});
afterAll(() => vendor.stop());

/** Status and error code of a request. */
async function ask(method: string, path: string, body?: unknown, bearer = token): Promise<[number, string]> {
  const response = await fetch(`${vendor.baseUrl}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const { error } = (await response.json()) as { error?: { code: string } };
  return [response.status, error?.code ?? ''];
}

async function joined(media: 'pcm' | 'packets'): Promise<WebSocket> {
  const response = await fetch(`${vendor.baseUrl}/v1/meetings/${meeting.id}/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'App', media }),
  });
  const { url } = (await response.json()) as { url: string };
  const signaling = new WebSocket(url);
  const media_url = await new Promise<string>((resolve) =>
    signaling.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.type === 'joined') resolve(message.media_url);
    }),
  );
  return new WebSocket(media_url);
}

const closed = (socket: WebSocket) =>
  new Promise<string>((resolve) => socket.on('close', (_code, reason) => resolve(String(reason))));

describe('the loopback vendor', () => {
  it('answers requests that are not as its API says with an error of their own', async () => {
    const channel = vendor.channel('general', vendor.accounts.person('Ada'));
    const message = { text: 'x', nonce: 'n' };
    const answers = await Promise.all([
      ask('GET', 'me'),
      ask('GET', 'me', undefined, 'wrong'),
      ask('GET', 'nothing'),
      ask('POST', `meetings/${meeting.id}/sessions`, { name: 'App', media: 'pcm', more: 1 }),
      ask('POST', `meetings/${meeting.id}/sessions`, { name: 'App', media: 'video' }),
      ask('POST', `meetings/${meeting.id}/sessions`, 'not JSON'),
      ask('POST', 'meetings/none/sessions', { name: 'App', media: 'pcm' }),
      ask('POST', 'spaces/none/messages', message),
      // A space of others is none.
      ask('POST', `spaces/${channel.id}/messages`, message),
      ask('DELETE', 'sessions/none'),
      ask('GET', 'files/none'),
      ask('PUT', 'webhook', { url: `${vendor.baseUrl}/v1/me`, secret: 'long enough to be a secret' }),
    ]);
    expect(answers).toEqual([
      [200, ''],
      [401, 'invalid_token'],
      [404, 'unknown_endpoint'],
      [400, 'invalid_body'],
      [400, 'invalid_body'],
      [400, 'invalid_body'],
      [404, 'meeting_not_found'],
      [404, 'space_not_found'],
      [404, 'space_not_found'],
      [404, 'session_not_found'],
      [404, 'file_not_found'],
      [400, 'not_verified'],
    ]);
  });

  it('closes media that is not what was agreed, and takes each ticket once', async () => {
    const pcm = await joined('pcm');
    pcm.on('open', () => pcm.send(Buffer.alloc(7)));
    expect(await closed(pcm)).toBe('7 bytes are not 20 ms of PCM');
    const packets = await joined('packets');
    packets.on('open', () => packets.send(Buffer.alloc(1_920)));
    expect(await closed(packets)).toBe('not an RTP packet with Opus');
    const again = new WebSocket(pcm.url);
    const refusal = await new Promise<Error>((resolve) => again.on('error', resolve));
    expect(refusal.message).toContain('401');
    await waitFor('both sockets to close', () => meeting.sessions.every(({ hasMedia }) => !hasMedia));
  });
});
