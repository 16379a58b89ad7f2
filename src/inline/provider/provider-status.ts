import { unreachable } from '../../base/assert.ts';
import type { ModelFaultKind } from '../../models/model-fault.ts';

/** The outcome of a healthcheck. */
export const PROVIDER_STATUSES = [
  'ok',
  'key_rejected',
  'no_access',
  'not_found',
  'quota',
  'overloaded',
  'unreachable',
  'bad_endpoint',
] as const;

export type ProviderStatus = (typeof PROVIDER_STATUSES)[number];

/** Returns what a fault says about the provider's settings. */
export function statusOf(kind: ModelFaultKind): Exclude<ProviderStatus, 'ok'> {
  switch (kind) {
    case 'key_rejected':
    case 'no_access':
    case 'not_found':
    case 'quota':
    case 'overloaded':
    case 'unreachable':
    case 'bad_endpoint':
      return kind;
    case 'rate_limited':
    case 'locked':
      return 'overloaded';
    // The endpoint answers, but not as the provider's protocol has it.
    case 'bad_request':
    case 'refused':
    case 'too_long':
    case 'cut':
    case 'empty':
    case 'lost_memory':
      return 'bad_endpoint';
    default:
      return unreachable(kind);
  }
}

export function isProviderStatus(text: string | null): text is ProviderStatus {
  return PROVIDER_STATUSES.some((status) => status === text);
}
