import { unreachable } from '../base/assert.ts';
import type { Termination } from '../base/termination.ts';

/**
 * A call's state. `connecting` is an outbound call until its media flows; `ringing` an inbound one until it is
 * accepted, and, with `accepting`, until the accepted leg's media flows.
 *
 *   connecting ─ answered ─────────────┐
 *       ├── came to nothing ─▶ disconnected
 *       │                              ▼
 *   ringing ── accept ─ answered ─▶ active ──▶ ended
 *       ├── refuse ─▶ refused
 *       └── 60 s, or the caller gave up ─▶ missed
 *
 * From every live state `hang_up` leads to `ended`; a bridge that drops, a failure of the engine and a gateway that
 * stops lead to `disconnected`.
 */
export type CallState =
  | { readonly name: 'connecting' }
  | { readonly name: 'ringing'; readonly accepting: boolean }
  | { readonly name: 'active' }
  | OverState;

/** A state that nothing leaves. */
export interface OverState {
  readonly name: 'refused' | 'ended' | 'disconnected' | 'missed';
  readonly termination: Termination;
}

export type CallStateName = CallState['name'];

/** What reaches a call's mailbox. */
export type CallMessage =
  | { readonly type: 'accept' }
  | { readonly type: 'refuse' }
  | { readonly type: 'hang_up'; readonly reason: string }
  /** The deadline of the state named has passed; stale ones are ignored. */
  | { readonly type: 'deadline' }
  | { readonly type: 'leg_answered' }
  | {
      readonly type: 'leg_ended';
      readonly by: 'local' | 'remote' | 'lost';
      readonly termination: Termination;
    }
  /** The engine gave the call up. */
  | { readonly type: 'engine_ended'; readonly termination: Termination }
  /** The gateway stops, and the bridge to the platform with it. */
  | { readonly type: 'gateway_stopped' };

/** What the platform leg is to do because of a transition. */
export type LegAction = 'none' | 'accept' | 'refuse' | 'hang_up';

export interface Transition {
  readonly state: CallState;
  readonly leg: LegAction;
}

export function isOver(state: CallState): state is OverState {
  return 'termination' in state;
}

/** The state machine, pure: the next state and what the leg is to do. A message that means nothing changes nothing. */
export function transition(state: CallState, message: CallMessage): Transition {
  if (isOver(state)) return stay(state);
  if (message.type === 'gateway_stopped') return over('disconnected', GATEWAY_STOPPED, 'hang_up');
  if (message.type === 'engine_ended') return over('disconnected', message.termination, 'hang_up');
  switch (state.name) {
    case 'connecting':
      return fromConnecting(state, message);
    case 'ringing':
      return fromRinging(state, message);
    case 'active':
      return fromActive(state, message);
    default:
      return unreachable(state);
  }
}

const GATEWAY_STOPPED: Termination = { result: 'disconnected', reason: 'the gateway was stopped' };

/** What each live state answers in its own way. */
type StateMessage = Exclude<CallMessage, { readonly type: 'engine_ended' | 'gateway_stopped' }>;

type Connecting = Extract<CallState, { name: 'connecting' }>;
type Ringing = Extract<CallState, { name: 'ringing' }>;
type Active = Extract<CallState, { name: 'active' }>;

function fromConnecting(state: Connecting, message: StateMessage): Transition {
  switch (message.type) {
    case 'leg_answered':
      return { state: { name: 'active' }, leg: 'none' };
    case 'leg_ended':
      return over('disconnected', message.termination);
    case 'deadline':
      return over('disconnected', { result: 'no_answer', reason: 'no answer in time' }, 'hang_up');
    case 'accept':
    case 'refuse':
      return stay(state);
    case 'hang_up':
      return over('ended', { result: 'no_answer', reason: message.reason }, 'hang_up');
    default:
      return unreachable(message);
  }
}

function fromRinging(state: Ringing, message: StateMessage): Transition {
  switch (message.type) {
    case 'accept':
      return state.accepting ? stay(state) : { state: { name: 'ringing', accepting: true }, leg: 'accept' };
    case 'refuse':
      return over('refused', { result: 'refused', reason: 'refused by the agent' }, 'refuse');
    case 'leg_answered':
      return { state: { name: 'active' }, leg: 'none' };
    case 'leg_ended':
      return over(nameOfUnansweredEnd(state, message.by), message.termination);
    case 'deadline':
      return state.accepting
        ? over('ended', { result: 'failed', reason: 'the caller did not confirm the answer' }, 'hang_up')
        : over('missed', { result: 'missed', reason: 'not accepted in time' }, 'hang_up');
    case 'hang_up':
      return over('ended', { result: 'missed', reason: message.reason }, 'hang_up');
    default:
      return unreachable(message);
  }
}

function fromActive(state: Active, message: StateMessage): Transition {
  switch (message.type) {
    case 'leg_ended':
      return over(message.by === 'lost' ? 'disconnected' : 'ended', message.termination);
    case 'deadline':
      return over('ended', { result: 'completed', reason: 'maximum call duration reached' }, 'hang_up');
    case 'accept':
    case 'refuse':
    case 'leg_answered':
      return stay(state);
    case 'hang_up':
      return over('ended', { result: 'completed', reason: message.reason }, 'hang_up');
    default:
      return unreachable(message);
  }
}

/** A caller who gives up before the agent accepts was missed; after that the call simply failed. */
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
