import { decodeMlsMessage } from 'ts-mls';
import { decodeVarLenData } from 'ts-mls/codec/variableLength.js';

/** The MLSMessages of a list of proposals, each as its bytes. */
export function splitMessages(list: Uint8Array): Uint8Array[] {
  return split(list, (bytes, at) => decodeMlsMessage(bytes, at)?.[1]).map(({ from, to }) =>
    list.subarray(from, to),
  );
}

/** The ProposalRefs of a list that revokes proposals. */
export function splitRefs(list: Uint8Array): Uint8Array[] {
  const refs: Uint8Array[] = [];
  split(list, (bytes, at) => {
    const [ref, length] = decodeVarLenData(bytes, at) ?? [];
    if (ref) refs.push(ref);
    return length;
  });
  return refs;
}

function split(list: Uint8Array, lengthAt: (bytes: Uint8Array, at: number) => number | undefined) {
  const parts: { readonly from: number; readonly to: number }[] = [];
  for (let at = 0; at < list.length; ) {
    const length = lengthAt(list, at);
    if (!length) throw new Error('not a list of MLS');
    parts.push({ from: at, to: at + length });
    at += length;
  }
  return parts;
}
