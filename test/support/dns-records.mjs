import { Resolver } from 'node:dns/promises';

/** `--import` this to give a process the DNS records in TEST_DNS: JSON by `TYPE name`. It gets no others. */
const records = JSON.parse(process.env.TEST_DNS ?? '{}');
const QUERIES = { NAPTR: 'resolveNaptr', SRV: 'resolveSrv', A: 'resolve4', AAAA: 'resolve6' };

for (const [type, method] of Object.entries(QUERIES))
  Resolver.prototype[method] = async (name) => {
    const found = records[`${type} ${name}`];
    if (found === undefined)
      throw Object.assign(new Error(`query${type} ENODATA ${name}`), { code: 'ENODATA' });
    return found;
  };
