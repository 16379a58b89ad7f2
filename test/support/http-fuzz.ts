import { httpCatalogue } from './http-catalogue.ts';
import { describeOutcome, exchange, type HttpOutcome } from './http-exchange.ts';
import { cutAt, HttpMutator } from './http-mutator.ts';
import { mostAnswers, readStrictly } from './http-reference.ts';

/** Something sent whose outcome breaks a rule. */
export interface HttpFault {
  readonly name: string;
  readonly fault: string;
  readonly sent: readonly string[];
}

/** The results of a run. */
export interface HttpFuzzReport {
  readonly sent: number;
  /** More answers than requests, or bytes that are no answer. */
  readonly faults: readonly HttpFault[];
  /** Answered differently from the same bytes in one piece. */
  readonly cutFaults: readonly HttpFault[];
  /** Of each class of the catalogue, sent whole. */
  readonly outcomes: ReadonlyMap<string, string>;
}

const AT_ONCE = 100;
/** An unfinished request gets no answer; how long the test waits for one decides how long a run takes. */
const UNFINISHED_SILENCE_MS = 60;
/** A machine that does other things is late at times: what looks wrong is tried again with this much patience. */
const PATIENT_SILENCE_MS = 2_000;
const MAX_KEPT = 2_000;
/** Beyond it cuts are sampled. */
const EVERY_OFFSET_BYTES = 600;

/** Sends requests to a gateway and compares what comes back with what may come. */
export class HttpFuzz {
  readonly #port: number;
  readonly #outcomes = new Map<string, string>();
  readonly #faults: HttpFault[] = [];
  readonly #cutFaults: HttpFault[] = [];
  #sent = 0;

  constructor(port: number) {
    this.#port = port;
  }

  get report(): HttpFuzzReport {
    return {
      sent: this.#sent,
      faults: this.#faults,
      cutFaults: this.#cutFaults,
      outcomes: this.#outcomes,
    };
  }

  /** Every class of the catalogue, whole. */
  async catalogue(): Promise<void> {
    await this.#all(httpCatalogue(), async ({ name, bytes }) => {
      const outcome = describeOutcome(await this.#send(name, [bytes]));
      const isSure = outcome !== 'nothing, waits';
      const patience = { silenceMs: PATIENT_SILENCE_MS, isProbed: false };
      this.#outcomes.set(
        name,
        isSure ? outcome : describeOutcome(await exchange(this.#port, [bytes], patience)),
      );
    });
  }

  /** Every class cut in two at every `step`-th offset, and in three at as many places. */
  async cutCatalogue(step: number): Promise<void> {
    const cuts = httpCatalogue().flatMap((each) => {
      const every = Math.max(step, Math.ceil(each.bytes.length / EVERY_OFFSET_BYTES) * step);
      const offsets = Array.from(
        { length: Math.floor((each.bytes.length - 1) / every) },
        (_, n) => (n + 1) * every,
      );
      const threes = offsets.map((offset) => [
        offset,
        Math.min(each.bytes.length - 1, offset + 1 + (offset % 37)),
      ]);
      return [...offsets.map((offset) => [offset]), ...threes].map((places) => ({ ...each, places }));
    });
    await this.#all(cuts, async ({ name, bytes, places }) => {
      const pieces = cutAt(bytes, [...new Set(places)]);
      const outcome = await this.#send(`${name}, cut at ${places.join(' and ')}`, pieces);
      await this.#compare(name, pieces, this.#outcomes.get(name) ?? '', describeOutcome(outcome));
    });
  }

  /** Mutated requests, each whole, in two and in three pieces. */
  async mutants(count: number, seed: number): Promise<void> {
    const mutator = new HttpMutator(seed);
    const mutants = Array.from({ length: count }, () => {
      const bytes = mutator.next();
      return { bytes, pieces: [mutator.cut(bytes, 2), mutator.cut(bytes, 3)] };
    });
    await this.#all(mutants, async ({ bytes, pieces }) => {
      const whole = describeOutcome(await this.#send('a mutant', [bytes]));
      for (const each of pieces) {
        const outcome = await this.#send('a mutant', each);
        await this.#compare('a mutant', each, whole, describeOutcome(outcome));
      }
    });
  }

  async #send(name: string, pieces: readonly Buffer[]): Promise<HttpOutcome> {
    const reading = readStrictly(Buffer.concat(pieces));
    const isUnfinished = reading.rest === 'unfinished' && reading.requests === 0;
    const outcome = await exchange(this.#port, pieces, {
      ...(isUnfinished ? { silenceMs: UNFINISHED_SILENCE_MS } : {}),
      isProbed: reading.rest === 'none',
    });
    this.#sent++;
    const most = mostAnswers(reading);
    if (outcome.statuses.length > most)
      this.#keep(this.#faults, name, `${describeOutcome(outcome)} for ${most} requests`, pieces);
    else if (outcome.garbage !== '') this.#keep(this.#faults, name, describeOutcome(outcome), pieces);
    return outcome;
  }

  /** Whether the same bytes in pieces are answered as they are in one; a difference is one that shows twice. */
  async #compare(name: string, pieces: readonly Buffer[], whole: string, cut: string): Promise<void> {
    if (essence(whole) === essence(cut)) return;
    const isProbed = readStrictly(Buffer.concat(pieces)).rest === 'none';
    const again = [[Buffer.concat(pieces)], pieces].map(async (each) =>
      describeOutcome(await exchange(this.#port, each, { silenceMs: PATIENT_SILENCE_MS, isProbed })),
    );
    const [wholeAgain = '', cutAgain = ''] = await Promise.all(again);
    if (essence(wholeAgain) === essence(cutAgain)) return;
    this.#keep(this.#cutFaults, name, `${cutAgain}; in one piece ${wholeAgain}`, pieces);
  }

  #keep(faults: HttpFault[], name: string, fault: string, pieces: readonly Buffer[]): void {
    if (faults.length < MAX_KEPT)
      faults.push({ name, fault, sent: pieces.map((piece) => piece.toString('latin1').slice(0, 400)) });
  }

  async #all<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    let next = 0;
    const follow = async (): Promise<void> => {
      while (next < items.length) await work(items[next++] as T);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, follow));
  }
}

/**
 * What must not depend on how bytes are cut. A server that refuses and closes while more bytes are on their way resets
 * the connection, so that its refusal may be lost: a refusal and a close are the same.
 */
function essence(outcome: string): string {
  if (/^(?:(?:400|408|413|414|417|426|431|501|505), (?:closed|waits)|nothing, closed)$/.test(outcome))
    return 'refused';
  return outcome.replace(/, (?:waits|closed)$/, '');
}
