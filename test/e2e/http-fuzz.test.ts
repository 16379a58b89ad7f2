import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/settings/variables.ts';
import { Gateway } from '../support/gateway.ts';
import { HttpFuzz, type HttpFuzzReport } from '../support/http-fuzz.ts';
import { uwsDifferences } from '../support/uws-differences.ts';

const SETTING = 'SVC_HTTP_SERVER';
const SERVERS = SETTING in VARIABLES ? ['node', 'uws'] : ['uws'];
/** `npm run http-fuzz` cuts at every byte and makes 100,000 mutants. */
const CUT_STEP = 47;
const MUTANTS = 800;
const SEED = 11;

describe.each(SERVERS)('damaged requests to the %s server', (server) => {
  let gateway: Gateway;
  let report: HttpFuzzReport;

  beforeAll(async () => {
    gateway = await Gateway.start({ env: SETTING in VARIABLES ? { [SETTING]: server } : {} });
    const fuzz = new HttpFuzz(gateway.httpPort);
    await fuzz.catalogue();
    await fuzz.cutCatalogue(CUT_STEP);
    await fuzz.mutants(MUTANTS, SEED);
    report = fuzz.report;
  });
  afterAll(() => gateway?.stop());

  it('leave it running', async () => {
    expect(report.sent).toBeGreaterThan(3_000);
    expect((await gateway.api(null).get('/readyz')).status).toBe(200);
  });

  it('do not prevent answers to valid ones', () => {
    const valid = [...report.outcomes].filter(([name]) => name.startsWith('valid: '));
    const refused = valid.filter(([, outcome]) => /^(?:nothing|400|5)/.test(outcome)).map(([name]) => name);
    // uWebSockets.js knows neither chunk extensions nor trailers, nor skips an empty line.
    const known = ['valid: a trailer', 'valid: an empty line first', 'valid: chunk extensions'];
    expect(refused.sort()).toEqual(server === 'node' ? [] : known);
  });

  it('are answered at most once each, and alike however they are split', () => {
    const { faults, cutFaults } = report;
    // bench/http-fuzz/README.md says why the known differences of uWebSockets.js are harmless.
    const counted = server === 'node' ? [...faults, ...cutFaults] : uwsDifferences(report).unknown;
    expect(counted).toEqual([]);
  });
});
