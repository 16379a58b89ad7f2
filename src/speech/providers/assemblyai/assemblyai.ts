import { flag, keyterms, model } from '../../options/shared-options.ts';
import type { SpeechProvider, SpeechService } from '../provider.ts';
import { checkKey } from './assemblyai-api.ts';

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
    {
      name: 'max_speakers',
      title: 'Speakers',
      type: 'integer',
      description: 'Most speakers to tell apart',
      minimum: 1,
      maximum: 10,
    },
    {
      name: 'languages',
      title: 'Languages',
      type: 'list',
      description: 'ISO 639-1 codes of the languages to expect; universal-3 models only',
      maxItems: 20,
      maxLength: 10,
    },
    keyterms(100, 50),
    {
      name: 'prompt',
      title: 'Prompt',
      type: 'text',
      description: 'What the call is about; universal-3 models only',
      maxLength: 1_500,
    },
    {
      name: 'end_of_turn_confidence_threshold',
      title: 'End of turn',
      type: 'number',
      description: 'Certainty from which a turn counts as over; universal-streaming only',
      default: 0.4,
      minimum: 0,
      maximum: 1,
    },
    silence('min_turn_silence', 'Silence', 'Milliseconds of silence that end a turn that seems complete'),
    silence('max_turn_silence', 'Longest silence', 'Milliseconds of silence that end a turn in any case'),
    {
      name: 'vad_threshold',
      title: 'Voice threshold',
      type: 'number',
      description: 'Certainty from which sound counts as speech',
      minimum: 0,
      maximum: 1,
    },
    flag('filter_profanity', 'Profanity filter', 'Masks profanity', false),
  ],
};

function silence(name: string, title: string, description: string) {
  return { name, title, type: 'integer', description, minimum: 0, maximum: 10_000 } as const;
}

/** https://www.assemblyai.com/docs/api-reference/streaming-api */
export const assemblyai: SpeechProvider = {
  name: 'assemblyai',
  title: 'AssemblyAI',
  regions: [
    { name: 'global', title: 'Nearest', url: 'https://streaming.assemblyai.com' },
    { name: 'us', title: 'United States', url: 'https://streaming.us.assemblyai.com' },
    { name: 'eu', title: 'European Union', url: 'https://streaming.eu.assemblyai.com' },
  ],
  kinds: { stt: STT },
  checkKey,
  listVoices: null,
};
