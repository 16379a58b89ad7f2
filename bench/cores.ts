import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { CorePlan } from './bench.ts';

export interface PlannedCores {
  readonly plan: CorePlan;
  readonly description: string;
}

/** Reserves the last core for the gateway. Generators and this process share the others. */
export function planCores(): PlannedCores {
  const cores = allowedCores();
  if (!tasksetWorks()) return unpinned('taskset is not installed (Debian: apt-get install util-linux)');
  if (cores.length < 2) return unpinned('there is only one core');
  const [gateway, others] = [`${cores.at(-1)}`, cores.slice(0, -1).join(',')];
  execFileSync('taskset', ['-a', '-cp', others, `${process.pid}`], { stdio: 'ignore' });
  return {
    plan: { gateway: ['taskset', '-c', gateway], generators: ['taskset', '-c', others] },
    description: `gateway on core ${gateway}, generators on ${others}`,
  };
}

function unpinned(why: string): PlannedCores {
  return { plan: { gateway: [], generators: [] }, description: `nothing is pinned to a core: ${why}` };
}

function tasksetWorks(): boolean {
  try {
    execFileSync('taskset', ['-cp', `${process.pid}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Returns the cores that this process may use, from a list such as `0-2,4`. */
function allowedCores(): number[] {
  let list = '';
  try {
    list = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '';
  } catch {
    return [];
  }
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
