/** Child process, so that it runs on the gateway's core: prints the cost of a tick for each `PARTIES:HZ`, in microseconds. */
import { tickCostUs } from './room-cost.ts';

const TICKS = 2_000;

for (const room of process.argv.slice(2)) {
  const [parties = 0, sampleRateHz = 0] = room.split(':').map(Number);
  console.log(tickCostUs(parties, sampleRateHz, TICKS));
}
