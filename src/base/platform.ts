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

/** What a bot's registration may need besides its token, with the names of the API's fields. */
export const BOT_FIELDS = {
  appId: 'discord_app_id',
  signingSecret: 'slack_signing_secret',
  appToken: 'slack_app_token',
} as const;

/** How long people on a platform with a service window can be messaged after they last wrote. */
export const SERVICE_WINDOW_MS = 24 * 3_600_000;

/** The field of a conversation that shows its service window. */
export const WINDOW_FIELD = 'whatsapp_window';

/** `POST /api/invite-link` returns the URL of this platform, in this field. */
export const INVITE_URL = { platform: 'whatsapp', field: 'whatsapp_url' } as const;

/** The platform whose bridge posts direct messages to an endpoint of its own, `POST /api/<platform>/chat`. */
export const BRIDGED_CHAT_PLATFORM = 'teams' satisfies Platform;

/** The platform whose logins are trunks and phone numbers. */
export const PHONE_PLATFORM = 'sip';

/** Properties of a platform; the capabilities apply once an account is connected. */
export interface PlatformTraits {
  /** The platform's name as people know it. */
  readonly title: string;
  readonly capabilities: readonly Capability[];
  /** Whether `POST /api/dm/chat` takes the platform. */
  readonly dms: boolean;
  /** Whether accounts register bots by token, and of what else a registration needs one. */
  readonly bots: { readonly needs: readonly (keyof typeof BOT_FIELDS)[] } | null;
  /** What the specification calls a missing login ("Errors"). */
  readonly login: 'bot registered' | 'connection configured';
  /** How long people can be messaged after they last wrote, in milliseconds. Null: without a limit. */
  readonly windowMs: number | null;
  /** Whether files can be sent and received. The operator may switch them on where they are off (`traitsWithFiles`). */
  readonly files: boolean;
  /** People are known by their telephone numbers, in E.164 without the plus. */
  readonly knowsNumbers?: true;
  /** Whether a call tells its speakers apart. Otherwise it has one voice. */
  readonly namesSpeakers: boolean;
  /** Instructions for connecting the platform. */
  readonly setup: string;
}

/** The traits of all platforms. */
export type PlatformTable = Readonly<Record<Platform, PlatformTraits>>;

/** Specification, "Platform capabilities", "Platform setup prerequisites", "Inbox and DM endpoints", "Limits" and "Errors". */
export const PLATFORM_TRAITS: PlatformTable = {
  discord: {
    title: 'Discord',
    capabilities: ['audio_in', 'audio_out', 'read', 'write', 'typing', 'files'],
    dms: true,
    bots: { needs: ['appId'] },
    login: 'bot registered',
    windowMs: null,
    files: true,
    namesSpeakers: true,
    setup: 'Register your own bot, or use the shared one if there is one',
  },
  teams: {
    title: 'Microsoft Teams',
    capabilities: ['audio_in', 'audio_out', 'read', 'write', 'typing'],
    dms: true,
    bots: null,
    login: 'connection configured',
    windowMs: null,
    files: false,
    namesSpeakers: true,
    setup: 'Connect a Microsoft account by OAuth; an administrator may have to approve it',
  },
  meet: {
    title: 'Google Meet',
    capabilities: ['audio_in', 'read', 'write'],
    dms: false,
    bots: null,
    login: 'connection configured',
    windowMs: null,
    files: false,
    namesSpeakers: true,
    setup: 'Connect a Google account by OAuth',
  },
  zoom: {
    title: 'Zoom',
    capabilities: ['audio_in', 'audio_out', 'read', 'write'],
    dms: false,
    bots: null,
    login: 'connection configured',
    windowMs: null,
    files: false,
    namesSpeakers: true,
    setup: 'Pass a meeting URL',
  },
  telegram: {
    title: 'Telegram',
    capabilities: ['read', 'write', 'typing', 'files'],
    dms: true,
    bots: { needs: [] },
    login: 'bot registered',
    windowMs: null,
    files: true,
    namesSpeakers: true,
    setup: 'Register your own bot, or use the shared one if there is one',
  },
  whatsapp: {
    title: 'WhatsApp',
    capabilities: ['read', 'write', 'files'],
    dms: true,
    bots: null,
    login: 'connection configured',
    windowMs: SERVICE_WINDOW_MS,
    files: true,
    knowsNumbers: true,
    namesSpeakers: true,
    setup: 'Create an invite link; it works once, within 15 minutes',
  },
  slack: {
    title: 'Slack',
    capabilities: ['read', 'write', 'files'],
    dms: true,
    bots: { needs: ['signingSecret', 'appToken'] },
    login: 'connection configured',
    windowMs: null,
    files: true,
    namesSpeakers: true,
    setup: 'Install the app to a workspace, or register your own bot',
  },
  nctalk: {
    title: 'Nextcloud Talk',
    capabilities: ['audio_in', 'audio_out', 'read', 'write', 'typing', 'files'],
    dms: true,
    bots: null,
    login: 'connection configured',
    windowMs: null,
    files: true,
    namesSpeakers: true,
    setup: 'Install the addon and connect',
  },
  sip: {
    title: 'Phone (SIP)',
    capabilities: ['audio_in', 'audio_out'],
    dms: false,
    bots: null,
    login: 'connection configured',
    windowMs: null,
    files: false,
    namesSpeakers: false,
    setup: 'Connect your own SIP trunk and list its numbers',
  },
};

/** The platforms for direct messages. */
export const DM_PLATFORMS = PLATFORMS.filter((platform) => PLATFORM_TRAITS[platform].dms);

/** The platforms on which accounts register bots. */
export const BOT_PLATFORMS = PLATFORMS.filter((platform) => PLATFORM_TRAITS[platform].bots !== null);

/** Returns the traits on a gateway whose operator has switched on the files of some platforms. */
export function traitsWithFiles(platforms: readonly Platform[]): PlatformTable {
  const changed = platforms.map((platform): [Platform, PlatformTraits] => {
    const traits = PLATFORM_TRAITS[platform];
    const capabilities = [...new Set([...traits.capabilities, 'files' as const])];
    return [platform, { ...traits, capabilities, files: true }];
  });
  return { ...PLATFORM_TRAITS, ...Object.fromEntries(changed) };
}

/** Returns the text for a platform on which an account has no login. */
export function noLoginText(platform: Platform): string {
  return `No ${platform} ${PLATFORM_TRAITS[platform].login}`;
}

/** Returns the text for a platform that an account has a login for but this gateway has no connector for. */
export function unservedText(platform: Platform | 'agent'): string {
  return `This gateway has no connector for ${platform}`;
}
