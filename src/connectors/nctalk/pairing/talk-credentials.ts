import * as z from 'zod';

const Text = z.string().min(1).max(256);

/** A Nextcloud's addon, which signs what it posts and checks what it is asked. */
const ADDON = {
  /** The addon's app id: `chamade_talk`, or `<brand>_talk`. */
  appId: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/),
  /** One for all bots and accounts of a Nextcloud. */
  apiSecret: z.string().min(32).max(256),
};

const AddonCredentials = z.strictObject({
  kind: z.literal('addon'),
  ...ADDON,
  /** Login name of the bot, which is a user of the Nextcloud. */
  botLogin: Text,
  botPassword: Text,
  /** User id of the person who paired. */
  owner: Text,
  /** Whether the addon takes messages itself (its capability `unified_send`). */
  canSend: z.boolean(),
});
export type AddonCredentials = z.output<typeof AddonCredentials>;

/** Of a bot that an administrator has installed by hand. */
const BotCredentials = z.strictObject({ kind: z.literal('talk_bot'), secret: z.string().length(64) });

/** What a connection to a Nextcloud stores, sealed. */
export const TalkCredentials = z.discriminatedUnion('kind', [AddonCredentials, BotCredentials]);
export type TalkCredentials = z.output<typeof TalkCredentials>;

/** The addon's own post of credentials, which is not signed: its state vouches for it. Other fields are ignored. */
export const AddonCallback = z
  .object({
    state: Text,
    nc_url: z.string().max(512),
    bot_login: Text,
    bot_password: Text,
    api_secret: ADDON.apiSecret,
    app_id: ADDON.appId,
    nc_username: Text,
    capabilities: z.array(z.string().max(64)).max(64).default([]),
  })
  .transform((body) => ({
    state: body.state,
    serverUrl: body.nc_url,
    credentials: {
      kind: 'addon',
      appId: body.app_id,
      apiSecret: body.api_secret,
      botLogin: body.bot_login,
      botPassword: body.bot_password,
      owner: body.nc_username,
      canSend: body.capabilities.includes('unified_send'),
    } satisfies AddonCredentials as AddonCredentials,
  }));
export type AddonCallback = z.output<typeof AddonCallback>;

/** The addon's notice that it is switched off or removed. */
export const AddonDisabled = z.object({ nc_url: z.string().max(512), app_id: ADDON.appId });
