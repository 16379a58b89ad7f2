/** The platforms of the specification, in its order. */
export const PLATFORMS = [
  'discord',
  'teams',
  'meet',
  'zoom',
  'telegram',
  'whatsapp',
  'slack',
  'nctalk',
  'sip',
] as const;

export type Platform = (typeof PLATFORMS)[number];

export type Capability =
  | 'audio_in'
  | 'audio_out'
  | 'read'
  | 'write'
  | 'typing'
  | 'files'
  | 'hosted_stt'
  | 'hosted_tts';
