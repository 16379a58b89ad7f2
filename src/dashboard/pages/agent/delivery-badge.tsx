import { Badge, type Tone } from '../../parts/badge.tsx';
import { texts } from '../../texts.ts';

const TONES: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  failed: 'bad',
  queued: 'warn',
  sent: 'warn',
};

export function DeliveryBadge({ status }: { readonly status: string }) {
  return <Badge tone={TONES[status] ?? 'plain'}>{texts.deliveries.states[status] ?? status}</Badge>;
}
