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
import { allPages, VOICES_PER_PAGE, type Voice, type VoiceList, voicesIn } from '../../providers/voices.ts';
import { isTrueAt, textAt, type VendorMessage } from '../../vendor-message.ts';
import { CARTESIA } from './cartesia-manners.ts';

const TTS: SpeechService = {
  modelEnds: ['sonic', 'sonic-2', 'sonic-turbo'].map(
    (gone): ModelEnd => ({ model: gone, endsOn: '2026-06-01', successor: 'sonic-3.5' }),
  ),
  fields: [
    voice('Id of a voice. The default is a public one', 'f786b574-daa5-4673-aa0c-cbe3e8534c02'),
    model(['sonic-3.5', 'sonic-3', 'sonic-3-2026-01-12', 'sonic-latest'], 'sonic-3'),
    language('ISO 639-1', 'en'),
    number('speed', 'Speed', '1 is normal; not sonic-3.5', [0.6, 1.5, 1]),
    number('volume', 'Volume', '1 is normal; not sonic-3.5', [0.5, 2, 1]),
    text('emotion', 'Emotion', 'Such as calm', { maxLength: 40 }),
    integer(
      'max_buffer_delay_ms',
      'Buffering',
      'Milliseconds for which Cartesia waits for more text before it speaks',
      [0, 5_000, 0],
    ),
    text('pronunciation_dict_id', 'Pronunciation', 'Id of a pronunciation dictionary of the account', {
      maxLength: 100,
    }),
    ...INTERRUPTIONS,
  ],
};

const STT: SpeechService = {
  modelEnds: [],
  fields: [
    model(['ink-2', 'ink-whisper'], 'ink-2', 'ink-2 knows English only'),
    language('ISO 639-1', 'en'),
    keyterms(100, 100),
    number(
      'turn_end_threshold',
      'End of turn',
      'Probability of more speech below which a turn is over; ink-2 only',
      [0, 1, 0.2],
    ),
    integer(
      'turn_end_timeout_ms',
      'Longest silence',
      'Milliseconds of silence after which a turn is over in any case; ink-2 only',
      [640, 11_200, 5_600],
    ),
    number(
      'min_volume',
      'Least volume',
      'Volume below which sound counts as silence; ink-whisper only',
      [0, 1],
    ),
    number(
      'max_silence_duration_secs',
      'Silence',
      'Seconds of silence that end what was said; ink-whisper only',
      [0.1, 10],
    ),
    ...HEARING,
  ],
};

/** https://docs.cartesia.ai/api-reference */
export const cartesia: SpeechProvider = {
  name: 'cartesia',
  title: CARTESIA.title,
  regions: [{ name: 'global', title: 'Global', url: 'https://api.cartesia.ai' }],
  kinds: { stt: STT, tts: TTS },
  keys: { manners: CARTESIA, path: '/voices?limit=1', codes: { quota_exceeded: 'out_of_funds' } },
  listVoices,
};

async function listVoices(ask: AskVendor): Promise<VoiceList> {
  return await allPages(async (after) => {
    const query = new URLSearchParams({
      limit: `${VOICES_PER_PAGE}`,
      'expand[]': 'preview_file_url',
      ...(after !== '' && { starting_after: after }),
    });
    const body = await ask(`/voices?${query}`);
    const voices = voicesIn(body, 'data', 'id', voiceOf);
    return { voices, next: (isTrueAt(body, 'has_more') && voices.at(-1)?.id) || '' };
  });
}

function voiceOf(entry: VendorMessage, id: string): Voice {
  const spoken = textAt(entry, 'language');
  return {
    id,
    name: textAt(entry, 'name') ?? id,
    description: textAt(entry, 'description'),
    languages: spoken ? [spoken] : [],
    gender: textAt(entry, 'gender'),
    previewUrl: textAt(entry, 'preview_file_url'),
  };
}
