import { GatewayError } from '../../../base/errors.ts';
import { type AddressRule, isClosedLiteral } from '../../../base/public-address.ts';

/** The app id of the addon as published. A brand's is `<brand>_talk`. */
const DEFAULT_APP = 'chamade_talk';
const MAX_LENGTH = 512;
/** What may be written after a Nextcloud's own path, as people copy it from their browser. */
const PAGE = /\/(?:index\.php(?:\/.*)?|(?:apps|call|login|settings)(?:\/.*)?)$/;
const APP = /\/apps\/([a-z][a-z0-9]{0,54}_talk)(?:\/|$)/;
/** Of what URL parsers let through, what can stand in a policy of a page. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d+)?$/;
const PATH = /^(?:\/[\w.~-]+)*$/;

/** Which Nextclouds may be spoken to. */
export interface ServerRules {
  /** Addresses that they may have. */
  readonly isOpen: AddressRule;
  /** Whether the operator has opened addresses that are not public. Only there may a Nextcloud go without TLS. */
  readonly allowsHttp: boolean;
}

/** A Nextcloud as its URL names it. */
export interface ServerUrl {
  /** Without a trailing slash; two URLs of one Nextcloud give the same. */
  readonly server: string;
  readonly host: string;
  /** The app id of its addon. */
  readonly appId: string;
}

/**
 * Reads a Nextcloud's URL, without asking anybody. It may be that of one of its pages; that of an addon's page tells the
 * addon's app id. Throws GatewayError `server_invalid` or `server_blocked`, with words for the person.
 */
export function readServerUrl(text: string, { isOpen, allowsHttp }: ServerRules): ServerUrl {
  const url = parsedUrl(text);
  const isPlain = url.protocol === 'http:';
  if (!isPlain && url.protocol !== 'https:') throw invalid('The URL of a Nextcloud begins with https://');
  if (url.username !== '' || url.password !== '')
    throw invalid('Give the URL of your Nextcloud without a name or password in it');
  if (/[?#]/.test(text)) throw invalid('Give the URL of your Nextcloud without what follows a ? or #');
  if (isPlain && !allowsHttp)
    throw invalid(
      'A Nextcloud has to be reached by https. If yours is, set overwriteprotocol to https in its config.php',
    );
  const host = url.host.replace(/\.(?=:|$)/, '');
  if (isClosedLiteral(url.hostname, isOpen)) throw new GatewayError('server_blocked');
  const path = url.pathname.replace(PAGE, '').replace(/\/$/, '');
  if (!HOST.test(host) || !PATH.test(path)) throw invalid('This is not the URL of a Nextcloud');
  return {
    server: `${url.protocol}//${host}${path}`,
    host,
    appId: APP.exec(url.pathname)?.[1] ?? DEFAULT_APP,
  };
}

/** Whether an addon means a Nextcloud by this URL. It leaves out the path below which its Nextcloud is. */
export function namesServer(addonsUrl: string, server: string): boolean {
  if (!URL.canParse(addonsUrl)) return false;
  const [named, known] = [new URL(addonsUrl), new URL(server)];
  const path = named.pathname.replace(/\/$/, '');
  return named.origin === known.origin && (path === '' || path === known.pathname.replace(/\/$/, ''));
}

/** A URL without a scheme is one of https. What browsers would leave out or turn around is refused. */
function parsedUrl(text: string): URL {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: URL parsers remove them
  if (text.length > MAX_LENGTH || /[\u0000-\u0020\u007f\\]/.test(text))
    throw invalid('This is not the URL of a Nextcloud');
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(full)) throw invalid('This is not the URL of a Nextcloud');
  return new URL(full);
}

function invalid(words: string): GatewayError {
  return new GatewayError('server_invalid', words);
}
