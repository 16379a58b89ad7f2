import type { HttpFault, HttpFuzzReport } from '../../test/support/http-fuzz.ts';
import { uwsDifferences } from '../../test/support/uws-differences.ts';

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
    if (report.server !== 'node') continue;
    printFaults(`${report.server}: answered too often`, report.faults);
    printFaults(`${report.server}: answered otherwise when cut`, report.cutFaults);
  }
  return reports.every((report) => report.isAlive && unknownIn(report).length === 0);
}

/** Prints the known differences of uWebSockets.js, and returns the faults that count. */
function unknownIn(report: ServerReport): readonly HttpFault[] {
  if (report.server === 'node') return [...report.faults, ...report.cutFaults];
  const { known, unknown } = uwsDifferences(report);
  console.log(`\n${report.server}: ${unknown.length} unknown differences`);
  for (const [name, count] of known) console.log(`  ${count} known: ${name}`);
  printFaults(`${report.server}: unknown`, unknown);
  return unknown;
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
