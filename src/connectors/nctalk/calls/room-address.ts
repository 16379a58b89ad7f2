import { GatewayError } from '../../../base/errors.ts';

const TOKEN = /^[a-z0-9]{4,30}$/;
const PATH = /^(.*?)(?:\/index\.php)?\/call\/([a-z0-9]{4,30})\/?$/;

/** A room, by its token, of a Nextcloud; null: of the one that the login belongs to. */
interface RoomAddress {
  readonly server: string | null;
  readonly token: string;
}

/** Reads the link of a room, with or without `index.php`, or its token alone; null: it is neither. */
function readRoom(target: string): RoomAddress | null {
  const text = target.trim();
  if (TOKEN.test(text)) return { server: null, token: text };
  const url = URL.parse(text);
  const [, path, token] = PATH.exec(url?.pathname ?? '') ?? [];
  if (url === null || path === undefined || token === undefined || !/^https?:$/.test(url.protocol))
    return null;
  return { server: `${url.origin}${path}`, token };
}

/** Whether a link may lead to this Nextcloud. */
export function leadsTo(target: string, server: string): boolean {
  const room = readRoom(target);
  return room === null || room.server === null || isSame(room.server, server);
}

/** Returns the token of a room of this Nextcloud. Throws `invalid_meeting_url`. */
export function roomTokenIn(target: string, server: string): string {
  const room = readRoom(target);
  if (room === null)
    throw new GatewayError(
      'invalid_meeting_url',
      `meeting_url is no conversation of Nextcloud Talk, such as ${server}/call/abcd1234`,
    );
  if (room.server !== null && !isSame(room.server, server))
    throw new GatewayError(
      'invalid_meeting_url',
      `meeting_url is a conversation of another Nextcloud. The agent is connected to ${server}`,
    );
  return room.token;
}

/** Returns the link of a room. */
export function roomUrl(server: string, token: string): string {
  return `${server}/call/${token}`;
}

function isSame(one: string, other: string): boolean {
  return withoutSlash(one) === withoutSlash(other);
}

/** Paths depend on case, hosts do not. */
function withoutSlash(server: string): string {
  const href = URL.parse(server)?.href ?? server;
  return href.endsWith('/') ? href.slice(0, -1) : href;
}
