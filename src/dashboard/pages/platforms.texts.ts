import type { Fields } from '../parts/field.ts';

const token = { label: 'Bot token', type: 'password', required: true };

export const t = {
  unknown: 'There is no such platform.',
  connected: (name: string) => `${name} is connected.`,
  logins: 'Logins',
  connect: (name = '') => `Connect ${name}`,
  renew: 'Renew',
  approve: 'Approve as administrator',
  disconnect: 'Disconnect',
  disconnectQuestion: (label: string) => `Remove ${label}? Its calls end, and its messages no longer arrive.`,
  ways: 'Ways into calls',

  test: 'Send me a test message',
  testSent: 'The test message was sent',
  wrong: 'This diagnosis is wrong',
  reported: 'Thank you, the operator was told',

  nextcloudFailed: 'The Nextcloud did not say why it failed; start again.',
  nextcloudFailures: {
    missing_params: 'The Nextcloud did not get all that it needs; start again.',
    state_missing: 'The Nextcloud knows of no such attempt; start again there.',
    state_mismatch: 'Another attempt was begun at the Nextcloud meanwhile; start again there.',
    state_expired: 'It took longer than 10 minutes; start again.',
    admin_mismatch: 'Another administrator of the Nextcloud has begun it; start again there.',
    unsafe_urls:
      'The Nextcloud does not accept the URLs of this gateway; its operator has to set SVC_PUBLIC_URL.',
    bot_creation_failed:
      'The Nextcloud could not make the bot, or this gateway could not reach it; the log of the Nextcloud says more.',
  } as Readonly<Record<string, string>>,

  bot: 'Your own bot',
  register: 'Add bot',
  registered: 'The bot was added',
  hints: {
    discord: 'From the developer portal: the token of the bot, and the id of the application.',
    telegram: 'From @BotFather: /newbot gives you the token.',
    slack: 'From your app’s page: the bot token (xoxb-…), and its signing secret or its app token (xapp-…).',
  } as Readonly<Record<string, string>>,
  fields: {
    telegram: { bot_token: token },
    discord: { bot_token: token, discord_app_id: { label: 'Application id' } },
    slack: {
      bot_token: token,
      slack_signing_secret: { label: 'Signing secret', type: 'password' },
      slack_app_token: { label: 'App token (Socket Mode)', type: 'password' },
    },
  } as Readonly<Record<string, Fields>>,

  invite: 'Link for people',
  inviteHint: 'Whoever opens it on a phone, or scans the code, starts a chat with your agents.',
  makeInvite: 'Create link',
  another: 'Create another',
  qr: 'The link as a QR code',
  link: 'Link',
  code: 'Code',
  sendCode: 'They send this code to the bot:',
  expires: 'Works once, until',

  owner: 'Make yourself known',
  ownerHint: 'Send this code to your bot as a direct message. Test messages then go to you.',
  makeCode: 'Create code',
  ownerCode: 'Code for the bot',

  addon: 'With the addon',
  addonSteps:
    'Install the addon in your Nextcloud, and choose “Connect” in its settings, or begin here. You agree either way.',
  begin: 'Begin here',
  byHand: 'With a Talk bot',
  byHandHint: 'For a Nextcloud without the addon: its administrator installs the bot, for messages only.',
  server: 'Address of the Nextcloud',
  makeBot: 'Create bot',
  runThis: 'The administrator runs this on the server. It is shown this once:',
  line: 'Line for the shell of the server',
};
