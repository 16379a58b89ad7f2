import { describe, expect, it } from 'vitest';
import { InflightWindow } from '../../../../src/api/stream/inflight-window.ts';

const FRAME_MS = 20;

/** A stream whose sender reads its sockets at once, unless told otherwise. */
class Sender {
  readonly window = new InflightWindow();
  nowMs = 0;
  lastPing = 0;

  /** Offers so many frames, one every 20 ms or all at once; returns how many went out. */
  send(frames: number, spacingMs = FRAME_MS, readUpToMs?: number): number {
    let sent = 0;
    for (let i = 0; i < frames; i++, this.nowMs += spacingMs) {
      if (!this.window.isOpen(readUpToMs ?? this.nowMs)) continue;
      const ping = this.window.nextPing();
      this.window.frameSent();
      sent++;
      if (ping === undefined) continue;
      this.window.pingSent(ping, this.nowMs);
      this.lastPing = ping;
    }
    return sent;
  }

  pong(ping = this.lastPing): void {
    this.window.pong(ping, this.nowMs);
  }
}

/** Its first ping went out at 80 ms and was answered after `roundTripMs`. */
function answeredOnce(roundTripMs: number): Sender {
  const sender = new Sender();
  sender.send(5);
  sender.nowMs = 80 + roundTripMs;
  sender.pong();
  return sender;
}

describe('InflightWindow', () => {
  it('gives a client that answers no pings one second of audio', () => {
    expect(new Sender().send(500)).toBe(50);
  });

  it('closes when a ping is not answered for 200 ms and a round trip, and opens with the answer', () => {
    const sender = answeredOnce(40);
    // Five frames until the ping, and those of the 240 ms after it.
    expect(sender.send(500)).toBe(5 + 12 - 1);
    sender.pong(2);
    expect(sender.window.isOpen(sender.nowMs)).toBe(false);
    sender.pong();
    expect(sender.send(5)).toBe(5);
  });

  it('stays open for a client that is far away', () => {
    const sender = answeredOnce(600);
    expect(sender.send(35)).toBe(35);
  });

  it('closes for nobody whose answers have not been read', () => {
    const sender = answeredOnce(0);
    const readUpToMs = sender.nowMs;
    sender.nowMs += 900;
    expect(sender.send(16, 0, readUpToMs)).toBe(16);
    sender.nowMs += 900;
    expect(sender.send(16, 0, readUpToMs)).toBe(16);
    expect(sender.send(1)).toBe(0);
  });

  it('closes before it forgets when the oldest ping was sent', () => {
    const sender = answeredOnce(0);
    expect(sender.send(500, 0, 0)).toBe(32 * 5);
  });

  it('ignores pongs that answer nothing', () => {
    const sender = new Sender();
    sender.send(5);
    for (const pong of [0, 2, 99, 4_294_967_295]) sender.pong(pong);
    // Nothing is answered: there is still a second, whatever the clock says.
    expect(sender.send(500)).toBe(45);
  });
});
