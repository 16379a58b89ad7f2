import { DeepgramClient } from '@deepgram/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/time.ts';
import { DeepgramSttSocket } from '../fakes/deepgram/stt-socket.ts';
import { DeepgramTtsSocket } from '../fakes/deepgram/tts-socket.ts';
import { SpeechHost } from '../fakes/speech-host.ts';
import { silence, type ToneFormat, toneSpeech, understand } from '../fakes/tone-speech.ts';
import { waitFor } from '../support/wait-for.ts';

const KEY = 'dg_0123456789abcdef';
const FORMAT: ToneFormat = { encoding: 's16le', sampleRateHz: 16_000 };

let stt: DeepgramSttSocket;
let tts: DeepgramTtsSocket;
let host: SpeechHost;
let client: DeepgramClient;

beforeEach(async () => {
  stt = new DeepgramSttSocket(KEY, systemClock);
  tts = new DeepgramTtsSocket(KEY, systemClock);
  host = await SpeechHost.start(stt, tts);
  const environment = {
    base: host.url,
    production: host.socketUrl,
    agent: host.socketUrl,
    agentRest: host.url,
  };
  client = new DeepgramClient({ apiKey: KEY, environment, reconnect: false });
});

afterEach(async () => {
  await host.stop();
});

/** The fakes, used by Deepgram's own client. */
describe('Deepgram’s SDK', () => {
  it('hears by the fake of nova', async () => {
    const socket = await client.listen.v1.connect({
      Authorization: `Token ${KEY}`,
      model: 'nova-3',
      encoding: 'linear16',
      sample_rate: '16000',
      interim_results: 'true',
      utterance_end_ms: '1000',
    });
    const messages: { type: string; is_final?: boolean; channel?: unknown }[] = [];
    socket.on('message', (message) => messages.push(message as (typeof messages)[number]));
    socket.connect();
    await socket.waitForOpen();
    socket.sendMedia(Buffer.concat([toneSpeech('alpha bravo', FORMAT), silence(1_500, FORMAT)]));
    socket.sendFinalize({ type: 'Finalize' });
    socket.sendKeepAlive({ type: 'KeepAlive' });
    socket.sendCloseStream({ type: 'CloseStream' });
    await waitFor('the end', () => messages.some(({ type }) => type === 'Metadata'));
    socket.close();
    expect(JSON.stringify(messages)).toContain('"transcript":"alpha bravo"');
    expect(messages.map(({ type }) => type)).toContain('UtteranceEnd');
    expect(stt.offences).toEqual([]);
  });

  it('hears by the fake of Flux', async () => {
    const socket = await client.listen.v2.connect({
      Authorization: `Token ${KEY}`,
      model: 'flux-general-en',
      encoding: 'linear16',
      sample_rate: '16000',
      eot_threshold: '0.8',
    });
    const messages: { type: string; event?: string; transcript?: string }[] = [];
    socket.on('message', (message) => messages.push(message as (typeof messages)[number]));
    socket.connect();
    await socket.waitForOpen();
    socket.sendMedia(Buffer.concat([toneSpeech('alpha bravo', FORMAT), silence(1_500, FORMAT)]));
    await waitFor('the end of the turn', () => messages.some(({ event }) => event === 'EndOfTurn'));
    socket.sendCloseStream({ type: 'CloseStream' });
    socket.close();
    expect(messages.findLast(({ event }) => event === 'EndOfTurn')!.transcript).toBe('alpha bravo');
    expect(stt.offences).toEqual([]);
  });

  it('speaks by the fake of Aura', async () => {
    const socket = await client.speak.v1.connect({
      Authorization: `Token ${KEY}`,
      model: 'aura-2-thalia-en',
      encoding: 'linear16',
      sample_rate: '16000',
    });
    const audio: Promise<ArrayBuffer>[] = [];
    const messages: unknown[] = [];
    socket.on('message', (message: unknown) => {
      if (message instanceof Blob) audio.push(message.arrayBuffer());
      else messages.push(message);
    });
    socket.connect();
    await socket.waitForOpen();
    socket.sendText({ type: 'Speak', text: 'alpha bravo' });
    socket.sendFlush({ type: 'Flush' });
    await waitFor('all audio', () => JSON.stringify(messages).includes('"Flushed"'));
    socket.sendClose({ type: 'Close' });
    socket.close();
    const bytes = Buffer.concat((await Promise.all(audio)).map((each) => Buffer.from(each)));
    expect(understand(bytes, FORMAT)).toBe('alpha bravo');
    expect(tts.offences).toEqual([]);
  });
});
