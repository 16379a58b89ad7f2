import { LOCAL_VOICES } from '../../local/flite-voices.ts';
import { INTERRUPTION } from '../../options/shared-options.ts';
import type { SpeechProvider } from '../provider.ts';

/** Engines inside the gateway, for a first call without any key. They know English only. */
export const local: SpeechProvider = {
  name: 'local',
  title: 'Local',
  regions: [],
  kinds: {
    stt: { modelEnds: [], fields: [] },
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
