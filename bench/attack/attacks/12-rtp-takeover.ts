import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { audioSdp, type MediaAddress } from '../../sip-text.ts';
import { udpPortsOf } from '../../soak/holdings.ts';
import { activeCall } from '../active-call.ts';
import { type Attack, PROVIDER_HOST, STRANGER_HOST, type Target } from '../attack.ts';
import type { Mails } from '../mails.ts';
import { leave, newTenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { ScriptedProvider } from '../scripted-provider.ts';

const NUMBER = 12;
const PCMU_SILENCE = 0xff;
const GATEWAY_HOST = '127.0.0.1';
const FLOOD_PACKETS = 3_000;

/** Packets from a stranger who wants to hear the call or to be heard in it. */
export const rtpTakeover: Attack = {
  number: NUMBER,
  name: 'audio sent to a stranger',
  async run(target, notes, mails) {
    await floodLiveCall(target, notes);
    await takeOver(target, notes, mails);
  },
};

/** Returns every port that the gateway has open for audio, including those of the live call. */
async function floodLiveCall({ pid, sipPort }: Target, notes: Notes): Promise<void> {
  const ports = udpPortsOf(pid).filter((port) => port !== sipPort);
  notes.act(`${FLOOD_PACKETS} packets of a stranger to each of ${ports.length} ports for audio`);
  const stranger = await Talker.open(STRANGER_HOST);
  for (let n = 0; n < FLOOD_PACKETS; n++) {
    for (const port of ports) stranger.say({ host: GATEWAY_HOST, port });
    if (n % 10 === 0) await pause(5);
  }
  await pause(200);
  notes.demand(stranger.heard === 0, 'packets of the live call that went to the stranger', stranger.heard);
  stranger.close();
}

async function takeOver(target: Target, notes: Notes, mails: Mails): Promise<void> {
  const tenant = await newTenant(target, mails, NUMBER, 1);
  const provider = await ScriptedProvider.open(target.sipPort);
  const phone = await Talker.open(PROVIDER_HOST);
  const stranger = await Talker.open(STRANGER_HOST);
  provider.answer = () => ({ status: '200 OK', sdp: audioSdp(PROVIDER_HOST, phone.port) });
  const callId = await activeCall(tenant, provider.port);
  const media = provider.lastOffer;
  notes.act('before the phone speaks, a stranger sends one packet, and four');
  for (const count of [1, 4]) {
    for (let n = 0; n < count; n++) stranger.say(media);
    await pause(400);
  }
  notes.demand(stranger.heard === 0, 'packets to the stranger before the phone spoke', stranger.heard);
  await phone.talk(media, 60);
  notes.act('2.5 s after the phone fell silent, a stranger sends forty packets');
  await pause(2_500);
  stranger.heard = 0;
  const heardBefore = phone.heard;
  await stranger.talk(media, 40);
  notes.demand(stranger.heard === 0, 'packets to the stranger while the phone is silent', stranger.heard);
  notes.demand(phone.heard > heardBefore, 'packets to the phone meanwhile', phone.heard - heardBefore);
  await tenant.agentApi.delete(`/api/call/${callId}`);
  await pause(300);
  for (const each of [phone, stranger, provider]) each.close();
  await tenant.settingsApi.delete('/api/sip/trunk');
  await leave(tenant);
}

/** A sender and receiver of RTP (RFC 3550 section 5.1): silence in PCMU. */
class Talker {
  heard = 0;
  readonly #socket: Socket;
  readonly #packet = Buffer.alloc(172, PCMU_SILENCE);
  #sequence = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#packet.writeUInt16BE(0x80_00, 0);
    this.#packet.writeUInt32BE(0x5eed_0001 + socket.address().port, 8);
    socket.on('message', () => this.heard++);
  }

  static async open(host: string): Promise<Talker> {
    const socket = createSocket('udp4');
    socket.bind(0, host);
    await once(socket, 'listening');
    return new Talker(socket);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  say({ host, port }: MediaAddress): void {
    this.#sequence = (this.#sequence + 1) % 0x1_0000;
    const packet = Buffer.from(this.#packet);
    packet.writeUInt16BE(this.#sequence, 2);
    packet.writeUInt32BE((this.#sequence * 160) % 0x1_0000_0000, 4);
    this.#socket.send(packet, port, host);
  }

  /** A packet every 20 ms. */
  async talk(to: MediaAddress, packets: number): Promise<void> {
    for (let n = 0; n < packets; n++) {
      this.say(to);
      await pause(20);
    }
  }

  close(): void {
    this.#socket.close();
  }
}
