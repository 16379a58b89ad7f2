import type { TokenForm } from '../../kit/token-form.ts';

/** https://docs.slack.dev/authentication/tokens. `xoxe.`: a token that expires. */
export const SLACK_BOT_TOKEN: TokenForm = {
  pattern: /^(?:xoxe\.)?xoxb-[\w-]{1,500}$/,
  hint: 'This is not a Slack bot token. A bot token begins with xoxb-; the page of the app at https://api.slack.com/apps shows it under OAuth & Permissions once the app is installed.',
};

/** For Socket Mode. */
export const SLACK_APP_TOKEN: TokenForm = {
  pattern: /^xapp-[\w-]{1,500}$/,
  hint: 'This is not a Slack app token. An app token begins with xapp-; the page of the app at https://api.slack.com/apps makes one under Basic Information, App-Level Tokens, with the scope connections:write.',
};
