import { readFileSync } from 'node:fs';
import * as z from 'zod';

export const MAX_PORT = 65_535;
const MASTER_KEY_BYTES = 32;

export const Host = z.union([z.ipv4(), z.ipv6(), z.hostname()], 'must be a host name or an IP address');
export const IpAddress = z.union([z.ipv4(), z.ipv6()], 'must be an IP address');

export function wholeNumber(min: number, max: number): z.ZodType<number, string> {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

export const PublicUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) {
    return url.href.replace(/(?<!\/)\/+$/, '');
  }
  context.addIssue('must be an http or https URL without user name, query or fragment');
  return z.NEVER;
});

/** Host names separated by commas; `*.` stands for all names below one. */
export const HostPatterns = z.string().transform((text, context) => {
  const hosts = text
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');
  if (hosts.every((host) => /^(?:\*\.)?(?:[a-z\d-]+\.)+[a-z]{2,}$/.test(host))) return hosts;
  context.addIssue('must be host names separated by commas; *. stands for all names below one');
  return z.NEVER;
});

export const MasterKey = z.string().transform((text, context) => {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length === MASTER_KEY_BYTES && /^[\w+/=-]+$/.test(text)) return key;
  context.addIssue(
    `must be ${MASTER_KEY_BYTES} bytes in base64 or hex, for example from "openssl rand -base64 32"`,
  );
  return z.NEVER;
});

export const BootstrapKey = z
  .string()
  .regex(/^svc_[\w-]{28,252}$/, 'must be "svc_" and letters, digits, - or _, 32 to 256 characters in total');

/** Reads a PEM file that must match `what`. */
function pemFile(what: RegExp, content: string): z.ZodType<string, string> {
  return z.string().transform((path, context) => {
    try {
      const pem = readFileSync(path, 'utf8');
      if (what.test(pem)) return pem;
      context.addIssue(`must be a PEM file with ${content}`);
    } catch (error) {
      context.addIssue(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    return z.NEVER;
  });
}

export const CertificateFile = pemFile(/-----BEGIN CERTIFICATE-----/, 'certificates');
export const PrivateKeyFile = pemFile(/-----BEGIN (\w+ )?PRIVATE KEY-----/, 'a private key');

const CODECS = ['opus', 'G722', 'PCMU', 'PCMA'] as const;

export const CodecList = z.string().transform((text, context) => {
  const names = text.split(',').map((name) => name.trim());
  const codecs = names.map((name) => CODECS.find((codec) => codec.toLowerCase() === name.toLowerCase()));
  const known = codecs.filter((codec) => codec !== undefined);
  if (known.length < codecs.length) {
    context.addIssue(`must be a comma-separated list of ${CODECS.join(', ')}`);
  } else if (new Set(known).size < known.length) {
    context.addIssue('must not repeat a codec');
  }
  return known;
});

export const TelegramToken = z
  .string()
  .regex(/^[1-9]\d{0,19}:[\w-]{1,128}$/, 'must be a token from @BotFather (digits:letters)');

export const SmtpUrl = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
}, 'must be an smtp or smtps URL, for example "smtps://user:password@mail.example.com"');

export const MailFrom = z
  .string()
  .regex(
    /^(?:[^\s<>@]+@[^\s<>@]+|[^<>\r\n]+ <[^\s<>@]+@[^\s<>@]+>)$/,
    'must be a mail address, or "Name <address>"',
  );

const PROXY = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

export const ProxyList = z.string().transform((text, context) => {
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (proxies.every((proxy) => PROXY.safeParse(proxy).success)) return proxies;
  context.addIssue('must be comma-separated IP addresses or subnets (10.0.0.0/8)');
  return z.NEVER;
});

/** Assigns calls from a subnet to an account. */
export interface TrunkBinding {
  /** An account id, or `operator`. */
  readonly account: string;
  /** An IP address or a subnet. */
  readonly subnet: string;
}

const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Host names in lower case; none for `off`. */
export const HostList = z.string().transform((text, context) => {
  if (text === 'off') return [];
  const hosts = text.split(',').map((host) => host.trim().toLowerCase());
  if (hosts.every((host) => HOST_NAME.test(host))) return hosts;
  context.addIssue('must be comma-separated host names (zoomcrc.com), or "off"');
  return z.NEVER;
});

export const TrunkBindings = z.string().transform((text, context) => {
  const bindings = text.split(',').map((each): TrunkBinding => {
    const [account = '', subnet = ''] = each.trim().split('=', 2);
    return { account, subnet };
  });
  for (const { account, subnet } of bindings) {
    if (!/^(?:operator|acc_[\w-]{1,64})$/.test(account) || !PROXY.safeParse(subnet).success) {
      context.addIssue(
        'must be comma-separated account=address or account=subnet, where the account is "operator" or an account id (acc_…)',
      );
      return z.NEVER;
    }
  }
  const subnets = bindings.map(({ subnet }) => subnet.toLowerCase());
  const twice = subnets.find((subnet, index) => subnets.indexOf(subnet) !== index);
  if (twice !== undefined) context.addIssue(`must not repeat ${twice}: a subnet belongs to one account`);
  return bindings;
});

export const OriginList = z.string().transform((text, context) => {
  const origins = text.split(',').map((origin) => origin.trim());
  if (origins.every((origin) => URL.canParse(origin) && new URL(origin).origin === origin)) return origins;
  context.addIssue('must be comma-separated origins (https://host or https://host:port)');
  return z.NEVER;
});

export const LogLevel = z.enum(
  ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
  'must be one of trace, debug, info, warn, error, fatal, silent',
);
