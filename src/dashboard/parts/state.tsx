import type { ComponentChildren } from 'preact';
import type { Call } from '../api/answers.ts';

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
