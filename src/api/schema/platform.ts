import { z } from 'zod';
import { type Capability as CapabilityName, PLATFORMS } from '../../base/platform.ts';

/** One of the platforms of the specification. */
export const Platform = z.enum(PLATFORMS).meta({ id: 'Platform' });

const CAPABILITIES = [
  'audio_in',
  'audio_out',
  'read',
  'write',
  'typing',
  'files',
  'hosted_stt',
  'hosted_tts',
] as const satisfies readonly CapabilityName[];

/** Something that a call on a platform can do. */
export const Capability = z.enum(CAPABILITIES).meta({ id: 'Capability' });
