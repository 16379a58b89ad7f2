import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import type { PlatformLeg } from '../../../../../../src/connectors/contract/call-leg.ts';
import type { SipConnectorOptions } from '../../../../../../src/connectors/sip/sip-connector.ts';
import { makeCertificate } from '../../../../../support/certificate.ts';
import type { SipRequest } from '../../../../../support/sip-message.ts';
import { TurnableClock } from '../../../../../support/turnable-clock.ts';
import { RecordedLeg } from '../fake-calls.ts';
import { FakeDns, type Records } from '../fake-dns.ts';
import { StreamWire } from '../peer-wire.ts';
import { ScriptedPeer } from '../scripted-peer.ts';
import { ConnectorUnderTest, dialTo } from '../start-connector.ts';

/** A host that may be called without a trunk. */
export const ROOMS = 'rooms.example';

/** A certificate with its key. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A gateway that may call ROOMS without a trunk, and peers that stand for it. */
export class DirectScene {
  readonly clock = new TurnableClock();
  readonly #stops: (() => unknown)[] = [];
  #gateway: ConnectorUnderTest | null = null;

  get gateway(): ConnectorUnderTest {
    return this.#gateway!;
  }

  /** Starts the gateway, whose DNS has these records. */
  async start(records: Records | FakeDns, options: Partial<SipConnectorOptions> = {}): Promise<void> {
    const dns = records instanceof FakeDns ? records : new FakeDns(records);
    const settings = { dns, directHosts: [ROOMS], trunkAllow: ['127.0.0.1'], ...options };
    const gateway = await ConnectorUnderTest.start(settings, this.clock);
    this.#stops.push(() => gateway.stop());
    this.#gateway = gateway;
  }

  async peer(wire?: StreamWire, host = '127.0.0.1'): Promise<ScriptedPeer> {
    const peer = await ScriptedPeer.start(host, wire);
    this.#stops.push(() => peer.stop());
    if (this.#gateway !== null) peer.facing(this.#gateway.connector.port!);
    return peer;
  }

  tcp(): StreamWire {
    return new StreamWire();
  }

  tls(certificate: TlsOptions): StreamWire {
    return new StreamWire(certificate);
  }

  /** `names`: as in `subjectAltName`. */
  certificate(names: string): KeyPair {
    const folder = mkdtempSync(join(tmpdir(), 'direct-'));
    const { certPath, keyPath } = makeCertificate(folder, names);
    const pair = { cert: readFileSync(certPath, 'utf8'), key: readFileSync(keyPath, 'utf8') };
    rmSync(folder, { recursive: true });
    return pair;
  }

  dial(target: string): { readonly leg: PlatformLeg; readonly notes: RecordedLeg } {
    const notes = new RecordedLeg();
    this.#stops.push(() => notes.media.close());
    return { leg: this.gateway.connector.dial(dialTo(target), notes.media, notes), notes };
  }

  /** Dials for another platform. */
  dialFor(call: { readonly target: string; readonly sampleRateHz: number }): { readonly notes: RecordedLeg } {
    const notes = new RecordedLeg();
    this.#stops.push(() => notes.media.close());
    const outcomes = new Map([[403, { result: 'refused', reason: 'no licence' } as const]]);
    const whole = { accountId: 'acc_1', dtmf: '', displayName: 'A', outcomes, ...call };
    this.gateway.connector.dialing.dial(whole, notes.media, notes);
    return { notes };
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}

export function contactOf({ headers }: SipRequest): string {
  return (headers.contact as { uri: string }[])[0]!.uri;
}

/** What a peer needs for requests inside the dialog of an INVITE that it answers. */
export function dialogOf(invite: SipRequest) {
  const { headers } = invite;
  return { contact: contactOf(invite), callId: headers['call-id'], toTag: headers.from.params.tag! };
}
