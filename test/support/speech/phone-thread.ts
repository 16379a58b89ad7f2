import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PhonesMessage, SayCommand } from './phones.worker.ts';
import type { PhoneNote, PhonePlace } from './rtp-phone.ts';

/** One phone of a PhoneThread, and what it has recorded. Times are `performance.now()` of this thread. */
export class Phone {
  /** When packets with any sound in them have arrived. */
  heardAtMs: number[] = [];
  /** The sound of those packets, one after the other. */
  heard: Int16Array[] = [];
  /** When the first packet with the voice of the last `say` has left. */
  spokeAtMs: number | null = null;
  /** The voice since the last `say`, with the times at which its packets were due. */
  spoken: { readonly atMs: number; readonly frame: Int16Array }[] = [];
  readonly #send: (samples: Int16Array) => void;

  constructor(send: (samples: Int16Array) => void) {
    this.#send = send;
  }

  /** Speaks from the next packet on. */
  say(samples: Int16Array): void {
    this.spokeAtMs = null;
    this.spoken = [];
    this.#send(samples);
  }

  /** Forgets what was heard. */
  forget(): void {
    this.heard = [];
    this.heardAtMs = [];
  }

  take(note: PhoneNote): void {
    const atMs = note.atMs - performance.timeOrigin;
    if (note.type === 'heard') {
      this.heardAtMs.push(atMs);
      this.heard.push(note.frame);
      return;
    }
    this.spoken.push({ atMs: note.dueMs - performance.timeOrigin, frame: note.frame });
    if (note.isLoud) this.spokeAtMs ??= atMs;
  }
}

/** Phones on a thread of their own: whatever keeps a test busy, they speak in time and know when something came. */
export class PhoneThread {
  readonly phones: readonly Phone[];
  readonly #worker: Worker;

  private constructor(worker: Worker, count: number) {
    this.#worker = worker;
    this.phones = Array.from(
      { length: count },
      (_, phone) => new Phone((samples) => worker.postMessage({ phone, samples } satisfies SayCommand)),
    );
    worker.on('message', (message: PhonesMessage) => {
      if (message !== 'ready') this.phones[message.phone]!.take(message.note);
    });
  }

  static async start(places: readonly PhonePlace[]): Promise<PhoneThread> {
    const worker = new Worker(new URL('./phones.worker.ts', import.meta.url), { workerData: places });
    await once(worker, 'message');
    return new PhoneThread(worker, places.length);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
