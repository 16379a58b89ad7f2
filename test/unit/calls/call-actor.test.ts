import { describe, expect, it } from 'vitest';
import { CallActor } from '../../../src/calls/call-actor.ts';
import type { CallEvent, CallIdentity } from '../../../src/calls/call-event.ts';
import { NO_PRESETS } from '../../../src/calls/choose-presets.ts';
import type { PlatformLeg } from '../../../src/connectors/contract/call-leg.ts';
import type { EngineCall } from '../../../src/threads/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { lineOf } from '../../support/speech/recognized-line.ts';

const DEADLINES = {
  connectingMs: 90_000,
  waitingMs: 600_000,
  ringingMs: 60_000,
  acceptingMs: 35_000,
  activeMs: 3_600_000,
};
const NO_CHAT = {
  keepFiles: async () => ({ files: [], tooLarge: 0 }),
  stored: async () => {},
  onDropped() {},
  onFailure() {},
};
const COMPLETED = { result: 'completed', reason: 'hung up' } as const;

function identityOf(direction: 'inbound' | 'outbound'): CallIdentity {
  return {
    callId: 'call_1',
    roomId: 'room_1',
    participantId: 'part_1',
    accountId: 'acc_1',
    agentId: 'agt_1',
    platform: 'sip',
    meetingUrl: 'sip:+33123456789@127.0.0.1',
    agentName: 'AI Agent',
    direction,
    caller: '',
    createdAt: '2030-01-01T00:00:00.000Z',
    sampleRateHz: 8000,
  };
}

function scene(direction: 'inbound' | 'outbound') {
  const clock = new ManualClock();
  const legActions: string[] = [];
  const engineActions: string[] = [];
  const events: CallEvent[] = [];
  const seen: string[][] = [];
  const leg: PlatformLeg = {
    accept: () => legActions.push('accept'),
    refuse: () => legActions.push('refuse'),
    hangUp: () => legActions.push('hangUp'),
    released: Promise.resolve(),
  };
  const engineCall = {
    startListening: () => engineActions.push('startListening'),
    startAudio: () => engineActions.push('startAudio'),
    close: async () => void engineActions.push('close'),
    report: async () => void engineActions.push('report'),
  } as unknown as EngineCall;
  const start = {
    login: { kind: 'trunk' },
    capabilities: ['audio_in', 'audio_out'],
    presets: NO_PRESETS,
  } as const;
  const actor = new CallActor(identityOf(direction), start, {
    engineCall,
    clock,
    deadlines: DEADLINES,
    playout: {} as never,
    askTurn: null,
    chat: NO_CHAT,
    publisher: {
      publish: (call, event) => {
        seen.push([event.type, call.snapshot().state]);
        call.tell(event);
      },
    },
  });
  actor.observe({ event: (event) => events.push(event) });
  return { actor, clock, leg, legActions, engineActions, events, seen };
}

describe('CallActor', () => {
  it('keeps messages that arrive before its leg, and handles them in order', () => {
    const { actor, leg, legActions, events } = scene('outbound');
    actor.post({ type: 'hang_up', reason: 'changed my mind' });
    expect(actor.state.name).toBe('connecting');
    actor.begin(leg);
    expect(actor.state.name).toBe('ended');
    expect(legActions).toEqual(['hangUp']);
    const termination = { result: 'no_answer', reason: 'changed my mind' };
    expect(events).toEqual([{ type: 'call_state', state: 'ended', termination }]);
  });

  it('starts audio when active, and closes its place in the engine at the end', () => {
    const { actor, leg, engineActions } = scene('outbound');
    actor.begin(leg);
    expect(engineActions).toEqual([]);
    actor.legObserver.answered();
    expect(engineActions).toEqual(['startAudio']);
    actor.legObserver.ended('remote', COMPLETED);
    expect(engineActions).toEqual(['startAudio', 'close']);
  });

  it('lets agents listen once there is audio before the answer', () => {
    const { actor, leg, engineActions } = scene('outbound');
    actor.begin(leg);
    actor.legObserver.ringing();
    expect(engineActions).toEqual([]);
    for (let round = 0; round < 2; round++) actor.legObserver.earlyMedia();
    expect(engineActions).toEqual(['startListening']);
    actor.legObserver.answered();
    expect(engineActions).toEqual(['startListening', 'startAudio']);
  });

  it('marks a call as missed when it is not accepted within 60 s, not earlier', () => {
    const { actor, clock, leg, legActions } = scene('inbound');
    actor.begin(leg);
    clock.advance(59_999);
    expect(actor.state.name).toBe('ringing');
    clock.advance(1);
    expect(actor.state.name).toBe('missed');
    expect(legActions).toEqual(['hangUp']);
    expect(actor.snapshot().endedAt).toBe('2030-01-01T00:01:00.000Z');
  });

  it('gives an accepted call its own deadline', async () => {
    const { actor, clock, leg } = scene('inbound');
    actor.begin(leg);
    clock.advance(59_000);
    actor.post({ type: 'accept' });
    const left = actor.leaves('ringing');
    clock.advance(34_999);
    expect(actor.state).toEqual({ name: 'ringing', accepting: true });
    clock.advance(1);
    expect(await left).toMatchObject({ name: 'ended', termination: { result: 'failed' } });
  });

  it('reports a dropped bridge to its listeners, with the advice to rejoin', () => {
    const { actor, leg, events } = scene('outbound');
    actor.begin(leg);
    actor.legObserver.answered();
    const termination = { result: 'disconnected', reason: 'no RTP for 45 s' } as const;
    actor.legObserver.ended('lost', termination);
    expect(events).toEqual([
      { type: 'call_state', state: 'active' },
      {
        type: 'call_error',
        code: 'bridge_disconnected',
        message: expect.stringContaining('same meeting_url'),
        termination,
      },
      { type: 'call_state', state: 'disconnected', termination },
    ]);
  });

  it('reports why an unanswered call failed', () => {
    const { actor, leg, events } = scene('outbound');
    actor.begin(leg);
    const termination = { result: 'busy', reason: '486 Busy Here' } as const;
    actor.legObserver.ended('remote', termination);
    const message = 'The call could not be connected: 486 Busy Here';
    expect(events).toEqual([
      { type: 'call_error', code: 'call_failed', message, termination },
      { type: 'call_state', state: 'disconnected', termination },
    ]);
    expect(actor.snapshot()).toMatchObject({ state: 'disconnected', termination });
  });

  it('reports why an answered call failed, without the advice to rejoin', () => {
    const { actor, leg, events } = scene('outbound');
    actor.begin(leg);
    actor.legObserver.answered();
    const termination = { result: 'failed', reason: 'the meeting refused the id or passcode' } as const;
    actor.legObserver.ended('remote', termination);
    const message = 'The call failed: the meeting refused the id or passcode';
    expect(events.slice(1)).toEqual([
      { type: 'call_error', code: 'call_failed', message, termination },
      { type: 'call_state', state: 'disconnected', termination },
    ]);
  });

  it.each(['outbound', 'inbound'] as const)('disconnects an %s call when the gateway stops', (direction) => {
    const { actor, leg, legActions, events } = scene(direction);
    actor.begin(leg);
    actor.post({ type: 'gateway_stopped' });
    const termination = { result: 'disconnected', reason: 'the gateway was stopped' };
    expect(events.map(({ type }) => type)).toEqual(['call_error', 'call_state']);
    expect(events[0]).toMatchObject({ code: 'bridge_disconnected', termination });
    expect(actor.snapshot()).toMatchObject({ state: 'disconnected', termination });
    expect(legActions).toEqual(['hangUp']);
  });

  it('reports to its domain everything that its listeners hear', () => {
    const { actor, leg, events, seen } = scene('outbound');
    actor.begin(leg);
    actor.legObserver.answered();
    actor.legObserver.dtmf('5');
    actor.transcribed(lineOf('Ada', 'hello'));
    actor.post({ type: 'engine_ended', termination: { result: 'internal_error', reason: 'a bug' } });
    expect(seen.map(([type]) => type)).toEqual(events.map(({ type }) => type));
    expect(seen).toEqual([
      ['call_state', 'active'],
      ['dtmf', 'active'],
      ['call_transcript', 'active'],
      ['end_of_turn', 'active'],
      ['call_error', 'disconnected'],
      ['call_state', 'disconnected'],
    ]);
    expect(events.at(-2)).toMatchObject({ code: 'internal_error' });
  });

  it('passes digits on, and hangs up after the longest duration', () => {
    const { actor, clock, leg, legActions, events } = scene('outbound');
    actor.begin(leg);
    actor.legObserver.answered();
    actor.legObserver.dtmf('5');
    expect(events).toContainEqual({ type: 'dtmf', digit: '5' });
    clock.advance(DEADLINES.activeMs);
    expect(actor.state.name).toBe('ended');
    expect(legActions).toEqual(['hangUp']);
  });

  it('reports on its audio only while active', async () => {
    const { actor, leg, engineActions } = scene('outbound');
    actor.begin(leg);
    await expect(actor.audioReport()).rejects.toMatchObject({ code: 'call_not_active' });
    actor.legObserver.answered();
    await actor.audioReport();
    expect(engineActions).toEqual(['startAudio', 'report']);
    actor.legObserver.ended('remote', COMPLETED);
    await expect(actor.audioReport()).rejects.toMatchObject({ code: 'call_not_active' });
  });

  it('refuses digits unless active, and from a leg without DTMF', async () => {
    const { actor, leg } = scene('outbound');
    actor.begin(leg);
    await expect(actor.sendDtmf('1')).rejects.toMatchObject({ code: 'call_not_active' });
    actor.legObserver.answered();
    await expect(actor.sendDtmf('1')).rejects.toMatchObject({ code: 'capability_missing' });
  });
});
