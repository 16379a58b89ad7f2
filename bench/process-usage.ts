import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time for /proc in hundredths of a second. */
const CLOCK_TICKS_PER_SECOND = 100;

/** CPU seconds (user and system, all threads) that a process has used so far. */
export function cpuSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/stat`);
}

/** The same for its main thread. */
export function mainThreadCpuSeconds(pid: number): number {
  return secondsIn(`/proc/${pid}/task/${pid}/stat`);
}

/** Seconds for which the main thread of a process could have run, but waited for a core. */
export function mainThreadWaitSeconds(pid: number): number {
  const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ');
  return Number(waitedNs) / 1e9;
}

function secondsIn(path: string): number {
  const stat = readFileSync(path, 'latin1');
  // The second field, the command, may hold spaces; it ends with the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

/** How often the threads of a process have gone to sleep so far. */
export function threadWakeUps(pid: number): number {
  const counts = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** CPU seconds used by all processes of the machine since it started, including time stolen by its host. */
export function machineCpuSeconds(): number {
  const { user, nice, system, irq, softIrq, steal } = machineTimes();
  return user + nice + system + irq + softIrq + steal;
}

/** CPU seconds stolen by the host since the machine started. */
export function stolenCpuSeconds(): number {
  return machineTimes().steal;
}

function machineTimes(): Record<'user' | 'nice' | 'system' | 'irq' | 'softIrq' | 'steal', number> {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  const seconds = line
    .split(/ +/)
    .slice(1)
    .map((ticks) => Number(ticks) / CLOCK_TICKS_PER_SECOND);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = seconds;
  return { user, nice, system, irq, softIrq, steal };
}

/** Measures CPU time in cores, until the returned function is called. */
export function watchCores(seconds: () => number): () => number {
  const [before, beganMs] = [seconds(), performance.now()];
  return () => ((seconds() - before) * 1_000) / (performance.now() - beganMs);
}

/** Resident memory of a process. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) * 1024;
}
