import { LOCAL_VOICES } from '../local/flite-voices.ts';
import { NO_SPHINX, sphinxProgram } from '../local/sphinx-program.ts';
import { HEARING, INTERRUPTIONS, text } from '../options/shared-options.ts';
import type { SpeechProvider } from './provider.ts';

const GRAMMAR =
  'All that may be said, as a rule of the JSpeech Grammar Format, such as `( yes | no )`. Without one, anything';

/** Engines inside the gateway, for a first call without any key. They know English only. */
export const local: SpeechProvider = {
  name: 'local',
  title: 'Local',
  regions: [],
  kinds: {
    stt: {
      modelEnds: [],
      fields: [text('grammar', 'Grammar', GRAMMAR, { maxLength: 2_000 }), ...HEARING],
      missing: () => (sphinxProgram() === undefined ? NO_SPHINX : null),
    },
    tts: {
      modelEnds: [],
      fields: [
        text('voice', 'Voice', '', {
          choices: LOCAL_VOICES.map(({ id }) => id),
          default: LOCAL_VOICES[0].id,
        }),
        ...INTERRUPTIONS,
      ],
    },
  },
  keys: null,
  listVoices: async () => ({
    voices: LOCAL_VOICES.map(({ language, ...voice }) => ({
      ...voice,
      description: null,
      languages: [language],
      previewUrl: null,
    })),
    isCut: false,
  }),
};
