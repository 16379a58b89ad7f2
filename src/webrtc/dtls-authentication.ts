import { constants, createHash, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { DtlsClient, type DtlsSocket } from 'werift';

/** Handshake messages (RFC 5246 section 7.4). */
const CERTIFICATE_VERIFY = 15;
const SERVER_KEY_EXCHANGE = 12;
const CLIENT_KEY_EXCHANGE = 16;

/** The curve and the length of a key, before the key itself (RFC 8422 section 5.4). */
const PARAMETERS_BYTES = 4;
const HASHES: Readonly<Record<number, string>> = { 4: 'sha256', 5: 'sha384', 6: 'sha512' };
const ECDSA = 3;
const RSA = 1;
/** RFC 8446 section 4.2.3: signature schemes of RSA-PSS have this in place of a hash. */
const PSS = 8;

/** Certificates by their hash, as in SDP (RFC 8122). */
export interface Fingerprint {
  /** `sha-256` */
  readonly algorithm: string;
  /** Hexadecimal, with colons. */
  readonly value: string;
}

/**
 * Makes sure that the other end of a finished handshake is who the SDP has announced: it has shown a certificate with one of the
 * fingerprints, and has signed the handshake with its key. The library itself checks neither. Throws otherwise.
 */
export function authenticate(socket: DtlsSocket, fingerprints: readonly Fingerprint[]): void {
  const der = socket.cipher.remoteCertificate;
  if (der === undefined || !fingerprints.some((fingerprint) => matches(der, fingerprint)))
    throw new Error('the certificate has another fingerprint');
  const { publicKey } = new X509Certificate(der);
  const isSigned =
    socket instanceof DtlsClient ? hasSignedKey(socket, publicKey) : hasSignedHandshake(socket, publicKey);
  if (!isSigned) throw new Error('the handshake is not signed by the certificate');
}

function matches(der: Buffer, { algorithm, value }: Fingerprint): boolean {
  const hash = algorithm.toLowerCase().replace('-', '');
  if (!Object.values(HASHES).includes(hash)) return false;
  return createHash(hash).update(der).digest('hex') === value.replaceAll(':', '').toLowerCase();
}

/** We are the client: the server has signed its key for this handshake (RFC 8422 section 5.4). */
function hasSignedKey({ dtls, cipher }: DtlsSocket, publicKey: KeyObject): boolean {
  const message = dtls.sortedHandshakeCache.find(
    ({ msg_type }) => msg_type === SERVER_KEY_EXCHANGE,
  )?.fragment;
  if (message === undefined) return false;
  const end = PARAMETERS_BYTES + message[PARAMETERS_BYTES - 1]!;
  const randoms = [cipher.localRandom.serialize(), cipher.remoteRandom.serialize()];
  const signed = Buffer.concat([...randoms, message.subarray(0, end)]);
  // A second message may have brought another key since.
  const isKeyInUse = message.subarray(PARAMETERS_BYTES, end).equals(cipher.remoteKeyPair.publicKey!);
  return isKeyInUse && isSignatureOf(signed, message.subarray(end), publicKey);
}

/** We are the server: the client has signed all that was said before (RFC 5246 section 7.4.8). */
function hasSignedHandshake({ dtls, cipher }: DtlsSocket, publicKey: KeyObject): boolean {
  const messages = dtls.sortedHandshakeCache;
  const at = messages.findIndex(({ msg_type }) => msg_type === CERTIFICATE_VERIFY);
  const key = messages.find(({ msg_type }) => msg_type === CLIENT_KEY_EXCHANGE)?.fragment.subarray(1);
  if (at < 0 || key?.equals(cipher.remoteKeyPair.publicKey!) !== true) return false;
  const signed = Buffer.concat(messages.slice(0, at).map((message) => message.serialize()));
  return isSignatureOf(signed, messages[at]!.fragment, publicKey);
}

/** `struct`: algorithm, length and signature (RFC 5246 section 4.7). */
function isSignatureOf(signed: Buffer, struct: Buffer, publicKey: KeyObject): boolean {
  const [first = 0, second = 0] = struct;
  const signature = struct.subarray(4, 4 + struct.readUInt16BE(2));
  if (first === PSS && second in HASHES) {
    const padding = {
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    };
    return verify(HASHES[second], signed, { key: publicKey, ...padding }, signature);
  }
  const hash = HASHES[first];
  if (hash === undefined || (second !== ECDSA && second !== RSA)) return false;
  return verify(hash, signed, publicKey, signature);
}
