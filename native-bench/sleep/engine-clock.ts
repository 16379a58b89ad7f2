/** The engine's clock with nothing to do: `node engine-clock.ts seconds` prints how late its ticks were, in ms. */
import { FRAME_MS } from '../../src/base/frame.ts';
import { TickClock } from '../../src/engine/clock.ts';
import { mediaIo } from '../../src/rtp/open-rtp-leg.ts';
import { EngineStats } from '../../src/threads/engine-stats.ts';

const ticks = (Number(process.argv[2]) * 1_000) / FRAME_MS;
const latenessMs: number[] = [];
const stats = new EngineStats();
const io = mediaIo('auto');
const clock = new TickClock(stats, {
  isOccupied: (slot) => slot === 0,
  tick: () => onTick(latenessMs.length + 1),
  sleep: (milliseconds) => io.sleep(milliseconds),
});

const originMs = performance.now();
clock.wake();

function onTick(tick: number): void {
  latenessMs.push(performance.now() - originMs - tick * FRAME_MS);
  if (tick < ticks) return;
  clock.stop();
  // The clock sets its timer again after the tick.
  setImmediate(() => clock.stop());
  report();
}

function report(): void {
  latenessMs.sort((a, b) => a - b);
  const quantile = (share: number) => latenessMs[Math.ceil(share * latenessMs.length) - 1];
  const { skipped_ticks: skipped } = stats.read();
  const figures = {
    ...{ p50Ms: quantile(0.5), p99Ms: quantile(0.99), p999Ms: quantile(0.999), maxMs: quantile(1) },
    periods: latenessMs.length + skipped,
  };
  console.log(JSON.stringify(figures));
}
