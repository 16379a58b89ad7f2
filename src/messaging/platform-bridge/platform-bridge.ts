import type { FairShare } from '../../base/fair-share.ts';
import type { Places } from '../../base/places.ts';
import type { Platform, PlatformTable } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import type { BridgedCalls } from '../../connectors/contract/bridged-calls.ts';
import type { MessageIntake, Messenger } from '../../connectors/contract/messenger.ts';
import type { Db } from '../../store/database/rows.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';

/** The bridge has one key. */
export const BRIDGE_HOLDER = { credentialId: 'bridge', accountId: 'bridge' } as const;

/**
 * What the platform bridge, a program of the operator outside of the gateway, may tell about platforms. Built once by
 * the composition root.
 */
export interface PlatformBridge {
  readonly db: Db;
  readonly clock: Clock;
  /** What the platforms can do on this gateway. */
  readonly traits: PlatformTable;
  /** The intake of each platform with messages, whether the gateway's connector or the bridge carries them. */
  readonly intakes: ReadonlyMap<Platform, MessageIntake>;
  readonly messengers: Pick<ReadonlyMap<MessagePlatform, Messenger>, 'get'>;
  /** The platforms that the bridge carries in both directions. */
  readonly carried: ReadonlyMap<Platform, BridgedCalls>;
  /** Requests that wait for a reply, which accounts share. */
  readonly waits: FairShare;
  /** Limits batches of events under way. */
  readonly batches: Places;
}
