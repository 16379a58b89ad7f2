import { setPriority } from 'node:os';
import fc from 'fast-check';

// CI repeats the same random cases, so that the same code gives the same result. Elsewhere every run tries new ones.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });

// Tests judge audio in real time. They and the gateways that they start therefore get priority over other programs on a
// busy machine, if the user is root.
try {
  setPriority(-10);
} catch {}
