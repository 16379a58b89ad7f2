import { createHash, X509Certificate } from 'node:crypto';
import {
  CipherContext,
  DtlsClient,
  DtlsServer,
  type DtlsSocket,
  HashAlgorithm,
  NamedCurveAlgorithm,
  SignatureAlgorithm,
  type SignatureHash,
} from 'werift';
import type { SrtpKeys } from '../rtp/rtp-protocol.ts';
import { authenticate, type Fingerprint } from './dtls-authentication.ts';
import { FlightSender } from './flight-sender.ts';
import { HandshakeOrder } from './handshake-order.ts';

/** RFC 5764: the profile that every WebRTC peer knows, AES_CM_128_HMAC_SHA1_80. */
const SRTP_PROFILE = 1;
const KEY_BYTES = 16;
const SALT_BYTES = 14;
/** Packets that come before the handshake begins: the other side may know of the path earlier. */
const MAX_EARLY = 4;
/** The last message of ours may be lost, and is sent again when the other side repeats its own. */
const REPEAT_WITHIN_MS = 10_000;
const ALERT = 21;
const EPOCH_OFFSET = 3;
/** No flight of a handshake has a higher number, so nothing is sent again. */
const NO_FLIGHT = 99;

/** What we show in handshakes. */
export interface Certificate {
  readonly certPem: string;
  readonly keyPem: string;
  readonly signatureHash: SignatureHash;
  readonly fingerprint: Fingerprint;
}

/** Makes a key of its own (P-256) and signs it. */
export async function makeCertificate(): Promise<Certificate> {
  const made = await CipherContext.createSelfSignedCertificateWithKey(
    { signature: SignatureAlgorithm.ecdsa_3, hash: HashAlgorithm.sha256_4 },
    NamedCurveAlgorithm.secp256r1_23,
  );
  const digest = createHash('sha256')
    .update(new X509Certificate(made.certPem).raw)
    .digest('hex')
    .toUpperCase();
  return { ...made, fingerprint: { algorithm: 'sha-256', value: digest.match(/../g)!.join(':') } };
}

export interface DtlsSessionDeps {
  readonly certificate: Certificate;
  readonly send: (bytes: Buffer) => void;
  /** The other side has said that it is over. */
  readonly closed: () => void;
}

/** The DTLS of one peer connection (RFC 5764): it only agrees on keys for SRTP. */
export class DtlsSession {
  readonly #deps: DtlsSessionDeps;
  #early: Buffer[] = [];
  #socket: DtlsSocket | null = null;
  #read: (bytes: Buffer) => void = (bytes) => {
    if (this.#early.length < MAX_EARLY) this.#early.push(bytes);
  };
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: DtlsSessionDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with the keys when the other side has shown one of these fingerprints. Rejects when it has shown another one, or
   * when the handshake fails; when nothing answers, it does so only after a minute.
   */
  async handshake(role: 'client' | 'server', fingerprints: readonly Fingerprint[]): Promise<SrtpKeys> {
    const socket = this.#open(role);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.onConnect.once(() => resolve());
    socket.onError.subscribe(reject);
    socket.onClose.subscribe(() => {
      reject(new Error('the other side has ended the handshake'));
      this.#deps.closed();
    });
    if (socket instanceof DtlsClient) socket.connect().catch(reject);
    for (const bytes of this.#early.splice(0)) this.#read(bytes);
    await promise;
    authenticate(socket, fingerprints);
    this.#timer = setTimeout(() => this.#hearAlertsOnly(), REPEAT_WITHIN_MS);
    return keysOf(socket);
  }

  /** Takes a packet of the other side, whatever it is. May throw. */
  receive(bytes: Buffer): void {
    // Before there are keys, anybody could say that it is over.
    if (bytes[0] === ALERT && epochOf(bytes) === 0) return;
    this.#read(bytes);
  }

  /** Safe to call twice. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#read = () => undefined;
    if (this.#socket !== null) this.#socket.dtls.flight = NO_FLIGHT;
  }

  #open(role: 'client' | 'server'): DtlsSocket {
    const { certPem: cert, keyPem: key, signatureHash } = this.#deps.certificate;
    const flights = new FlightSender(this.#deps.send);
    const transport = {
      type: 'ice',
      closed: false,
      address: { address: '', family: 'IPv4', port: 0 },
      onData: (_bytes: Buffer): void => undefined,
      send: async (bytes: Buffer) => flights.add(bytes),
      close: async () => undefined,
    };
    const options = { cert, key, signatureHash, transport, srtpProfiles: [SRTP_PROFILE] as [1] };
    const common = { ...options, extendedMasterSecret: true, certificateRequest: role === 'server' };
    const socket = role === 'client' ? new DtlsClient(common) : new DtlsServer(common);
    this.#socket = socket;
    flights.watch(socket);
    const order = new HandshakeOrder(
      (records) => transport.onData(records),
      () => socket.cipher.cipher !== undefined,
    );
    this.#read = (bytes) => order.take(bytes);
    return socket;
  }

  #hearAlertsOnly(): void {
    const read = this.#read;
    this.#read = (bytes) => {
      if (bytes[0] === ALERT) read(bytes);
    };
  }
}

function keysOf(socket: DtlsSocket): SrtpKeys {
  if (socket.srtp.srtpProfile !== SRTP_PROFILE)
    throw new Error('the other side does not know the SRTP profile');
  const { localKey, localSalt, remoteKey, remoteSalt } = socket.extractSessionKeys(KEY_BYTES, SALT_BYTES);
  return {
    suite: 'AES_CM_128_HMAC_SHA1_80',
    localKey: Buffer.concat([localKey, localSalt]),
    remoteKey: Buffer.concat([remoteKey, remoteSalt]),
  };
}

function epochOf(bytes: Buffer): number {
  return bytes.length > EPOCH_OFFSET + 1 ? bytes.readUInt16BE(EPOCH_OFFSET) : 0;
}
