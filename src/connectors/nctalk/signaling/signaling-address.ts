import { GatewayError } from '../../../base/errors.ts';
import { type AddressRule, isClosedLiteral } from '../../../base/public-address.ts';

const SOCKETS: Readonly<Record<string, string>> = {
  'https:': 'wss:',
  'wss:': 'wss:',
  'http:': 'ws:',
  'ws:': 'ws:',
};

/**
 * Returns the URL of the WebSockets of a signaling server that a Nextcloud names. Names are looked up when the socket connects. Throws
 * GatewayError `server_invalid`, and `server_blocked` for an address inside of this machine's network.
 */
export function signalingUrl(server: string, nextcloud: string, isOpen: AddressRule): string {
  const url = URL.parse(server.trim());
  const protocol = SOCKETS[url?.protocol ?? ''];
  if (url === null || protocol === undefined || url.username !== '' || url.password !== '')
    throw new GatewayError('server_invalid', 'The Nextcloud names no usable signaling server');
  // What lets the bot in would be readable on the way.
  if (protocol === 'ws:' && nextcloud.startsWith('https:'))
    throw new GatewayError('server_invalid', 'The signaling server of the Nextcloud is not encrypted');
  if (isClosedLiteral(url.hostname, isOpen)) throw new GatewayError('server_blocked');
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return `${protocol}//${url.host}${path}spreed`;
}
