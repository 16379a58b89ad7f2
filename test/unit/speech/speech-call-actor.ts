import { systemClock } from '../../../src/base/time.ts';
import { CallActor } from '../../../src/calls/call-actor.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import { NO_PRESETS } from '../../../src/calls/choose-presets.ts';
import type { EngineCall } from '../../../src/threads/call-link.ts';

const NO_CHAT = {
  keepFiles: async () => ({ files: [], tooLarge: 0 }),
  stored: async () => {},
  onDropped() {},
  onFailure() {},
};
const LONG_MS = 3_600_000;
const DEADLINES = {
  connectingMs: LONG_MS,
  waitingMs: LONG_MS,
  ringingMs: LONG_MS,
  acceptingMs: LONG_MS,
  activeMs: LONG_MS,
};

/** An outbound phone call at 8 kHz that is dialled, with nothing around it. */
export function newSpeechCall(
  callId: string,
  engineCall: EngineCall,
  publish: (call: CallActor, event: CallEvent) => void,
): CallActor {
  const identity = {
    callId,
    roomId: 'room_1',
    participantId: 'part_1',
    accountId: 'acc_1',
    agentId: 'agt_1',
    platform: 'sip',
    meetingUrl: 'sip:+33123456789@127.0.0.1',
    agentName: 'AI Agent',
    direction: 'outbound',
    caller: '',
    createdAt: '2030-01-01T00:00:00.000Z',
    sampleRateHz: 8_000,
  } as const;
  const call = new CallActor(
    identity,
    { login: { kind: 'trunk' }, capabilities: ['audio_in', 'audio_out'], presets: NO_PRESETS },
    {
      engineCall,
      clock: systemClock,
      deadlines: DEADLINES,
      playout: {} as never,
      askTurn: null,
      chat: NO_CHAT,
      publisher: { publish },
    },
  );
  call.announce();
  call.begin({ accept() {}, refuse() {}, hangUp() {}, released: Promise.resolve() });
  return call;
}
