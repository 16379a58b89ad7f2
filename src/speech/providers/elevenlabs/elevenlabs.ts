import { flag, INTERRUPTION, keyterms, language, model } from '../../options/shared-options.ts';
import type { SpeechProvider, SpeechService } from '../provider.ts';
import { checkKey, listVoices } from './elevenlabs-api.ts';

const TTS: SpeechService = {
  modelEnds: [],
  fields: [
    {
      name: 'voice',
      title: 'Voice',
      type: 'text',
      description: 'Id of a voice of the account. The default is one that every account has',
      default: 'bIHbv24MWmeRgasZH58o',
      maxLength: 100,
    },
    model(
      ['eleven_flash_v2_5', 'eleven_turbo_v2_5', 'eleven_multilingual_v2', 'eleven_v3_conversational'],
      'eleven_turbo_v2_5',
      'flash answers soonest',
    ),
    language('ISO 639-1, such as en, for the flash and turbo models; without one, the model detects it'),
    fraction('stability', 'Stability', 'Low: livelier; high: steadier', 0.5),
    fraction('similarity_boost', 'Similarity', 'Closeness to the original voice', 0.75),
    fraction('style', 'Style', "Exaggeration of the voice's style; more takes longer", 0),
    flag('use_speaker_boost', 'Speaker boost', 'Closer to the speaker, at some cost of time', true),
    {
      name: 'speed',
      title: 'Speed',
      type: 'number',
      description: '1 is normal',
      default: 1,
      minimum: 0.7,
      maximum: 1.2,
    },
    {
      name: 'apply_text_normalization',
      title: 'Text normalization',
      type: 'text',
      description: 'Whether numbers and dates are spelled out',
      choices: ['auto', 'on', 'off'],
      default: 'auto',
    },
    INTERRUPTION,
  ],
};

const STT: SpeechService = {
  modelEnds: [],
  fields: [
    model(['scribe_v2_realtime'], 'scribe_v2_realtime'),
    language('ISO 639-1 or 639-3; without one, it is detected'),
    {
      name: 'commit_strategy',
      title: 'End of speech',
      type: 'text',
      description: 'Who finds the end of what was said: ElevenLabs (vad), or the gateway (manual)',
      choices: ['vad', 'manual'],
      default: 'vad',
    },
    {
      name: 'vad_silence_threshold_secs',
      title: 'Silence',
      type: 'number',
      description: 'Seconds of silence that end what was said, with vad',
      default: 1.5,
      minimum: 0.3,
      maximum: 3,
    },
    {
      name: 'vad_threshold',
      title: 'Voice threshold',
      type: 'number',
      description: 'Certainty from which sound counts as speech, with vad',
      default: 0.4,
      minimum: 0.1,
      maximum: 0.9,
    },
    keyterms(50, 20),
    flag('no_verbatim', 'Without fillers', 'Leaves out fillers and false starts', false),
  ],
};

function fraction(name: string, title: string, description: string, preset: number) {
  return { name, title, type: 'number', description, default: preset, minimum: 0, maximum: 1 } as const;
}

/** https://elevenlabs.io/docs/api-reference */
export const elevenlabs: SpeechProvider = {
  name: 'elevenlabs',
  title: 'ElevenLabs',
  regions: [
    { name: 'global', title: 'Global', url: 'https://api.elevenlabs.io' },
    { name: 'us', title: 'United States', url: 'https://api.us.elevenlabs.io' },
    {
      name: 'eu',
      title: 'European Union, with data residency',
      url: 'https://api.eu.residency.elevenlabs.io',
    },
    { name: 'in', title: 'India, with data residency', url: 'https://api.in.residency.elevenlabs.io' },
    { name: 'sg', title: 'Singapore, with data residency', url: 'https://api.sg.residency.elevenlabs.io' },
  ],
  kinds: { stt: STT, tts: TTS },
  checkKey,
  listVoices,
};
