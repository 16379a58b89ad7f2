import * as z from 'zod';
import { ProxyList } from './values.ts';

const SHORTEST_SECRET = 8;
const HOST = /^(?=.{1,259}$)[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/;

/** The secret of a signaling server. */
export interface InternalSecret {
  /** In lower case, with the port where the URL has one. */
  readonly host: string;
  readonly secret: string;
}

const InternalSecrets = z.string().transform((text, context) => {
  const secrets = text.split(',').map((pair): InternalSecret => {
    const [host = '', ...secret] = pair.trim().split('=');
    return { host: host.toLowerCase(), secret: secret.join('=') };
  });
  const hosts = new Set(secrets.map(({ host }) => host));
  const isEachRight = secrets.every(
    ({ host, secret }) => HOST.test(host) && secret.length >= SHORTEST_SECRET,
  );
  if (isEachRight && hosts.size === secrets.length) return secrets;
  context.addIssue(
    `must be comma-separated host=secret (talk.example.com=secret), each host once, and secrets of at least ${SHORTEST_SECRET} characters`,
  );
  return z.NEVER;
});

/** Settings of Nextcloud Talk. */
export const NCTALK_VARIABLES = {
  SVC_NCTALK_ALLOW: {
    default: null,
    schema: ProxyList,
    meaning:
      'Comma-separated non-public addresses or subnets that Nextclouds and their signaling servers may have, such as that of a Nextcloud on your own network. `localhost` and names of the hosts file count if their addresses are listed here',
  },
  SVC_NCTALK_INTERNAL_SECRET: {
    default: null,
    secret: true,
    schema: InternalSecrets,
    meaning:
      'Comma-separated `host=secret`: signaling servers of Nextclouds (High Performance Backend) with the `internalsecret` of their configuration, which calls there are joined with in place of the session of the bot',
  },
} as const;
