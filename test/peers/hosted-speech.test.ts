import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AssemblyAiStt } from '../fakes/assemblyai/stt-socket.ts';
import { OpenAiAudio } from '../fakes/openai/audio-routes.ts';
import { FakeVendors, type VendorName } from '../fakes/speech-vendor/all-vendors.ts';
import { toneSpeech, understand } from '../fakes/tone-speech.ts';
import { Agent } from '../support/agent.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { joined, silence, speech } from '../support/speech-signal.ts';
import { waitFor } from '../support/wait-for.ts';
import { writeWav } from '../support/wav.ts';

const RATE_HZ = 8_000;
const TONES = { encoding: 's16le', sampleRateHz: RATE_HZ } as const;
const PHONE = '+33123456789';
const SPEAKERS = ['elevenlabs', 'deepgram', 'cartesia', 'openai'] as const;
/** What the gateway says. It is spoken in two pieces. */
const SAID = 'alpha bravo charlie delta. echo foxtrot golf hotel.';
/** What the phone says, in tones. */
const FIRST = 'india juliett kilo';
const SECOND = 'lima mike november oscar';
/** What it says in words, for OpenAI, whose speech the gateway itself cuts into sentences. */
const SENTENCES = [
  'please call me back',
  'the train to the airport leaves in twenty minutes from platform nine',
];

/** Silence before and after a sentence that the gateway sends with it. */
const ADDED_MS = 1_000;

interface Listener {
  readonly name: string;
  readonly provider: VendorName;
  readonly options: object;
  readonly lines: readonly (readonly [speaker: string, text: string])[];
}

const PLAIN = [[PHONE, FIRST], [PHONE, SECOND]] as const; // biome-ignore format: two lines
const LISTENERS: readonly Listener[] = [
  // Both send each final twice.
  {
    name: 'ElevenLabs',
    provider: 'elevenlabs',
    options: { vad_silence_threshold_secs: 0.6 },
    lines: PLAIN,
  },
  {
    name: 'AssemblyAI',
    provider: 'assemblyai',
    options: { speaker_labels: true },
    lines: [
      [`${PHONE} (A)`, 'India juliett kilo.'],
      [`${PHONE} (B)`, 'Lima mike november oscar.'],
    ],
  },
  {
    name: 'Deepgram nova',
    provider: 'deepgram',
    options: { diarize: true },
    lines: [
      [`${PHONE} (0)`, FIRST],
      [`${PHONE} (1)`, SECOND],
    ],
  },
  {
    name: 'Deepgram Flux',
    provider: 'deepgram',
    options: { model: 'flux-general-en' },
    lines: PLAIN,
  },
  { name: 'Cartesia ink-2', provider: 'cartesia', options: {}, lines: PLAIN },
  {
    name: 'Cartesia ink-whisper',
    provider: 'cartesia',
    options: { model: 'ink-whisper' },
    lines: PLAIN,
  },
];

describe.skipIf(requirePeer('baresip'))('hosted speech on a call with a phone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phone-'));
  let vendors: FakeVendors;
  let tonePhone: PhoneLine;

  beforeAll(async () => {
    vendors = await FakeVendors.start();
    vendors.by.assemblyai.part(AssemblyAiStt).speakers.push('A', 'B');
    const pause = silence(2_000, RATE_HZ);
    tonePhone = await lineThatSays(joined(pause, tones(FIRST), pause, tones(SECOND)));
  });
  afterAll(async () => {
    await tonePhone?.stop();
    await vendors?.stop();
    rmSync(folder, { recursive: true });
  });

  function tones(text: string): Int16Array {
    return new Int16Array(toneSpeech(text, TONES).slice().buffer);
  }

  /** A gateway that knows the vendors, and a phone that says this, then nothing. */
  async function lineThatSays(said: Int16Array): Promise<PhoneLine> {
    const wavPath = join(folder, `${said.length}.wav`);
    writeWav(wavPath, { sampleRateHz: RATE_HZ, channels: [joined(said, silence(60_000, RATE_HZ))] });
    const line = await PhoneLine.start({
      phone: { source: { wavPath }, codecs: ['PCMU'] },
      gateway: { env: { SVC_LOG_LEVEL: 'trace', ...vendors.settings } },
    });
    for (const key of vendors.keys) line.gateway.secrets.add(key);
    return line;
  }

  /** A call with one preset. */
  async function talk(line: PhoneLine, kind: 'stt' | 'tts', provider: VendorName, options: object = {}) {
    const { gateway, phone } = line;
    const api_key = vendors.by[provider].keyThatIs('valid');
    const preset = await gateway.settingsApi.post('/api/voice-configs', { kind, provider, api_key, options });
    expect(preset.status, JSON.stringify(preset.body)).toBe(200);
    const call = await gateway.placeCall(phone.uri, { [`${kind}_voice_config_id`]: preset.body.id });
    const agent = await Agent.connect(call.audio.stream_url, gateway.agentKey, RATE_HZ);
    await phone.waitFor('CALL_INCOMING');
    await phone.answer();
    await gateway.waitForState(call.call_id, 'active');
    await phone.waitFor('CALL_ESTABLISHED');
    return { call, agent };
  }

  /** Ends the call, and finds nothing left at the vendor within 2 s. */
  async function hangUp(line: PhoneLine, callId: string, provider: VendorName): Promise<void> {
    const { gateway, phone } = line;
    const vendor = vendors.by[provider];
    await gateway.agentApi.delete(`/api/call/${callId}`);
    await waitFor('the end of all connections', () => vendor.openStreams === 0, 2_000);
    await phone.waitFor('CALL_CLOSED');
    expect(vendor.offences).toEqual([]);
    expect(gateway.output).not.toContain(vendor.keyThatIs('valid'));
  }

  it.each(SPEAKERS)('what %s speaks is heard', async (provider) => {
    // The phone speaks meanwhile.
    const { call, agent } = await talk(tonePhone, 'tts', provider, { interruption: 'off' });
    const path = `/api/call/${call.call_id}/say`;
    const { body } = await tonePhone.gateway.agentApi.post(path, { text: SAID });
    const finished = await agent.waitFor('utterance', { state: 'finished' }, 15_000);
    const words = SAID.match(/\w+/g)!;
    expect(finished).toMatchObject({
      utterance_id: body.utterance_id,
      spoken_text: SAID,
      estimated: false,
    });
    expect(Math.abs((finished.played_ms as number) - words.length * 300)).toBeLessThanOrEqual(20);
    await hangUp(tonePhone, call.call_id, provider);
    const { samples, sampleRateHz } = tonePhone.phone.recordings().at(-1)!;
    const heard = understand(new Uint8Array(samples.buffer), { encoding: 's16le', sampleRateHz });
    expect(heard).toBe(words.join(' '));
    expect(agent.errors).toEqual([]);
  });

  it.each(LISTENERS)('$name hears each sentence once, and who said it', async (listener) => {
    const { provider, options, lines } = listener;
    const { call, agent } = await talk(tonePhone, 'stt', provider, options);
    agent.send({ type: 'transcript_config', interim: true });
    const results = () => agent.events.filter(({ type }) => type === 'call_transcript');
    const finals = () => results().filter(({ is_final }) => is_final);
    await waitFor('both sentences', () => finals().length >= lines.length, 20_000);
    await hangUp(tonePhone, call.call_id, provider);
    expect(finals().map(({ speaker, text }) => [speaker, text])).toEqual(lines);
    // Each sentence grows before it is final.
    const growing = finals().map((final, i) => {
      const from = i === 0 ? 0 : results().indexOf(finals()[i - 1]!) + 1;
      return results().slice(from, results().indexOf(final)).length;
    });
    expect(Math.min(...growing)).toBeGreaterThan(0);
    expect(agent.errors).toEqual([]);
  });

  it('OpenAI hears each sentence once', async () => {
    const spoken = SENTENCES.map((text) => speech(text, RATE_HZ));
    const audio = vendors.by.openai.part(OpenAiAudio);
    const wholeMs = spoken.map(({ length }) => (1_000 * length) / RATE_HZ);
    // It tells the sentences by their lengths.
    const between = (wholeMs[0]! + wholeMs[1]!) / 2 + ADDED_MS;
    audio.understand = (_samples, _format, durationMs) => SENTENCES[durationMs < between ? 0 : 1]!;
    const pause = silence(2_000, RATE_HZ);
    const line = await lineThatSays(joined(pause, spoken[0]!, pause, spoken[1]!, pause));
    try {
      const { call, agent } = await talk(line, 'stt', 'openai');
      const heard = () => agent.events.filter(({ type }) => type === 'call_transcript');
      await waitFor('both sentences', () => heard().length >= 2, 25_000);
      await hangUp(line, call.call_id, 'openai');
      expect(heard().map(({ speaker, text }) => [speaker, text])).toEqual(
        SENTENCES.map((text) => [PHONE, text]),
      );
    } finally {
      await line.stop();
    }
  });
});
