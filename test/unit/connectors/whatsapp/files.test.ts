import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { LoginRef } from '../../../../src/base/address.ts';
import { hasOrigin } from '../../../../src/connectors/kit/platform-http.ts';
import { GraphClient } from '../../../../src/connectors/whatsapp/client.ts';
import { webpShape } from '../../../../src/connectors/whatsapp/media-kind.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';
import { linked, soon } from './linked.ts';

const SHARED: LoginRef = { kind: 'shared' };

async function read(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

test('an inbound file can be fetched, more than once', async () => {
  const { api, connector } = await linked();
  const bytes = randomBytes(300_000);
  const { id } = api.media.add('image/jpeg', 'a.jpg', bytes);
  expect(await read(await connector.provides.messenger!.files!.fetchFile(SHARED, id, soon()))).toEqual(bytes);
  expect(await read(await connector.provides.messenger!.files!.fetchFile(SHARED, id, soon()))).toEqual(bytes);
});

test('a file that Meta no longer has is gone', async () => {
  const { api, connector } = await linked();
  const { id } = api.media.add('image/jpeg', 'a.jpg', randomBytes(9));
  api.media.evict(id);
  await expect(connector.provides.messenger!.files!.fetchFile(SHARED, id, soon())).rejects.toMatchObject({
    code: 'file_gone',
  });
});

test('a file with the wrong checksum ends with an error', async () => {
  const { api, connector } = await linked();
  const media = api.media.add('image/jpeg', 'a.jpg', randomBytes(9));
  const { describe } = api.media;
  api.media.describe = (...args) => ({ ...describe.apply(api.media, args), sha256: '0'.repeat(64) });
  await expect(
    connector.provides.messenger!.files!.fetchFile(SHARED, media.id, soon()).then(read),
  ).rejects.toMatchObject({
    code: 'platform_failed',
  });
});

test('only hosts that the operator listed get the token', async () => {
  const { api } = await linked();
  const media = api.media.add('image/jpeg', 'a.jpg', randomBytes(9));
  const { describe } = api.media;
  api.media.describe = (...args) => ({ ...describe.apply(api.media, args), url: 'http://127.0.0.2:1/steal' });
  const mediaUrl = 'https://lookaside.fbsbx.com';
  const { baseUrl: apiUrl, phoneNumberId, accessToken } = api;
  const options = { apiUrl, apiVersion: 'v25.0', mediaUrl, phoneNumberId, accessToken };
  const graph = new GraphClient(options, new TurnableClock());
  await expect(graph.openMedia(media.id, soon())).rejects.toMatchObject({ code: 'platform_failed' });
  expect(hasOrigin('https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1', mediaUrl)).toBe(true);
  expect(hasOrigin('https://lookaside.fbsbx.com.example.com/', mediaUrl)).toBe(false);
  expect(hasOrigin('http://lookaside.fbsbx.com/', mediaUrl)).toBe(false);
  expect(hasOrigin('nonsense', mediaUrl)).toBe(false);
});

test('the dimensions of a WebP picture are read from its first chunk', () => {
  const head = (kind: string) => {
    const bytes = Buffer.alloc(30);
    bytes.write('RIFF', 0, 'latin1');
    bytes.write(`WEBP${kind}`, 8, 'latin1');
    return bytes;
  };
  const lossy = head('VP8 ');
  lossy.writeUInt16LE(512, 26);
  lossy.writeUInt16LE(300, 28);
  expect(webpShape(lossy)).toEqual({ widthPx: 512, heightPx: 300, isAnimated: false });
  const lossless = head('VP8L');
  lossless.writeUInt8(0x2f, 20);
  lossless.writeUInt32LE(511 | (99 << 14), 21);
  expect(webpShape(lossless)).toEqual({ widthPx: 512, heightPx: 100, isAnimated: false });
  expect(webpShape(Buffer.alloc(30))).toBeUndefined();
  expect(webpShape(Buffer.alloc(3))).toBeUndefined();
});
