import type { TokenForm } from '../kit/token-form.ts';

/** https://core.telegram.org/bots/api#authorizing-your-bot */
export const TELEGRAM_TOKEN: TokenForm = {
  pattern: /^[1-9]\d{0,19}:[\w-]{30,128}$/,
  hint: 'This is not a Telegram bot token. A token is a number, a colon and 35 letters, digits, - and _, such as 123456789:AAF…; @BotFather shows it (/mybots, then API Token).',
};
