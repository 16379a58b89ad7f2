/** A source that has been silent this long may be replaced by another one. */
const RELATCH_AFTER_MS = 2_000;

/**
 * Symmetric RTP: the peer is where its packets come from, whatever its SDP says, because most peers sit behind a
 * NAT. The first valid source is believed; another one only when it is the address that was signalled, or when the
 * believed one has fallen silent. So a stray sender cannot take a call over that is under way.
 */
export class SourceLatch {
  /** Where to send: the latched source, else what was signalled. */
  host = '';
  port = 0;
  #signalledHost = '';
  #signalledPort = 0;
  #latched = false;
  #ssrc: number | null = null;
  #heardAtMs = 0;

  /** Sets the address from the SDP. True: it is another one than before, and the latch is open again. */
  signal(host: string, port: number): boolean {
    if (host === this.#signalledHost && port === this.#signalledPort) return false;
    this.#signalledHost = host;
    this.#signalledPort = port;
    this.host = host;
    this.port = port;
    this.#latched = false;
    this.#ssrc = null;
    return true;
  }

  /** Takes up the source that a former worker had found. */
  resume(host: string, port: number, nowMs: number): void {
    this.host = host;
    this.port = port;
    this.#latched = true;
    this.#heardAtMs = nowMs;
  }

  /** Judges a valid packet: of the stream that plays, the first of a new stream, or from a stranger. */
  judge(ssrc: number, host: string, port: number, nowMs: number): 'current' | 'new' | 'stranger' {
    const isSource = this.#latched && port === this.port && host === this.host;
    if (isSource && (ssrc === this.#ssrc || this.#ssrc === null)) {
      this.#ssrc = ssrc;
      this.#heardAtMs = nowMs;
      return 'current';
    }
    if (!isSource && this.#latched && !this.#mayReplace(host, port, nowMs)) return 'stranger';
    this.#latched = true;
    this.#ssrc = ssrc;
    this.host = host;
    this.port = port;
    this.#heardAtMs = nowMs;
    return 'new';
  }

  #mayReplace(host: string, port: number, nowMs: number): boolean {
    const isSignalled = host === this.#signalledHost && port === this.#signalledPort;
    return isSignalled || nowMs - this.#heardAtMs >= RELATCH_AFTER_MS;
  }
}
