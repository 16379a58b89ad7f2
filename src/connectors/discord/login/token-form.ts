import type { TokenForm } from '../../kit/token-form.ts';

/** The bot's id in base64, a time and a signature. Client secrets and public keys have no dots. */
export const DISCORD_TOKEN: TokenForm = {
  pattern: /^[MNO][\w-]{17,}\.[\w-]{4,}\.[\w-]{20,}$/,
  hint: 'This is not a Discord bot token. A token has three parts with dots between them, such as MTE5….GkX2pA.x9Lw…; the developer portal (https://discord.com/developers/applications) shows it once, under Bot, Reset Token. The client secret and the public key are other things.',
};
