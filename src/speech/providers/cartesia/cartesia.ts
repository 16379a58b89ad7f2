import { INTERRUPTION, keyterms, language, model } from '../../options/shared-options.ts';
import type { ModelEnd, SpeechProvider, SpeechService } from '../provider.ts';
import { checkKey, listVoices } from './cartesia-api.ts';

const TTS: SpeechService = {
  modelEnds: ['sonic', 'sonic-2', 'sonic-turbo'].map(
    (gone): ModelEnd => ({ model: gone, endsOn: '2026-06-01', successor: 'sonic-3.5' }),
  ),
  fields: [
    {
      name: 'voice',
      title: 'Voice',
      type: 'text',
      description: 'Id of a voice. The default is a public one',
      default: 'f786b574-daa5-4673-aa0c-cbe3e8534c02',
      maxLength: 100,
    },
    model(['sonic-3.5', 'sonic-3', 'sonic-3-2026-01-12', 'sonic-latest'], 'sonic-3'),
    language('ISO 639-1', 'en'),
    {
      name: 'speed',
      title: 'Speed',
      type: 'number',
      description: '1 is normal; not sonic-3.5',
      default: 1,
      minimum: 0.6,
      maximum: 1.5,
    },
    {
      name: 'volume',
      title: 'Volume',
      type: 'number',
      description: '1 is normal; not sonic-3.5',
      default: 1,
      minimum: 0.5,
      maximum: 2,
    },
    { name: 'emotion', title: 'Emotion', type: 'text', description: 'Such as calm', maxLength: 40 },
    {
      name: 'max_buffer_delay_ms',
      title: 'Buffering',
      type: 'integer',
      description: 'Milliseconds for which Cartesia waits for more text before it speaks',
      default: 0,
      minimum: 0,
      maximum: 5_000,
    },
    {
      name: 'pronunciation_dict_id',
      title: 'Pronunciation',
      type: 'text',
      description: 'Id of a pronunciation dictionary of the account',
      maxLength: 100,
    },
    INTERRUPTION,
  ],
};

const STT: SpeechService = {
  modelEnds: [],
  fields: [
    model(['ink-2', 'ink-whisper'], 'ink-2', 'ink-2 knows English only'),
    language('ISO 639-1', 'en'),
    keyterms(100, 100),
    {
      name: 'turn_end_threshold',
      title: 'End of turn',
      type: 'number',
      description: 'Probability of more speech below which a turn is over; ink-2 only',
      default: 0.2,
      minimum: 0,
      maximum: 1,
    },
    {
      name: 'turn_end_timeout_ms',
      title: 'Longest silence',
      type: 'integer',
      description: 'Milliseconds of silence after which a turn is over in any case; ink-2 only',
      default: 5_600,
      minimum: 640,
      maximum: 11_200,
    },
    {
      name: 'min_volume',
      title: 'Least volume',
      type: 'number',
      description: 'Volume below which sound counts as silence; ink-whisper only',
      minimum: 0,
      maximum: 1,
    },
    {
      name: 'max_silence_duration_secs',
      title: 'Silence',
      type: 'number',
      description: 'Seconds of silence that end what was said; ink-whisper only',
      minimum: 0.1,
      maximum: 10,
    },
  ],
};

/** https://docs.cartesia.ai/api-reference */
export const cartesia: SpeechProvider = {
  name: 'cartesia',
  title: 'Cartesia',
  regions: [{ name: 'global', title: 'Global', url: 'https://api.cartesia.ai' }],
  kinds: { stt: STT, tts: TTS },
  checkKey,
  listVoices,
};
