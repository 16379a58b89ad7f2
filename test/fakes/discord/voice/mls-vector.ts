import { encode } from 'ts-mls/codec/tlsEncoder.js';
import { decodeVarLenData, varLenDataEncoder } from 'ts-mls/codec/variableLength.js';

/** A vector of MLS (RFC 9420 section 2.1.2) of `items` that are encoded already. */
export function vectorOf(items: readonly Uint8Array[]): Uint8Array {
  return encode(varLenDataEncoder)(Buffer.concat(items));
}

/** The content of a vector that fills `bytes`. */
export function vectorContent(bytes: Uint8Array): Uint8Array {
  const [content, length] = decodeVarLenData(bytes, 0) ?? [];
  if (!content || length !== bytes.length) throw new Error('not a vector of MLS');
  return content;
}
