import { BridgeKey } from '../accounts/keys/bridge-key.ts';
import { AttemptLimits } from '../accounts/passwords/attempt-limits.ts';
import { FailedAttempts } from '../accounts/passwords/failed-attempts.ts';
import type { BridgeContext } from '../api/rest/platform-bridge.ts';
import { Places } from '../base/places.ts';
import type { PlatformBridge } from '../messaging/platform-bridge/platform-bridge.ts';
import type { PartDeps } from './gateway-deps.ts';

/** Limit of requests that wait for a reply. */
const MAX_WAITS = 500;
/** Limit of batches of events under way. */
const MAX_BATCHES = 16;

/** Returns what the endpoints of the platform bridge use. */
export function bridgeContext(
  deps: PartDeps,
  platforms: Pick<PlatformBridge, 'intakes' | 'messengers' | 'carried'>,
): BridgeContext {
  const { settings, store, clock, metrics } = deps;
  const bridge = {
    ...platforms,
    db: store.db,
    clock,
    traits: settings.traits,
    waits: places('requests of the bridge may wait for a reply', MAX_WAITS),
    batches: places('requests with events may be under way', MAX_BATCHES),
  };
  metrics.watchQueue(
    'svc_bridge_requests_waiting',
    'Requests of the platform bridge that wait for a reply',
    () => bridge.waits.taken,
  );
  return { bridge, key: bridgeKey(deps) };
}

function places(what: string, most: number): Places {
  return new Places({ code: 'too_many_waiters', what, perKey: most, perAccount: most, total: most });
}

function bridgeKey({ settings, store: { db }, clock, events }: PartDeps): BridgeKey {
  const onFailure = (error: unknown) => events.writeFailed('uses of the bridge key', error);
  return new BridgeKey({
    db,
    clock,
    key: settings.bridge.key,
    limits: new AttemptLimits(clock, settings.people.loginAttempts),
    failures: new FailedAttempts('bridge_key.fail', db, clock, {
      failed: onFailure,
      dropped: () => events.queueFull('failed_passwords'),
    }),
    onFailure,
  });
}
