import type { Fields } from '../../parts/field.ts';

const token = { label: 'Bot token', type: 'password', required: true };

export const t = {
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
    'Install the addon in your Nextcloud and choose “Connect” in its settings. Your browser comes here, and you agree.',
  begin: 'Begin here',
  beginHint: 'The Nextcloud must have the addon. You agree there.',
  byHand: 'With a Talk bot',
  byHandHint: 'For a Nextcloud without the addon: its administrator installs the bot, for messages only.',
  server: 'Address of the Nextcloud',
  makeBot: 'Create bot',
  runThis: 'The administrator runs this on the server. It is shown this once:',
  line: 'Line for the shell of the server',
};
