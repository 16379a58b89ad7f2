import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { encodeUlaw } from '../../src/audio/g711.ts';
import type { Phones } from './hosted-gateway.ts';
import { spokenFrames } from './voice-detection.ts';

/** To the worker: open so many phones, or send from one of them. */
export type PhonesOrder =
  | { readonly open: number }
  | { readonly phone: number; readonly host: string; readonly port: number };

/** Phones of G.711 that speak in noise without pause, and hear nothing. On a thread of their own. */
export class TalkingPhones implements Phones {
  readonly #worker: Worker;

  constructor() {
    const frames = spokenFrames().map((frame) => {
      const payload = new Uint8Array(frame.length);
      encodeUlaw(frame, frame.length, payload, 0);
      return payload;
    });
    this.#worker = new Worker(new URL('./talking-phones.worker.ts', import.meta.url), { workerData: frames });
  }

  /** Returns their ports. Those that were opened before fall silent. */
  async openPhones(count: number): Promise<readonly number[]> {
    this.#worker.postMessage({ open: count } satisfies PhonesOrder);
    const [ports] = (await once(this.#worker, 'message')) as [readonly number[]];
    return ports;
  }

  call(phone: number, host: string, port: number): void {
    this.#worker.postMessage({ phone, host, port } satisfies PhonesOrder);
  }

  stop(): void {
    void this.#worker.terminate();
  }
}

/** The first phones are those of one, all others those of the other. */
export function phonesOfTwo(first: Phones, count: number, others: Phones): Phones {
  let opened = 0;
  return {
    openPhones: (more) => {
      const own = opened < count ? first : others;
      opened += more;
      return own.openPhones(more);
    },
    call: (phone, host, port) =>
      phone < count ? first.call(phone, host, port) : others.call(phone - count, host, port),
  };
}
