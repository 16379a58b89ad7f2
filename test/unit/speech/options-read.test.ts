import { afterAll, beforeAll, expect, test } from 'vitest';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { OptionField } from '../../../src/speech/options/option-field.ts';
import { HEARING, INTERRUPTIONS } from '../../../src/speech/options/shared-options.ts';
import { SPEECH_PROVIDERS } from '../../../src/speech/providers/speech-providers.ts';
import type { SpeechPreset } from '../../../src/speech/speech-preset.ts';
import { allClients } from '../../../src/speech/transport/speech-parts.ts';
import { leaveOutNeuralVoice } from '../../../src/speech/vad/neural-voice.ts';
import { FakeVendors } from '../../fakes/speech-vendor/all-vendors.ts';
import { roomForAll } from '../../support/speech/room-for-all.ts';
import { waitFor } from '../../support/wait-for.ts';
import { RecordedRecognition } from './recorded-recognition.ts';
import { RecordedSynthesis } from './recorded-synthesis.ts';
import { Speaker } from './speaker.ts';

const RATE_HZ = 16_000;
/** The transport reads them, for every provider. */
const OF_THE_TRANSPORT = new Set([...INTERRUPTIONS, ...HEARING].map(({ name }) => name));

const SERVICES = SPEECH_PROVIDERS.flatMap(({ name, kinds }) =>
  Object.entries(kinds).map(([kind, { fields }]) => ({ name, kind, fields })),
);

let vendors: FakeVendors;

beforeAll(async () => {
  // What is said are tones.
  leaveOutNeuralVoice();
  vendors = await FakeVendors.start();
});

afterAll(() => vendors.stop());

test.each(SERVICES)(
  'the client of $name $kind reads every option that it has, and no other',
  async (service) => {
    const read = new Set<string>();
    const use = service.kind === 'tts' ? speak : listen;
    await Promise.all(
      modelsOf(service.fields).map((model) => {
        const set = Object.fromEntries(service.fields.map((field) => [field.name, sampleOf(field)]));
        const options = new Proxy(model === undefined ? set : { ...set, model }, {
          get: (target, name) => {
            read.add(`${String(name)}`);
            return Reflect.get(target, name);
          },
        });
        return use(service.name, presetOf(service.name, options));
      }),
    );
    const names = service.fields.map(({ name }) => name).filter((name) => !OF_THE_TRANSPORT.has(name));
    expect([...read].sort()).toEqual(names.sort());
  },
);

type ProviderName = (typeof SERVICES)[number]['name'];

async function speak(provider: ProviderName, preset: SpeechPreset): Promise<void> {
  const recorded = new RecordedSynthesis();
  const synthesizer = clientOf(provider).synthesizer!(preset, RATE_HZ, recorded);
  synthesizer.speak({ utteranceId: '1', text: 'Alpha.', isLast: true });
  await waitFor('the utterance', () => recorded.events.some((event) => /^(?:ended|failed)/.test(event)));
  await synthesizer.close();
}

async function listen(provider: ProviderName, preset: SpeechPreset): Promise<void> {
  const recognizer = clientOf(provider).recognizer!(preset, RATE_HZ, new RecordedRecognition());
  await new Speaker(recognizer, async () => {}).say('alpha bravo charlie', 1_500);
  await recognizer.close();
}

function clientOf(name: ProviderName) {
  const reader = new ReadingTime(systemClock).of('acc_a');
  const deps = { clock: systemClock, random: Math.random, reader };
  return allClients(deps, roomForAll).find(({ provider }) => provider === name)!;
}

function presetOf(name: ProviderName, options: SpeechPreset['options']): SpeechPreset {
  if (name === 'local') return { url: '', key: '', options };
  const vendor = vendors.by[name];
  return { url: vendor.url, key: vendor.keyThatIs('valid'), options };
}

/** Every known model, because each has options of its own. */
function modelsOf(fields: readonly OptionField[]): readonly (string | undefined)[] {
  const field = fields.find(({ name }) => name === 'model');
  return field?.type === 'text' && field.examples ? field.examples : [undefined];
}

/** Flags are set, because some options are read only with another one. */
function sampleOf(field: OptionField): unknown {
  switch (field.type) {
    case 'flag':
      return true;
    case 'list':
      return ['en'];
    case 'text':
      return field.default ?? field.choices?.[0] ?? 'en';
    default:
      return field.default ?? field.minimum;
  }
}
