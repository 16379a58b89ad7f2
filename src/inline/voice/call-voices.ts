import type { TurnMetrics } from '../../base/speech.ts';
import type { Clock } from '../../base/time.ts';
import type { CallActor } from '../../calls/call-actor.ts';
import type { CallDomain } from '../../calls/call-domain.ts';
import type { CallEvent, TurnEvent } from '../../calls/call-event.ts';
import { CallVoice, type Interruption } from './call-voice.ts';

export interface CallVoicesDeps {
  readonly calls: Pick<CallDomain, 'registry' | 'speech'>;
  readonly clock: Clock;
  /** Called when a call is answered, and media flows. This and the next four must not throw. */
  readonly onAnswered: (call: CallActor) => void;
  /** Called once it is known what was heard of an interrupted turn. */
  readonly onInterrupted: (interruption: Interruption) => void;
  /** Called when somebody has said all that they wanted to say. */
  readonly onTurnEnded: (call: CallActor) => void;
  /** Called when it is known how long somebody waited for what a turn says. */
  readonly onMeasured: (turnId: string, metrics: TurnMetrics) => void;
  readonly onEnded: (call: CallActor) => void;
}

/** Follows the calls of accounts that have agents with a model, and keeps what the models say on them. */
export class CallVoices {
  readonly #deps: CallVoicesDeps;
  readonly #voices = new Map<string, CallVoice>();

  constructor(deps: CallVoicesDeps) {
    this.#deps = deps;
  }

  /** Follows an account's calls until the returned function is called. */
  follow(accountId: string): () => void {
    const { registry } = this.#deps.calls;
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
    const voice = new CallVoice(call, { ...this.#deps, speech: this.#deps.calls.speech });
    this.#voices.set(callId, voice);
    call.observe({
      event: (event) => this.#happened(call, voice, event),
      silenced: (by) => voice.silenced(by),
    });
  }

  #measured(voice: CallVoice, { type: _type, ...metrics }: TurnEvent): void {
    const { utterance_id } = metrics;
    const turnId = utterance_id === null ? undefined : voice.turnThatSaid(utterance_id);
    if (turnId !== undefined) this.#deps.onMeasured(turnId, metrics);
  }

  #happened(call: CallActor, voice: CallVoice, event: CallEvent): void {
    if (event.type === 'utterance') voice.heard(event);
    if (event.type === 'end_of_turn') this.#deps.onTurnEnded(call);
    if (event.type === 'turn_metrics') this.#measured(voice, event);
    if (event.type !== 'call_state') return;
    if (event.state === 'active') this.#deps.onAnswered(call);
    if (event.termination === undefined) return;
    this.#voices.delete(call.identity.callId);
    voice.end();
    this.#deps.onEnded(call);
  }
}
