import { HttpFuzz, type HttpFuzzReport } from '../../../test/support/http-fuzz.ts';
import type { Attack, Target } from '../attack.ts';

const MUTANTS = 3_000;
/** Bytes between two cuts. `npm run http-fuzz` tries every byte. */
const CUT_STEP = 7;
/** What may not be left to a proxy, whichever server reads it. */
const REFUSED_BY_ALL = [
  'both framings: the length first',
  'both framings: the coding first',
  'length: two that differ',
];

/** Requests whose end two servers see in different places. */
export const malformedFraming: Attack = {
  number: 11,
  name: 'requests with an ambiguous end',
  async run({ httpPort, server, round }: Target, notes) {
    const fuzz = new HttpFuzz(httpPort);
    notes.act(
      `every class of damaged requests, whole and cut, and ${MUTANTS} mutants in one, two and three pieces`,
    );
    await fuzz.catalogue();
    await fuzz.cutCatalogue(CUT_STEP);
    await fuzz.mutants(MUTANTS, round);
    const { report } = fuzz;
    notes.see(`${report.sent} requests sent`);
    for (const name of REFUSED_BY_ALL) {
      const outcome = report.outcomes.get(name) ?? 'not tried';
      notes.demand(/^(?:400|nothing), closed$/.test(outcome), name, outcome);
    }
    const [faults, cutFaults] = [classesOf(report.faults), classesOf(report.cutFaults)];
    if (server === 'node') {
      notes.demand(faults.length === 0, 'more answers than requests', faults.join('; ') || 'none');
      notes.demand(cutFaults.length === 0, 'answered otherwise when cut', cutFaults.join('; ') || 'none');
    } else {
      notes.see(`more answers than requests: ${faults.join('; ')}`);
      notes.see(`answered otherwise when cut: ${cutFaults.length} classes`);
    }
  },
};

function classesOf(faults: HttpFuzzReport['faults']): string[] {
  return [
    ...new Set(
      faults.map(({ name, fault }) =>
        name === 'a mutant' ? `a mutant (${fault})` : name.replace(/, cut.*/, ''),
      ),
    ),
  ];
}
