import { MAX_MESSAGE_BYTES } from './sip-message.ts';

const EMPTY = Buffer.alloc(0);
const HEAD_END = '\r\n\r\n';

/** Cuts a byte stream into SIP messages by Content-Length (RFC 3261 section 18.3). */
export class StreamFramer {
  #pending: Buffer = EMPTY;

  /**
   * Takes the next bytes and gives the messages that are whole now. Null: the stream is beyond repair (no or a
   * broken Content-Length, or a message over 64 KB) and its connection must go.
   */
  push(bytes: Buffer): Buffer[] | null {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    const messages: Buffer[] = [];
    for (;;) {
      this.#pending = this.#pending.subarray(keepAliveBytes(this.#pending));
      const lengthBytes = messageBytes(this.#pending);
      if (lengthBytes === 'broken' || this.#isTooLong(lengthBytes)) return null;
      if (lengthBytes === 'incomplete' || lengthBytes > this.#pending.length) return messages;
      messages.push(this.#pending.subarray(0, lengthBytes));
      this.#pending = this.#pending.subarray(lengthBytes);
    }
  }

  #isTooLong(lengthBytes: number | 'incomplete'): boolean {
    return (lengthBytes === 'incomplete' ? this.#pending.length : lengthBytes) > MAX_MESSAGE_BYTES;
  }
}

/** Bytes of CRLF between messages: keep-alives and their answers (RFC 5626 section 3.5.1). */
function keepAliveBytes(bytes: Buffer): number {
  let count = 0;
  while (bytes[count] === 13 || bytes[count] === 10) count += 1;
  return count;
}

function messageBytes(bytes: Buffer): number | 'incomplete' | 'broken' {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return 'incomplete';
  const head = bytes.toString('latin1', 0, headEnd);
  const declared = /\r\n(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*(?:\r\n|$)/i.exec(head);
  return declared === null ? 'broken' : headEnd + HEAD_END.length + Number(declared[1]);
}
