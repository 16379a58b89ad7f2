import type { Clock } from '../../base/time.ts';
import type { CallActor } from '../../calls/call-actor.ts';
import type { CallDomain } from '../../calls/call-domain.ts';
import type { CallEvent } from '../../calls/call-event.ts';
import { CallVoice, type Interruption } from './call-voice.ts';

/** Is told what happens on the calls of agents with a model. Must not throw. */
export interface CallsObserver {
  /** The call is answered, and media flows. */
  answered(call: CallActor): void;
  /** It is known what was heard of an interrupted turn. */
  heard(interruption: Interruption): void;
  ended(call: CallActor): void;
}

/** Follows the calls of accounts that have agents with a model, and keeps what the models say on them. */
export class CallVoices {
  readonly #calls: Pick<CallDomain, 'registry' | 'speech'>;
  readonly #clock: Clock;
  readonly #observer: CallsObserver;
  readonly #voices = new Map<string, CallVoice>();

  constructor(calls: Pick<CallDomain, 'registry' | 'speech'>, clock: Clock, observer: CallsObserver) {
    this.#calls = calls;
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Follows an account's calls until the returned function is called. */
  follow(accountId: string): () => void {
    const { registry } = this.#calls;
    for (const call of registry.listOf(accountId)) this.#watch(call);
    return registry.followers.follow(accountId, ({ callId }, news) => {
      const call = news === 'began' ? registry.find(callId) : undefined;
      if (call) this.#watch(call);
    });
  }

  /** Returns the voice of a live call. Undefined: the call is over. */
  find(callId: string): CallVoice | undefined {
    return this.#voices.get(callId);
  }

  #watch(call: CallActor): void {
    const { callId } = call.identity;
    if (this.#voices.has(callId)) return;
    const onInterrupted = (interruption: Interruption): void => this.#observer.heard(interruption);
    const voice = new CallVoice(call, this.#calls.speech, this.#clock, onInterrupted);
    this.#voices.set(callId, voice);
    call.observe({
      event: (event) => this.#happened(call, voice, event),
      silenced: (by) => voice.silenced(by),
    });
  }

  #happened(call: CallActor, voice: CallVoice, event: CallEvent): void {
    if (event.type === 'utterance') voice.heard(event);
    if (event.type !== 'call_state') return;
    if (event.state === 'active') this.#observer.answered(call);
    if (event.termination === undefined) return;
    this.#voices.delete(call.identity.callId);
    voice.end();
    this.#observer.ended(call);
  }
}
