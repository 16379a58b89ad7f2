import type { VoicePresets } from '../../../src/calls/choose-presets.ts';

/** An account without voice presets. */
export const WITHOUT_PRESETS: VoicePresets = { find: async () => undefined, enabled: async () => [] };
