import { match } from '../base/match.ts';
import type { Termination } from '../base/termination.ts';

/**
 * A call's state. An outbound call is `connecting` until its media flows, also while somebody has to admit it; `waiting`
 * then says why, and `progress` how far it has come on the way to the far end. An inbound call is `ringing` until it is
 * accepted; after that it is still `ringing`, with `accepting` set, until the accepted leg's media flows.
 *
 *   connecting ─ answered ─────────────┐
 *       ├── failed ─▶ disconnected
 *       │                              ▼
 *   ringing ── accept ─ answered ─▶ active ──▶ ended
 *       ├── refuse ─▶ refused
 *       └── 60 s, or the caller hung up ─▶ missed
 *
 * An `active` call whose far end holds it is still active. In every live state, `hang_up` leads to `ended`. A dropped bridge, an engine failure and a stopping gateway lead to
 * `disconnected`.
 */
export type CallState =
  | { readonly name: 'connecting'; readonly waiting: string | null; readonly progress: CallProgress | null }
  | { readonly name: 'ringing'; readonly accepting: boolean }
  | { readonly name: 'active'; readonly onHold: boolean }
  | OverState;

/** The far end rings, or sends audio before it answers: an announcement, or ringing as a tone. */
export type CallProgress = 'ringing' | 'early_media';

/** A final state. */
export interface OverState {
  readonly name: 'refused' | 'ended' | 'disconnected' | 'missed';
  readonly termination: Termination;
}

export type CallStateName = CallState['name'];

/** A message to a call's mailbox. */
export type CallMessage =
  | { readonly type: 'accept' }
  | { readonly type: 'refuse' }
  | { readonly type: 'hang_up'; readonly reason: string }
  /** The deadline of the current state has passed. */
  | { readonly type: 'deadline' }
  /** Somebody must admit the agent first. */
  | { readonly type: 'leg_waiting'; readonly reason: string }
  | { readonly type: 'leg_progress'; readonly progress: CallProgress }
  | { readonly type: 'leg_answered' }
  /** The far end holds the call, or no longer does. */
  | { readonly type: 'leg_held'; readonly onHold: boolean }
  | {
      readonly type: 'leg_ended';
      readonly by: 'local' | 'remote' | 'lost';
      readonly termination: Termination;
    }
  /** The engine ended the call. */
  | { readonly type: 'engine_ended'; readonly termination: Termination }
  /** The gateway is stopping, which drops the bridge to the platform. */
  | { readonly type: 'gateway_stopped' };

/** The action that a transition requires of the platform leg. */
export type LegAction = 'none' | 'accept' | 'refuse' | 'hang_up';

export interface Transition {
  readonly state: CallState;
  readonly leg: LegAction;
}

export function isOver(state: CallState): state is OverState {
  return 'termination' in state;
}

/** A phase of a live call. Each has its own deadline. */
export type CallPhase = 'connecting' | 'waiting' | 'ringing' | 'accepting' | 'active';

/** Returns null for a call that is over. */
export function phaseOf(state: CallState): CallPhase | null {
  return match(state, 'name', {
    connecting: (state) => (state.waiting === null ? 'connecting' : 'waiting'),
    ringing: (state) => (state.accepting ? 'accepting' : 'ringing'),
    active: () => 'active',
    ended: () => null,
    missed: () => null,
    refused: () => null,
    disconnected: () => null,
  });
}

/** Whether audio of the far end is passed on: an announcement before the answer, or the call itself. */
export function isHeard(state: CallState): boolean {
  return state.name === 'active' || (state.name === 'connecting' && state.progress === 'early_media');
}

/** Whether calls begin in this state. They never return to it. */
export function isFirst(name: CallStateName): name is 'connecting' | 'ringing' {
  return name === 'connecting' || name === 'ringing';
}

/** Whether calls end in this state. */
export function isFinal(name: CallStateName): name is OverState['name'] {
  return !isFirst(name) && name !== 'active';
}

/**
 * Returns the next state and the action for the leg. A pure function. A message that does not apply to the state
 * changes nothing.
 */
export function transition(state: CallState, message: CallMessage): Transition {
  if (isOver(state)) return stay(state);
  if (message.type === 'gateway_stopped') return over('disconnected', GATEWAY_STOPPED, 'hang_up');
  if (message.type === 'engine_ended') return over('disconnected', message.termination, 'hang_up');
  return match(state, 'name', {
    connecting: (state) => fromConnecting(state, message),
    ringing: (state) => fromRinging(state, message),
    active: (state) => fromActive(state, message),
  });
}

const GATEWAY_STOPPED: Termination = { result: 'disconnected', reason: 'the gateway was stopped' };

const ANSWERED: Transition = { state: { name: 'active', onHold: false }, leg: 'none' };

/** Messages that each live state handles differently. */
type StateMessage = Exclude<CallMessage, { readonly type: 'engine_ended' | 'gateway_stopped' }>;

type Connecting = Extract<CallState, { name: 'connecting' }>;
type Ringing = Extract<CallState, { name: 'ringing' }>;
type Active = Extract<CallState, { name: 'active' }>;

function fromConnecting(state: Connecting, message: StateMessage): Transition {
  return match(message, 'type', {
    leg_answered: () => ANSWERED,
    leg_progress: (message) => progressed(state, message.progress),
    leg_waiting: (message) =>
      message.reason === state.waiting
        ? stay(state)
        : { state: { name: 'connecting', waiting: message.reason, progress: null }, leg: 'none' },
    // Completed: the far end answered, and hung up before our media was ready.
    leg_ended: (message) =>
      over(message.termination.result === 'completed' ? 'ended' : 'disconnected', message.termination),
    deadline: () => over('disconnected', { result: 'no_answer', reason: tooLate(state) }, 'hang_up'),
    accept: () => stay(state),
    refuse: () => stay(state),
    leg_held: () => stay(state),
    hang_up: (message) => over('ended', { result: 'no_answer', reason: message.reason }, 'hang_up'),
  });
}

/** What has been heard stays open: some far ends ring again after their announcement. */
function progressed(state: Connecting, progress: CallProgress): Transition {
  if (state.progress === progress || state.progress === 'early_media') return stay(state);
  return { state: { ...state, progress }, leg: 'none' };
}

function tooLate({ waiting }: Connecting): string {
  return waiting === null ? 'no answer in time' : `not admitted in time (${waiting})`;
}

function fromRinging(state: Ringing, message: StateMessage): Transition {
  return match(message, 'type', {
    accept: () =>
      state.accepting ? stay(state) : { state: { name: 'ringing', accepting: true }, leg: 'accept' },
    refuse: () => over('refused', { result: 'refused', reason: 'refused by the agent' }, 'refuse'),
    leg_answered: () => ANSWERED,
    leg_ended: (message) => over(nameOfUnansweredEnd(state, message.by), message.termination),
    deadline: () =>
      state.accepting
        ? over('ended', { result: 'failed', reason: 'the caller did not acknowledge the answer' }, 'hang_up')
        : over('missed', { result: 'missed', reason: 'not accepted in time' }, 'hang_up'),
    leg_waiting: () => stay(state),
    leg_progress: () => stay(state),
    leg_held: () => stay(state),
    hang_up: (message) => over('ended', { result: 'missed', reason: message.reason }, 'hang_up'),
  });
}

function fromActive(state: Active, message: StateMessage): Transition {
  return match(message, 'type', {
    leg_ended: (message) => over(isNormal(message) ? 'ended' : 'disconnected', message.termination),
    deadline: () =>
      over('ended', { result: 'completed', reason: 'maximum call duration reached' }, 'hang_up'),
    leg_held: (message) =>
      message.onHold === state.onHold
        ? stay(state)
        : { state: { name: 'active', onHold: message.onHold }, leg: 'none' },
    accept: () => stay(state),
    refuse: () => stay(state),
    leg_waiting: () => stay(state),
    leg_progress: () => stay(state),
    leg_answered: () => stay(state),
    hang_up: (message) => over('ended', { result: 'completed', reason: message.reason }, 'hang_up'),
  });
}

/** A call that failed stays readable, also when it was the far end that hung up. */
function isNormal({ by, termination }: Extract<CallMessage, { type: 'leg_ended' }>): boolean {
  return by !== 'lost' && termination.result !== 'failed';
}

/** Before the agent accepts, a caller's hangup makes the call `missed`; afterwards it is `ended`. */
function nameOfUnansweredEnd(state: Ringing, by: 'local' | 'remote' | 'lost'): OverState['name'] {
  if (by === 'lost') return 'disconnected';
  return state.accepting ? 'ended' : 'missed';
}

function over(name: OverState['name'], termination: Termination, leg: LegAction = 'none'): Transition {
  return { state: { name, termination }, leg };
}

function stay(state: CallState): Transition {
  return { state, leg: 'none' };
}
