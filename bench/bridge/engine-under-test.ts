import { BridgePool } from '../../src/threads/bridge-pool.ts';
import { Engine, type EngineCall } from '../../src/threads/engine.ts';
import { DEAF_AGENT } from '../../test/support/deaf-agent.ts';
import { roomyQueue } from '../../test/unit/threads/roomy-queue.ts';
import { ROOM_HZ } from './protocols.ts';

const STALL_MS = 2_000;
/** The agents' audio is written in pieces of 100 ms, by each agent at a time of its own. */
const PIECE_MS = 100;
const FIRST_PIECES = 10;

/** An engine and bridge threads as in the gateway, with the workers of this bench. */
export class EngineUnderTest {
  readonly engine: Engine;
  readonly bridges: BridgePool;
  readonly #talking = new Set<NodeJS.Timeout>();
  #calls = 0;

  static async start(): Promise<EngineUnderTest> {
    const engine = await Engine.start({
      threads: 1,
      callsPerThread: null,
      stallMs: STALL_MS,
      workerUrl: new URL('./engine.worker.ts', import.meta.url),
      observer: {
        workerReady: () => {},
        workerLost: () => fail('the engine thread was lost'),
        callMoved: () => {},
        callFailed: (_callId, { message }) => fail(message),
        fault: ({ message }) => fail(message),
      },
    });
    return new EngineUnderTest(engine);
  }

  private constructor(engine: Engine) {
    this.engine = engine;
    this.bridges = new BridgePool({
      workerUrl: new URL('./bridge.worker.ts', import.meta.url),
      observer: { transportLost: () => {}, threadStalled: () => {}, fault: ({ message }) => fail(message) },
    });
  }

  /** A call with an agent that speaks and listens all the time. */
  place(): EngineCall {
    this.#calls++;
    const call = this.engine.place(`call_${this.#calls}`, {
      ended: ({ reason }) => fail(reason),
      turned() {},
      heard() {},
    });
    const agent = call.joinAgent(DEAF_AGENT, roomyQueue());
    agent.listen(ROOM_HZ);
    call.startAudio();
    const piece = Int16Array.from(
      { length: (ROOM_HZ * PIECE_MS) / 1_000 },
      (_, i) => 8_000 * Math.sin(i / 3),
    );
    for (let i = 0; i < FIRST_PIECES; i++) agent.write(piece, ROOM_HZ);
    this.#every(PIECE_MS, () => agent.write(piece, ROOM_HZ));
    return call;
  }

  /** From a random moment on. */
  #every(periodMs: number, run: () => void): void {
    const start = setTimeout(() => {
      this.#talking.delete(start);
      this.#talking.add(setInterval(run, periodMs));
    }, Math.random() * periodMs);
    this.#talking.add(start);
  }

  async close(): Promise<void> {
    for (const timer of this.#talking) clearInterval(timer);
    await this.engine.close(1_000);
    await this.bridges.close(1_000);
  }
}

/** What is measured would be worth nothing. */
function fail(reason: string | undefined): never {
  console.error(reason ?? 'a call ended');
  process.exit(1);
}
