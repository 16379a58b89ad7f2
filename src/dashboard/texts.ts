/** What several pages say. What only one says stands beside it, in its `…texts.ts`. */
type Words = Readonly<Record<string, string>>;

const KIB = 1024;

export const texts = {
  product: 'Voice and Chat Gateway',
  loading: 'Loading …',
  busy: 'One moment …',
  cancel: 'Cancel',
  close: 'Close',
  back: 'Back',
  save: 'Save',
  saved: 'Saved',
  edit: 'Edit',
  remove: 'Remove',
  send: 'Send',
  copy: 'Copy',
  copied: 'Copied',
  more: 'Show more',
  name: 'Name',
  all: 'All',
  none: 'Nothing yet',
  platform: 'Platform',
  advanced: 'More settings',
  keepSecret: 'Leave empty to keep the stored one',
  loginKinds: { connection: 'Connection', bot_token: 'Your own bot', sip_number: 'Phone number' },
  speechKinds: { stt: 'Speech recognition', tts: 'Speech' },
  bytes: (count: number): string =>
    count < KIB
      ? `${count} B`
      : count < KIB ** 2
        ? `${Math.round(count / KIB)} KB`
        : `${(count / KIB ** 2).toFixed(1)} MB`,
  noAnswer: 'The gateway does not answer',
  reconnecting: 'No connection to the gateway. What you see may be old; trying again …',
  outdated: 'The gateway was updated: load this page anew.',
  unknownError: 'Something went wrong',

  pages: {
    home: 'Home',
    calls: 'Calls',
    inbox: 'Inbox',
    platforms: 'Platforms',
    agents: 'Agents',
    voice: 'Voice',
    keys: 'Keys',
    account: 'Account',
    operator: 'Operator',
  },

  platforms: {
    discord: 'Discord',
    teams: 'Microsoft Teams',
    meet: 'Google Meet',
    zoom: 'Zoom',
    telegram: 'Telegram',
    whatsapp: 'WhatsApp',
    slack: 'Slack',
    nctalk: 'Nextcloud Talk',
    sip: 'Phone (SIP)',
    agent: 'Between agents',
  } as Words,
};
