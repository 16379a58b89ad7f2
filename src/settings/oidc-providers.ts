import { isIPv4 } from 'node:net';

/** An identity provider for sign-in. */
export interface OidcProviderSettings {
  /** In lower case; used in the paths under `/auth/oauth/`. */
  readonly name: string;
  /** GitHub supports only OAuth 2.0: no discovery, no ID tokens. */
  readonly kind: 'openid' | 'github';
  /** Exactly as the provider writes it, including any trailing slash. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Default issuers of well-known providers. */
const KNOWN_ISSUERS: Readonly<Record<string, string>> = {
  google: 'https://accounts.google.com',
  microsoft: 'https://login.microsoftonline.com/common/v2.0',
  github: 'https://github.com',
};

const FAMILY = /^SVC_OIDC_([A-Z][A-Z0-9]{0,31})_(ISSUER|CLIENT_ID|CLIENT_SECRET)$/;

type Field = 'ISSUER' | 'CLIENT_ID' | 'CLIENT_SECRET';
type Fields = Partial<Record<Field, string>>;

/** Whether a name is an OIDC variable of any provider. */
export function isOidcVariable(name: string): boolean {
  return FAMILY.test(name);
}

/** Documentation rows for the OIDC variables. */
export const OIDC_ROWS = [
  {
    name: 'SVC_OIDC_<NAME>_CLIENT_ID',
    default: 'none',
    meaning:
      'Enables sign-in with the OpenID Connect provider NAME (capitals and digits, as in GOOGLE, MICROSOFT, GITHUB): the client id from the provider',
  },
  { name: 'SVC_OIDC_<NAME>_CLIENT_SECRET', default: 'none', meaning: 'The client secret that belongs to it' },
  {
    name: 'SVC_OIDC_<NAME>_ISSUER',
    default: 'known for GOOGLE, MICROSOFT, GITHUB',
    meaning: 'Issuer URL, whose `/.well-known/openid-configuration` describes the provider',
  },
] as const;

/** Collects the providers from all variables, sorted by name. */
export function readOidcProviders(texts: Readonly<Record<string, string>>): {
  readonly providers: readonly OidcProviderSettings[];
  readonly mistakes: readonly string[];
} {
  const providers: OidcProviderSettings[] = [];
  const mistakes: string[] = [];
  for (const [name, fields] of [...fieldsByProvider(texts)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const wrong = mistakesOf(name, fields);
    mistakes.push(...wrong);
    if (wrong.length === 0) providers.push(providerOf(name, fields));
  }
  return { providers, mistakes };
}

function fieldsByProvider(texts: Readonly<Record<string, string>>): Map<string, Fields> {
  const found = new Map<string, Fields>();
  for (const [variable, text] of Object.entries(texts)) {
    const [, name, field] = FAMILY.exec(variable) ?? [];
    if (name !== undefined) found.set(name, { ...found.get(name), [field as Field]: text });
  }
  return found;
}

function mistakesOf(name: string, { ISSUER, CLIENT_ID, CLIENT_SECRET }: Fields): string[] {
  const mistakes: string[] = [];
  if (CLIENT_ID === undefined) mistakes.push(`SVC_OIDC_${name}_CLIENT_ID: is missing`);
  if (CLIENT_SECRET === undefined) mistakes.push(`SVC_OIDC_${name}_CLIENT_SECRET: is missing`);
  const issuer = ISSUER ?? KNOWN_ISSUERS[name.toLowerCase()];
  if (issuer === undefined) mistakes.push(`SVC_OIDC_${name}_ISSUER: is missing`);
  else if (!isIssuer(issuer)) {
    mistakes.push(
      `SVC_OIDC_${name}_ISSUER: must be an https URL without query or fragment (it is "${issuer}")`,
    );
  }
  return mistakes;
}

function providerOf(upperName: string, fields: Fields): OidcProviderSettings {
  const name = upperName.toLowerCase();
  return {
    name,
    kind: name === 'github' ? 'github' : 'openid',
    issuer: fields.ISSUER ?? KNOWN_ISSUERS[name]!,
    clientId: fields.CLIENT_ID!,
    clientSecret: fields.CLIENT_SECRET!,
  };
}

/** Plain http is allowed only for a provider on this machine. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, search, hash } = new URL(text);
  if (username || search || hash) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
