import { describe, expect, it } from 'vitest';
import { SendWindow } from '../../../../src/api/stream/send-window.ts';

/** Sends frames until the window closes or `limit` is reached; answers pings after `delayMs` when asked to. */
function fill(window: SendWindow, limit: number, nowMs: () => number): number[] {
  const pings: number[] = [];
  for (let sent = 0; sent < limit && window.isOpen(); sent += 1) {
    const ping = window.nextPing();
    window.frameSent();
    if (ping === undefined) continue;
    window.pingSent(ping, nowMs());
    pings.push(ping);
  }
  return pings;
}

describe('SendWindow', () => {
  it('gives a client that answers no pings one second of audio', () => {
    expect(fill(new SendWindow(), 500, () => 0)).toHaveLength(10);
  });

  it('closes 200 ms and a round trip after the last frame that was read', () => {
    const window = new SendWindow();
    const [first] = fill(window, 5, () => 0);
    window.pong(first ?? 0, 40);
    expect(fill(window, 500, () => 40)).toHaveLength(2);
    expect(window.isOpen()).toBe(false);
    window.pong(3, 60);
    expect(window.isOpen()).toBe(true);
  });

  it('ignores pongs that answer nothing', () => {
    const window = new SendWindow();
    const [first] = fill(window, 5, () => 0);
    for (const pong of [0, 2, 99, 4_294_967_295]) window.pong(pong, 1);
    fill(window, 20, () => 1);
    expect(window.isOpen()).toBe(true);
    window.pong(first ?? 0, 1);
    expect(window.isOpen()).toBe(false);
  });
});
