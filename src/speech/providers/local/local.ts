import { INTERRUPTION } from '../../options/shared-options.ts';
import type { SpeechProvider, Voice } from '../provider.ts';

/** Voices of flite, by the names that it knows them by. */
const VOICES: Readonly<Record<string, Pick<Voice, 'description' | 'gender'>>> = {
  slt: { description: 'Clearer', gender: 'feminine' },
  kal: { description: 'Quicker to compute', gender: 'masculine' },
};

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
          choices: Object.keys(VOICES),
          default: 'slt',
        },
        INTERRUPTION,
      ],
    },
  },
  checkKey: async () => ({ status: 'not_needed', detail: null }),
  listVoices: async () => ({
    voices: Object.entries(VOICES).map(([id, traits]) => ({
      id,
      name: id,
      ...traits,
      languages: ['en'],
      previewUrl: null,
    })),
    isCut: false,
  }),
};
