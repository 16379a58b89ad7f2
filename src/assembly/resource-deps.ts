import type { ReadinessCheck } from '../api/rest/system.ts';
import type { Store } from '../store/store.ts';
import type { BusinessEvents } from '../telemetry/business-events.ts';
import { DescriptorWatch } from '../telemetry/descriptor-watch.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { GatewayDeps } from './gateway-deps.ts';

/** Starts watching resources that the machine may run out of: disk space and file descriptors. */
export function watchResources(
  { store: { disk }, closers }: GatewayDeps,
  events: BusinessEvents,
  metrics: Metrics,
): DescriptorWatch {
  const descriptors = new DescriptorWatch();
  disk.watch((problem) => events.diskChanged(problem));
  descriptors.watch((problem) => events.descriptorsChanged(problem));
  metrics.watchQueue('svc_disk_full', '1 while the disk is full', () => (disk.problem ? 1 : 0));
  metrics.watchRefusedConnections(() => descriptors.refused);
  closers.push(async () => descriptors.close());
  return descriptors;
}

/** Returns checks for exhausted resources, which stop the gateway from working although all of its parts run. */
export function resourceChecks(
  { disk }: Pick<Store, 'disk'>,
  descriptors: DescriptorWatch,
): ReadinessCheck[] {
  return [
    { name: 'disk', problem: () => disk.problem },
    { name: 'descriptors', problem: () => descriptors.problem },
  ];
}
