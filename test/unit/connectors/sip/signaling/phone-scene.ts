import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, systemClock } from '../../../../../src/base/time.ts';
import type { PlatformLeg } from '../../../../../src/connectors/contract/call-leg.ts';
import type { SipTrunk } from '../../../../../src/connectors/contract/sip-accounts.ts';
import type { SipConnectorOptions } from '../../../../../src/connectors/sip/sip-connector.ts';
import type { ManualClock } from '../../../../support/manual-clock.ts';
import type { SipRequest } from '../../../../support/sip-message.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, NUMBER, TOKEN, trunkTo } from './start-connector.ts';

/** A dialog as a peer names it in requests. */
export interface PeerDialog {
  readonly callId: string;
  readonly fromTag: string;
  readonly toTag: string;
  readonly to: string;
}

/** A gateway whose trunk leads to one scripted peer, and a call that may be placed over it. */
export class PhoneScene {
  readonly gateway: ConnectorUnderTest;
  readonly peer: ScriptedPeer;
  readonly notes = new RecordedLeg();

  private constructor(gateway: ConnectorUnderTest, peer: ScriptedPeer) {
    this.gateway = gateway;
    this.peer = peer;
  }

  static async open(
    options: Partial<SipConnectorOptions> = {},
    trunk: Partial<SipTrunk> = {},
    clock: Clock = systemClock,
  ): Promise<PhoneScene> {
    const gateway = await ConnectorUnderTest.start(options, clock);
    const peer = await ScriptedPeer.start();
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port, trunk));
    gateway.connector.putNumber(NUMBER);
    return new PhoneScene(gateway, peer);
  }

  async close(): Promise<void> {
    this.notes.media.close();
    this.peer.stop();
    await this.gateway.stop();
  }

  /** Closes while a clock that stands still goes on, so that nothing is waited for. */
  async closeAt(clock: ManualClock): Promise<void> {
    let isClosed = false;
    const closing = this.close().then(() => {
      isClosed = true;
    });
    while (!isClosed) {
      await turn();
      clock.advance(100);
    }
    await closing;
  }

  dial(target = 'sip:+33123456789@127.0.0.1'): PlatformLeg {
    return this.gateway.connector.dial(dialTo(target), this.notes.media, this.notes);
  }

  /** Places a call that the peer answers at once. */
  async answered(
    body = sdp(),
    headers: readonly string[] = [],
  ): Promise<{ invite: SipRequest; leg: PlatformLeg }> {
    const leg = this.dial();
    const invite = await this.peer.request('INVITE');
    this.peer.answer(invite, 200, { body, headers });
    await this.notes.waitFor('answered');
    return { invite, leg };
  }

  /** Sends an INVITE to the listed number. */
  invite(
    headers: readonly string[] = [],
    body = sdp(),
    call: { readonly callId?: string; readonly to?: string } = {},
  ): void {
    const { callId = 'c1', to = `sip:${NUMBER.number}@${this.gateway.uri}` } = call;
    this.peer.send('INVITE', `sip:${TOKEN}@${this.gateway.uri}`, { callId, cseq: 1, to, headers, body });
  }
}

/** The dialog of an INVITE from the gateway, and the Contact there. */
export function dialogOf({ headers }: SipRequest, tag = 'peer'): { dialog: PeerDialog; contact: string } {
  const { from } = headers;
  const [contact] = headers.contact as { uri: string }[];
  const dialog = { callId: headers['call-id'], fromTag: tag, toTag: from.params.tag!, to: from.uri };
  return { dialog, contact: contact!.uri };
}
