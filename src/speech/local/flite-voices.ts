/** A voice as lists show it. */
export interface LocalVoice {
  readonly id: FliteVoice;
  readonly name: string;
  /** BCP 47 */
  readonly language: string;
  readonly gender: 'female' | 'male';
}

/** The voices inside the package that speak any text at 16 kHz. It also has kal at 8 kHz, and a talking clock. */
export type FliteVoice = 'slt' | 'rms' | 'awb' | 'kal16';

/** The first one is the default. */
export const LOCAL_VOICES: readonly [LocalVoice, ...LocalVoice[]] = [
  { id: 'slt', name: 'SLT', language: 'en-US', gender: 'female' },
  { id: 'rms', name: 'RMS', language: 'en-US', gender: 'male' },
  { id: 'awb', name: 'AWB (Scottish)', language: 'en-GB', gender: 'male' },
  { id: 'kal16', name: 'KAL (robotic, fastest)', language: 'en-US', gender: 'male' },
];
