import type { IncomingMessage, ServerResponse } from 'node:http';
import { SpeechHost, type VendorPart } from '../speech-host.ts';
import { AnswerWriter } from './answer-writer.ts';
import { attentiveModel, type Script } from './scripted-reply.ts';
import { VendorError } from './vendor-error.ts';
import type { VendorAnswer, VendorCall, VendorRequest } from './vendor-exchange.ts';
import type { DueFault, Refusal, VendorFault } from './vendor-fault.ts';

const MAX_BODY_BYTES = 32 * 1_048_576;
const ANY = /(?:)/;
const NEVER = new AbortController().signal;

/**
 * A model vendor on loopback: strict in what it takes, with scripted replies, and with faults on demand. A vendor of its
 * own is a subclass that answers calls and words refusals.
 *
 *     const vendor = await new FakeOpenAi().start();
 *     vendor.reply = ({ text }) => `You said ${text}`;
 *     vendor.failNext({ kind: 'refuse', why: 'rate_limited', retryAfterS: 1 }, /responses/);
 */
export abstract class FakeModelVendor implements VendorPart {
  /** The only key that works. */
  readonly key: string;
  /** Every request that arrived, the oldest first. */
  readonly requests: VendorRequest[] = [];
  /** Requests against the vendor's documentation: tests expect none. */
  readonly offences: string[] = [];
  reply: Script = attentiveModel;
  /** Every request meets this fault. */
  fault: VendorFault | null = null;
  openRequests = 0;
  /** Requests that the client gave up before the answer was complete. */
  abortedRequests = 0;
  readonly #due: DueFault[] = [];
  #host: SpeechHost | null = null;

  constructor(key: string) {
    this.key = key;
  }

  /** `port` 0: any. */
  async start(port = 0): Promise<this> {
    this.#host = await SpeechHost.startAt(port, this);
    return this;
  }

  get url(): string {
    return this.#host!.url;
  }

  /** It has been started, so it is no part of another vendor. */
  protected get isAlone(): boolean {
    return this.#host !== null;
  }

  get openSockets(): number {
    return this.#host!.openSockets;
  }

  /** The next request whose method and path match meets this fault. */
  failNext(fault: VendorFault, on: RegExp = ANY): void {
    this.#due.push({ fault, on });
  }

  /** No request meets a fault any more that was prepared. */
  forgetFaults(): void {
    this.#due.length = 0;
  }

  /** Safe to call twice. */
  async stop(): Promise<void> {
    await this.#host?.stop();
  }

  serve(incoming: IncomingMessage, response: ServerResponse): boolean {
    const gone = new AbortController();
    this.openRequests += 1;
    response.once('close', () => {
      this.openRequests -= 1;
      gone.abort();
    });
    void this.#serve(incoming, new AnswerWriter(response, gone.signal), gone.signal);
    return true;
  }

  /** Carries out a call, or throws a VendorError. The key is the subclass's to check. */
  protected abstract answer(call: VendorCall): Promise<VendorAnswer>;

  /** The vendor's own error. */
  protected abstract refusal(why: Refusal, retryAfterS: number | null): VendorError;

  /** Notes that a client breaks the vendor's rules. */
  protected offence(error: VendorError): VendorError {
    this.offences.push(error.message);
    return error;
  }

  async #serve(incoming: IncomingMessage, writer: AnswerWriter, signal: AbortSignal): Promise<void> {
    try {
      const request = await readRequest(incoming);
      this.requests.push(request);
      const fault = this.#faultOf(request);
      if (fault && fault.kind !== 'cut') return await this.#fail(fault, writer);
      const lost = fault?.turn ?? null;
      const answer = await this.answer({ ...request, signal: lost === 'answered' ? NEVER : signal, lost });
      await writer.send(answer, fault);
    } catch (error) {
      if (error instanceof VendorError) writer.refuse(error);
      else writer.breakOff(error);
    } finally {
      if (writer.isAbandoned) this.abortedRequests += 1;
    }
  }

  #faultOf({ method, path }: VendorRequest): VendorFault | null {
    const at = this.#due.findIndex(({ on }) => on.test(`${method} ${path}`));
    return at < 0 ? this.fault : this.#due.splice(at, 1)[0]!.fault;
  }

  async #fail(fault: Exclude<VendorFault, { kind: 'cut' }>, writer: AnswerWriter): Promise<void> {
    switch (fault.kind) {
      case 'refuse':
        throw this.refusal(fault.why, fault.retryAfterS ?? null);
      case 'answer':
        throw new VendorError(fault.status, fault.body, fault.headers);
      case 'recording':
        return await writer.replay(fault);
      case 'hang':
        return await writer.hang();
      case 'drip':
        return await writer.drip();
      case 'flood':
        return await writer.flood();
    }
  }
}

async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) throw new VendorError(413, 'Payload Too Large');
    chunks.push(chunk);
  }
  const { method = '', url = '/', headers } = incoming;
  const [path = '', query = ''] = url.split('?', 2);
  const rawBody = Buffer.concat(chunks);
  return { method, path, query: new URLSearchParams(query), headers, rawBody, body: jsonOf(rawBody) };
}

function jsonOf(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
