import { LOCAL_VOICES } from '../../local/flite-voices.ts';
import { NO_SPHINX, sphinxProgram } from '../../local/sphinx-program.ts';
import { INTERRUPTION } from '../../options/shared-options.ts';
import type { SpeechProvider } from '../provider.ts';

const MAX_GRAMMAR_CHARS = 2_000;

/** Engines inside the gateway, for a first call without any key. They know English only. */
export const local: SpeechProvider = {
  name: 'local',
  title: 'Local',
  regions: [],
  kinds: {
    stt: {
      modelEnds: [],
      fields: [
        {
          name: 'grammar',
          title: 'Grammar',
          type: 'text',
          description:
            'All that may be said, as a rule of the JSpeech Grammar Format, such as `( yes | no )`. Without one, anything',
          maxLength: MAX_GRAMMAR_CHARS,
        },
      ],
      missing: () => (sphinxProgram() === undefined ? NO_SPHINX : null),
    },
    tts: {
      modelEnds: [],
      fields: [
        {
          name: 'voice',
          title: 'Voice',
          type: 'text',
          description: '',
          choices: LOCAL_VOICES.map(({ id }) => id),
          default: LOCAL_VOICES[0].id,
        },
        INTERRUPTION,
      ],
    },
  },
  checkKey: async () => ({ status: 'not_needed', detail: null }),
  listVoices: async () => ({
    voices: LOCAL_VOICES.map(({ id, name, language, gender }) => ({
      id,
      name,
      description: null,
      languages: [language],
      gender,
      previewUrl: null,
    })),
    isCut: false,
  }),
};
