import { flag, INTERRUPTION, keyterms, language, model } from '../../options/shared-options.ts';
import type { SpeechProvider, SpeechService } from '../provider.ts';
import { checkKey, listVoices } from './deepgram-api.ts';

const NO_TRAINING = flag(
  'mip_opt_out',
  'No training',
  'Keeps the audio out of model training, at a higher price',
  false,
);

const TTS: SpeechService = {
  modelEnds: [],
  fields: [
    {
      name: 'voice',
      title: 'Voice',
      type: 'text',
      description: 'Such as thalia-en, which stands for aura-2-thalia-en; it decides the language',
      default: 'thalia-en',
      examples: ['thalia-en', 'andromeda-en', 'apollo-en', 'aura-2-thalia-en'],
      maxLength: 100,
    },
    {
      name: 'speed',
      title: 'Speed',
      type: 'number',
      description: '1 is normal',
      default: 1,
      minimum: 0.7,
      maximum: 1.5,
    },
    NO_TRAINING,
    INTERRUPTION,
  ],
};

const STT: SpeechService = {
  modelEnds: [],
  fields: [
    model(
      ['nova-3', 'nova-3-medical', 'nova-2', 'flux-general-en', 'flux-general-multi'],
      'nova-3',
      'The flux models find turns themselves',
    ),
    language('BCP 47, such as en or fr-CA; `multi` for several at a time', 'en'),
    flag('smart_format', 'Smart format', 'Writes numbers, dates and amounts as people do; not flux', true),
    flag('punctuate', 'Punctuation', 'Punctuates and capitalizes; not flux', true),
    flag('numerals', 'Numerals', 'Writes numbers in digits', false),
    flag('profanity_filter', 'Profanity filter', 'Masks profanity', false),
    flag('diarize', 'Speaker labels', 'Tells speakers on one line apart; not flux', false),
    {
      name: 'endpointing',
      title: 'Silence',
      type: 'integer',
      description: 'Milliseconds of silence that end what was said; not flux',
      default: 300,
      minimum: 10,
      maximum: 5_000,
    },
    {
      name: 'utterance_end_ms',
      title: 'Gap between words',
      type: 'integer',
      description: 'Milliseconds without a word that end what was said, also in noise; not flux',
      default: 1_000,
      minimum: 1_000,
      maximum: 5_000,
    },
    {
      name: 'eot_threshold',
      title: 'End of turn',
      type: 'number',
      description: 'Certainty from which a turn counts as over; flux only',
      default: 0.7,
      minimum: 0.5,
      maximum: 1,
    },
    {
      name: 'eot_timeout_ms',
      title: 'Longest silence',
      type: 'integer',
      description: 'Milliseconds of silence after which a turn is over in any case; flux only',
      default: 5_000,
      minimum: 500,
      maximum: 60_000,
    },
    keyterms(100, 100),
    {
      name: 'redact',
      title: 'Redaction',
      type: 'list',
      description: 'What to leave out, such as pci or numbers',
      maxItems: 20,
      maxLength: 40,
    },
    NO_TRAINING,
  ],
};

/** https://developers.deepgram.com/reference */
export const deepgram: SpeechProvider = {
  name: 'deepgram',
  title: 'Deepgram',
  regions: [
    { name: 'global', title: 'Global', url: 'https://api.deepgram.com' },
    { name: 'eu', title: 'European Union', url: 'https://api.eu.deepgram.com' },
    { name: 'au', title: 'Australia', url: 'https://api.au.deepgram.com' },
    { name: 'in', title: 'India', url: 'https://api.in.deepgram.com' },
  ],
  kinds: { stt: STT, tts: TTS },
  checkKey,
  listVoices,
};
