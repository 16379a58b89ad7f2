import { framePower } from '../../audio/frame-power.ts';
import { FRAME_MS } from '../../base/frame.ts';

/** −45 dBFS: above the noise of a telephone line, below the voice of a menu. */
const SOUND_POWER = 10 ** -4.5;
/** Longer than the pauses between the sentences of a menu. */
const SILENT_TICKS = 1_000 / FRAME_MS;

/** Waits until the far end has said something and is silent again: no sound for a second. */
export class SilenceWait {
  #resolve: (() => void) | null = null;
  #ticksLeft = 0;
  #silentTicks = 0;
  #heard = false;

  /** Resolves then, or after `mostMs`. A wait that still goes on ends. */
  start(mostMs: number): Promise<void> {
    this.end();
    this.#ticksLeft = Math.ceil(mostMs / FRAME_MS);
    this.#silentTicks = 0;
    this.#heard = false;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  end(): void {
    this.#resolve?.();
    this.#resolve = null;
  }

  /** Takes the next 20 ms of the far end; null when nothing came. */
  tick(frame: Int16Array | null): void {
    if (this.#resolve === null) return;
    const isSound = frame !== null && framePower(frame) > SOUND_POWER;
    this.#heard ||= isSound;
    this.#silentTicks = isSound ? 0 : this.#silentTicks + 1;
    this.#ticksLeft--;
    if (this.#ticksLeft <= 0 || (this.#heard && this.#silentTicks >= SILENT_TICKS)) this.end();
  }
}
