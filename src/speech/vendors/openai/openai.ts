import {
  HEARING,
  INTERRUPTIONS,
  integer,
  keyterms,
  language,
  model,
  number,
  text,
  voice,
} from '../../options/shared-options.ts';
import type { AskVendor } from '../../providers/ask-vendor.ts';
import type { ModelEnd, SpeechProvider, SpeechService } from '../../providers/provider.ts';
import type { VoiceList } from '../../providers/voices.ts';
import { OPENAI } from './openai-manners.ts';

/** OpenAI lists its voices in its documentation only. */
const VOICES = 'alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse'.split(' ');
/** tts-1 and tts-1-hd do not have these. */
const NEWER_VOICES: ReadonlySet<string> = new Set(['ballad', 'cedar', 'marin', 'verse']);
const KEY_PATH = '/v1/models';

const TTS: SpeechService = {
  modelEnds: ['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'].map(
    (ending): ModelEnd => ({ model: ending, endsOn: '2027-01-06', successor: null }),
  ),
  fields: [
    voice('A voice of OpenAI, or the id of a voice of the account', 'alloy', VOICES),
    model(['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'], 'gpt-4o-mini-tts'),
    text('instructions', 'Instructions', 'How to speak, in words; not tts-1', { maxLength: 2_000 }),
    number('speed', 'Speed', '1 is normal', [0.25, 4, 1]),
    ...INTERRUPTIONS,
  ],
};

const STT: SpeechService = {
  modelEnds: ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-4o-transcribe-diarize'].map(
    (ending): ModelEnd => ({ model: ending, endsOn: '2027-02-26', successor: 'gpt-transcribe' }),
  ),
  fields: [
    model(['gpt-transcribe', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'whisper-1'], 'gpt-transcribe'),
    language('ISO 639-1; without one, it is detected'),
    text('prompt', 'Prompt', 'What the call is about', { maxLength: 1_000 }),
    keyterms(100, 50),
    number('temperature', 'Temperature', '0 is the most literal', [0, 1]),
    integer(
      'end_silence_ms',
      'Silence',
      'Milliseconds of silence after which the gateway sends what was said',
      [200, 3_000, 600],
    ),
    integer('max_segment_s', 'Longest piece', 'Seconds of speech that are sent at a time', [5, 30, 20]),
    ...HEARING,
  ],
};

/** https://platform.openai.com/docs/api-reference/audio */
export const openai: SpeechProvider = {
  name: 'openai',
  title: OPENAI.title,
  regions: [{ name: 'global', title: 'Global', url: 'https://api.openai.com' }],
  kinds: { stt: STT, tts: TTS },
  keys: {
    manners: OPENAI,
    path: KEY_PATH,
    codes: {
      invalid_api_key: 'invalid',
      missing_scope: 'limited_scope',
      insufficient_quota: 'out_of_funds',
      billing_not_active: 'out_of_funds',
    },
  },
  listVoices,
};

/** The voices are the same for every key, which is checked nevertheless. */
async function listVoices(ask: AskVendor): Promise<VoiceList> {
  await ask(KEY_PATH);
  const voices = VOICES.map((id) => ({
    id,
    name: id,
    description: NEWER_VOICES.has(id) ? 'Not with tts-1 and tts-1-hd' : null,
    languages: [],
    gender: null,
    previewUrl: null,
  }));
  return { voices, isCut: false };
}
