/** Child process: one agent on every call. */
import { LatenessHistogram } from './arrivals.ts';
import type { AgentStats, LoadAnswer, LoadRequest } from './load-protocol.ts';
import { startPhasedClock } from './phased-clock.ts';
import { StreamAgent } from './stream-agent.ts';

const histogram = new LatenessHistogram();
let sendLateness = new LatenessHistogram();
const agents: StreamAgent[] = [];

process.on('message', async (request: LoadRequest) => {
  switch (request.type) {
    case 'join':
      await join(request.streamUrls, request.apiKey);
      answer({ type: 'ready' });
      return;
    case 'begin':
      sendLateness = new LatenessHistogram();
      for (const agent of agents) agent.begin();
      return;
    case 'end':
      answer({ type: 'agents', stats: stats() });
  }
});
process.on('disconnect', () => process.exit());

async function join(streamUrls: readonly string[], apiKey: string): Promise<void> {
  for (const url of streamUrls) {
    const agent = new StreamAgent(url, apiKey, histogram);
    await agent.joined;
    agents.push(agent);
  }
}

function stats(): AgentStats {
  for (const agent of agents) agent.arrivals.end();
  const sum = (value: (agent: StreamAgent) => number) =>
    agents.reduce((total, agent) => total + value(agent), 0);
  return {
    agents: agents.length,
    framesSent: sum((agent) => agent.framesSent),
    framesReceived: sum((agent) => agent.arrivals.frames),
    breaks: sum((agent) => agent.listener.breaks),
    worstDeviationFrames: Math.max(...agents.map((agent) => Math.abs(agent.arrivals.deviationFrames()))),
    errors: countErrors(),
    disconnected: agents.filter((agent) => !agent.connected).length,
    arrival: histogram.stats(),
    sending: sendLateness.stats(),
  };
}

function countErrors(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const error of agents.flatMap((agent) => agent.errors)) counts[error] = (counts[error] ?? 0) + 1;
  return counts;
}

function answer(message: LoadAnswer): void {
  process.send?.(message);
}

startPhasedClock(
  () => agents.length,
  (member) => agents[member]?.send(),
  (latenessMs) => sendLateness.add(latenessMs),
);
answer({ type: 'ready' });
