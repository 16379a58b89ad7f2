import { SpeechSessions } from '../../src/speech/session/speech-sessions.ts';

/** Hosted speech of a gateway without presets. */
export const NO_SPEECH = new SpeechSessions({
  settingsOf: () => ({ stt: null, tts: null }),
  bridges: {} as never,
  local: {} as never,
  events: {} as never,
  clock: {} as never,
  recordUsage: async () => {},
});
