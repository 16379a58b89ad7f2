import {
  flag,
  HEARING,
  INTERRUPTIONS,
  integer,
  keyterms,
  language,
  list,
  model,
  number,
  voice,
} from '../../options/shared-options.ts';
import type { AskVendor } from '../../providers/ask-vendor.ts';
import type { SpeechProvider, SpeechService } from '../../providers/provider.ts';
import { type Voice, type VoiceList, voicesIn } from '../../providers/voices.ts';
import { objectAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { DEEPGRAM } from './deepgram-manners.ts';

const MAX_VOICES = 500;
const KEY_PATH = '/v1/auth/token';

const NO_TRAINING = flag(
  'mip_opt_out',
  'No training',
  'Keeps the audio out of model training, at a higher price',
  false,
);

const TTS: SpeechService = {
  modelEnds: [],
  fields: [
    voice('Such as thalia-en, which stands for aura-2-thalia-en; it decides the language', 'thalia-en', [
      'thalia-en',
      'andromeda-en',
      'apollo-en',
      'aura-2-thalia-en',
    ]),
    number('speed', 'Speed', '1 is normal', [0.7, 1.5, 1]),
    NO_TRAINING,
    ...INTERRUPTIONS,
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
    integer(
      'endpointing',
      'Silence',
      'Milliseconds of silence that end what was said; not flux',
      [10, 5_000, 300],
    ),
    integer(
      'utterance_end_ms',
      'Gap between words',
      'Milliseconds without a word that end what was said, also in noise; not flux',
      [1_000, 5_000, 1_000],
    ),
    number(
      'eot_threshold',
      'End of turn',
      'Certainty from which a turn counts as over; flux only',
      [0.5, 1, 0.7],
    ),
    integer(
      'eot_timeout_ms',
      'Longest silence',
      'Milliseconds of silence after which a turn is over in any case; flux only',
      [500, 60_000, 5_000],
    ),
    keyterms(100, 100),
    list('redact', 'Redaction', 'What to leave out, such as pci or numbers', [20, 40]),
    NO_TRAINING,
    ...HEARING,
  ],
};

/** https://developers.deepgram.com/reference */
export const deepgram: SpeechProvider = {
  name: 'deepgram',
  title: DEEPGRAM.title,
  regions: [
    { name: 'global', title: 'Global', url: 'https://api.deepgram.com' },
    { name: 'eu', title: 'European Union', url: 'https://api.eu.deepgram.com' },
    { name: 'au', title: 'Australia', url: 'https://api.au.deepgram.com' },
    { name: 'in', title: 'India', url: 'https://api.in.deepgram.com' },
  ],
  kinds: { stt: STT, tts: TTS },
  keys: { manners: DEEPGRAM, path: KEY_PATH, codes: { INSUFFICIENT_PERMISSIONS: 'limited_scope' } },
  listVoices,
};

/** Checks the key first: the list itself is open to everybody. */
async function listVoices(ask: AskVendor): Promise<VoiceList> {
  await ask(KEY_PATH);
  const body = await ask('/v1/models');
  const voices = voicesIn({ tts: [], ...body }, 'tts', 'canonical_name', voiceOf);
  return { voices: voices.slice(0, MAX_VOICES), isCut: voices.length > MAX_VOICES };
}

function voiceOf(entry: VendorMessage, id: string): Voice {
  const metadata = objectAt(entry, 'metadata');
  const tags = textsAt(metadata, 'tags');
  const traits = [textAt(metadata, 'accent'), textAt(metadata, 'age'), ...tags].filter((trait) => !!trait);
  return {
    id,
    name: textAt(entry, 'name') ?? id,
    description: traits.length > 0 ? traits.join(', ') : null,
    languages: textsAt(entry, 'languages'),
    gender: tags.find((tag) => tag === 'feminine' || tag === 'masculine') ?? null,
    previewUrl: textAt(metadata, 'sample'),
  };
}
