import { createHmac, randomBytes } from 'node:crypto';
import { newWord } from '../world/nc-ids.ts';

/** As in Talk's settings. */
export interface TurnServer {
  readonly schemes: 'turn' | 'turns' | 'turn,turns';
  /** Host and port. */
  readonly server: string;
  readonly secret: string;
  readonly protocols: 'udp' | 'tcp' | 'udp,tcp';
}

const TURN_LIFETIME_S = 86_400;

/** The signaling server that Talk uses, as the administrator has set it up, with STUN and TURN. */
export class HpbSettings {
  /** `http://host:port` of a real signaling server; '': there is none, and Talk carries calls itself. */
  url = '';
  /** Shared with the signaling server. */
  readonly backendSecret = randomBytes(32).toString('hex');
  /** Hosts and ports. */
  stunServers: readonly string[] = [];
  turnServers: readonly TurnServer[] = [];

  /** As clients get them. */
  iceServers(now: number) {
    const stun =
      this.stunServers.length === 0 ? [] : [{ urls: this.stunServers.map((each) => `stun:${each}`) }];
    const turn = this.turnServers.map(({ schemes, server, secret, protocols }) => {
      const username = `${now + TURN_LIFETIME_S}:${newWord(16)}`;
      return {
        urls: schemes
          .split(',')
          .flatMap((scheme) => protocols.split(',').map((each) => `${scheme}:${server}?transport=${each}`)),
        username,
        credential: createHmac('sha1', secret).update(username).digest('base64'),
      };
    });
    return { stun, turn };
  }

  /** Whether a request between Nextcloud and the signaling server is signed: over random and body. */
  checksum(random: string, body: string): string {
    return createHmac('sha256', this.backendSecret).update(random).update(body).digest('hex');
  }
}
