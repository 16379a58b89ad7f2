import { PermissionFlagsBits } from 'discord-api-types/v10';

/** What the gateway does in a server: reading, writing, files, threads, and voice channels. */
const PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.Connect |
  PermissionFlagsBits.Speak |
  PermissionFlagsBits.UseVAD;

/** Returns the page at which people add a bot to a server. */
export function installLink(siteUrl: string, applicationId: string): string {
  const url = new URL('/oauth2/authorize', siteUrl);
  url.searchParams.set('client_id', applicationId);
  url.searchParams.set('scope', 'bot');
  url.searchParams.set('permissions', `${PERMISSIONS}`);
  return url.href;
}
