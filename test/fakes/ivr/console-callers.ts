import type { FakeIvr } from './fake-ivr.ts';
import type { IvrCall } from './ivr-call.ts';

const WATCH_MS = 200;
const ADMITTED_MS = 10_000;
const SPEECH_MS = 5_000;
/** Less may be a click. */
const HEARD_MS = 500;

/** Prints where callers get and whether they are heard. Who waits is let in after 10 s; in a meeting somebody speaks every 5 s. */
export function showCallers(ivr: FakeIvr): void {
  const callers = new Map<IvrCall, ConsoleCaller>();
  setInterval(() => {
    for (const call of ivr.calls) {
      const caller = callers.get(call) ?? new ConsoleCaller(call);
      callers.set(call, caller);
      caller.watch();
    }
  }, WATCH_MS);
}

class ConsoleCaller {
  readonly #call: IvrCall;
  #shownPlaces = 0;
  #spokenMs = 0;
  #heardBeforeMs = 0;
  #isHeard = false;
  #isGone = false;

  constructor(call: IvrCall) {
    this.#call = call;
  }

  watch(): void {
    const { digits, heardMs, isOver, menu, places } = this.#call;
    for (const { place } of places.slice(this.#shownPlaces)) this.#tell(`${digits} ${place}`);
    this.#shownPlaces = places.length;
    if (menu.place === 'meeting') this.#watchMeeting();
    else {
      this.#heardBeforeMs = heardMs.later;
      const since = places.at(-1)?.atMs ?? Number.POSITIVE_INFINITY;
      if (performance.now() - since > ADMITTED_MS) menu.admit();
    }
    if (!this.#isGone && isOver) {
      this.#isGone = true;
      this.#tell('is gone');
    }
  }

  #watchMeeting(): void {
    const nowMs = performance.now();
    if (nowMs - this.#spokenMs > SPEECH_MS) {
      this.#spokenMs = nowMs;
      this.#call.speaks();
    }
    if (this.#isHeard || this.#call.heardMs.later - this.#heardBeforeMs < HEARD_MS) return;
    this.#isHeard = true;
    this.#tell('is heard');
  }

  #tell(what: string): void {
    console.log(`  ${this.#call.number}: ${what}`);
  }
}
