import { decodeMlsMessage, type KeyPackage } from 'ts-mls';
import { decodeKeyPackage, verifyKeyPackage } from 'ts-mls/keyPackage.js';
import { VoiceRefusal } from './close-codes.ts';
import { mlsSuite, SUITE_NAME, userOf } from './mls-suite.ts';

const WIRE_FORMAT_KEY_PACKAGE = 5;
const WHOLE_SPAN = { notBefore: 0n, notAfter: 2n ** 64n - 1n };

/**
 * Reads the payload of opcode 26 and holds it against what DAVE asks of a key package. The protocol's text wraps it into
 * an MLSMessage; libraries send it bare, and Discord takes both.
 */
export async function readKeyPackage(userId: string, bytes: Buffer): Promise<KeyPackage> {
  const keyPackage = decode(bytes);
  const { leafNode, cipherSuite } = keyPackage;
  if (cipherSuite !== SUITE_NAME) throw new VoiceRefusal(4020, `a key package for ${cipherSuite}`);
  if (userOf(leafNode.credential) !== userId) throw new VoiceRefusal(4020, "another user's key package");
  const { notBefore, notAfter } = leafNode.lifetime;
  if (notBefore !== WHOLE_SPAN.notBefore || notAfter !== WHOLE_SPAN.notAfter) {
    throw new VoiceRefusal(4020, 'a key package that does not live for the whole span');
  }
  const isGenuine = await verifyKeyPackage(keyPackage, (await mlsSuite()).signature).catch(() => false);
  if (!isGenuine) throw new VoiceRefusal(4020, 'a key package with a wrong signature');
  return keyPackage;
}

function decode(bytes: Buffer): KeyPackage {
  if (bytes.length < 4) throw new VoiceRefusal(4002, 'a key package of under four bytes');
  if (bytes.readUInt16BE(2) === WIRE_FORMAT_KEY_PACKAGE) {
    const [message, length] = decodeMlsMessage(bytes, 0) ?? [];
    if (message?.wireformat === 'mls_key_package' && length === bytes.length) return message.keyPackage;
  } else {
    const [keyPackage, length] = decodeKeyPackage(bytes, 0) ?? [];
    if (keyPackage && length === bytes.length) return keyPackage;
  }
  throw new VoiceRefusal(4002, 'no key package');
}
