import { INTERRUPTION, keyterms, language, model } from '../../options/shared-options.ts';
import type { ModelEnd, SpeechProvider, SpeechService } from '../provider.ts';
import { checkKey, listVoices, OPENAI_VOICES } from './openai-api.ts';

const TTS: SpeechService = {
  modelEnds: ['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'].map(
    (ending): ModelEnd => ({ model: ending, endsOn: '2027-01-06', successor: null }),
  ),
  fields: [
    {
      name: 'voice',
      title: 'Voice',
      type: 'text',
      description: 'A voice of OpenAI, or the id of a voice of the account',
      default: 'alloy',
      examples: OPENAI_VOICES,
      maxLength: 100,
    },
    model(['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'], 'gpt-4o-mini-tts'),
    {
      name: 'instructions',
      title: 'Instructions',
      type: 'text',
      description: 'How to speak, in words; not tts-1',
      maxLength: 2_000,
    },
    {
      name: 'speed',
      title: 'Speed',
      type: 'number',
      description: '1 is normal',
      default: 1,
      minimum: 0.25,
      maximum: 4,
    },
    INTERRUPTION,
  ],
};

const STT: SpeechService = {
  modelEnds: ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-4o-transcribe-diarize'].map(
    (ending): ModelEnd => ({ model: ending, endsOn: '2027-02-26', successor: 'gpt-transcribe' }),
  ),
  fields: [
    model(['gpt-transcribe', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'whisper-1'], 'gpt-transcribe'),
    language('ISO 639-1; without one, it is detected'),
    {
      name: 'prompt',
      title: 'Prompt',
      type: 'text',
      description: 'What the call is about',
      maxLength: 1_000,
    },
    keyterms(100, 50),
    {
      name: 'temperature',
      title: 'Temperature',
      type: 'number',
      description: '0 is the most literal',
      minimum: 0,
      maximum: 1,
    },
    {
      name: 'end_silence_ms',
      title: 'Silence',
      type: 'integer',
      description: 'Milliseconds of silence after which the gateway sends what was said',
      default: 600,
      minimum: 200,
      maximum: 3_000,
    },
    {
      name: 'max_segment_s',
      title: 'Longest piece',
      type: 'integer',
      description: 'Seconds of speech that are sent at a time',
      default: 20,
      minimum: 5,
      maximum: 30,
    },
  ],
};

/** https://platform.openai.com/docs/api-reference/audio */
export const openai: SpeechProvider = {
  name: 'openai',
  title: 'OpenAI',
  regions: [{ name: 'global', title: 'Global', url: 'https://api.openai.com' }],
  kinds: { stt: STT, tts: TTS },
  checkKey,
  listVoices,
};
