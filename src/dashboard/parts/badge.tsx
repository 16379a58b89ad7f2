import type { ComponentChildren } from 'preact';
import { texts } from '../texts.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'plain';

/** A state in a word, with a colour that says whether that is good. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const CALL_TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  ringing: 'warn',
  connecting: 'warn',
  refused: 'bad',
  missed: 'bad',
  disconnected: 'bad',
};

export function CallBadge({ state }: { readonly state: string }) {
  return <Badge tone={CALL_TONES[state] ?? 'plain'}>{texts.callStates[state] ?? state}</Badge>;
}

/** The status of a login or platform: `ok`, that there is none, or the problem in the platform's words. */
export function StatusBadge({ status }: { readonly status: string }) {
  const isKnown = texts.statuses[status] !== undefined;
  return <Badge tone={status === 'ok' ? 'good' : isKnown ? 'plain' : 'bad'}>{statusText(status)}</Badge>;
}

export function statusText(status: string): string {
  return texts.statuses[status] ?? texts.trunk.errors[status] ?? status;
}

const TONES: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  failed: 'bad',
  queued: 'warn',
  sent: 'warn',
};

export function DeliveryBadge({ status }: { readonly status: string }) {
  return <Badge tone={TONES[status] ?? 'plain'}>{texts.deliveries.states[status] ?? status}</Badge>;
}
