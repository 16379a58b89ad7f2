import type { FairShare } from '../../../base/fair-share.ts';
import type { Clock } from '../../../base/time.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import type { PlatformRecords } from '../../contract/records.ts';
import type { PlatformHttp } from '../../kit/platform-http.ts';
import type { NextcloudTalkObserver } from '../nctalk-observer.ts';
import type { AddonClient } from '../pairing/addon-client.ts';
import type { AddonRooms } from '../pairing/addon-rooms.ts';
import type { Reach } from '../signaling/hpb-session.ts';
import type { TypingPlaces } from '../typing/typing-places.ts';

/** What all logins have in common. */
export interface TalkWorld {
  readonly clock: Clock;
  readonly observer: NextcloudTalkObserver;
  readonly records: PlatformRecords;
  readonly http: PlatformHttp;
  /** Requests that read rooms. */
  readonly reads: FairShare;
  readonly addons: AddonClient;
  readonly addonRooms: AddonRooms;
  /** Where signaling servers may be. */
  readonly reach: Reach;
  /** Sessions at signaling servers for typing. */
  readonly typingPlaces: TypingPlaces;
  /** Whether what is written comes here. Otherwise, the platform bridge brings it. */
  readonly hears: boolean;
  intake(): MessageIntake;
  /** A call may have started or ended in a room that the bot hears. */
  callChanged(connectionId: string, token: string): void;
  /** Has a call show that the agent is typing, or no longer. Returns false when the bot is in no call of that room. */
  typeInCall(connectionId: string, token: string, on: boolean): boolean;
  /** Reports the status of a connection. */
  report(connectionId: string, status: string): void;
}
