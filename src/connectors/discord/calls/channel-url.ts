import { GatewayError } from '../../../base/errors.ts';

const HOSTS: ReadonlySet<string> = new Set([
  'discord.com',
  'www.discord.com',
  'ptb.discord.com',
  'canary.discord.com',
]);
const PATH = /^\/channels\/(\d{17,20})\/(\d{17,20})\/?$/;

/** A channel of a server. */
export interface ChannelAddress {
  readonly guildId: string;
  readonly channelId: string;
}

/** Reads `https://discord.com/channels/<server>/<channel>`, as "Copy Link" gives it. Throws `invalid_meeting_url`. */
export function readChannelUrl(text: string): ChannelAddress {
  const url = URL.parse(text);
  const [, guildId, channelId] = PATH.exec(url?.pathname ?? '') ?? [];
  const isDiscord = url?.protocol === 'https:' && HOSTS.has(url.host);
  if (!isDiscord || guildId === undefined || channelId === undefined)
    throw new GatewayError(
      'invalid_meeting_url',
      'meeting_url is not a Discord voice channel, such as https://discord.com/channels/<server>/<channel>',
    );
  return { guildId, channelId };
}
