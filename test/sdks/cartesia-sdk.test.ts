import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cartesia as CartesiaClient } from '@cartesia/cartesia-js';
import { expect, onTestFinished, test } from 'vitest';
import { CartesiaStt } from '../fakes/cartesia/stt-socket.ts';
import { CartesiaTts } from '../fakes/cartesia/tts-socket.ts';
import { SpeechHost, type VendorPart } from '../fakes/speech-host.ts';
import { silence, toneSpeech, understand } from '../fakes/tone-speech.ts';
import { makeCertificate } from '../support/certificate.ts';

/** As a module, the package does not find ws, which alone takes a certificate. */
const { Cartesia } = createRequire(import.meta.url)('@cartesia/cartesia-js') as {
  Cartesia: typeof CartesiaClient;
};

const FORMAT = { encoding: 's16le', sampleRateHz: 16_000 } as const;
const VOICE = { id: 'f786b574-daa5-4673-aa0c-cbe3e8534c02' };

/** The package's text-to-speech socket insists on TLS. */
async function secureHost(part: VendorPart): Promise<{ host: SpeechHost; ca: Buffer }> {
  const folder = mkdtempSync(join(tmpdir(), 'cartesia-'));
  const { certPath, keyPath } = makeCertificate(folder);
  const ca = readFileSync(certPath);
  const host = await SpeechHost.startSecure({ key: readFileSync(keyPath), cert: ca }, part);
  onTestFinished(async () => {
    await host.stop();
    rmSync(folder, { recursive: true });
  });
  return { host, ca };
}

test('the Cartesia package speaks with the fake', async () => {
  const tts = new CartesiaTts();
  const { host, ca } = await secureHost(tts);
  const client = new Cartesia({ apiKey: tts.key, baseURL: host.url });
  const socket = await client.tts.websocket({ ca });
  const context = socket.context({
    model_id: 'sonic-3',
    voice: VOICE,
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
    add_timestamps: true,
  });
  await context.push({ transcript: 'alpha bravo ' });
  await context.push({ transcript: 'charlie' });
  await context.no_more_inputs();
  const audio: Uint8Array[] = [];
  const words: string[] = [];
  for await (const event of context.receive({ timeout: 5_000 })) {
    if (event.type === 'chunk' && event.audio) audio.push(event.audio);
    if (event.type === 'timestamps') words.push(...(event.word_timestamps?.words ?? []));
  }
  socket.close();
  expect(understand(Buffer.concat(audio), FORMAT)).toBe('alpha bravo charlie');
  expect(words).toEqual(['alpha', 'bravo', 'charlie']);
  expect(tts.offences).toEqual([]);
});

test('the Cartesia package reads the errors of the fake', async () => {
  const tts = new CartesiaTts();
  const { host, ca } = await secureHost(tts);
  const client = new Cartesia({ apiKey: tts.key, baseURL: host.url });
  const socket = await client.tts.websocket({ ca });
  socket.on('error', () => {});
  const context = socket.context({
    model_id: 'sonic-2',
    voice: VOICE,
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
  });
  await context.push({ transcript: 'alpha' });
  const receive = async () => {
    for await (const _ of context.receive({ timeout: 5_000 }));
  };
  await expect(receive()).rejects.toThrow('sonic-2 was sunset on June 1, 2026');
  socket.close();
});

async function sttClient(): Promise<{ stt: CartesiaStt; client: CartesiaClient }> {
  const stt = new CartesiaStt();
  const host = await SpeechHost.start(stt);
  onTestFinished(() => host.stop());
  return { stt, client: new Cartesia({ apiKey: stt.key, baseURL: host.url }) };
}

const PARAMETERS = { model: 'ink-2', encoding: 'pcm_s16le', sample_rate: 16_000 } as const;

test('the Cartesia package has speech finalized by the fake', async () => {
  const { stt, client } = await sttClient();
  const socket = client.stt.manualFinalize.websocket(PARAMETERS);
  const texts: string[] = [];
  socket.sendRaw(toneSpeech('alpha bravo', FORMAT));
  socket.send('finalize');
  socket.sendRaw(toneSpeech('charlie', FORMAT));
  socket.send('close');
  for await (const event of socket.stream()) {
    if (event.type === 'error') throw event.error;
    if (event.type !== 'message') continue;
    if (event.message.type === 'transcript' && event.message.is_final) texts.push(event.message.text);
    if (event.message.type === 'done') break;
  }
  expect(texts).toEqual(['alpha bravo', ' charlie']);
  expect(stt.offences).toEqual([]);
});

test('the Cartesia package follows the turns of the fake', async () => {
  const { stt, client } = await sttClient();
  const socket = client.stt.autoFinalize.websocket(PARAMETERS);
  const events: string[] = [];
  socket.sendRaw(toneSpeech('alpha', FORMAT));
  socket.sendRaw(silence(600, FORMAT));
  for await (const event of socket.stream()) {
    if (event.type === 'error') throw event.error;
    if (event.type !== 'message') continue;
    events.push(event.message.type);
    if (event.message.type !== 'turn.end') continue;
    expect(event.message.transcript).toBe('alpha');
    socket.send({ type: 'close' });
    break;
  }
  expect(events).toEqual(['connected', 'turn.start', 'turn.update', 'turn.eager_end', 'turn.end']);
  expect(stt.offences).toEqual([]);
});
