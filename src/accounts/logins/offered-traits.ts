import { type Capability, PLATFORMS, type Platform, type PlatformTable } from '../../base/platform.ts';
import type { Connector, Provides } from '../../connectors/contract/connector.ts';

/**
 * Returns the traits of this installation: of what the specification names for a platform, only what its calls and messages
 * offer here. That is nothing where it has no connector.
 */
export function offeredTraits(
  table: PlatformTable,
  connectors: ReadonlyMap<Platform, Pick<Connector, 'provides'>>,
): PlatformTable {
  const offered = PLATFORMS.map((platform) => {
    const traits = table[platform];
    const capabilities = offeredBy(connectors.get(platform)?.provides ?? {}, traits.capabilities);
    return [platform, { ...traits, capabilities }] as const;
  });
  return Object.fromEntries(offered) as PlatformTable;
}

const IN_ORDER: readonly Capability[] = ['audio_in', 'audio_out', 'read', 'write', 'typing', 'files'];

function offeredBy(
  { calls, inboundCalls, messenger }: Provides,
  named: readonly Capability[],
): readonly Capability[] {
  const ofCalls = calls?.offers ?? (calls || inboundCalls ? named : []);
  const offered = new Set<Capability>([
    ...ofCalls,
    ...(messenger ? (['read', 'write'] as const) : []),
    ...(messenger?.typing ? (['typing'] as const) : []),
    ...(messenger?.files ? (['files'] as const) : []),
  ]);
  return IN_ORDER.filter((capability) => offered.has(capability));
}
