/** The platforms, in the order of the specification. */
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

/** Properties of a platform; the capabilities apply once an account is connected. */
export interface PlatformTraits {
  readonly capabilities: readonly Capability[];
  /** Whether files can be sent and received. */
  readonly files: boolean;
  /** Instructions for connecting the platform. */
  readonly setup: string;
}

/** Specification, "Platform capabilities" and "Platform setup prerequisites". */
export const PLATFORM_TRAITS: Readonly<Record<Platform, PlatformTraits>> = {
  discord: {
    capabilities: ['audio_in', 'audio_out', 'read', 'write', 'typing', 'files'],
    files: true,
    setup: 'Register your own bot, or use the shared one if there is one',
  },
  teams: {
    capabilities: ['audio_in', 'audio_out', 'read', 'write', 'typing'],
    files: false,
    setup: 'Connect a Microsoft account by OAuth; an administrator may have to approve it',
  },
  meet: {
    capabilities: ['audio_in', 'read', 'write'],
    files: false,
    setup: 'Connect a Google account by OAuth',
  },
  zoom: {
    capabilities: ['audio_in', 'audio_out', 'read', 'write'],
    files: false,
    setup: 'Pass a meeting URL',
  },
  telegram: {
    capabilities: ['read', 'write', 'typing', 'files'],
    files: true,
    setup: 'Register your own bot, or use the shared one if there is one',
  },
  whatsapp: {
    capabilities: ['read', 'write', 'files'],
    files: true,
    setup: 'Create an invite link; it works once, within 15 minutes',
  },
  slack: {
    capabilities: ['read', 'write', 'files'],
    files: true,
    setup: 'Install the app to a workspace, or register your own bot',
  },
  nctalk: {
    capabilities: ['audio_in', 'audio_out', 'read', 'write', 'typing', 'files'],
    files: true,
    setup: 'Install the addon and connect',
  },
  sip: {
    capabilities: ['audio_in', 'audio_out'],
    files: false,
    setup: 'Connect your own SIP trunk and list its numbers',
  },
};

/** Returns the text for a platform that an account has a login for but this gateway has no connector for. */
export function unservedText(platform: Platform | 'agent'): string {
  return `This gateway has no connector for ${platform}`;
}
