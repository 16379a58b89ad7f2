import { GatewayError } from '../../../../src/base/errors.ts';
import { type CallDomain, callDomain } from '../../../../src/calls/call-domain.ts';
import { CallRecorder } from '../../../../src/calls/call-recorder.ts';
import { CallRegistry } from '../../../../src/calls/call-registry.ts';
import { CallRoom } from '../../../../src/calls/call-room.ts';
import { inboundAnswerer } from '../../../../src/calls/ring-call.ts';
import type { LegObserver, PlatformLeg, SendsChat } from '../../../../src/connectors/contract/call-leg.ts';
import type { CallOffer, Connector, DialRequest } from '../../../../src/connectors/contract/connector.ts';
import type { Store } from '../../../../src/store/store.ts';
import { NO_BUDGET } from '../../../support/budgets.ts';
import type { ManualClock } from '../../../support/manual-clock.ts';
import { NO_SPEECH } from '../../../support/no-speech.ts';
import { WITHOUT_PRESETS } from '../../calls/no-presets.ts';

export const CALL_LIMIT = 3;

const OFFER = { capabilities: ['audio_in', 'audio_out'], sampleRateHz: 8_000 } as const;

/** Calls without a network and without audio, over a real database. A called party lets it ring. */
export class FakeCalls {
  readonly domain: CallDomain;
  readonly dialled: DialRequest[] = [];
  /** The observers of all legs, by dialled target or caller. */
  readonly legs = new Map<string, LegObserver>();
  /** What calls offer, and the chat that their legs have. */
  offer: CallOffer = OFFER;
  chat: SendsChat | null = null;
  /** The keys that agents have pressed on their calls. */
  readonly pressed: string[] = [];
  readonly #connector: Connector;

  constructor(store: Store, clock: ManualClock) {
    const connector = {
      platform: 'sip',
      provides: {
        calls: {
          loginKinds: ['trunk'],
          takesDtmf: true,
          prepare: ({ target }: DialRequest) => {
            if (target === '') throw new GatewayError('meeting_url_required');
            return this.offer;
          },
          dial: (request: DialRequest, _media: unknown, observer: LegObserver) => {
            this.dialled.push(request);
            return this.#leg(request.target, observer);
          },
        },
      },
      start: async () => {},
      close: async () => {},
    } as const;
    this.#connector = connector;
    this.domain = callDomain({
      registry: new CallRegistry(),
      connectors: new Map([['sip', connector]]),
      speech: NO_SPEECH,
      engine: { place: () => ({ media: {}, startAudio() {}, close: async () => {} }) },
      recorder: new CallRecorder(store, clock, (_callId, error) => {
        throw error;
      }),
      events: { callStarted() {}, callAnswered() {}, callEnded() {} },
      clock,
      deadlines: {
        connectingMs: 90_000,
        waitingMs: 600_000,
        ringingMs: 60_000,
        acceptingMs: 35_000,
        activeMs: 3_600_000,
      },
      budget: NO_BUDGET,
      maxCallsPerAccount: CALL_LIMIT,
      room: new CallRoom(clock, 1_000),
      admission: { problem: null },
      logins: { ofAgents: async () => [], hasAny: async () => false },
      presets: WITHOUT_PRESETS,
    } as never);
  }

  /** An inbound call to an agent; returns its id. */
  ring(caller: string, { accountId, agentId }: { accountId: string; agentId: string }): string {
    const login = { kind: 'trunk' } as const;
    const call = { ...this.offer, accountId, agentId, login, caller, target: 'sip:+1@127.0.0.1' };
    const taken = inboundAnswerer(this.domain, this.#connector).ring({
      ...call,
      autoAnswer: false,
      take: (_media, observer) => this.#leg(caller, observer),
    });
    if (taken !== 'ringing') throw new Error('there is no room for a call');
    return this.domain.registry.listOf(accountId).at(-1)!.identity.callId;
  }

  /** An accepted call is active at once. */
  #leg(remote: string, observer: LegObserver): PlatformLeg {
    this.legs.set(remote, observer);
    return {
      accept: () => observer.answered(),
      refuse() {},
      hangUp() {},
      released: Promise.resolve(),
      dtmf: {
        sendDtmf: async (digits) => {
          this.pressed.push(digits);
        },
      },
      ...(this.chat && { chat: this.chat }),
    };
  }
}
