import type { HttpResponse } from 'uWebSockets.js';
import type { Piece } from '../answer/reply.ts';

/** The unsent part of a body of known length. Offers it to the network piece by piece, without copies. */
export class Remainder {
  readonly #response: HttpResponse;
  readonly #lengthBytes: number;
  readonly #pieces: Uint8Array[] = [];

  constructor(response: HttpResponse, lengthBytes: number) {
    this.#response = response;
    this.#lengthBytes = lengthBytes;
  }

  get bytes(): number {
    let bytes = 0;
    for (const piece of this.#pieces) bytes += piece.byteLength;
    return bytes;
  }

  /** Adds a piece, minus the first `takenBytes`, which the network has already accepted. */
  add(piece: Piece, takenBytes = 0): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (bytes.byteLength > takenBytes) this.#pieces.push(bytes.subarray(takenBytes));
  }

  /** Offers as much as the network accepts. Returns true when the body is complete. */
  offer(): boolean {
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const before = this.#response.getWriteOffset();
      const [isTaken, isDone] = this.#response.tryEnd(piece, this.#lengthBytes);
      if (isDone) return true;
      const takenBytes = isTaken ? piece.byteLength : this.#response.getWriteOffset() - before;
      if (takenBytes === piece.byteLength) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(takenBytes);
      if (!isTaken) return false;
    }
    return false;
  }
}
