import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StreamingTranscriber, type TurnEvent } from 'assemblyai';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AssemblyAiStt } from '../fakes/assemblyai/stt-socket.ts';
import { SpeechHost } from '../fakes/speech-host.ts';
import { bytesPerMs, silence, toneSpeech } from '../fakes/tone-speech.ts';
import { makeCertificate } from '../support/certificate.ts';
import { waitFor } from '../support/wait-for.ts';

const FORMAT = { encoding: 's16le', sampleRateHz: 16_000 } as const;
const CHUNK_MS = 100;

let vendor: AssemblyAiStt;
let host: SpeechHost;
let folder: string;

beforeEach(async () => {
  // The package insists on TLS, and takes no certificate.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  folder = mkdtempSync(join(tmpdir(), 'assemblyai-'));
  const { certPath, keyPath } = makeCertificate(folder);
  vendor = new AssemblyAiStt();
  host = await SpeechHost.startSecure({ key: readFileSync(keyPath), cert: readFileSync(certPath) }, vendor);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await host.stop();
  rmSync(folder, { recursive: true });
});

function transcriber(apiKey: string): StreamingTranscriber {
  return new StreamingTranscriber({
    apiKey,
    websocketBaseUrl: `${host.socketUrl}/v3/ws`,
    sampleRate: FORMAT.sampleRateHz,
    speechModel: 'universal-streaming-english',
    formatTurns: true,
    keytermsPrompt: ['Zulu'],
    connectTimeout: 10_000,
  });
}

/** In real time, as AssemblyAI demands. */
async function speak(client: StreamingTranscriber, audio: Uint8Array): Promise<void> {
  const step = CHUNK_MS * bytesPerMs(FORMAT);
  for (let at = 0; at < audio.length; at += step) {
    client.sendAudio(Uint8Array.from(audio.subarray(at, at + step)).buffer);
    await new Promise((resolve) => setTimeout(resolve, CHUNK_MS));
  }
}

test('the AssemblyAI package is understood by the fake, and its turns by the package', async () => {
  const client = transcriber(vendor.key);
  const turns: TurnEvent[] = [];
  client.on('turn', (turn) => turns.push(turn));
  await client.connect();
  await speak(client, Buffer.concat([toneSpeech('alpha bravo', FORMAT), silence(500, FORMAT)]));
  await waitFor('the formatted turn', () => turns.some((turn) => turn.turn_is_formatted));
  await client.close();
  const ends = turns.filter((turn) => turn.end_of_turn);
  expect(ends.map(({ transcript }) => transcript)).toEqual(['alpha bravo', 'Alpha bravo.']);
  expect(vendor.sessions.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  expect(vendor.offences).toEqual([]);
});

test('the AssemblyAI package reads that a key is wrong', async () => {
  await expect(transcriber('wrong').connect()).rejects.toThrow(
    'Unauthorized Connection: invalid API key wrong',
  );
});

test('audio that comes faster than it is spoken ends the session', async () => {
  const client = transcriber(vendor.key);
  const errors: string[] = [];
  client.on('error', ({ message }) => errors.push(message));
  await client.connect();
  for (let chunk = 0; chunk < 10; chunk++) client.sendAudio(silence(CHUNK_MS, FORMAT).buffer as ArrayBuffer);
  await waitFor('the error', () => errors.length > 0);
  expect(errors[0]).toMatch(/^Audio Transmission Rate Exceeded/);
  await client.close();
});

test.each([20, 1_200])('chunks of %i ms end the session', async (chunkMs) => {
  const client = transcriber(vendor.key);
  const closes: number[] = [];
  client.on('error', () => {});
  client.on('close', (code) => closes.push(code));
  await client.connect();
  client.sendAudio(silence(chunkMs, FORMAT).buffer as ArrayBuffer);
  await waitFor('the close', () => closes.length > 0);
  expect(closes).toEqual([3_007]);
});
