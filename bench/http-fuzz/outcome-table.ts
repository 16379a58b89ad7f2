import type { HttpFault, HttpFuzzReport } from '../../test/support/http-fuzz.ts';

const MAX_SHOWN = 12;

/** What came of one server. */
export interface ServerReport extends HttpFuzzReport {
  readonly server: string;
  readonly isAlive: boolean;
}

/** Prints the outcome of each class per server, the differences and the faults. Returns whether there were none. */
export function print(reports: readonly ServerReport[]): boolean {
  const [first] = reports;
  const servers = reports.map(({ server }) => server);
  console.log(`\n| class | ${servers.join(' | ')} |\n|---|${servers.map(() => '---|').join('')}`);
  for (const name of first?.outcomes.keys() ?? []) {
    const outcomes = reports.map((report) => report.outcomes.get(name) ?? '');
    if (servers.length === 1 || new Set(outcomes).size > 1)
      console.log(`| ${name} | ${outcomes.join(' | ')} |`);
  }
  for (const report of reports) {
    printFaults(`${report.server}: answered too often`, report.faults);
    printFaults(`${report.server}: answered otherwise when cut`, report.cutFaults);
  }
  return reports.every(
    ({ server, isAlive, faults, cutFaults }) =>
      isAlive && (server !== 'node' || faults.length + cutFaults.length === 0),
  );
}

function printFaults(title: string, faults: readonly HttpFault[]): void {
  if (faults.length === 0) return;
  const byName = Map.groupBy(faults, ({ name }) => name.replace(/, cut at .*/, ''));
  console.log(`\n${title}: ${faults.length}`);
  for (const [name, each] of [...byName].slice(0, MAX_SHOWN * 3))
    console.log(
      `  ${each.length} of ${name}: ${each[0]?.fault}\n     ${JSON.stringify(each[0]?.sent).slice(0, 300)}`,
    );
}
