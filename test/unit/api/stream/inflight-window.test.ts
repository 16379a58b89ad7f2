import { describe, expect, it } from 'vitest';
import { InflightWindow } from '../../../../src/api/stream/inflight-window.ts';

const FRAME_MS = 20;

/** A stream whose sender reads its sockets at once, unless configured otherwise. */
class Sender {
  readonly window = new InflightWindow();
  nowMs = 0;
  lastPing = 0;

  /** Offers this many frames, one every 20 ms or all at once; returns how many were sent. */
  send(frames: number, spacingMs = FRAME_MS, readUpToMs?: number): number {
    let sent = 0;
    for (let i = 0; i < frames; i++, this.nowMs += spacingMs) {
      if (!this.window.isOpen(readUpToMs ?? this.nowMs)) continue;
      const ping = this.window.nextPing(1);
      this.window.sent(1);
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

/** A window whose first ping was sent at 80 ms and answered after `roundTripMs`. */
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

  it('closes when a ping is unanswered for 200 ms plus a round trip, and opens with the answer', () => {
    const sender = answeredOnce(40);
    // Five frames until the ping, and those of the 240 ms after it.
    expect(sender.send(500)).toBe(5 + 12 - 1);
    sender.pong(2);
    expect(sender.window.isOpen(sender.nowMs)).toBe(false);
    sender.pong();
    expect(sender.send(5)).toBe(5);
  });

  it('stays open for a client with a long round trip', () => {
    const sender = answeredOnce(600);
    expect(sender.send(35)).toBe(35);
  });

  it('does not close while the client’s answers are still unread', () => {
    const sender = answeredOnce(0);
    const readUpToMs = sender.nowMs;
    sender.nowMs += 900;
    expect(sender.send(16, 0, readUpToMs)).toBe(16);
    sender.nowMs += 900;
    expect(sender.send(16, 0, readUpToMs)).toBe(16);
    expect(sender.send(1)).toBe(0);
  });

  it('closes before it loses track of its oldest ping', () => {
    const sender = answeredOnce(0);
    expect(sender.send(500, 0, 0)).toBe(32 * 5);
  });

  it('ignores pongs that answer no ping', () => {
    const sender = new Sender();
    sender.send(5);
    for (const pong of [0, 2, 99, 4_294_967_295]) sender.pong(pong);
    // Nothing is answered: one second is still allowed, at any time.
    expect(sender.send(500)).toBe(45);
  });
});
