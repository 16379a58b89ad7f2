import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Call } from '../api/answers.ts';
import { aheadMs } from '../api/feed.ts';

type Tone = 'good' | 'warn' | 'bad' | 'plain';

type Known = readonly [tone: Tone, name: string];

/** How calls end: all ways, which the type of the API ensures. */
export const RESULTS: Readonly<Record<NonNullable<Call['termination']>['result'], Known>> = {
  completed: ['plain', 'Completed'],
  refused: ['bad', 'Refused'],
  missed: ['bad', 'Missed'],
  busy: ['warn', 'Busy'],
  no_answer: ['warn', 'No answer'],
  failed: ['bad', 'Failed'],
  disconnected: ['bad', 'Disconnected'],
  internal_error: ['bad', 'Error of the gateway'],
};

/** What states are called, and whether they are good. Of some, what is called so differs: its kind stands before it. */
const STATES: Readonly<Record<string, Known>> = {
  ...RESULTS,
  ok: ['good', 'Connected'],
  not_configured: ['plain', 'Not connected'],
  not_granted: ['plain', 'Not allowed'],
  registered: ['plain', 'Logging in'],
  unreachable: ['bad', 'The server does not answer'],
  tls_failed: ['bad', 'TLS failed'],
  not_allowed: ['bad', 'This address may not be used'],
  'trunk registered': ['good', 'Registered'],
  registering: ['warn', 'Registering'],
  off: ['plain', 'Without registration'],

  connecting: ['warn', 'Connecting'],
  ringing: ['warn', 'Ringing'],
  active: ['good', 'Active'],
  ended: ['plain', 'Ended'],

  sending: ['plain', 'Sending'],
  pending: ['warn', 'Waiting'],
  delivered: ['plain', 'Delivered'],
  unknown: ['bad', 'May not have arrived'],
  dropped: ['bad', 'Dropped'],

  queued: ['warn', 'Queued'],
  sent: ['warn', 'Asked'],
  answered: ['plain', 'Answered'],
  'model delivered': ['good', 'Done'],
  merged: ['plain', 'Merged'],

  valid: ['good', 'Key is valid'],
  not_needed: ['good', 'No key needed'],
  limited_scope: ['warn', 'Key lacks permissions'],
  out_of_funds: ['bad', 'Out of funds'],
  invalid: ['bad', 'Key is invalid'],

  waiting: ['plain', 'waiting'],
  replied: ['good', 'Replied'],
  connected_but_silent: ['warn', 'Connected, but silent'],
  key_used_recently: ['warn', 'Key used recently'],
  not_connected: ['bad', 'Not connected'],
};

/** In words; a problem that has no name stays in the platform's. */
export function stateName(state: string, kind = ''): string {
  return (STATES[`${kind} ${state}`] ?? STATES[state])?.[1] ?? state;
}

export function isBad(state: string): boolean {
  return (STATES[state]?.[0] ?? 'bad') === 'bad';
}

interface StateProps {
  readonly of: string;
  readonly kind?: string;
  /** What it is about. */
  readonly detail?: string | null;
}

/** A state in a word, with a colour that says whether that is good. */
export function State({ of, kind = '', detail = null }: StateProps) {
  const [tone] = STATES[`${kind} ${of}`] ?? STATES[of] ?? ['bad'];
  const name = stateName(of, kind);
  return <Badge tone={tone}>{detail === null ? name : `${name}: ${detail}`}</Badge>;
}

interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}

export function Badge({ tone = 'plain', children }: BadgeProps) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

const DAY_MS = 86_400_000;

/** The time, by the second. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DATE = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** When something was: the time of day, with the date if that was not today. */
export function Moment({ iso }: { readonly iso: string }) {
  const date = new Date(iso);
  const isRecent = now.peek() - date.getTime() < DAY_MS && date.getDate() === new Date().getDate();
  return (
    <time dateTime={iso} title={FULL.format(date)}>
      {(isRecent ? CLOCK : DATE).format(date)}
    </time>
  );
}

/** How long something has lasted, as in 2:05. */
export function Duration({ from, to = null }: { readonly from: string; readonly to?: string | null }) {
  const endMs = to === null ? now.value + aheadMs.value : Date.parse(to);
  return <span class="digits">{clockOf((endMs - Date.parse(from)) / 1000)}</span>;
}

function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => `${part}`.padStart(2, '0'));
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : `${Number(parts[0])}:${parts[1]}`;
}

/** How loud something is now, from 0 to 1. */
export function Level({ label, level }: { readonly label: string; readonly level: number }) {
  return <meter class="level" aria-label={label} min={0} max={1} value={Math.sqrt(level)} />;
}

/** The same of what changes with every frame: nothing else is drawn again. */
export function LiveLevel({ label, of }: { readonly label: string; readonly of: Signal<number> }) {
  return <Level label={label} level={of.value} />;
}
