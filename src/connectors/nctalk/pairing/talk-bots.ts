import type { InstalledBots } from '../../contract/pairing.ts';
import { TalkCredentials } from './talk-credentials.ts';

/** Path below `/api/nctalk/` at which Nextclouds report what is written to a Talk bot. */
export const BOT_WEBHOOK = 'bots/{login_key}';

/**
 * Talk bots: for a Nextcloud without the addon, its administrator installs one with `occ`. They write and read, and have no
 * account of their own.
 */
export const TALK_BOTS: InstalledBots = {
  path: 'talk-bots',
  credentialsFor: (secret) => ({ kind: 'talk_bot', secret }) satisfies TalkCredentials,
  webhookUrl: ({ connectionId, gatewayUrl }) =>
    `${gatewayUrl}/api/nctalk/${BOT_WEBHOOK.replace('{login_key}', connectionId)}`,
  installLine: (bot) => {
    const features = ['webhook', 'response', 'reaction'].map((feature) => `--feature ${feature}`).join(' ');
    const values = [bot.name, bot.secret, TALK_BOTS.webhookUrl(bot)].map(quoted).join(' ');
    return `occ talk:bot:install ${features} -- ${values}`;
  },
  secretIn: (credentials) => {
    const { data } = TalkCredentials.safeParse(credentials);
    return data?.kind === 'talk_bot' ? data.secret : null;
  },
};

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
