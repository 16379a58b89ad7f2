import { afterEach, beforeEach } from 'vitest';
import { waitFor } from '../../../../../support/wait-for.ts';
import { ScriptedPeer, sdp } from '../scripted-peer.ts';
import { ConnectorUnderTest, NUMBER, trunkTo } from '../start-connector.ts';

/** A connector with one trunk and one number, and the trunk's server. */
export class InboundScene {
  gateway!: ConnectorUnderTest;
  peer!: ScriptedPeer;
  /** The number's URI at the connector. */
  uri!: string;

  /** A new one for each test of the calling suite. */
  static forEach(): InboundScene {
    const scene = new InboundScene();
    beforeEach(() => scene.#start());
    afterEach(async () => {
      scene.peer.stop();
      await scene.gateway.stop();
    });
    return scene;
  }

  invite(callId: string, body = sdp(), headers: readonly string[] = [], target = this.uri): void {
    this.peer.send('INVITE', target, { callId, cseq: 1, body, headers });
  }

  /** Waits for the 200 and returns what requests in its dialog need. */
  async inDialog(callId: string) {
    const ok = await this.peer.response(200, 'INVITE');
    const contact = (ok.headers.contact as { uri: string }[])[0]!.uri;
    return { ok, contact, call: { callId, to: this.uri, toTag: ok.headers.to.params.tag! } };
  }

  async #start(): Promise<void> {
    this.gateway = await ConnectorUnderTest.start();
    this.peer = await ScriptedPeer.start();
    this.peer.facing(this.gateway.connector.port!);
    this.gateway.connector.putTrunk(trunkTo(this.peer.port));
    this.gateway.connector.putNumber(NUMBER);
    this.uri = `sip:+33123456789@${this.gateway.uri}`;
    await this.reachable();
  }

  /** The trunk's address is looked up in the background. */
  async reachable(): Promise<void> {
    let cseq = 1;
    await waitFor('an answer to OPTIONS', async () => {
      cseq += 1;
      this.peer.send('OPTIONS', this.uri, { callId: 'probe', cseq });
      await new Promise((resolve) => setTimeout(resolve, 20));
      return this.peer.statuses('OPTIONS').includes(200);
    });
  }
}
