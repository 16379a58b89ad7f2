import { flag, HEARING, integer, keyterms, list, model, number, text } from '../../options/shared-options.ts';
import type { SpeechProvider, SpeechService } from '../../providers/provider.ts';
import { ASSEMBLYAI } from './assemblyai-manners.ts';

const SILENCE_MS = [0, 10_000] as const;

const STT: SpeechService = {
  modelEnds: [],
  fields: [
    model(
      ['universal-streaming-english', 'universal-streaming-multilingual', 'universal-3-6-pro', 'whisper-rt'],
      'universal-streaming-english',
    ),
    flag(
      'format_turns',
      'Formatting',
      'Punctuates and capitalizes; universal-streaming only, others always do',
      true,
    ),
    flag('speaker_labels', 'Speaker labels', 'Tells speakers on one line apart', false),
    integer('max_speakers', 'Speakers', 'Most speakers to tell apart', [1, 10]),
    list(
      'languages',
      'Languages',
      'ISO 639-1 codes of the languages to expect; universal-3 models only',
      [20, 10],
    ),
    keyterms(100, 50),
    text('prompt', 'Prompt', 'What the call is about; universal-3 models only', { maxLength: 1_500 }),
    number(
      'end_of_turn_confidence_threshold',
      'End of turn',
      'Certainty from which a turn counts as over; universal-streaming only',
      [0, 1, 0.4],
    ),
    integer(
      'min_turn_silence',
      'Silence',
      'Milliseconds of silence that end a turn that seems complete',
      SILENCE_MS,
    ),
    integer(
      'max_turn_silence',
      'Longest silence',
      'Milliseconds of silence that end a turn in any case',
      SILENCE_MS,
    ),
    number('vad_threshold', 'Voice threshold', 'Certainty from which sound counts as speech', [0, 1]),
    flag('filter_profanity', 'Profanity filter', 'Masks profanity', false),
    ...HEARING,
  ],
};

/** https://www.assemblyai.com/docs/api-reference/streaming-api */
export const assemblyai: SpeechProvider = {
  name: 'assemblyai',
  title: ASSEMBLYAI.title,
  regions: [
    { name: 'global', title: 'Nearest', url: 'https://streaming.assemblyai.com' },
    { name: 'us', title: 'United States', url: 'https://streaming.us.assemblyai.com' },
    { name: 'eu', title: 'European Union', url: 'https://streaming.eu.assemblyai.com' },
  ],
  kinds: { stt: STT },
  // A token that lives for a minute and is never used.
  keys: { manners: ASSEMBLYAI, path: '/v3/token?expires_in_seconds=60', codes: {} },
  listVoices: null,
};
