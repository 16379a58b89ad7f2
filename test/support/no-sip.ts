import type { DialsSip } from '../../src/connectors/contract/sip-dialing.ts';

/** For a connector that calls nobody. */
export const NO_SIP: DialsSip = {
  check: () => expectNothing(),
  dial: () => expectNothing(),
};

function expectNothing(): never {
  throw new Error('nobody was to be called');
}
