import { createHmac, randomBytes } from 'node:crypto';

/** How a session proves whose it is. */
export type HelloAuth =
  | {
      /** A user of the Nextcloud, by what its signaling settings hold. */
      readonly kind: 'user';
      /** A JWT, for hello 2.0; it lives for a minute. Null: the Nextcloud made none. */
      readonly token: string | null;
      /** For hello 1.0. */
      readonly userId: string;
      readonly ticket: string;
    }
  | {
      /** A service beside the server, which may join every room of the Nextcloud unseen. */
      readonly kind: 'internal';
      readonly secret: string;
    };

const HELLO_2 = 'hello-v2';
const RANDOM_BYTES = 32;

/** Returns the first message to a server with these features. `nextcloud`: the URL without a trailing slash. */
export function helloMessage(auth: HelloAuth, nextcloud: string, features: readonly string[]): object {
  if (auth.kind === 'internal') {
    const random = randomBytes(RANDOM_BYTES).toString('hex');
    const token = createHmac('sha256', auth.secret).update(random).digest('hex');
    return hello('1.0', { type: 'internal', params: { random, token, backend: nextcloud } });
  }
  const url = `${nextcloud}/ocs/v2.php/apps/spreed/api/v3/signaling/backend`;
  return auth.token !== null && features.includes(HELLO_2)
    ? hello('2.0', { url, params: { token: auth.token } })
    : hello('1.0', { url, params: { userid: auth.userId, ticket: auth.ticket } });
}

/** Returns the first message on another connection of the same session. */
export function resumeMessage(resumeId: string): object {
  return { type: 'hello', hello: { version: '1.0', resumeid: resumeId } };
}

function hello(version: string, auth: object): object {
  return { type: 'hello', hello: { version, auth } };
}
