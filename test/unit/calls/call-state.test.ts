import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Termination } from '../../../src/base/termination.ts';
import { type CallMessage, type CallState, isOver, transition } from '../../../src/calls/call-state.ts';

const BUSY: Termination = { result: 'busy', reason: '486 Busy Here' };
const FAILED: Termination = { result: 'failed', reason: 'the meeting refused the id or passcode' };
const CONNECTING: CallState = { name: 'connecting', waiting: null, progress: null };
const RINGING: CallState = { name: 'ringing', accepting: false };

const message: fc.Arbitrary<CallMessage> = fc.oneof(
  fc.constantFrom<CallMessage>(
    { type: 'accept' },
    { type: 'refuse' },
    { type: 'hang_up', reason: 'test' },
    { type: 'deadline' },
    { type: 'leg_answered' },
    { type: 'leg_progress', progress: 'ringing' },
    { type: 'leg_progress', progress: 'early_media' },
    { type: 'leg_held', onHold: true },
    { type: 'leg_waiting', reason: 'in the lobby' },
    { type: 'engine_ended', termination: { result: 'internal_error', reason: 'a bug' } },
    { type: 'gateway_stopped' },
  ),
  fc.constantFrom('local' as const, 'remote' as const, 'lost' as const).map((by): CallMessage => {
    return { type: 'leg_ended', by, termination: BUSY };
  }),
);
const start = fc.constantFrom(CONNECTING, RINGING);

function run(from: CallState, messages: CallMessage[]): CallState {
  return messages.reduce((state, next) => transition(state, next).state, from);
}

describe('the call state machine', () => {
  it('leaves every state by deadlines alone', () => {
    fc.assert(
      fc.property(start, fc.array(message, { maxLength: 30 }), (from, messages) => {
        const stuck = run(from, messages);
        expect(isOver(run(stuck, [{ type: 'deadline' }]))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('never leaves a final state, and asks nothing of the leg there', () => {
    fc.assert(
      fc.property(start, fc.array(message, { maxLength: 30 }), message, (from, messages, late) => {
        const state = run(from, messages);
        fc.pre(isOver(state));
        expect(transition(state, late)).toEqual({ state, leg: 'none' });
      }),
      { numRuns: 2000 },
    );
  });

  it('releases the leg whenever the call ends by anything but the leg itself', () => {
    fc.assert(
      fc.property(start, fc.array(message, { maxLength: 10 }), message, (from, messages, last) => {
        const state = run(from, messages);
        const next = transition(state, last);
        fc.pre(!isOver(state) && isOver(next.state));
        expect(next.leg).toBe(
          last.type === 'leg_ended' ? 'none' : last.type === 'refuse' ? 'refuse' : 'hang_up',
        );
      }),
      { numRuns: 2000 },
    );
  });

  it.each<[string, CallState, CallMessage[], CallState['name']]>([
    ['an outbound call is answered', CONNECTING, [{ type: 'leg_answered' }], 'active'],
    [
      'an outbound call is not admitted',
      CONNECTING,
      [{ type: 'leg_waiting', reason: 'in the lobby' }, { type: 'deadline' }],
      'disconnected',
    ],
    [
      'an outbound call is admitted',
      CONNECTING,
      [{ type: 'leg_waiting', reason: 'in the lobby' }, { type: 'leg_answered' }],
      'active',
    ],
    ['an outbound call is not answered', CONNECTING, [{ type: 'deadline' }], 'disconnected'],
    [
      'the callee is busy',
      CONNECTING,
      [{ type: 'leg_ended', by: 'remote', termination: BUSY }],
      'disconnected',
    ],
    [
      'the bridge drops before an answer',
      CONNECTING,
      [{ type: 'leg_ended', by: 'lost', termination: BUSY }],
      'disconnected',
    ],
    [
      'the callee answers and hangs up before our media is ready',
      CONNECTING,
      [{ type: 'leg_ended', by: 'remote', termination: { result: 'completed', reason: 'hung up' } }],
      'ended',
    ],
    ['the agent gives up before an answer', CONNECTING, [{ type: 'hang_up', reason: 'test' }], 'ended'],
    ['the gateway stops before an answer', CONNECTING, [{ type: 'gateway_stopped' }], 'disconnected'],
    ['the gateway stops while it rings', RINGING, [{ type: 'gateway_stopped' }], 'disconnected'],
    ['accepting a call that does not ring', CONNECTING, [{ type: 'accept' }], 'connecting'],
    ['accepted, not yet confirmed', RINGING, [{ type: 'accept' }], 'ringing'],
    ['accepted and confirmed', RINGING, [{ type: 'accept' }, { type: 'leg_answered' }], 'active'],
    ['accepted, never confirmed', RINGING, [{ type: 'accept' }, { type: 'deadline' }], 'ended'],
    ['refused', RINGING, [{ type: 'refuse' }], 'refused'],
    ['not accepted in time', RINGING, [{ type: 'deadline' }], 'missed'],
    ['the caller gives up', RINGING, [{ type: 'leg_ended', by: 'remote', termination: BUSY }], 'missed'],
    [
      'the bridge drops',
      RINGING,
      [{ type: 'accept' }, { type: 'leg_answered' }, { type: 'leg_ended', by: 'lost', termination: BUSY }],
      'disconnected',
    ],
    [
      'the far end hangs up because the call failed',
      CONNECTING,
      [{ type: 'leg_answered' }, { type: 'leg_ended', by: 'remote', termination: FAILED }],
      'disconnected',
    ],
  ])('%s', (_what, from, messages, name) => {
    expect(run(from, messages).name).toBe(name);
  });

  it('reports whether a call was answered before it was hung up', () => {
    const hangUp: CallMessage = { type: 'hang_up', reason: 'test' };
    const resultOf = (state: CallState) => (isOver(state) ? state.termination.result : null);
    expect(resultOf(run(CONNECTING, [hangUp]))).toBe('no_answer');
    expect(resultOf(run(RINGING, [hangUp]))).toBe('missed');
    expect(resultOf(run(RINGING, [{ type: 'leg_answered' }, hangUp]))).toBe('completed');
  });

  it('accepts a call only once', () => {
    const accepting = transition(RINGING, { type: 'accept' });
    expect(accepting.leg).toBe('accept');
    expect(transition(accepting.state, { type: 'accept' }).leg).toBe('none');
  });
});
