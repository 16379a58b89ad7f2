import * as z from 'zod';
import { PublicUrl } from './values.ts';

/** Settings of Discord. */
export const DISCORD_VARIABLES = {
  SVC_DISCORD_BOT_TOKEN: {
    default: null,
    secret: true,
    schema: z.string().regex(/^[\w.-]{20,128}$/, 'must be a bot token from the developer portal'),
    meaning:
      'Token of a Discord bot that all accounts share; without it, accounts register their own bots. Needs the application id',
  },
  SVC_DISCORD_APPLICATION_ID: {
    default: null,
    schema: z.string().regex(/^\d{5,20}$/, 'must be digits: the application id from the developer portal'),
    meaning: 'Id of the application that the shared bot belongs to',
  },
  SVC_DISCORD_CLIENT_SECRET: {
    default: null,
    secret: true,
    schema: z.string().min(8, 'must be the client secret from the developer portal'),
    meaning:
      'Client secret of that application; lets people link themselves to the shared bot by signing in at Discord, besides by one-time codes',
  },
  SVC_DISCORD_BOTS: {
    default: 'ignore',
    schema: z.enum(['ignore', 'hear'], 'must be one of ignore, hear'),
    meaning:
      "Whether other bots' messages on Discord are ignored, or heard like people's, up to 10 answers in a row",
  },
  SVC_DISCORD_API_URL: {
    default: 'https://discord.com/api',
    schema: PublicUrl,
    meaning: "Discord's API, without its version",
  },
  SVC_DISCORD_CDN_URL: {
    default: 'https://cdn.discordapp.com',
    schema: PublicUrl,
    meaning: 'Host that files on Discord are downloaded from; no other host is used',
  },
} as const;
