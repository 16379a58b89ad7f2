import type { Capability } from '../base/platform.ts';
import type { CallStart } from './call-event.ts';
import type { CallPresets } from './choose-presets.ts';

/** What a call offers now: what its leg does, and what its voice presets add to the call's audio. */
export class CallCapabilities {
  readonly #onChange: () => void;
  #leg: readonly Capability[];
  #presets: CallPresets;
  #capabilities: readonly Capability[];

  constructor({ capabilities, presets }: CallStart, onChange: () => void) {
    this.#onChange = onChange;
    this.#leg = capabilities;
    this.#presets = presets;
    this.#capabilities = withHostedSpeech(capabilities, presets);
  }

  get current(): readonly Capability[] {
    return this.#capabilities;
  }

  /** What hears and speaks for the agent; an inbound call has them soon after it began to ring. */
  get presets(): CallPresets {
    return this.#presets;
  }

  setLeg(capabilities: readonly Capability[]): void {
    this.#leg = [...new Set(capabilities)];
    this.#update();
  }

  setPresets(presets: CallPresets): void {
    this.#presets = presets;
    this.#update();
  }

  #update(): void {
    const now = withHostedSpeech(this.#leg, this.#presets);
    const before = this.#capabilities;
    if (now.length === before.length && now.every((capability) => before.includes(capability))) return;
    this.#capabilities = now;
    this.#onChange();
  }
}

function withHostedSpeech(leg: readonly Capability[], { stt, tts }: CallPresets): readonly Capability[] {
  const all = [...leg];
  if (stt !== null && leg.includes('audio_in')) all.push('hosted_stt');
  if (tts !== null && leg.includes('audio_out')) all.push('hosted_tts');
  return all;
}
